//! Everything that happened after a point, in order, and the revisions and events of a call.

use serde::{Deserialize, Serialize};
use tokio_postgres::Row;
use waynote::engine::{self, Step};
use waynote::event::{EventAddress, SessionsEvent};
use waynote::store::{Ask, Done, FeedContent, FeedEntry, FeedPage, ForgottenTexts};
use waynote::{AddressAt, OperationId, Position};

use super::events::{EVENT, event_columns, recorded, session_at};
use super::journal::anywhere;
use super::plan::Plan;
use crate::error::Outcome;
use crate::row::{get, position, revision_columns, unreadable};
use crate::trip::{big, bigs, many_bytes};

/// A forgetting, as it lies among the events.
#[derive(Serialize, Deserialize)]
#[serde(tag = "event", rename = "forgotten")]
pub(crate) struct Forgetting {
    pub(crate) revisions: Vec<AddressAt>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) events: Vec<EventAddress>,
}

const CHANGES: &str = concat!(
    "SELECT ",
    revision_columns!(),
    ", s.kind, s.name FROM (
         SELECT * FROM waynote.journal j WHERE j.store = $1 AND j.position > $2 ORDER BY j.position LIMIT $3
     ) j
     JOIN waynote.scope s ON s.store = $1 AND s.scope = j.scope
     LEFT JOIN waynote.content c ON c.store = $1 AND c.hash = j.content
     ORDER BY j.position"
);

const OTHERS: &str = concat!(
    "SELECT ",
    event_columns!(),
    ", s.kind, s.name FROM (
         SELECT * FROM waynote.event e WHERE e.store = $1 AND e.position > $2 ORDER BY e.position LIMIT $3
     ) e
     LEFT JOIN waynote.scope s ON s.store = $1 AND s.scope = e.scope
     ORDER BY e.position"
);

const CHANGED_BY: &str = concat!(
    "SELECT u.i, j.step, ",
    revision_columns!(),
    ", s.kind, s.name FROM unnest($2) WITH ORDINALITY u (operation, i)
     JOIN waynote.journal j ON j.store = $1 AND j.operation = u.operation
     JOIN waynote.scope s ON s.store = $1 AND s.scope = j.scope
     LEFT JOIN waynote.content c ON c.store = $1 AND c.hash = j.content
     ORDER BY j.step, j.position"
);

const RECORDED_BY: &str = concat!(
    "SELECT u.i, e.step, ",
    event_columns!(),
    ", s.kind, s.name FROM unnest($2) WITH ORDINALITY u (operation, i)
     JOIN waynote.event e ON e.store = $1 AND e.operation = u.operation
     LEFT JOIN waynote.scope s ON s.store = $1 AND s.scope = e.scope
     ORDER BY e.step, e.position"
);

const STEPS: &str = "SELECT u.i, j.operation, j.step FROM unnest($2) WITH ORDINALITY u (position, i)
     JOIN waynote.journal j ON j.store = $1 AND j.position = u.position WHERE j.operation IS NOT NULL
     UNION ALL SELECT u.i, e.operation, e.step FROM unnest($2) WITH ORDINALITY u (position, i)
     JOIN waynote.event e ON e.store = $1 AND e.position = u.position WHERE e.operation IS NOT NULL";

/// A forgetting is of no session.
const FORGOTTEN: &str = "SELECT FROM waynote.event e
     WHERE e.store = $1 AND e.position > $2 AND e.scope IS NULL LIMIT 1";

/// Asks whether anything was forgotten after a position.
pub(super) fn forgotten_after<'a>(plan: &mut Plan<'a>, ask: &'a engine::Ask) {
    if let Some(position) = ask.forgotten_after {
        plan.ask(FORGOTTEN, vec![big(position)], |found, rows| {
            rows.forgotten_after = !found.is_empty();
            Ok(())
        });
    }
}

/// The calls that wrote the rows at positions.
pub(super) fn steps<'a>(plan: &mut Plan<'a>, ask: &'a engine::Ask) {
    let positions = ask.store.steps.iter().map(|position| position.number());
    let values = vec![bigs(positions)];
    plan.each(&ask.store.steps, STEPS, values, |row, index, rows| {
        let operation: &[u8] = get(row, 1)?;
        let operation = <[u8; 16]>::try_from(operation);
        let operation = operation.map_err(|_| unreadable("the id of a call"))?;
        rows.store.steps[index] = Some(Step {
            operation: OperationId::new(operation),
            step: step(row, 2)?,
        });
        Ok(())
    });
}

pub(super) fn plan<'a>(plan: &mut Plan<'a>, ask: &'a Ask) {
    for (index, FeedPage { after, limit }) in ask.feed.iter().enumerate() {
        let rows_at_most = i64::try_from(*limit).unwrap_or(i64::MAX);
        let position = after.map_or(0, Position::number);
        let values = vec![big(position), big(rows_at_most)];
        plan.rows(CHANGES, values, move |row, rows| {
            rows.store.feed[index].push(change(row, 0)?);
            Ok(())
        });
        let values = vec![big(position), big(rows_at_most)];
        plan.ask(OTHERS, values, move |found, rows| {
            let feed = &mut rows.store.feed[index];
            for row in found {
                feed.push(other(row, 0)?);
            }
            feed.sort_by_key(|entry| entry.at);
            feed.truncate(*limit);
            Ok(())
        });
    }
    operations(plan, ask);
}

fn operations<'a>(plan: &mut Plan<'a>, ask: &'a Ask) {
    let asked = &ask.operations;
    let ids = || vec![many_bytes(asked.iter().map(|id| id.bytes()))];
    for (sql, entry) in [
        (CHANGED_BY, change as fn(&Row, usize) -> Outcome<FeedEntry>),
        (RECORDED_BY, other),
    ] {
        plan.each(asked, sql, ids(), move |row, index, rows| {
            let (step, entry) = (step(row, 1)?, entry(row, 2)?);
            rows.store.operations[index].push(Done { step, entry });
            Ok(())
        });
    }
}

fn step(row: &Row, column: usize) -> Outcome<u32> {
    let step: Option<i64> = get(row, column)?;
    Ok(step
        .and_then(|step| u32::try_from(step).ok())
        .unwrap_or_default())
}

/// The change whose columns begin there.
fn change(row: &Row, at: usize) -> Outcome<FeedEntry> {
    Ok(FeedEntry {
        at: position(row, at)?,
        happened: FeedContent::Changed(anywhere(row, at)?),
    })
}

/// The event or the forgetting whose columns begin there.
fn other(row: &Row, at: usize) -> Outcome<FeedEntry> {
    let happened = match get::<Option<&str>>(row, at + EVENT)? {
        Some(_) => {
            let session = session_at(row, at + EVENT)?;
            let recorded = recorded(row, at, &session)?;
            FeedContent::Event(SessionsEvent { session, recorded })
        }
        None => forgotten(row, at)?,
    };
    let at = Position::new(get(row, at)?);
    Ok(FeedEntry { at, happened })
}

fn forgotten(row: &Row, at: usize) -> Outcome<FeedContent> {
    let position: i64 = get(row, at)?;
    let damaged = || unreadable(format_args!("the event at position {position}"));
    let Forgetting { revisions, events } =
        serde_json::from_str(get(row, at + 4)?).map_err(|_| damaged())?;
    Ok(FeedContent::Forgotten(ForgottenTexts {
        revisions,
        events,
        at: jiff::Timestamp::from_microsecond(get(row, at + 3)?).map_err(|_| damaged())?,
        by: get::<&str>(row, at + 2)?.parse().map_err(|_| damaged())?,
    }))
}
