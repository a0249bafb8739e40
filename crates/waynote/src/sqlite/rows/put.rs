//! Putting rows: journal, notes as they are now, events, and each scope's count and head.

use rusqlite::{Connection, ToSql};

use crate::content::Content;
use crate::engine::{Put, Row, Step};
use crate::event::{RecordedEvent, SessionEvent};
use crate::id::StoreId;
use crate::key::{EntryId, Name};
use crate::model::citation::Citation;
use crate::note::{EntryType, State};
use crate::scope::Scope;
use crate::store::SideValue;

use super::checksum;
use super::erase;
use super::events;
use super::handle::Handle;
use super::read;
use super::scopes;
use crate::sqlite::errors::Outcome;

pub(super) fn put(handle: &Handle<'_>, rows: &[Row<'_>]) -> Outcome<()> {
    let mut changes = scopes::Changes::default();
    for row in rows {
        match row {
            Row::Revision(put) => revision(handle, put, &mut changes)?,
            Row::Event {
                session,
                recorded,
                step,
            } => event(handle, session, recorded, *step)?,
            Row::Resolved { session, entry, by } => resolve(handle, session, *entry, *by)?,
            Row::Forgotten {
                position,
                at,
                by,
                revisions,
                events,
                step,
            } => {
                changes.put(handle.conn)?;
                erase::forgotten(handle.conn, *position, *at, by, revisions, events, *step)?;
            }
        }
    }
    changes.put(handle.conn)
}

/// The row of a scope, made when it is new.
fn scope_row(handle: &Handle<'_>, scope: &Scope) -> Outcome<i64> {
    if let Some(id) = handle.scope_id(scope)? {
        return Ok(id);
    }
    scopes::insert(handle.conn, scope)
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn revision(handle: &Handle<'_>, put: &Put<'_>, changes: &mut scopes::Changes) -> Outcome<()> {
    let revision = put.revision;
    let address = revision.address();
    let scope_id = scope_row(handle, &address.scope())?;
    let note = revision.note();
    let hash = note.map(|note| note.content.hash().0);
    let content = note
        .zip(hash)
        .map(|(note, hash)| content_row(handle, scope_id, &note.content, hash))
        .transpose()?;
    let row = RevisionRow {
        scope: scope_id,
        key: read::stored_key(address),
        position: revision.position.map_or(0, |position| position.number()),
        number: signed(revision.number()),
        content,
        hash,
    };
    journal(handle.conn, put, &row)?;
    current(handle, put, &row)?;
    let change = match put.is_counted {
        true => i64::from(put.note.is_some()) - i64::from(put.existed),
        false => 0,
    };
    changes.add(scope_id, change, row.position);
    Ok(())
}

/// The values of a revision's row.
struct RevisionRow {
    scope: i64,
    key: String,
    position: i64,
    number: i64,
    content: Option<i64>,
    hash: Option<[u8; 32]>,
}

fn journal(conn: &Connection, put: &Put<'_>, row: &RevisionRow) -> Outcome<()> {
    let revision = put.revision;
    let note = revision.note();
    let recorded_at = revision.recorded_at.as_microsecond();
    let created_at = note.map_or(recorded_at, |note| note.created_at.as_microsecond());
    let updated_at = note.map_or(recorded_at, |note| note.updated_at.as_microsecond());
    let previous = put.previous.map(|position| position.number());
    let undoes = revision.undoes.map(signed);
    let kind = note
        .and_then(|note| note.kind.as_ref())
        .map(EntryType::as_str);
    let iteration = note.and_then(|note| note.iteration);
    let pinned = note.is_some_and(|note| note.pinned);
    let operation = put.step.as_ref().map(|step| step.operation.bytes());
    let step = put.step.map(|step| step.step);
    // Only in a copy: a revision that is written for the first time has its text.
    let forgotten = match &revision.state {
        State::Forgotten {
            forgotten_at,
            forgotten_by,
            ..
        } => Some((forgotten_at.as_microsecond(), forgotten_by.as_str())),
        _ => None,
    };
    let (forgotten_at, forgotten_by) = forgotten.unzip();
    let columns: [&dyn ToSql; 21] = [
        &row.position,
        &previous,
        &row.scope,
        &row.key,
        &row.number,
        &revision.action.as_str(),
        &undoes,
        &row.content,
        &kind,
        &iteration,
        &pinned,
        &revision.author().as_str(),
        &recorded_at,
        &created_at,
        &updated_at,
        &operation,
        &step,
        &forgotten_at,
        &forgotten_by,
        &revision.token.as_ref().map(Name::as_str),
        &note.and_then(|note| Citation::to_column(&note.cites)),
    ];
    checksum::JOURNAL.insert_with(conn, &columns, row.hash)
}

/// The note as it is now.
fn current(handle: &Handle<'_>, put: &Put<'_>, row: &RevisionRow) -> Outcome<()> {
    let conn = handle.conn;
    let Some(note) = put.note else {
        if handle.is_erasing {
            // The row goes with the next statement; its preview shall not lie in a free part of the page.
            conn.prepare_cached(
                "UPDATE waynote_note
                 SET preview = substr(hex(zeroblob(octet_length(preview))), 1, octet_length(preview))
                 WHERE scope = ?1 AND key = ?2",
            )?
            .execute((row.scope, &row.key))?;
        }
        conn.prepare_cached("DELETE FROM waynote_note WHERE scope = ?1 AND key = ?2")?
            .execute((row.scope, &row.key))?;
        conn.prepare_cached(
            "INSERT OR REPLACE INTO waynote_deleted (scope, key, position) VALUES (?1, ?2, ?3)",
        )?
        .execute((row.scope, &row.key, row.position))?;
        return Ok(());
    };
    if !put.existed && row.number > 1 {
        conn.prepare_cached("DELETE FROM waynote_deleted WHERE scope = ?1 AND key = ?2")?
            .execute((row.scope, &row.key))?;
    }
    let kind = note.kind.as_ref().map(EntryType::as_str);
    let resolved_by = note.resolved_by.map(|by| by.to_string());
    let columns: [&dyn ToSql; 14] = [
        &row.scope,
        &row.key,
        &row.position,
        &row.number,
        &row.content,
        &note.preview,
        &kind,
        &note.iteration,
        &note.pinned,
        &note.author.as_str(),
        &note.created_at.as_microsecond(),
        &note.updated_at.as_microsecond(),
        &resolved_by,
        &Citation::to_column(&note.cites),
    ];
    checksum::NOTE.insert_with(conn, &columns, row.hash)
}

fn event(
    handle: &Handle<'_>,
    session: &Name,
    recorded: &RecordedEvent,
    step: Option<Step>,
) -> Outcome<()> {
    let scope = scope_row(handle, &Scope::Session(session.clone()))?;
    events::insert(handle.conn, scope, recorded, step)?;
    let lease = match recorded.event {
        SessionEvent::LoopStarted { .. } => Some(signed(recorded.number)),
        SessionEvent::LoopEnded { .. } => None,
        _ => return Ok(()),
    };
    scopes::set_lease(handle.conn, scope, lease)
}

fn resolve(handle: &Handle<'_>, session: &Name, entry: EntryId, by: EntryId) -> Outcome<()> {
    let scope = scope_row(handle, &Scope::Session(session.clone()))?;
    let key = entry.to_string();
    handle
        .conn
        .prepare_cached("UPDATE waynote_note SET resolved_by = ?3 WHERE scope = ?1 AND key = ?2")?
        .execute((scope, &key, by.to_string()))?;
    checksum::NOTE.renew(handle.conn, &[&scope, &key])
}

pub(super) fn side(
    conn: &Connection,
    space: &str,
    values: &[SideValue],
    removed: &[String],
) -> Outcome<()> {
    for SideValue { key, value, about } in values {
        checksum::SIDE.insert(conn, &[&space, key, value, &about.map(|hash| hash.0)])?;
    }
    for key in removed {
        conn.prepare_cached("DELETE FROM waynote_side WHERE space = ?1 AND key = ?2")?
            .execute((space, key))?;
    }
    Ok(())
}

pub(in crate::sqlite) fn renew_id(conn: &Connection) -> Outcome<StoreId> {
    let id: [u8; 16] = conn.query_row("SELECT randomblob(16)", [], |row| row.get(0))?;
    checksum::STORE.insert(conn, &[&1, &id])?;
    Ok(StoreId::new(id))
}

/// The row of a content, made when it is new: equal contents are kept once. A new one lies with the others of
/// the scope that brings it, so that reading a scope reads few pages however much the store holds.
fn content_row(
    handle: &Handle<'_>,
    scope_id: i64,
    content: &Content,
    hash: [u8; 32],
) -> Outcome<i64> {
    const SCOPE_SHIFT: u32 = 32;
    let conn = handle.conn;
    if let Some(id) = handle.content_id(hash)? {
        return Ok(id);
    }
    let (first, end) = (scope_id << SCOPE_SHIFT, (scope_id + 1) << SCOPE_SHIFT);
    let known = handle.last_contents.borrow().get(&scope_id).copied();
    let last: Option<i64> = match known {
        Some(last) => Some(last),
        None => conn
            .prepare_cached("SELECT max(id) FROM waynote_content WHERE id >= ?1 AND id < ?2")?
            .query_row((first, end), |row| row.get(0))?,
    };
    let id = last.map_or(first, |last| last + 1);
    conn.prepare_cached("INSERT INTO waynote_content (id, hash, body) VALUES (?1, ?2, ?3)")?
        .execute((id, hash, content.as_bytes()))?;
    handle.knows_content(hash, id);
    handle.last_contents.borrow_mut().insert(scope_id, id);
    Ok(id)
}
