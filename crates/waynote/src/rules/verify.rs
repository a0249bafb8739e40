//! Checking a store: the engine's rows, then what the rules make of them.

use std::collections::HashMap;

use crate::address::Address;
use crate::engine::Read;
use crate::error::Result;
use crate::event::{Event, Resolutions, latest};
use crate::key::{EntryId, Name};
use crate::note::Position;
use crate::scope::ScopeKind;
use crate::store::Moment;
use crate::verify::Report;

use super::Log;

/// Checks everything there is; all reading is of one state.
pub(super) fn verify(rows: &dyn Read) -> Result<Report> {
    let mut report = Report::default();
    if rows.verify(&mut report)? {
        for scope in rows.summaries(ScopeKind::Session)? {
            if let crate::Scope::Session(session) = scope.scope {
                resolutions(rows, &session, &mut report)?;
            }
        }
        crate::search::verify::verify(rows, &mut report)?;
    }
    Ok(report)
}

/// Whether the entries of a session are resolved as its events say.
fn resolutions(rows: &dyn Read, session: &Name, report: &mut Report) -> Result<()> {
    let mut resolved = Resolutions::default();
    let mut events = Vec::new();
    for event in latest(&Log(rows), session) {
        match event {
            Ok(event) if matches!(event.event, Event::Resolved { .. }) => events.push(event),
            Ok(_) => {}
            // The engine's own check has named it.
            Err(_) => return Ok(()),
        }
    }
    for event in events.into_iter().rev() {
        resolved.add(event, Moment::Position(Position::new(i64::MAX)));
    }
    let address = |entry: EntryId| Address::Session(session.clone(), entry);
    let mut wanted: HashMap<Address, Option<EntryId>> = HashMap::new();
    for entry in resolved.entries() {
        let history = rows.history(&address(entry))?;
        let note = history.last().and_then(|last| last.note());
        wanted.insert(
            address(entry),
            note.and_then(|note| resolved.of(note, &history)),
        );
    }
    for note in rows.scopes(&[crate::Scope::Session(session.clone())])? {
        let says = wanted.remove(&note.address).flatten();
        if note.resolved_by != says {
            report.problems.push(format!(
                "{} is resolved otherwise than its events say",
                note.address
            ));
        }
    }
    for (address, says) in wanted {
        if says.is_some() {
            report.problems.push(format!(
                "{address} is resolved otherwise than its events say"
            ));
        }
    }
    Ok(())
}
