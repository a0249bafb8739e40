//! A store of schema 5 with as many notes as wanted: the committed one, and more in the tables of that schema.

use std::path::Path;

use rusqlite::{Connection, Transaction};
use waynote::Content;

/// The committed store.
pub const SCHEMA_5: &[u8] = include_bytes!("../../data/schema-5.db");

/// Notes of one notebook.
const NOTEBOOK: u32 = 1000;

/// Writes the committed store to `path` and adds notes to it, one in ten with a second revision, and an event for every
/// hundred.
pub fn write_schema_5(path: &Path, notes: u32) -> rusqlite::Result<()> {
    std::fs::write(path, SCHEMA_5)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
    if notes == 0 {
        return Ok(());
    }
    let mut conn = Connection::open(path)?;
    let tx = conn.transaction()?;
    for first in (0..notes).step_by(NOTEBOOK as usize) {
        notebook(&tx, first, notes.min(first + NOTEBOOK))?;
    }
    events(&tx, notes / 100)?;
    tx.commit()?;
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
}

/// The notes of one notebook, from `first` to before `end`.
fn notebook(tx: &Transaction<'_>, first: u32, end: u32) -> rusqlite::Result<()> {
    let head = |tx: &Transaction<'_>| -> rusqlite::Result<i64> {
        tx.query_row("SELECT max(position) FROM waynote_journal", [], |row| {
            row.get(0)
        })
    };
    let mut position = head(tx)?;
    tx.execute(
        "INSERT INTO waynote_scope (kind, name, notes) VALUES ('agent', 'scale-' || ?1, ?2)",
        (first, end - first),
    )?;
    let scope = tx.last_insert_rowid();
    let mut content = tx.prepare_cached(
        "INSERT INTO waynote_content (id, hash, body) VALUES (?1, unhex(?2), ?3)",
    )?;
    let mut journal = tx.prepare_cached(
        "INSERT INTO waynote_journal (position, previous, scope, key, revision, action, content, pinned, author,
                                      recorded_at, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, 'save', ?6, 0, 'agent:scale', ?7, ?8, ?7)",
    )?;
    let mut note = tx.prepare_cached(
        "INSERT INTO waynote_note (scope, key, position, revision, content, preview, pinned, author, created_at,
                                   updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, 'agent:scale', ?7, ?8)",
    )?;
    let mut content_id = scope << 32;
    for number in first..end {
        let key = format!("key-{number}");
        let created = 1_779_000_000_000_000 + i64::from(number);
        let revisions = if number % 10 == 0 { 2 } else { 1 };
        let mut previous = None;
        for revision in 1..=revisions {
            let text = format!(
                "note {number}, revision {revision}: the suite only passes when the clock is frozen first"
            );
            position += 1;
            content_id += 1;
            let hash = Content::imported(text.clone()).hash().to_string();
            content.execute((content_id, hash, text.as_bytes()))?;
            let updated = created + revision - 1;
            journal.execute((
                position, previous, scope, &key, revision, content_id, updated, created,
            ))?;
            previous = Some(position);
            if revision == revisions {
                note.execute((
                    scope, &key, position, revision, content_id, &text, created, updated,
                ))?;
            }
        }
    }
    tx.execute(
        "UPDATE waynote_scope SET head = ?2 WHERE id = ?1",
        (scope, position),
    )?;
    Ok(())
}

/// Iterations of a session, spread over the journal.
fn events(tx: &Transaction<'_>, count: u32) -> rusqlite::Result<()> {
    tx.execute(
        "INSERT INTO waynote_scope (kind, name) VALUES ('session', 'scale')",
        [],
    )?;
    let scope = tx.last_insert_rowid();
    let mut event = tx.prepare(
        "INSERT INTO waynote_event (scope, number, after, author, recorded_at, event)
         VALUES (?1, ?2, ?3, 'person', ?4, json_object('event', 'iteration_started', 'iteration', ?2))",
    )?;
    for number in 1..=i64::from(count) {
        event.execute((scope, number, number * 50, 1_779_000_000_000_000 + number))?;
    }
    Ok(())
}
