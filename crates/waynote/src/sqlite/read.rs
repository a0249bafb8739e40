//! Reading: rows into notes and revisions.

use std::collections::HashMap;

use jiff::Timestamp;
use rusqlite::types::{FromSqlError, Type};
use rusqlite::{Connection, OptionalExtension, Row};

use crate::address::{Address, AddressAt};
use crate::content::{Content, ContentHash};
use crate::engine::{NoteAt, NoteState};
use crate::id::StoreId;
use crate::key::Name;
use crate::note::{Action, EntryType, Note, Position, Revision, State};
use crate::scope::{Scope, ScopeKind};
use crate::store::{ScopeSummary, SideValue};

use super::errors::Outcome;

/// A row that does not say what it should: damage, named by the engine's own error for it.
pub(super) fn unreadable(column: usize, why: impl std::fmt::Display) -> rusqlite::Error {
    let why: Box<dyn std::error::Error + Send + Sync> = why.to_string().into();
    rusqlite::Error::FromSqlConversionFailure(column, Type::Null, why)
}

pub(super) fn scope_id(conn: &Connection, scope: &Scope) -> Outcome<Option<i64>> {
    let mut statement =
        conn.prepare_cached("SELECT id FROM waynote_scope WHERE kind = ?1 AND name = ?2")?;
    Ok(statement
        .query_row((scope.kind().as_str(), scope.name()), |row| row.get(0))
        .optional()?)
}

/// The key as it is stored: empty for a place's own note.
pub(super) fn stored_key(address: &Address) -> String {
    address.key().unwrap_or_default()
}

pub(super) fn address(scope: &Scope, key: &str, column: usize) -> rusqlite::Result<Address> {
    let key = (!key.is_empty()).then_some(key);
    Address::from_parts(scope.clone(), key).map_err(|error| unreadable(column, error))
}

pub(super) fn time(row: &Row<'_>, column: usize) -> rusqlite::Result<Timestamp> {
    let micros: i64 = row.get(column)?;
    Timestamp::from_microsecond(micros).map_err(|error| unreadable(column, error))
}

pub(super) fn number(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let number: i64 = row.get(column)?;
    u64::try_from(number).map_err(|_| FromSqlError::OutOfRange(number).into())
}

pub(super) fn author(row: &Row<'_>, column: usize) -> rusqlite::Result<Name> {
    row.get_ref(column)?
        .as_str()?
        .parse()
        .map_err(|error| unreadable(column, error))
}

fn kind(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<EntryType>> {
    let word: Option<String> = row.get(column)?;
    Ok(word.map(|word| EntryType::stored(&word)))
}

/// The columns of a current note, from 0.
pub(super) const NOTE: &str = "n.key, n.revision, n.preview, n.kind, n.iteration, n.pinned, n.author, n.created_at, \
                    n.updated_at, c.body, n.resolved_by";

pub(super) fn note(row: &Row<'_>, scope: &Scope) -> rusqlite::Result<Note> {
    let content = Content::imported(row.get::<_, Vec<u8>>(9)?);
    Ok(Note {
        address: address(scope, row.get_ref(0)?.as_str()?, 0)?,
        revision: number(row, 1)?,
        preview: content.preview_now(row.get_ref(2)?.as_str()?),
        kind: kind(row, 3)?,
        iteration: row.get(4)?,
        pinned: row.get(5)?,
        author: author(row, 6)?,
        created_at: time(row, 7)?,
        updated_at: time(row, 8)?,
        resolved_by: match row.get_ref(10)?.as_str_or_null()? {
            Some(id) => Some(id.parse().map_err(|error| unreadable(10, error))?),
            None => None,
        },
        content,
    })
}

/// A note of the scope with that id.
pub(super) fn get_in(
    conn: &Connection,
    id: i64,
    scope: &Scope,
    key: &str,
) -> Outcome<Option<Note>> {
    let sql = format!(
        "SELECT {NOTE} FROM waynote_note n JOIN waynote_content c ON c.id = n.content
         WHERE n.scope = ?1 AND n.key = ?2"
    );
    let mut statement = conn.prepare_cached(&sql)?;
    Ok(statement
        .query_row((id, key), |row| note(row, scope))
        .optional()?)
}

/// All notes of a scope, by key.
pub(super) fn of_scope(conn: &Connection, scope: &Scope) -> Outcome<Vec<Note>> {
    let Some(id) = scope_id(conn, scope)? else {
        return Ok(Vec::new());
    };
    let sql = format!(
        "SELECT {NOTE} FROM waynote_note n JOIN waynote_content c ON c.id = n.content
         WHERE n.scope = ?1 ORDER BY n.key"
    );
    let mut statement = conn.prepare_cached(&sql)?;
    let rows = statement.query_map([id], |row| note(row, scope))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The entries of a session that are resolved, by key.
pub(super) fn resolved(conn: &Connection, session: &Name) -> Outcome<Vec<Note>> {
    let scope = Scope::Session(session.clone());
    let Some(id) = scope_id(conn, &scope)? else {
        return Ok(Vec::new());
    };
    let sql = format!(
        "SELECT {NOTE} FROM waynote_note n JOIN waynote_content c ON c.id = n.content
         WHERE n.scope = ?1 AND n.resolved_by IS NOT NULL ORDER BY n.key"
    );
    let mut statement = conn.prepare_cached(&sql)?;
    let rows = statement.query_map([id], |row| note(row, &scope))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// All notes of every scope of a kind, by scope's name and key.
pub(super) fn of_kind(conn: &Connection, kind: ScopeKind) -> Outcome<Vec<Note>> {
    let sql = format!(
        "SELECT {NOTE}, s.name FROM waynote_scope s
         CROSS JOIN waynote_note n ON n.scope = s.id JOIN waynote_content c ON c.id = n.content
         WHERE s.kind = ?1 ORDER BY s.name, n.key"
    );
    let mut statement = conn.prepare_cached(&sql)?;
    let rows = statement.query_map([kind.as_str()], |row| {
        let scope = Scope::from_parts(kind, row.get_ref(11)?.as_str()?)
            .map_err(|error| unreadable(11, error))?;
        note(row, &scope)
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

pub(super) fn scopes(conn: &Connection, kind: ScopeKind) -> Outcome<Vec<ScopeSummary>> {
    let mut statement = conn.prepare_cached(
        "SELECT s.name, s.notes FROM waynote_scope s
         WHERE s.kind = ?1 AND EXISTS (SELECT 1 FROM waynote_note n WHERE n.scope = s.id) ORDER BY s.name",
    )?;
    let rows = statement.query_map([kind.as_str()], |row| {
        let scope = Scope::from_parts(kind, row.get_ref(0)?.as_str()?)
            .map_err(|error| unreadable(0, error))?;
        Ok(ScopeSummary {
            scope,
            notes: number(row, 1)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

pub(super) fn count(conn: &Connection, scope: &Scope) -> Outcome<u64> {
    let mut statement =
        conn.prepare_cached("SELECT notes FROM waynote_scope WHERE kind = ?1 AND name = ?2")?;
    let count = statement.query_row((scope.kind().as_str(), scope.name()), |row| number(row, 0));
    Ok(count.optional()?.unwrap_or(0))
}

/// The columns of a journal row, from 0.
pub(super) const REVISION: &str = "j.position, j.key, j.revision, j.action, j.undoes, j.kind, j.iteration, j.pinned, \
                        j.author, j.recorded_at, j.created_at, j.updated_at, c.body, j.forgotten_at, \
                        j.forgotten_by";

fn revision(row: &Row<'_>, scope: &Scope) -> rusqlite::Result<Revision> {
    let address = address(scope, row.get_ref(1)?.as_str()?, 1)?;
    let action = row.get_ref(3)?.as_str()?;
    let action = Action::stored(action)
        .ok_or_else(|| unreadable(3, format!("unknown action `{action}`")))?;
    let (number, author) = (number(row, 2)?, author(row, 8)?);
    let undoes: Option<i64> = row.get(4)?;
    let content = row.get::<_, Option<Vec<u8>>>(12)?.map(Content::imported);
    let state = match content {
        None if row.get::<_, Option<i64>>(13)?.is_some() => State::Forgotten {
            address,
            revision: number,
            author,
            forgotten_at: time(row, 13)?,
            forgotten_by: self::author(row, 14)?,
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
            kind: kind(row, 5)?,
            iteration: row.get(6)?,
            // What is current says so, and what was then is told by the events.
            resolved_by: None,
            pinned: row.get(7)?,
            revision: number,
            author,
            created_at: time(row, 10)?,
            updated_at: time(row, 11)?,
        }),
    };
    Ok(Revision {
        position: Some(Position::new(row.get(0)?)),
        action,
        undoes: undoes.map(|undone| u64::try_from(undone).unwrap_or(0)),
        recorded_at: time(row, 9)?,
        state,
    })
}

/// The last row of a note's chain in the journal, whether the note is there or was deleted.
pub(super) fn head(conn: &Connection, id: i64, key: &str) -> Outcome<Option<i64>> {
    let mut statement = conn.prepare_cached(
        "SELECT position FROM waynote_note WHERE scope = ?1 AND key = ?2
         UNION ALL SELECT position FROM waynote_deleted WHERE scope = ?1 AND key = ?2",
    )?;
    Ok(statement
        .query_row((id, key), |row| row.get(0))
        .optional()?)
}

pub(super) fn history(conn: &Connection, address: &Address) -> Outcome<Vec<Revision>> {
    let scope = address.scope();
    let Some(id) = scope_id(conn, &scope)? else {
        return Ok(Vec::new());
    };
    let Some(head) = head(conn, id, &stored_key(address))? else {
        return Ok(Vec::new());
    };
    let sql = format!(
        "WITH RECURSIVE chain (position, previous) AS (
             SELECT position, previous FROM waynote_journal WHERE position = ?1
             UNION ALL
             SELECT j.position, j.previous FROM waynote_journal j JOIN chain ON j.position = chain.previous
         )
         SELECT {REVISION} FROM chain JOIN waynote_journal j ON j.position = chain.position
         LEFT JOIN waynote_content c ON c.id = j.content ORDER BY j.revision"
    );
    let mut statement = conn.prepare_cached(&sql)?;
    let rows = statement.query_map([head], |row| revision(row, &scope))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// How often the entry whose last row that is was noted in iterations before one.
pub(super) fn noted_before(conn: &Connection, last: i64, before: i64) -> Outcome<u64> {
    let mut statement = conn.prepare_cached(
        "WITH RECURSIVE chain (previous, iteration, content) AS (
             SELECT previous, iteration, content FROM waynote_journal WHERE position = ?1
             UNION ALL
             SELECT j.previous, j.iteration, j.content FROM waynote_journal j
             JOIN chain ON j.position = chain.previous
         )
         SELECT count(*) FROM chain WHERE iteration < ?2 AND content IS NOT NULL",
    )?;
    Ok(statement.query_row((last, before), |row| number(row, 0))?)
}

/// One revision of a note.
pub(super) fn one_revision(
    conn: &Connection,
    address: &Address,
    of: u64,
) -> Outcome<Option<Revision>> {
    let scope = address.scope();
    let Some(id) = scope_id(conn, &scope)? else {
        return Ok(None);
    };
    let head = head(conn, id, &stored_key(address))?;
    let (Some(head), Ok(of)) = (head, i64::try_from(of)) else {
        return Ok(None);
    };
    let sql = format!(
        "WITH RECURSIVE chain (position, previous, revision) AS (
             SELECT position, previous, revision FROM waynote_journal WHERE position = ?1
             UNION ALL
             SELECT j.position, j.previous, j.revision FROM waynote_journal j
             JOIN chain ON j.position = chain.previous AND chain.revision > ?2
         )
         SELECT {REVISION} FROM chain JOIN waynote_journal j ON j.position = chain.position
         LEFT JOIN waynote_content c ON c.id = j.content WHERE j.revision = ?2"
    );
    let mut statement = conn.prepare_cached(&sql)?;
    Ok(statement
        .query_row((head, of), |row| revision(row, &scope))
        .optional()?)
}

/// A note with the position of its last revision, from a row that has that behind the columns of the note.
fn noted(row: &Row<'_>, scope: &Scope) -> rusqlite::Result<NoteState> {
    let note = note(row, scope)?;
    Ok(NoteState {
        position: Position::new(row.get(11)?),
        revision: note.revision,
        note: Some(note),
    })
}

/// A note's last revision, and the note as it is now.
pub(super) fn state(
    conn: &Connection,
    id: i64,
    scope: &Scope,
    key: &str,
) -> Outcome<Option<NoteState>> {
    let sql = format!(
        "SELECT {NOTE}, n.position FROM waynote_note n JOIN waynote_content c ON c.id = n.content
         WHERE n.scope = ?1 AND n.key = ?2"
    );
    let mut statement = conn.prepare_cached(&sql)?;
    let found = statement.query_row((id, key), |row| noted(row, scope));
    if let Some(state) = found.optional()? {
        return Ok(Some(state));
    }
    let mut statement = conn.prepare_cached(
        "SELECT d.position, j.revision FROM waynote_deleted d
         JOIN waynote_journal j ON j.position = d.position WHERE d.scope = ?1 AND d.key = ?2",
    )?;
    let deleted = statement.query_row((id, key), |row| {
        Ok(NoteState {
            position: Position::new(row.get(0)?),
            revision: number(row, 1)?,
            note: None,
        })
    });
    Ok(deleted.optional()?)
}

/// The revisions of every note that a scope ever had, by key.
pub(super) fn scope_histories(conn: &Connection, scope: &Scope) -> Outcome<Vec<Vec<Revision>>> {
    let Some(id) = scope_id(conn, scope)? else {
        return Ok(Vec::new());
    };
    let mut statement = conn.prepare_cached(
        "SELECT key FROM waynote_note WHERE scope = ?1
         UNION SELECT key FROM waynote_deleted WHERE scope = ?1 ORDER BY key",
    )?;
    let keys = statement.query_map([id], |row| row.get::<_, String>(0))?;
    keys.map(|key| history(conn, &address(scope, &key?, 0)?))
        .collect()
}

/// The largest key that a scope ever had: in a session's log, the last entry's id, forgotten or not.
pub(super) fn last_key(conn: &Connection, id: i64) -> Outcome<Option<String>> {
    let mut statement = conn.prepare_cached(
        "SELECT max(key) FROM (SELECT max(key) AS key FROM waynote_note WHERE scope = ?1
                               UNION ALL SELECT max(key) FROM waynote_deleted WHERE scope = ?1)",
    )?;
    Ok(statement.query_row([id], |row| row.get(0))?)
}

/// The id of the row that holds a content.
pub(super) fn content_id(conn: &Connection, content: &Content) -> Outcome<Option<i64>> {
    let mut statement = conn.prepare_cached("SELECT id FROM waynote_content WHERE hash = ?1")?;
    Ok(statement
        .query_row([content.hash().0], |row| row.get(0))
        .optional()?)
}

/// The first note of a scope, by key, of that type and with that content. There is no index to it: only a content
/// that is known already is looked for.
pub(super) fn first_saying(
    conn: &Connection,
    id: i64,
    scope: &Scope,
    of: &EntryType,
    content: i64,
) -> Outcome<Option<NoteState>> {
    let sql = format!(
        "SELECT {NOTE}, n.position FROM waynote_note n JOIN waynote_content c ON c.id = n.content
         WHERE n.scope = ?1 AND n.content = ?2 AND n.kind = ?3 ORDER BY n.key LIMIT 1"
    );
    let mut statement = conn.prepare_cached(&sql)?;
    Ok(statement
        .query_row((id, content, of.as_str()), |row| noted(row, scope))
        .optional()?)
}

/// For each content every revision that has it.
pub(super) fn holders(conn: &Connection, contents: &[Content]) -> Outcome<Vec<Vec<AddressAt>>> {
    let mut places: HashMap<i64, Vec<usize>> = HashMap::new();
    for (place, content) in contents.iter().enumerate() {
        if let Some(id) = content_id(conn, content)? {
            places.entry(id).or_default().push(place);
        }
    }
    let mut holders = vec![Vec::new(); contents.len()];
    let ids: Vec<i64> = places.keys().copied().collect();
    for (at, id) in holding(conn, &ids)? {
        for place in &places[&id] {
            holders[*place].push(at.clone());
        }
    }
    Ok(holders)
}

/// Every revision of every note that has one of these contents, each with the content. The journal has no index to
/// them, so it is read once for all.
fn holding(conn: &Connection, contents: &[i64]) -> Outcome<Vec<(AddressAt, i64)>> {
    let listed: Vec<String> = contents.iter().map(i64::to_string).collect();
    let mut statement = conn.prepare(&format!(
        "SELECT s.kind, s.name, j.key, j.revision, j.content FROM waynote_journal j
         JOIN waynote_scope s ON s.id = j.scope WHERE j.content IN ({})",
        listed.join(", ")
    ))?;
    let rows = statement.query_map([], |row| {
        let scope = scope_of(row, 0)?;
        let at = AddressAt {
            address: address(&scope, row.get_ref(2)?.as_str()?, 2)?,
            revision: Some(number(row, 3)?),
        };
        Ok((at, row.get(4)?))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The revision that a journal row is, whole.
pub(super) fn revision_of(conn: &Connection, position: i64) -> Outcome<Option<Revision>> {
    let sql = format!(
        "SELECT {REVISION}, s.kind, s.name FROM waynote_journal j
         JOIN waynote_scope s ON s.id = j.scope
         LEFT JOIN waynote_content c ON c.id = j.content WHERE j.position = ?1"
    );
    let mut statement = conn.prepare_cached(&sql)?;
    let found = statement.query_row([position], revision_anywhere);
    Ok(found.optional()?)
}

/// The note that a journal row is of, as it is now.
pub(super) fn note_at(conn: &Connection, position: i64) -> Outcome<Option<NoteAt>> {
    let sql = format!(
        "SELECT {NOTE}, n.position, j.revision, s.kind, s.name FROM waynote_journal j
         CROSS JOIN waynote_scope s ON s.id = j.scope
         CROSS JOIN waynote_note n ON n.scope = j.scope AND n.key = j.key
         CROSS JOIN waynote_content c ON c.id = n.content WHERE j.position = ?1"
    );
    let mut statement = conn.prepare_cached(&sql)?;
    let found = statement.query_row([position], |row| {
        Ok(NoteAt {
            note: note(row, &scope_of(row, 13)?)?,
            last: Position::new(row.get(11)?),
            revision: number(row, 12)?,
        })
    });
    Ok(found.optional()?)
}

pub(super) fn journal(
    conn: &Connection,
    before: Option<Position>,
    limit: usize,
) -> Outcome<Vec<Revision>> {
    let sql = format!(
        "SELECT {REVISION}, s.kind, s.name FROM waynote_journal j
         JOIN waynote_scope s ON s.id = j.scope
         LEFT JOIN waynote_content c ON c.id = j.content
         WHERE j.position < ?1 ORDER BY j.position DESC LIMIT ?2"
    );
    let before = before.map_or(i64::MAX, |position| position.0);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut statement = conn.prepare_cached(&sql)?;
    let rows = statement.query_map((before, limit), revision_anywhere)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// A revision whose row has its scope's kind and name behind its own columns.
pub(super) fn revision_anywhere(row: &Row<'_>) -> rusqlite::Result<Revision> {
    revision(row, &scope_of(row, 15)?)
}

/// The scope whose kind stands in a column, and its name in the next one.
fn scope_of(row: &Row<'_>, column: usize) -> rusqlite::Result<Scope> {
    let kind: ScopeKind = row
        .get_ref(column)?
        .as_str()?
        .parse()
        .map_err(|error| unreadable(column, error))?;
    Scope::from_parts(kind, row.get_ref(column + 1)?.as_str()?)
        .map_err(|error| unreadable(column + 1, error))
}

/// The values of a space of side data, by key.
pub(super) fn side(conn: &Connection, space: &str) -> Outcome<Vec<SideValue>> {
    let mut statement = conn.prepare_cached(
        "SELECT key, value, about FROM waynote_side WHERE space = ?1 ORDER BY key",
    )?;
    let rows = statement.query_map([space], |row| {
        Ok(SideValue {
            key: row.get(0)?,
            value: row.get(1)?,
            about: row.get::<_, Option<[u8; 32]>>(2)?.map(ContentHash),
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The spaces of side data that have a value about a content, by name.
pub(super) fn about(conn: &Connection, content: &Content) -> Outcome<Vec<String>> {
    let mut statement = conn.prepare_cached(
        "SELECT DISTINCT space FROM waynote_side WHERE about = ?1 ORDER BY space",
    )?;
    let rows = statement.query_map([content.hash().0], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Which store this is.
pub(super) fn store_id(conn: &Connection) -> Outcome<Option<StoreId>> {
    let mut statement = conn.prepare_cached("SELECT id FROM waynote_store")?;
    let id = statement.query_row([], |row| row.get::<_, [u8; 16]>(0));
    Ok(id.optional()?.map(StoreId::new))
}
