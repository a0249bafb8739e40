//! Events: a row each, numbered within their session.

use rusqlite::{Connection, OptionalExtension, Row};

use crate::event::{Event, Recorded, Resolutions};
use crate::key::Name;
use crate::note::Position;
use crate::scope::{Scope, ScopeKind};
use crate::store::Moment;

use super::errors::Outcome;
use super::read::{author, number, scope_id, time, unreadable};

/// The columns of an event, from 0.
const EVENT: &str = "e.number, e.after, e.author, e.recorded_at, e.event";

fn recorded(row: &Row<'_>) -> rusqlite::Result<Recorded> {
    let text = row.get_ref(4)?.as_str()?;
    let after: i64 = row.get(1)?;
    Ok(Recorded {
        number: number(row, 0)?,
        after: (after > 0).then_some(Position(after)),
        author: author(row, 2)?,
        recorded_at: time(row, 3)?,
        event: serde_json::from_str(text).map_err(|error| unreadable(4, error))?,
    })
}

pub(super) fn page(
    conn: &Connection,
    session: &Name,
    before: Option<u64>,
    limit: usize,
) -> Outcome<Vec<Recorded>> {
    let Some(id) = scope_id(conn, &Scope::Session(session.clone()))? else {
        return Ok(Vec::new());
    };
    let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let before = before.map_or(i64::MAX, whole);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {EVENT} FROM waynote_event e WHERE e.scope = ?1 AND e.number < ?2
         ORDER BY e.number DESC LIMIT ?3"
    ))?;
    let rows = statement.query_map((id, before, limit), recorded)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

pub(super) fn lease(conn: &Connection, session: &Name) -> Outcome<Option<Recorded>> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {EVENT} FROM waynote_scope s JOIN waynote_event e ON e.scope = s.id AND e.number = s.lease
         WHERE s.kind = 'session' AND s.name = ?1"
    ))?;
    Ok(statement
        .query_row([session.as_str()], recorded)
        .optional()?)
}

pub(super) fn leases(conn: &Connection) -> Outcome<Vec<(Name, Recorded)>> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {EVENT}, s.name FROM waynote_scope s JOIN waynote_event e ON e.scope = s.id AND e.number = s.lease
         WHERE s.lease IS NOT NULL ORDER BY s.name"
    ))?;
    let rows = statement.query_map([], |row| Ok((author(row, 5)?, recorded(row)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The sessions that have events, by name.
pub(super) fn sessions(conn: &Connection) -> Outcome<Vec<Name>> {
    let mut statement = conn.prepare_cached(
        "SELECT s.name FROM waynote_scope s
         WHERE s.kind = 'session' AND EXISTS (SELECT 1 FROM waynote_event e WHERE e.scope = s.id) ORDER BY s.name",
    )?;
    let rows = statement.query_map([], |row| author(row, 0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Writes an event that was checked.
pub(super) fn insert(
    conn: &Connection,
    scope: i64,
    event: &Event,
    recorded_at: i64,
    author: &Name,
) -> Outcome<()> {
    let text = serde_json::to_string(event).map_err(|error| unreadable(4, error))?;
    let number: i64 = conn
        .prepare_cached(
            "INSERT INTO waynote_event (scope, number, after, author, recorded_at, event)
             VALUES (?1, (SELECT coalesce(max(number), 0) + 1 FROM waynote_event WHERE scope = ?1),
                     (SELECT coalesce(max(position), 0) FROM waynote_journal), ?2, ?3, ?4)
             RETURNING number",
        )?
        .query_row((scope, author.as_str(), recorded_at, text), |row| {
            row.get(0)
        })?;
    let lease = match event {
        Event::LoopStarted { .. } => Some(number),
        Event::LoopEnded { .. } => None,
        _ => return Ok(()),
    };
    conn.prepare_cached("UPDATE waynote_scope SET lease = ?2 WHERE id = ?1")?
        .execute((scope, lease))?;
    Ok(())
}

/// A session's events, oldest first; one that cannot be read is an error of its own.
pub(super) fn of_scope(
    conn: &Connection,
    scope: &Scope,
) -> Outcome<Vec<rusqlite::Result<Recorded>>> {
    let Some(id) = scope_id(conn, scope)? else {
        return Ok(Vec::new());
    };
    let sql = format!("SELECT {EVENT} FROM waynote_event e WHERE e.scope = ?1 ORDER BY e.number");
    let mut statement = conn.prepare_cached(&sql)?;
    Ok(statement.query_map([id], recorded)?.collect())
}

/// Which entries of a scope were resolved at a moment.
pub(super) fn resolved_at(
    conn: &Connection,
    scope: &Scope,
    moment: Moment,
) -> Outcome<Resolutions> {
    let mut resolved = Resolutions::default();
    if scope.kind() != ScopeKind::Session {
        return Ok(resolved);
    }
    let Some(id) = scope_id(conn, scope)? else {
        return Ok(resolved);
    };
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {EVENT} FROM waynote_event e
         WHERE e.scope = ?1 AND json_extract(e.event, '$.event') = 'resolved' ORDER BY e.number"
    ))?;
    for event in statement.query_map([id], recorded)? {
        resolved.add(event?, moment);
    }
    Ok(resolved)
}
