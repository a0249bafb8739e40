//! `waynote why`: what a session of a client was given, as its ledger has it.

use jiff::Timestamp;
use waynote::context::ShownNote;
use waynote::visible::visible;
use waynote_clients::DeliveryRecord;

use crate::error::Outcome;
use crate::invocation::Context;
use crate::table::{table, when};

pub(super) fn run(context: &mut Context<'_>, session: Option<&str>) -> Outcome {
    let ledgers = super::hook::ledgers()?;
    let told = ledgers
        .map(|ledgers| ledgers.told(session))
        .unwrap_or_default();
    if context.output.json {
        return context.value(&told);
    }
    let Some(first) = told.first() else {
        return context.line(match session {
            Some(session) => format!("session {} has received no notes", visible(session)),
            None => "no agent session has received notes yet".into(),
        });
    };
    context.line(format!("session {}", visible(first.client_session())))?;
    let heading = ["when", "event", "action", "tokens", "note", "shown"];
    context.line(table(&heading, told.iter().flat_map(rows)))?;
    let tokens: usize = told.iter().map(|told| told.about.tokens).sum();
    context.line(format!("deliveries: {}, tokens: {tokens}", told.len()))
}

/// A row for each note; what holds for all of them stands in the first.
fn rows(told: &DeliveryRecord) -> Vec<Vec<String>> {
    let at = i64::try_from(told.at).ok();
    let at = at.and_then(|at| Timestamp::from_millisecond(at).ok());
    let subagent = told.session.split_once(' ');
    let subagent = subagent.map(|(_, subagent)| format!(" ({subagent})"));
    let mut head = [
        at.map(when).unwrap_or_default(),
        format!("{}{}", told.about.event, subagent.unwrap_or_default()),
        told.about.action.clone().unwrap_or_else(|| "-".into()),
        match told.about.tokens {
            0 => "-".into(),
            tokens => tokens.to_string(),
        },
    ];
    let notes = told.notes.iter().map(|of| {
        let note = match ShownNote::is_of_others(of.revision) {
            true => of.address.to_string(),
            false => format!("{}@{}", of.address, of.revision),
        };
        [note, of.shown.as_str().to_owned()]
    });
    let mut notes: Vec<[String; 2]> = notes.collect();
    if notes.is_empty() {
        notes.push(["-".into(), "-".into()]);
    }
    let row = |note: [String; 2]| {
        let row = head.iter().cloned().chain(note).collect();
        head.iter_mut().for_each(String::clear);
        row
    };
    notes.into_iter().map(row).collect()
}
