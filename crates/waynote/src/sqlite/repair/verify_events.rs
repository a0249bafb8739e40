//! Checks that events are whole and without gaps, and that leases are those that the events give.

use rusqlite::Connection;

use crate::event::SessionEvent;
use crate::key::Name;
use crate::model::report::Report;
use crate::scope::Scope;

use crate::sqlite::errors::Outcome;
use crate::sqlite::rows::damage;
use crate::sqlite::rows::events;

pub(in crate::sqlite) fn verify(conn: &Connection, report: &mut Report) -> Outcome<()> {
    let mut statement = conn.prepare(
        "SELECT e.scope, coalesce(s.kind, ''), coalesce(s.name, ''), s.lease, count(*), max(e.number)
         FROM waynote_event e LEFT JOIN waynote_scope s ON s.id = e.scope
         WHERE e.scope IS NOT NULL GROUP BY e.scope ORDER BY e.scope",
    )?;
    let mut rows = statement.query([])?;
    let mut seen = Vec::new();
    while let Some(row) = rows.next()? {
        let (id, kind, name): (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let (lease, count, last): (Option<i64>, i64, i64) = (row.get(3)?, row.get(4)?, row.get(5)?);
        seen.push(id);
        let scope = kind.parse().and_then(|kind| Scope::from_parts(kind, &name));
        let Ok(scope) = scope else {
            let problem = format!("events of a missing scope ({id}): {count}");
            report.problems.push(problem);
            continue;
        };
        let Scope::Session(session) = &scope else {
            report
                .problems
                .push(format!("{scope} has events but is not a session"));
            continue;
        };
        if count != last {
            report
                .problems
                .push(format!("{scope} has a gap in its events"));
        }
        held_against_lease(conn, id, session, lease, report)?;
    }
    let mut leased = conn.prepare(
        "SELECT kind, name FROM waynote_scope
         WHERE lease IS NOT NULL AND NOT EXISTS (SELECT 1 FROM waynote_event e WHERE e.scope = id)",
    )?;
    let mut rows = leased.query([])?;
    while let Some(row) = rows.next()? {
        let (kind, name): (String, String) = (row.get(0)?, row.get(1)?);
        report.problems.push(format!(
            "{kind}:{name} has the lease of a loop that never began"
        ));
    }
    Ok(())
}

/// Reads every event of a session, and holds them against its lease.
fn held_against_lease(
    conn: &Connection,
    id: i64,
    session: &Name,
    lease: Option<i64>,
    report: &mut Report,
) -> Outcome<()> {
    let scope = Scope::Session(session.clone());
    let mut held: Option<u64> = None;
    for event in events::of_scope(conn, id, session)? {
        let recorded = match event {
            Ok(recorded) => recorded,
            Err(error) => {
                let what = damage::named(&error).map_or_else(|| error.to_string(), str::to_owned);
                report
                    .problems
                    .push(format!("{scope} has a damaged event: {what}"));
                return Ok(());
            }
        };
        match recorded.event {
            SessionEvent::LoopStarted { .. } => held = Some(recorded.number),
            SessionEvent::LoopEnded { .. } => held = None,
            _ => {}
        }
    }
    if held.and_then(|held| i64::try_from(held).ok()) != lease {
        report.problems.push(format!(
            "{scope} has the lease of another loop than its events say"
        ));
    }
    Ok(())
}
