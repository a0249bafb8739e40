//! Events of sessions, and leases.

use tokio_postgres::Row;
use waynote::event::{RecordedEvent, SessionsEvent};
use waynote::store::Ask;
use waynote::{Name, Position, Scope};

use super::plan::{Plan, session_hash, whole};
use crate::error::Outcome;
use crate::row::{count, get, scope, unreadable};
use crate::trip::{big, bytes, many_bytes};

/// The columns of an event, of `waynote.event e`.
macro_rules! event_columns {
    () => {
        "e.position, e.number, e.author, e.recorded_at, e.event"
    };
}
pub(super) use event_columns;

/// How many those are.
pub(super) const EVENT: usize = 5;

const PAGE: &str = concat!(
    "SELECT ",
    event_columns!(),
    " FROM waynote.event e
     WHERE e.store = $1 AND e.scope = (SELECT s.scope FROM waynote.scope s WHERE s.store = $1 AND s.hash = $2)
           AND e.number < $3 ORDER BY e.number DESC LIMIT $4"
);

const LEASES: &str = concat!(
    "SELECT u.i, ",
    event_columns!(),
    " FROM unnest($2) WITH ORDINALITY u (scope, i)
     JOIN waynote.scope s ON s.store = $1 AND s.hash = u.scope
     JOIN waynote.event e ON e.store = $1 AND e.scope = s.scope AND e.number = s.lease"
);

const ALL_LEASES: &str = concat!(
    "SELECT ",
    event_columns!(),
    ", s.kind, s.name FROM waynote.scope s
     JOIN waynote.event e ON e.store = $1 AND e.scope = s.scope AND e.number = s.lease
     WHERE s.store = $1 AND s.lease IS NOT NULL ORDER BY s.name"
);

const SESSIONS: &str = "SELECT s.kind, s.name FROM waynote.scope s
     WHERE s.store = $1 AND s.kind = 'session'
           AND EXISTS (SELECT FROM waynote.event e WHERE e.store = $1 AND e.scope = s.scope)
     ORDER BY s.name";

pub(super) fn plan<'a>(plan: &mut Plan<'a>, ask: &'a Ask) {
    for (index, of) in ask.events.iter().enumerate() {
        let before = of.before.map(i64::try_from);
        let before = before.and_then(Result::ok).unwrap_or(i64::MAX);
        let limit = i64::try_from(of.limit).unwrap_or(i64::MAX);
        let values = vec![bytes(session_hash(&of.session)), big(before), big(limit)];
        plan.rows(PAGE, values, move |row, rows| {
            rows.store.events[index].push(recorded(row, 0, &of.session)?);
            Ok(())
        });
    }
    let values = vec![many_bytes(ask.leases.iter().map(session_hash))];
    plan.each(&ask.leases, LEASES, values, |row, index, rows| {
        rows.store.leases[index] = Some(recorded(row, 1, &ask.leases[index])?);
        Ok(())
    });
    if ask.all_leases {
        plan.rows(ALL_LEASES, Vec::new(), |row, rows| {
            let read = session_at(row, EVENT).and_then(|session| {
                let recorded = recorded(row, 0, &session)?;
                Ok(SessionsEvent { session, recorded })
            });
            let lease = whole(read, rows)?;
            rows.store.all_leases.extend(lease);
            Ok(())
        });
    }
    if ask.event_sessions {
        plan.rows(SESSIONS, Vec::new(), |row, rows| {
            let session = whole(session_at(row, 0), rows)?;
            rows.store.event_sessions.extend(session);
            Ok(())
        });
    }
}

/// The session whose scope is there.
pub(super) fn session_at(row: &Row, column: usize) -> Outcome<Name> {
    match scope(row, column)? {
        Scope::Session(session) => Ok(session),
        other => Err(unreadable(other)),
    }
}

/// The event whose columns begin there.
pub(super) fn recorded(row: &Row, at: usize, session: &Name) -> Outcome<RecordedEvent> {
    let number = count(row, at + 1)?;
    let damaged = || unreadable(format_args!("event {number} of session:{session}"));
    let recorded_at = jiff::Timestamp::from_microsecond(get(row, at + 3)?);
    Ok(RecordedEvent {
        number,
        position: Position::new(get(row, at)?),
        author: get::<&str>(row, at + 2)?.parse().map_err(|_| damaged())?,
        recorded_at: recorded_at.map_err(|_| damaged())?,
        event: serde_json::from_str(get(row, at + 4)?).map_err(|_| damaged())?,
    })
}
