//! Reading notes as they were.

use rusqlite::Connection;

use crate::note::Note;
use crate::scope::Scope;
use crate::store::Moment;

use super::errors::Outcome;
use super::events;
use super::read::{address, history, scope_id};

/// The notes of scopes as they were, each from its chain.
pub(super) fn select_at(conn: &Connection, scopes: &[Scope], moment: Moment) -> Outcome<Vec<Note>> {
    let mut notes = Vec::new();
    let mut statement = conn.prepare_cached(
        "SELECT key FROM waynote_note WHERE scope = ?1
         UNION SELECT key FROM waynote_deleted WHERE scope = ?1 ORDER BY key",
    )?;
    for scope in scopes {
        let Some(id) = scope_id(conn, scope)? else {
            continue;
        };
        let keys = statement.query_map([id], |row| row.get::<_, String>(0))?;
        let resolved = events::resolved_at(conn, scope, moment)?;
        for key in keys {
            let address = address(scope, &key?, 0)?;
            let history = history(conn, &address)?;
            let then = moment.until(&history);
            notes.extend(moment.pick(&history).map(|mut note| {
                note.resolved_by = resolved.of(&note, then);
                note
            }));
        }
    }
    Ok(notes)
}
