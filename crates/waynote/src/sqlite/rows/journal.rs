//! Reading the journal: the revisions of a note along its chain, and all changes in their order.

use std::sync::LazyLock;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row};

use crate::note::{Action, Note, Position, Revision, Source, State};
use crate::scope::Scope;

use super::checksum;
use super::damage::{LeftOut, damaged};
use super::query::{all, one};
use super::read::{
    self, NotePlace, address, author, cites, content_at, kind, name_of, number, scope_id, time,
    unreadable,
};
use super::scopes::{SCOPE, scope_at};
use crate::sqlite::errors::Outcome;

/// A row of the journal: the columns that its checksum is over, the hash of its content, the checksum and the content.
pub(super) const REVISION: &str = "j.position, j.previous, j.scope, j.key, j.revision, j.action, j.undoes, \
                        j.content, j.kind, j.iteration, j.pinned, j.author, j.recorded_at, j.created_at, \
                        j.updated_at, j.operation, j.step, j.forgotten_at, j.forgotten_by, j.token, j.cites, c.hash, j.checksum, \
                        c.body";

/// The column with a row's content; a query's other columns come after it.
const BODY: usize = 23;

/// The first of the columns that a query adds to those of a revision.
pub(super) const AFTER_REVISION: usize = BODY + 1;

/// How many values the checksum is over.
const WIDTH: usize = 22;

/// The revision of a row of that scope.
pub(in crate::sqlite) fn revision(row: &Row<'_>, scope: &Scope) -> rusqlite::Result<Revision> {
    let Some(content) = content_at(row, BODY)? else {
        return Err(damaged(revision_name(row, scope)?));
    };
    let address = address(scope, row.get_ref(3)?.as_str()?, 3)?;
    let action = row.get_ref(5)?.as_str()?;
    let action = Action::stored(action)
        .ok_or_else(|| unreadable(5, format!("unknown action `{action}`")))?;
    let (number, author) = (number(row, 4)?, author(row, 11)?);
    let undoes: Option<i64> = row.get(6)?;
    let state = match content {
        None if row.get::<_, Option<i64>>(17)?.is_some() => State::Forgotten {
            address,
            revision: number,
            author,
            forgotten_at: time(row, 17)?,
            forgotten_by: self::author(row, 18)?,
        },
        None => State::Deleted {
            address,
            revision: number,
            author,
        },
        Some(content) => State::Present(Note {
            address,
            preview: content.preview(),
            content,
            kind: kind(row, 8)?,
            iteration: row.get(9)?,
            // A current note has it in its own row. For an earlier state the events tell.
            resolved_by: None,
            cites: cites(row, 20)?,
            pinned: row.get(10)?,
            revision: number,
            author,
            created_at: time(row, 13)?,
            updated_at: time(row, 14)?,
            source: Source::Own,
        }),
    };
    Ok(Revision {
        position: Some(Position::new(row.get(0)?)),
        action,
        undoes: undoes.map(|undone| u64::try_from(undone).unwrap_or(0)),
        recorded_at: time(row, 12)?,
        token: match row.get_ref(19)? {
            ValueRef::Null => None,
            _ => Some(self::author(row, 19)?),
        },
        state,
    })
}

/// A damaged row's revision, as far as the row tells.
fn revision_name(row: &Row<'_>, scope: &Scope) -> rusqlite::Result<String> {
    let name = name_of(row, scope, 3);
    Ok(match row.get_ref(4)? {
        ValueRef::Integer(number) => format!("{name}@{number}"),
        _ => name,
    })
}

/// A revision whose row has its scope behind its own columns.
pub(super) fn revision_anywhere(row: &Row<'_>) -> rusqlite::Result<Revision> {
    revision(row, &scope_at(row, AFTER_REVISION)?)
}

/// The last row of a note's chain.
pub(super) struct End {
    pub(super) position: i64,
    pub(super) revision: u64,
}

/// The last row of a note's chain in the journal, whether the note is there or was deleted.
pub(super) fn end(conn: &Connection, at: NotePlace<'_>) -> Outcome<Option<End>> {
    let found = one(conn, &read::ONE_NOTE, (at.id, at.key), |row| {
        if !checksum::is_whole(row, read::NOTE_WIDTH)? {
            return Err(damaged(name_of(row, at.scope, 1)));
        }
        Ok(End {
            position: row.get(2)?,
            revision: number(row, 3)?,
        })
    });
    match found? {
        Some(end) => Ok(Some(end)),
        None => end_of_deleted(conn, at),
    }
}

/// The same for a note that was deleted. Its row has no checksum: that of the journal says whether it is right.
pub(super) fn end_of_deleted(conn: &Connection, at: NotePlace<'_>) -> Outcome<Option<End>> {
    static DELETED: LazyLock<String> = LazyLock::new(|| {
        format!(
            "SELECT {REVISION} FROM waynote_deleted d
             LEFT JOIN waynote_journal j ON j.position = d.position LEFT JOIN waynote_content c ON c.id = j.content
             WHERE d.scope = ?1 AND d.key = ?2"
        )
    });
    one(conn, &DELETED, (at.id, at.key), |row| {
        if !checksum::is_whole(row, WIDTH)? || !is_of(row, at)? {
            return Err(damaged(at.name()));
        }
        Ok(End {
            position: row.get(0)?,
            revision: number(row, 4)?,
        })
    })
}

/// True if a row of the journal is that note's.
fn is_of(row: &Row<'_>, at: NotePlace<'_>) -> rusqlite::Result<bool> {
    Ok(
        matches!(row.get_ref(2)?, ValueRef::Integer(of) if of == at.id)
            && matches!(row.get_ref(3)?, ValueRef::Text(of) if of == at.key.as_bytes()),
    )
}

/// The row at a position.
pub(in crate::sqlite) static AT_POSITION: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT {REVISION} FROM waynote_journal j LEFT JOIN waynote_content c ON c.id = j.content
         WHERE j.position = ?1"
    )
});

/// Goes back along a chain. Each row is checked before the previous one is looked up.
fn along<T>(
    conn: &Connection,
    at: NotePlace<'_>,
    end: &End,
    mut each: impl FnMut(&Row<'_>) -> rusqlite::Result<Option<T>>,
) -> Outcome<Vec<T>> {
    let mut statement = conn.prepare_cached(&AT_POSITION)?;
    let mut found = Vec::new();
    let (mut next, mut number) = (Some(end.position), end.revision);
    while let Some(position) = next {
        let lost = || damaged(format_args!("{}@{number}", at.name()));
        let step = statement.query_row([position], |row| {
            let is_next = checksum::is_whole(row, WIDTH)?
                && is_of(row, at)?
                && self::number(row, 4)? == number;
            if !is_next {
                return Err(lost());
            }
            Ok((each(row)?, row.get::<_, Option<i64>>(1)?))
        });
        let (value, previous) = match step.optional()? {
            Some(step) => step,
            None => return Err(lost().into()),
        };
        // The first one has none before it, and every other one has.
        if previous.is_none() != (number == 1) {
            return Err(lost().into());
        }
        let is_enough = value.is_none();
        found.extend(value);
        if is_enough {
            break;
        }
        (next, number) = (previous, number - 1);
    }
    Ok(found)
}

/// The revisions of a note of the scope with that id, oldest first.
pub(super) fn history(conn: &Connection, at: NotePlace<'_>) -> Outcome<Vec<Revision>> {
    let Some(end) = end(conn, at)? else {
        return Ok(Vec::new());
    };
    let mut history = along(conn, at, &end, |row| revision(row, at.scope).map(Some))?;
    history.reverse();
    Ok(history)
}

/// How often an entry was noted in iterations before one.
pub(super) fn noted_before(conn: &Connection, at: NotePlace<'_>, before: i64) -> Outcome<u64> {
    let Some(end) = end(conn, at)? else {
        return Ok(0);
    };
    let noted = along(conn, at, &end, |row| {
        let is_before = row.get::<_, Option<i64>>(9)?.is_some_and(|of| of < before);
        Ok(Some(is_before && row.get_ref(7)? != ValueRef::Null))
    })?;
    Ok(noted.into_iter().filter(|noted| *noted).count() as u64)
}

/// One revision of a note.
pub(super) fn one_revision(
    conn: &Connection,
    at: NotePlace<'_>,
    of: u64,
) -> Outcome<Option<Revision>> {
    let end = end(conn, at)?;
    let Some(end) = end.filter(|end| (1..=end.revision).contains(&of)) else {
        return Ok(None);
    };
    let mut found = None;
    along(conn, at, &end, |row| {
        if number(row, 4)? > of {
            return Ok(Some(()));
        }
        found = Some(revision(row, at.scope)?);
        Ok(None)
    })?;
    Ok(found)
}

/// The revisions of every note that a scope ever had, by key, without the notes of which one is damaged.
pub(super) fn scope_histories(
    conn: &Connection,
    scope: &Scope,
    left_out: &LeftOut,
) -> Outcome<Vec<Vec<Revision>>> {
    let Some(id) = scope_id(conn, scope)? else {
        return Ok(Vec::new());
    };
    let sql = "SELECT key FROM waynote_note WHERE scope = ?1
               UNION SELECT key FROM waynote_deleted WHERE scope = ?1 ORDER BY key";
    let keys: Vec<String> = all(conn, sql, [id], |row| row.get(0))?;
    let mut histories = Vec::new();
    for key in keys {
        let Ok(address) = address(scope, &key, 0) else {
            left_out.add(read::name_of_key(scope, &key));
            continue;
        };
        let key = &key;
        let history = history(conn, NotePlace { id, scope, key }).map(Some);
        histories.extend(left_out.unless_damaged(history, &address)?);
    }
    Ok(histories)
}

/// The revision that a journal row is, whole.
pub(super) fn revision_of(conn: &Connection, position: i64) -> Outcome<Option<Revision>> {
    let sql = format!(
        "SELECT {REVISION}, {SCOPE} FROM waynote_journal j
         JOIN waynote_scope s ON s.id = j.scope
         LEFT JOIN waynote_content c ON c.id = j.content WHERE j.position = ?1"
    );
    one(conn, &sql, [position], revision_anywhere)
}

/// The changes before a position, latest first, without those that are damaged.
pub(super) fn before(
    conn: &Connection,
    before: Option<Position>,
    limit: usize,
    left_out: &LeftOut,
) -> Outcome<Vec<Revision>> {
    let sql = format!(
        "SELECT {REVISION}, {SCOPE} FROM waynote_journal j
         JOIN waynote_scope s ON s.id = j.scope
         LEFT JOIN waynote_content c ON c.id = j.content
         WHERE j.position < ?1 ORDER BY j.position DESC LIMIT ?2"
    );
    let before = before.map_or(i64::MAX, |position| position.0);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    left_out.whole(conn, &sql, (before, limit), revision_anywhere)
}
