//! Events: a row each, numbered within their session.

use rusqlite::{Connection, OptionalExtension, Row, ToSql};

use crate::engine::Step;
use crate::event::{EventAddress, RecordedEvent, SessionsEvent};
use crate::key::Name;
use crate::note::Position;
use crate::scope::Scope;

use super::checksum;
use super::damage::{LeftOut, damaged};
use super::query::{all, one};
use super::read::{author, number, scope_id, time, unreadable};
use super::scopes::{self, SCOPE};
use crate::sqlite::errors::Outcome;

/// The columns of an event, with their checksum behind them.
pub(in crate::sqlite) const EVENT: &str = "e.position, e.scope, e.number, e.author, e.recorded_at, e.event, e.operation, e.step, e.checksum";

/// How many columns the checksum is over.
const WIDTH: usize = 8;

/// The first of the columns that a query adds to those of an event.
pub(super) const AFTER_EVENT: usize = WIDTH + 1;

/// Refuses a row that is not as it was written.
pub(super) fn checked(row: &Row<'_>, session: Option<&Name>) -> rusqlite::Result<()> {
    if checksum::is_whole(row, WIDTH)? {
        return Ok(());
    }
    let number = number(row, 2).ok();
    let position = row.get::<_, i64>(0).ok();
    Err(match (session, number, position) {
        (Some(session), Some(number), _) => damaged(EventAddress {
            session: session.clone(),
            number,
        }),
        (Some(session), None, _) => damaged(format_args!("an event of session:{session}")),
        (None, _, Some(position)) => damaged(format_args!("the event at position {position}")),
        (None, _, None) => damaged("an event"),
    })
}

pub(in crate::sqlite) fn recorded(
    row: &Row<'_>,
    session: &Name,
) -> rusqlite::Result<RecordedEvent> {
    checked(row, Some(session))?;
    let text = row.get_ref(5)?.as_str()?;
    Ok(RecordedEvent {
        number: number(row, 2)?,
        position: Position(row.get(0)?),
        author: author(row, 3)?,
        recorded_at: time(row, 4)?,
        event: serde_json::from_str(text).map_err(|error| unreadable(5, error))?,
    })
}

pub(super) fn page(
    conn: &Connection,
    session: &Name,
    before: Option<u64>,
    limit: usize,
) -> Outcome<Vec<RecordedEvent>> {
    let Some(id) = scope_id(conn, &Scope::Session(session.clone()))? else {
        return Ok(Vec::new());
    };
    let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let before = before.map_or(i64::MAX, whole);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    all(
        conn,
        &format!(
            "SELECT {EVENT} FROM waynote_event e WHERE e.scope = ?1 AND e.number < ?2
         ORDER BY e.number DESC LIMIT ?3"
        ),
        (id, before, limit),
        |row| recorded(row, session),
    )
}

pub(super) fn lease(conn: &Connection, session: &Name) -> Outcome<Option<RecordedEvent>> {
    let found = scopes::find(conn, &Scope::Session(session.clone()))?;
    let Some((id, lease)) = found.and_then(|found| Some((found.id, found.lease?))) else {
        return Ok(None);
    };
    one(
        conn,
        &format!("SELECT {EVENT} FROM waynote_event e WHERE e.scope = ?1 AND e.number = ?2"),
        (id, lease),
        |row| recorded(row, session),
    )
}

pub(super) fn leases(conn: &Connection, left_out: &LeftOut) -> Outcome<Vec<SessionsEvent>> {
    left_out.whole(conn, &format!(
        "SELECT {EVENT}, {SCOPE} FROM waynote_scope s JOIN waynote_event e ON e.scope = s.id AND e.number = s.lease
         WHERE s.lease IS NOT NULL ORDER BY s.name"
    ), [], |row| match scopes::scope_at(row, AFTER_EVENT)? {
        Scope::Session(session) => {
            let recorded = recorded(row, &session)?;
            Ok(SessionsEvent { session, recorded })
        }
        other => Err(damaged(other)),
    })
}

/// The sessions that have events, by name.
pub(super) fn sessions(conn: &Connection, left_out: &LeftOut) -> Outcome<Vec<Name>> {
    left_out.whole(conn, &format!("SELECT {SCOPE} FROM waynote_scope s
         WHERE s.kind = 'session' AND EXISTS (SELECT 1 FROM waynote_event e WHERE e.scope = s.id) ORDER BY s.name"), [], |row| match scopes::scope_at(row, 0)? {
        Scope::Session(session) => Ok(session),
        other => Err(damaged(other)),
    })
}

/// Writes an event that was checked.
pub(super) fn insert(
    conn: &Connection,
    scope: i64,
    recorded: &RecordedEvent,
    step: Option<Step>,
) -> Outcome<()> {
    let text = serde_json::to_string(&recorded.event).map_err(|error| unreadable(6, error))?;
    let number = i64::try_from(recorded.number).unwrap_or(i64::MAX);
    let columns: [&dyn ToSql; 8] = [
        &recorded.position.number(),
        &scope,
        &number,
        &recorded.author.as_str(),
        &recorded.recorded_at.as_microsecond(),
        &text,
        &step.as_ref().map(|step| step.operation.bytes()),
        &step.map(|step| step.step),
    ];
    checksum::EVENT.insert(conn, &columns)
}

/// Replaces events by their rest when their texts are forgotten. The old texts are overwritten first.
pub(super) fn replace(conn: &Connection, events: &[(Name, RecordedEvent)]) -> Outcome<()> {
    for (session, recorded) in events {
        let scope = scope_id(conn, &Scope::Session(session.clone()))?;
        let number = i64::try_from(recorded.number).unwrap_or(i64::MAX);
        let text = serde_json::to_string(&recorded.event).map_err(|error| unreadable(4, error))?;
        conn.prepare_cached(
            "UPDATE waynote_event SET event = CAST(zeroblob(length(CAST(event AS BLOB))) AS TEXT)
             WHERE scope = ?1 AND number = ?2",
        )?
        .execute((scope, number))?;
        let position: Option<i64> = conn
            .prepare_cached(
                "UPDATE waynote_event SET event = ?3 WHERE scope = ?1 AND number = ?2
                 RETURNING position",
            )?
            .query_row((scope, number, text), |row| row.get(0))
            .optional()?;
        if let Some(position) = position {
            checksum::EVENT.renew(conn, &[&position])?;
        }
    }
    Ok(())
}
