//! Reading: rows into notes and revisions.

use std::collections::HashMap;
use std::sync::LazyLock;

use jiff::Timestamp;
use rusqlite::types::{FromSqlError, Type, ValueRef};
use rusqlite::{Connection, Row};

use crate::address::{Address, AddressAt};
use crate::content::{Content, ContentHash};
use crate::engine::{NoteAt, NoteState};
use crate::id::StoreId;
use crate::key::Name;
use crate::model::allowance::Allowance;
use crate::model::citation::Citation;
use crate::note::{EntryType, Note, Position, Source};
use crate::scope::{Scope, ScopeKind};
use crate::store::{ScopeSummary, SideValue};

use super::checksum;
use super::damage::{LeftOut, damaged, is_corrupt, of_library};
use super::journal;
use super::query::{all, exactly_one, one};
use super::scopes::{self, SCOPE};
use crate::sqlite::errors::{Failure, Outcome};

/// The error for a value that cannot be read: damage, in SQLite's own error type.
pub(super) fn unreadable(column: usize, why: impl std::fmt::Display) -> rusqlite::Error {
    let why: Box<dyn std::error::Error + Send + Sync> = why.to_string().into();
    rusqlite::Error::FromSqlConversionFailure(column, Type::Null, why)
}

pub(super) fn scope_id(conn: &Connection, scope: &Scope) -> Outcome<Option<i64>> {
    Ok(scopes::find(conn, scope)?.map(|found| found.id))
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

pub(super) fn kind(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<EntryType>> {
    let word: Option<String> = row.get(column)?;
    Ok(word.map(|word| EntryType::stored(&word)))
}

pub(super) fn cites(row: &Row<'_>, column: usize) -> rusqlite::Result<Vec<Citation>> {
    let cites = Citation::of_column(row.get_ref(column)?.as_str_or_null()?);
    cites.ok_or_else(|| unreadable(column, "citations that cannot be read"))
}

/// A current note: the columns that its checksum is over, the hash of its content, the checksum and the content.
pub(super) const NOTE: &str = "n.scope, n.key, n.position, n.revision, n.content, n.preview, n.kind, n.iteration, \
                    n.pinned, n.author, n.created_at, n.updated_at, n.resolved_by, n.cites, c.hash, n.checksum, c.body";

/// How many values the checksum of a note is over.
pub(super) const NOTE_WIDTH: usize = 15;

/// The column with a note's content; a query's other columns come after it.
const NOTE_BODY: usize = NOTE_WIDTH + 1;

/// The first of the columns that a query adds to those of a note.
pub(super) const AFTER_NOTE: usize = NOTE_BODY + 1;

/// The content of a row, if the row is as it was written. The checksum stands before the content, and the content's
/// hash before the checksum.
pub(super) fn content_at(row: &Row<'_>, body: usize) -> rusqlite::Result<Option<Option<Content>>> {
    if !checksum::is_whole(row, body - 1)? {
        return Ok(None);
    }
    let (hash, body) = match (row.get_ref(body - 2)?, row.get_ref(body)?) {
        (ValueRef::Null, ValueRef::Null) => return Ok(Some(None)),
        (ValueRef::Blob(hash), ValueRef::Blob(body)) => (hash, body),
        _ => return Ok(None),
    };
    if let Err(error) = Allowance::take(body.len()) {
        return Err(of_library(error));
    }
    let content = Content::imported(body);
    Ok((content.hash().0 == hash).then_some(Some(content)))
}

/// A damaged row's note, as far as the row tells: the scope is known.
pub(super) fn name_of(row: &Row<'_>, scope: &Scope, key: usize) -> String {
    let key = row.get_ref(key).ok().and_then(|key| match key {
        ValueRef::Text(key) => std::str::from_utf8(key).ok(),
        _ => None,
    });
    match key {
        Some(key) => name_of_key(scope, key),
        None => format!("a note of {scope}"),
    }
}

pub(in crate::sqlite) fn name_of_key(scope: &Scope, key: &str) -> String {
    match address(scope, key, 0) {
        Ok(address) => address.to_string(),
        Err(_) => format!("a note of {scope}"),
    }
}

pub(super) fn note(row: &Row<'_>, scope: &Scope) -> rusqlite::Result<Note> {
    let Some(Some(content)) = content_at(row, NOTE_BODY)? else {
        return Err(damaged(name_of(row, scope, 1)));
    };
    Ok(Note {
        address: address(scope, row.get_ref(1)?.as_str()?, 1)?,
        revision: number(row, 3)?,
        preview: content.preview_now(row.get_ref(5)?.as_str()?),
        kind: kind(row, 6)?,
        iteration: row.get(7)?,
        pinned: row.get(8)?,
        author: author(row, 9)?,
        created_at: time(row, 10)?,
        updated_at: time(row, 11)?,
        source: Source::Own,
        resolved_by: match row.get_ref(12)?.as_str_or_null()? {
            Some(id) => Some(id.parse().map_err(|error| unreadable(12, error))?),
            None => None,
        },
        cites: cites(row, 13)?,
        content,
    })
}

/// A note by its scope's id and its key. Put together once, as the others that a write runs for every note.
pub(in crate::sqlite) static ONE_NOTE: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT {NOTE} FROM waynote_note n LEFT JOIN waynote_content c ON c.id = n.content
         WHERE n.scope = ?1 AND n.key = ?2"
    )
});

/// The place of a note's rows: the id of its scope, the scope, and its key as it is stored.
#[derive(Clone, Copy)]
pub(super) struct NotePlace<'n> {
    pub(super) id: i64,
    pub(super) scope: &'n Scope,
    pub(super) key: &'n str,
}

impl NotePlace<'_> {
    pub(super) fn name(&self) -> String {
        name_of_key(self.scope, self.key)
    }
}

/// The current note there.
pub(super) fn get_in(conn: &Connection, at: NotePlace<'_>) -> Outcome<Option<Note>> {
    one(conn, &ONE_NOTE, (at.id, at.key), |row| note(row, at.scope))
}

/// Notes of a scope that a condition names, by key, without those that are damaged.
fn listed(conn: &Connection, scope: &Scope, which: &str, left_out: &LeftOut) -> Outcome<Vec<Note>> {
    let Some(id) = scope_id(conn, scope)? else {
        return Ok(Vec::new());
    };
    let sql = format!(
        "SELECT {NOTE} FROM waynote_note n LEFT JOIN waynote_content c ON c.id = n.content
         WHERE n.scope = ?1 AND {which} ORDER BY n.key"
    );
    match left_out.whole(conn, &sql, [id], |row| note(row, scope)) {
        Err(failure) if is_corrupt(&failure) => {
            let sql = format!(
                "SELECT n.key FROM waynote_note n WHERE n.scope = ?1 AND {which} ORDER BY n.key"
            );
            one_by_one(conn, id, scope, &sql, &[&id], left_out)
        }
        notes => notes,
    }
}

/// The notes whose keys a query gives, each read by itself: of a damaged page, only the notes on it are lost.
pub(super) fn one_by_one(
    conn: &Connection,
    id: i64,
    scope: &Scope,
    keys: &str,
    parameters: &[&dyn rusqlite::ToSql],
    left_out: &LeftOut,
) -> Outcome<Vec<Note>> {
    let mut statement = conn.prepare(keys)?;
    let mut rows = statement.query(parameters)?;
    let mut notes = Vec::new();
    loop {
        let row = match rows.next().map_err(Failure::from) {
            Ok(Some(row)) => row,
            Ok(None) => return Ok(notes),
            Err(failure) if is_corrupt(&failure) => {
                left_out.add(format_args!("other notes of {scope}"));
                return Ok(notes);
            }
            Err(failure) => return Err(failure),
        };
        let Ok(key) = row.get_ref(0)?.as_str() else {
            left_out.add(format_args!("a note of {scope}"));
            continue;
        };
        let note = get_in(conn, NotePlace { id, scope, key });
        let note = left_out.unless_damaged(note, name_of(row, scope, 0))?;
        notes.extend(note);
    }
}

/// All notes of a scope, by key.
pub(super) fn of_scope(conn: &Connection, scope: &Scope, left_out: &LeftOut) -> Outcome<Vec<Note>> {
    listed(conn, scope, "TRUE", left_out)
}

/// The entries of a session that are resolved, by key.
pub(super) fn resolved(
    conn: &Connection,
    session: &Name,
    left_out: &LeftOut,
) -> Outcome<Vec<Note>> {
    let scope = Scope::Session(session.clone());
    listed(conn, &scope, "n.resolved_by IS NOT NULL", left_out)
}

/// All notes of every scope of a kind, by scope's name and key.
pub(in crate::sqlite) fn of_kind(
    conn: &Connection,
    kind: ScopeKind,
    left_out: &LeftOut,
) -> Outcome<Vec<Note>> {
    let sql = format!(
        "SELECT {NOTE}, {SCOPE} FROM waynote_scope s
         CROSS JOIN waynote_note n ON n.scope = s.id LEFT JOIN waynote_content c ON c.id = n.content
         WHERE s.kind = ?1 ORDER BY s.name, n.key"
    );
    let all_at_once = left_out.whole(conn, &sql, [kind.as_str()], |row| {
        note(row, &scopes::scope_at(row, AFTER_NOTE)?)
    });
    match all_at_once {
        Err(failure) if is_corrupt(&failure) => {
            let mut notes = Vec::new();
            for summary in scopes(conn, kind, left_out)? {
                notes.extend(of_scope(conn, &summary.scope, left_out)?);
            }
            Ok(notes)
        }
        notes => notes,
    }
}

pub(super) fn scopes(
    conn: &Connection,
    kind: ScopeKind,
    left_out: &LeftOut,
) -> Outcome<Vec<ScopeSummary>> {
    // A scope does not count a place's own note.
    left_out.whole(conn, &format!(
        "SELECT {SCOPE}, EXISTS (SELECT 1 FROM waynote_note n WHERE n.scope = s.id AND n.key = '') AS own
         FROM waynote_scope s WHERE s.kind = ?1 AND (s.notes > 0 OR own) ORDER BY s.name",
    ), [kind.as_str()], |row| {
        Ok(ScopeSummary {
            scope: scopes::scope_at(row, 0)?,
            notes: number(row, 3)? + number(row, 7)?,
        })
    })
}

pub(super) fn count(conn: &Connection, scope: &Scope) -> Outcome<u64> {
    let notes = scopes::find(conn, scope)?.map_or(0, |found| found.notes);
    Ok(u64::try_from(notes).unwrap_or(0))
}

/// A note with the position of its last revision.
pub(in crate::sqlite) fn noted(row: &Row<'_>, scope: &Scope) -> rusqlite::Result<NoteState> {
    let note = note(row, scope)?;
    Ok(NoteState {
        position: Position::new(row.get(2)?),
        revision: note.revision,
        note: Some(note),
    })
}

/// A note's last revision, and the note as it is now.
pub(super) fn state(conn: &Connection, at: NotePlace<'_>) -> Outcome<Option<NoteState>> {
    let read = |row: &Row<'_>| noted(row, at.scope);
    if let Some(state) = one(conn, &ONE_NOTE, (at.id, at.key), read)? {
        return Ok(Some(state));
    }
    let deleted = journal::end_of_deleted(conn, at)?;
    Ok(deleted.map(|end| NoteState {
        position: Position::new(end.position),
        revision: end.revision,
        note: None,
    }))
}

/// The largest key that a scope ever had: in a session's log, the last entry's id, forgotten or not.
pub(super) fn last_key(conn: &Connection, id: i64) -> Outcome<Option<String>> {
    exactly_one(
        conn,
        "SELECT max(key) FROM (SELECT max(key) AS key FROM waynote_note WHERE scope = ?1
                               UNION ALL SELECT max(key) FROM waynote_deleted WHERE scope = ?1)",
        [id],
        |row| row.get(0),
    )
}

/// The id of the row that holds a content.
pub(super) fn content_id(conn: &Connection, hash: [u8; 32]) -> Outcome<Option<i64>> {
    one(
        conn,
        "SELECT id FROM waynote_content WHERE hash = ?1",
        [hash],
        |row| row.get(0),
    )
}

/// The first note of a scope, by key, of that type and with that content. There is no index for it: only a content that
/// is known already is looked up.
pub(super) fn first_saying(
    conn: &Connection,
    id: i64,
    scope: &Scope,
    of: &EntryType,
    content: i64,
) -> Outcome<Option<NoteState>> {
    let sql = format!(
        "SELECT {NOTE} FROM waynote_note n LEFT JOIN waynote_content c ON c.id = n.content
         WHERE n.scope = ?1 AND n.content = ?2 AND n.kind = ?3 ORDER BY n.key LIMIT 1"
    );
    one(conn, &sql, (id, content, of.as_str()), |row| {
        noted(row, scope)
    })
}

/// For each content every revision that has it.
pub(super) fn holders(conn: &Connection, contents: &[Content]) -> Outcome<Vec<Vec<AddressAt>>> {
    let mut places: HashMap<i64, Vec<usize>> = HashMap::new();
    for (place, content) in contents.iter().enumerate() {
        if let Some(id) = content_id(conn, content.hash().0)? {
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
        "SELECT j.key, j.revision, j.content, {SCOPE} FROM waynote_journal j
         JOIN waynote_scope s ON s.id = j.scope WHERE j.content IN ({})",
        listed.join(", ")
    ))?;
    let rows = statement.query_map([], |row| {
        let scope = scopes::scope_at(row, 3)?;
        let at = AddressAt::new(
            address(&scope, row.get_ref(0)?.as_str()?, 0)?,
            number(row, 1)?,
        );
        Ok((at, row.get(2)?))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The note that a journal row is of, as it is now.
pub(super) fn note_at(conn: &Connection, position: i64) -> Outcome<Option<NoteAt>> {
    let sql = format!(
        "SELECT {NOTE}, j.revision, {SCOPE} FROM waynote_journal j
         CROSS JOIN waynote_scope s ON s.id = j.scope
         CROSS JOIN waynote_note n ON n.scope = j.scope AND n.key = j.key
         LEFT JOIN waynote_content c ON c.id = n.content WHERE j.position = ?1"
    );
    one(conn, &sql, [position], |row| {
        Ok(NoteAt {
            note: note(row, &scopes::scope_at(row, AFTER_NOTE + 1)?)?,
            last: Position::new(row.get(2)?),
            revision: number(row, AFTER_NOTE)?,
        })
    })
}

/// The values of a space of side data, by key.
pub(super) fn side(conn: &Connection, space: &str) -> Outcome<Vec<SideValue>> {
    all(
        conn,
        "SELECT space, key, value, about, checksum FROM waynote_side WHERE space = ?1 ORDER BY key",
        [space],
        side_value,
    )
}

/// A value of side data, from the columns space, key, value, about and checksum.
pub(in crate::sqlite) fn side_value(row: &Row<'_>) -> rusqlite::Result<SideValue> {
    if !checksum::is_whole(row, 4)? {
        let space: String = row.get(0)?;
        return Err(damaged(format_args!("a value beside the notes ({space})")));
    }
    Ok(SideValue {
        key: row.get(1)?,
        value: row.get(2)?,
        about: row.get::<_, Option<[u8; 32]>>(3)?.map(ContentHash),
    })
}

/// The spaces of side data, by name.
pub(super) fn spaces(conn: &Connection) -> Outcome<Vec<String>> {
    all(
        conn,
        "SELECT DISTINCT space FROM waynote_side ORDER BY space",
        [],
        |row| row.get(0),
    )
}

/// The spaces of side data that have a value about a content, by name.
pub(super) fn about(conn: &Connection, content: &Content) -> Outcome<Vec<String>> {
    all(
        conn,
        "SELECT DISTINCT space FROM waynote_side WHERE about = ?1 ORDER BY space",
        [content.hash().0],
        |row| row.get(0),
    )
}

/// The id of this store.
pub(super) fn store_id(conn: &Connection) -> Outcome<Option<StoreId>> {
    let sql = "SELECT one, id, checksum FROM waynote_store";
    one(conn, sql, [], |row| match checksum::is_whole(row, 2)? {
        true => row.get(1).map(StoreId::new),
        false => Err(damaged("the id of the store")),
    })
}
