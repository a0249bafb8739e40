//! Everything that happened after a point, in its order.

use jiff::Timestamp;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row};
use serde::{Deserialize, Serialize};

use crate::address::AddressAt;
use crate::engine::Step;
use crate::event::{EventAddress, SessionsEvent};
use crate::id::OperationId;
use crate::key::Name;
use crate::note::Position;
use crate::scope::Scope;
use crate::store::{Cursor, Done, FeedContent, FeedEntry, ForgottenTexts};

use super::events::{self, AFTER_EVENT, EVENT};
use super::journal::{REVISION, revision_anywhere};
use super::read::{author, time, unreadable};
use super::scopes::{SCOPE, scope_at};
use crate::sqlite::errors::Outcome;

/// A forgetting, as it lies among the events.
#[derive(Serialize, Deserialize)]
#[serde(tag = "event", rename = "forgotten")]
pub(super) struct Forgetting {
    pub(super) revisions: Vec<AddressAt>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) events: Vec<EventAddress>,
}

pub(super) fn after(conn: &Connection, after: Cursor, limit: usize) -> Outcome<Vec<FeedEntry>> {
    let rows = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut changes = conn.prepare_cached(&format!(
        "SELECT {REVISION}, {SCOPE} FROM waynote_journal j
         LEFT JOIN waynote_scope s ON s.id = j.scope
         LEFT JOIN waynote_content c ON c.id = j.content
         WHERE j.position > ?1 ORDER BY j.position LIMIT ?2"
    ))?;
    let changes = changes.query_map((after.position.number(), rows), change)?;
    let mut feed: Vec<FeedEntry> = changes.collect::<rusqlite::Result<_>>()?;
    let mut others = conn.prepare_cached(&format!(
        "SELECT {EVENT}, {SCOPE} FROM waynote_event e LEFT JOIN waynote_scope s ON s.id = e.scope
         WHERE e.position > ?1 ORDER BY e.position LIMIT ?2"
    ))?;
    let others = others.query_map((after.position.number(), rows), other_than_a_change)?;
    for other in others {
        feed.push(other?);
    }
    feed.sort_by_key(|entry| entry.at);
    feed.truncate(limit);
    Ok(feed)
}

/// True if anything was forgotten after a position. A forgetting is of no session.
pub(super) fn is_forgotten_after(conn: &Connection, position: i64) -> Outcome<bool> {
    let mut found = conn.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM waynote_event WHERE position > ?1 AND scope IS NULL)",
    )?;
    Ok(found.query_row([position], |row| row.get(0))?)
}

/// The revisions and events that a call wrote, by step.
pub(super) fn operation(conn: &Connection, operation: OperationId) -> Outcome<Vec<Done>> {
    let mut changes = conn.prepare_cached(&format!(
        "SELECT {REVISION}, {SCOPE} FROM waynote_journal j
         LEFT JOIN waynote_scope s ON s.id = j.scope
         LEFT JOIN waynote_content c ON c.id = j.content
         WHERE j.operation = ?1 ORDER BY j.step"
    ))?;
    let changes = changes.query_map([operation.bytes()], |row| {
        Ok(Done {
            step: row.get(16)?,
            entry: change(row)?,
        })
    })?;
    let mut done: Vec<Done> = changes.collect::<rusqlite::Result<_>>()?;
    let mut others = conn.prepare_cached(&format!(
        "SELECT {EVENT}, {SCOPE} FROM waynote_event e LEFT JOIN waynote_scope s ON s.id = e.scope
         WHERE e.operation = ?1 ORDER BY e.step"
    ))?;
    let others = others.query_map([operation.bytes()], |row| {
        Ok(Done {
            step: row.get(7)?,
            entry: other_than_a_change(row)?,
        })
    })?;
    for other in others {
        done.push(other?);
    }
    Ok(done)
}

/// The call that wrote the row at a position.
pub(in crate::sqlite) fn step(conn: &Connection, position: i64) -> Outcome<Option<Step>> {
    let mut statement = conn.prepare_cached(
        "SELECT operation, step FROM waynote_journal WHERE position = ?1
         UNION ALL SELECT operation, step FROM waynote_event WHERE position = ?1",
    )?;
    let found = statement.query_row([position], |row| {
        let operation: Option<[u8; 16]> = row.get(0)?;
        let step: Option<u32> = row.get(1)?;
        Ok(operation.zip(step).map(|(operation, step)| Step {
            operation: OperationId::new(operation),
            step,
        }))
    });
    Ok(found.optional()?.flatten())
}

fn change(row: &Row<'_>) -> rusqlite::Result<FeedEntry> {
    Ok(FeedEntry {
        at: Cursor::at(Position(row.get(0)?)),
        happened: FeedContent::Changed(revision_anywhere(row)?),
    })
}

pub(in crate::sqlite) fn other_than_a_change(row: &Row<'_>) -> rusqlite::Result<FeedEntry> {
    let happened = match row.get_ref(1)? {
        ValueRef::Null => {
            events::checked(row, None)?;
            forgotten(row, time(row, 4)?, author(row, 3)?)?
        }
        _ => {
            let Scope::Session(session) = scope_at(row, AFTER_EVENT)? else {
                return Err(unreadable(1, "it is no session"));
            };
            let recorded = events::recorded(row, &session)?;
            FeedContent::Event(SessionsEvent { session, recorded })
        }
    };
    Ok(FeedEntry {
        at: Cursor::at(Position(row.get(0)?)),
        happened,
    })
}

fn forgotten(row: &Row<'_>, at: Timestamp, by: Name) -> rusqlite::Result<FeedContent> {
    let Forgetting { revisions, events } =
        serde_json::from_str(row.get_ref(5)?.as_str()?).map_err(|error| unreadable(5, error))?;
    Ok(FeedContent::Forgotten(ForgottenTexts {
        revisions,
        events,
        at,
        by,
    }))
}
