//! Whether events are whole, and whether the notes are resolved that they say.

use std::collections::HashMap;

use rusqlite::Connection;

use crate::address::Address;
use crate::event::{Event, Resolutions};
use crate::note::Position;
use crate::scope::{Scope, ScopeKind};
use crate::store::Moment;
use crate::verify::Report;

use super::errors::Outcome;
use super::{events, read};

pub(super) fn verify(conn: &Connection, report: &mut Report) -> Outcome<()> {
    let mut statement = conn.prepare(
        "SELECT e.scope, coalesce(s.kind, ''), coalesce(s.name, ''), s.lease, count(*), max(e.number)
         FROM waynote_event e LEFT JOIN waynote_scope s ON s.id = e.scope GROUP BY e.scope ORDER BY e.scope",
    )?;
    let mut rows = statement.query([])?;
    let mut seen = Vec::new();
    while let Some(row) = rows.next()? {
        let (id, kind, name): (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let (lease, count, last): (Option<i64>, i64, i64) = (row.get(3)?, row.get(4)?, row.get(5)?);
        seen.push(id);
        let scope = kind.parse().and_then(|kind| Scope::from_parts(kind, &name));
        let Ok(scope) = scope else {
            let problem = format!("{count} events belong to a scope that is missing ({id})");
            report.problems.push(problem);
            continue;
        };
        if scope.kind() != ScopeKind::Session {
            report
                .problems
                .push(format!("{scope} has events and is no session"));
        }
        if count != last {
            report
                .problems
                .push(format!("{scope} has a gap in its events"));
        }
        session(conn, &scope, lease, report)?;
    }
    let mut leased = conn.prepare(
        "SELECT kind, name FROM waynote_scope
         WHERE lease IS NOT NULL AND NOT EXISTS (SELECT 1 FROM waynote_event e WHERE e.scope = id)",
    )?;
    let mut rows = leased.query([])?;
    while let Some(row) = rows.next()? {
        let (kind, name): (String, String) = (row.get(0)?, row.get(1)?);
        report
            .problems
            .push(format!("{kind}:{name} is held by a loop that never began"));
    }
    Ok(())
}

/// Reads every event of a session, and holds them against its scope and its notes.
fn session(
    conn: &Connection,
    scope: &Scope,
    lease: Option<i64>,
    report: &mut Report,
) -> Outcome<()> {
    let mut held: Option<u64> = None;
    let mut resolved = Resolutions::default();
    for event in events::of_scope(conn, scope)? {
        let recorded = match event {
            Ok(recorded) => recorded,
            Err(error) => {
                report
                    .problems
                    .push(format!("{scope} has a damaged event: {error}"));
                return Ok(());
            }
        };
        match recorded.event {
            Event::LoopStarted { .. } => held = Some(recorded.number),
            Event::LoopEnded { .. } => held = None,
            _ => {}
        }
        resolved.add(recorded, Moment::Position(Position(i64::MAX)));
    }
    if held.and_then(|held| i64::try_from(held).ok()) != lease {
        report.problems.push(format!(
            "{scope} is held by another loop than its events say"
        ));
    }
    let mut stored: HashMap<Address, _> = HashMap::new();
    for entry in resolved.entries() {
        let Scope::Session(name) = scope else {
            continue;
        };
        let address = Address::Session(name.clone(), entry);
        let history = read::history(conn, &address)?;
        let note = history.last().and_then(|last| last.note());
        stored.insert(address, note.and_then(|note| resolved.of(note, &history)));
    }
    for note in read::resolved(conn, scope)? {
        stored.entry(note.address).or_insert(None);
    }
    for (address, says) in stored {
        let is = read::get(conn, &address)?.and_then(|note| note.resolved_by);
        if is != says {
            report.problems.push(format!(
                "{address} is resolved otherwise than its events say"
            ));
        }
    }
    Ok(())
}
