//! Checks a store for damage: first the engine's rows, then the requirements of the rules.

use std::collections::HashMap;

use super::resolved::Resolutions;
use super::session_state::latest;
use crate::address::Address;
use crate::error::Result;
use crate::event::SessionEvent;
use crate::key::{EntryId, Name};
use crate::model::report::Report;
use crate::note::Position;
use crate::scope::{Scope, ScopeKind};
use crate::store::AsOf;

use super::OneState;

/// Checks the whole store. Reads one state of it.
pub(super) fn verify(state: &OneState<'_>) -> Result<Report> {
    let rows = state.rows();
    let mut report = Report::default();
    if rows.verify(&mut report)? {
        for scope in rows.summaries(ScopeKind::Session)? {
            let Scope::Session(session) = &scope.scope else {
                continue;
            };
            // One that cannot be read is a finding like others.
            if let Err(error) = resolutions(state, session, &mut report) {
                report.problems.push(format!("{}: {error}", scope.scope));
            }
        }
        crate::search::verify::verify(rows, &mut report)?;
    }
    Ok(report)
}

/// Checks that the entries of a session are resolved as its events say.
fn resolutions(state: &OneState<'_>, session: &Name, report: &mut Report) -> Result<()> {
    let rows = state.rows();
    let mut resolved = Resolutions::default();
    let mut events = Vec::new();
    for event in latest(state, session) {
        match event {
            Ok(event) if matches!(event.event, SessionEvent::Resolved { .. }) => events.push(event),
            Ok(_) => {}
            // The engine's own check has named it.
            Err(_) => return Ok(()),
        }
    }
    for event in events.into_iter().rev() {
        resolved.add(event, AsOf::Position(Position::new(i64::MAX)));
    }
    let mut says: HashMap<Address, Option<EntryId>> = HashMap::new();
    for entry in resolved.entries() {
        let address = Address::Session(session.clone(), entry);
        let history = rows.history(&address)?;
        let note = history.last().and_then(|last| last.note());
        let by = note.and_then(|note| resolved.of(note, &history));
        says.insert(address, by);
    }
    for note in rows.resolved(session)? {
        let by = says.remove(&note.address).flatten();
        if note.resolved_by != by {
            report.problems.push(otherwise(&note.address));
        }
    }
    let unmarked = says.into_iter().filter(|(_, by)| by.is_some());
    let unmarked = unmarked.map(|(address, _)| otherwise(&address));
    report.problems.extend(unmarked);
    Ok(())
}

fn otherwise(address: &Address) -> String {
    format!("{address} is marked as resolved (or open), but its events say otherwise")
}
