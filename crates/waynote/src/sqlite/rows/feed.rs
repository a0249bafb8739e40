//! Everything that happened after a point, in its order.

use jiff::Timestamp;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Params, Row};
use serde::{Deserialize, Serialize};

use crate::address::AddressAt;
use crate::engine::Step;
use crate::event::{EventAddress, SessionsEvent};
use crate::id::OperationId;
use crate::key::Name;
use crate::note::Position;
use crate::scope::Scope;
use crate::store::{Done, FeedContent, FeedEntry, ForgottenTexts};

use super::events::{self, AFTER_EVENT, EVENT};
use super::journal::{REVISION, revision_anywhere};
use super::query::all;
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

pub(super) fn after(
    conn: &Connection,
    after: Option<Position>,
    limit: usize,
) -> Outcome<Vec<FeedEntry>> {
    let rows = i64::try_from(limit).unwrap_or(i64::MAX);
    let params = (after.map_or(0, Position::number), rows);
    let which = "position > ?1 ORDER BY position LIMIT ?2";
    let feed = entries(conn, which, params)?.into_iter();
    let mut feed: Vec<FeedEntry> = feed.map(|(_, entry)| entry).collect();
    feed.sort_by_key(|entry| entry.at);
    feed.truncate(limit);
    Ok(feed)
}

/// Changes, then other items, each with its step if it has one.
fn entries(
    conn: &Connection,
    which: &str,
    params: impl Params + Clone,
) -> Outcome<Vec<(Option<u32>, FeedEntry)>> {
    let changes = format!(
        "SELECT {REVISION}, {SCOPE} FROM waynote_journal j
         LEFT JOIN waynote_scope s ON s.id = j.scope
         LEFT JOIN waynote_content c ON c.id = j.content WHERE {which}"
    );
    let mut found = all(conn, &changes, params.clone(), |row| {
        let happened = FeedContent::Changed(revision_anywhere(row)?);
        let at = Position(row.get(0)?);
        Ok((row.get(16)?, FeedEntry { at, happened }))
    })?;
    let others = format!(
        "SELECT {EVENT}, {SCOPE} FROM waynote_event e LEFT JOIN waynote_scope s ON s.id = e.scope WHERE {which}"
    );
    found.extend(all(conn, &others, params, |row| {
        Ok((row.get(7)?, other_than_a_change(row)?))
    })?);
    Ok(found)
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
    let which = "operation = ?1 ORDER BY step";
    let found = entries(conn, which, [operation.bytes()])?.into_iter();
    let done = |(step, entry): (Option<u32>, FeedEntry)| Done {
        step: step.unwrap_or_default(),
        entry,
    };
    Ok(found.map(done).collect())
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
        at: Position(row.get(0)?),
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
