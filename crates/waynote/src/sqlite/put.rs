//! Putting a revision: content, journal row, current row, and the scope's count and head.

use rusqlite::Connection;

use crate::content::{Content, ContentHash};
use crate::engine::Put;
use crate::key::{EntryId, Name};
use crate::note::Position;
use crate::scope::Scope;

use super::errors::Outcome;
use super::read;
use super::rows::Handle;

/// The row of a scope, made when it is new.
pub(super) fn scope_row(handle: &Handle<'_>, scope: &Scope) -> Outcome<i64> {
    if let Some(id) = handle.scope_id(scope)? {
        return Ok(id);
    }
    let conn = handle.conn;
    conn.prepare_cached("INSERT INTO waynote_scope (kind, name) VALUES (?1, ?2)")?
        .execute((scope.kind().as_str(), scope.name()))?;
    Ok(conn.last_insert_rowid())
}

pub(super) fn put(handle: &Handle<'_>, put: &Put<'_>) -> Outcome<Position> {
    let conn = handle.conn;
    let revision = put.revision;
    let address = revision.address();
    let scope_id = scope_row(handle, &address.scope())?;
    let key = read::stored_key(address);
    let number = i64::try_from(revision.number()).unwrap_or(i64::MAX);
    let note = revision.note();
    let kind = note
        .and_then(|note| note.kind.as_ref())
        .map(crate::note::Kind::as_str);
    let content = note
        .map(|note| content_row(handle, scope_id, &note.content))
        .transpose()?;
    let recorded_at = revision.recorded_at.as_microsecond();
    let created_at = note.map_or(recorded_at, |note| note.created_at.as_microsecond());
    let updated_at = note.map_or(recorded_at, |note| note.updated_at.as_microsecond());
    conn.prepare_cached(
        "INSERT INTO waynote_journal (previous, scope, key, revision, action, undoes, content, kind, iteration,
                                      pinned, author, recorded_at, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
    )?
    .execute((
        put.previous.map(Position::number),
        scope_id,
        &key,
        number,
        revision.action.as_str(),
        revision.undoes.map(|undone| i64::try_from(undone).unwrap_or(i64::MAX)),
        content,
        kind,
        note.and_then(|note| note.iteration),
        note.is_some_and(|note| note.pinned),
        revision.author().as_str(),
        recorded_at,
        created_at,
        updated_at,
    ))?;
    let position = conn.last_insert_rowid();
    match put.note {
        Some(note) => {
            if !put.existed && number > 1 {
                conn.prepare_cached("DELETE FROM waynote_deleted WHERE scope = ?1 AND key = ?2")?
                    .execute((scope_id, &key))?;
            }
            conn.prepare_cached(
                "INSERT OR REPLACE INTO waynote_note (scope, key, position, revision, content, preview, kind,
                                                      iteration, pinned, author, created_at, updated_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            )?
            .execute((
                scope_id,
                &key,
                position,
                number,
                content,
                &note.preview,
                kind,
                note.iteration,
                note.pinned,
                note.author.as_str(),
                note.created_at.as_microsecond(),
                note.updated_at.as_microsecond(),
            ))?;
        }
        None => {
            if handle.is_erasing {
                // The row goes with the next statement; its preview shall not lie in a free part of the page.
                conn.prepare_cached(
                    "UPDATE waynote_note
                     SET preview = substr(hex(zeroblob(octet_length(preview))), 1, octet_length(preview))
                     WHERE scope = ?1 AND key = ?2",
                )?
                .execute((scope_id, &key))?;
            }
            conn.prepare_cached("DELETE FROM waynote_note WHERE scope = ?1 AND key = ?2")?
                .execute((scope_id, &key))?;
            conn.prepare_cached(
                "INSERT OR REPLACE INTO waynote_deleted (scope, key, position) VALUES (?1, ?2, ?3)",
            )?
            .execute((scope_id, &key, position))?;
        }
    }
    let change = match put.is_counted {
        true => i64::from(put.note.is_some()) - i64::from(put.existed),
        false => 0,
    };
    conn.prepare_cached("UPDATE waynote_scope SET notes = notes + ?2, head = ?3 WHERE id = ?1")?
        .execute((scope_id, change, position))?;
    Ok(Position::new(position))
}

pub(super) fn resolve(
    handle: &Handle<'_>,
    session: &Name,
    entry: EntryId,
    by: EntryId,
) -> Outcome<()> {
    let scope = scope_row(handle, &Scope::Session(session.clone()))?;
    handle
        .conn
        .prepare_cached("UPDATE waynote_note SET resolved_by = ?3 WHERE scope = ?1 AND key = ?2")?
        .execute((scope, entry.to_string(), by.to_string()))?;
    Ok(())
}

pub(super) fn mark(
    conn: &Connection,
    file: &str,
    marks: &[(String, Option<ContentHash>)],
) -> Outcome<()> {
    for (key, hash) in marks {
        match hash {
            Some(hash) => conn
                .prepare_cached(
                    "INSERT OR REPLACE INTO waynote_file_mark (file, key, hash) VALUES (?1, ?2, ?3)",
                )?
                .execute((file, key, hash.0))?,
            None => conn
                .prepare_cached("DELETE FROM waynote_file_mark WHERE file = ?1 AND key = ?2")?
                .execute((file, key))?,
        };
    }
    Ok(())
}

/// The row of a content, made when it is new: equal contents are kept once. A new one lies with the others of
/// the scope that brings it, so that reading a scope reads few pages however much the store holds.
fn content_row(handle: &Handle<'_>, scope_id: i64, content: &Content) -> Outcome<i64> {
    const SCOPE_SHIFT: u32 = 32;
    let conn = handle.conn;
    let is_new = handle.new_content.take().as_ref() == Some(content);
    if !is_new && let Some(id) = read::content_id(conn, content)? {
        return Ok(id);
    }
    let (first, end) = (scope_id << SCOPE_SHIFT, (scope_id + 1) << SCOPE_SHIFT);
    let last: Option<i64> = conn
        .prepare_cached("SELECT max(id) FROM waynote_content WHERE id >= ?1 AND id < ?2")?
        .query_row((first, end), |row| row.get(0))?;
    let id = last.map_or(first, |last| last + 1);
    conn.prepare_cached("INSERT INTO waynote_content (id, hash, body) VALUES (?1, ?2, ?3)")?
        .execute((id, content.hash().0, content.as_bytes()))?;
    Ok(id)
}
