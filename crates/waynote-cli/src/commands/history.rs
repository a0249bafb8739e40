//! `waynote history`: a note's revisions.

use waynote::author::shown;
use waynote::text::day;
use waynote::{Address, AddressAt, Error, Revision, State};
use waynote_system::shell::quoted;

use super::event;
use crate::error::{Outcome, say};
use crate::invocation::Context;
use crate::table::{iteration, table, when};
use crate::typed::{Use, found};

pub(super) fn run(context: &mut Context<'_>, typed: &str) -> Outcome {
    if let Ok(event) = typed.parse() {
        // An event is never changed.
        return event::show(context, &event);
    }
    let address = context.note(typed, Use::Keep)?;
    let mut history = context.read(|store| match store.history(&address)? {
        history if history.is_empty() => {
            let missing = Err(Error::not_found(format!("history of {address}")));
            found(store, &AddressAt::new(address.clone(), None), missing)
        }
        history => Ok(history),
    })?;
    history.reverse();
    if context.output.json {
        return context.value(&history);
    }
    let others = context.read(|store| Ok(store.others(&address)?)).ok();
    if let Some((_, file)) = others.flatten() {
        let team = context.settings.team_store.value.as_deref().map(quoted);
        let (team, shown) = (team.unwrap_or_default(), quoted(&address.masked()));
        let of_team = || format!("waynote --store {team} history {shown}");
        let of_file = |file| format!("git log -- {}", quoted(&format!(":/{file}")));
        let theirs = file.map_or_else(of_team, of_file);
        say(&format!("the history of theirs: `{theirs}`"));
    }
    context.line(address.masked())?;
    let is_entry = matches!(address, Address::Session(..));
    let mut heading = vec!["revision", "action", "author", "recorded", "preview"];
    if is_entry {
        heading.insert(ITERATION, "iteration");
    }
    let rows = history.iter().map(|revision| {
        let mut row = row(revision);
        if is_entry {
            let of_entry = revision.note().and_then(|note| note.iteration);
            row.insert(ITERATION, iteration(of_entry));
        }
        row
    });
    context.line(table(&heading, rows))
}

/// The column of an entry's iteration.
const ITERATION: usize = 2;

pub(super) fn row(revision: &Revision) -> Vec<String> {
    let action = match revision.undoes {
        Some(undone) => format!("{} of {undone}", revision.action.as_str()),
        None => revision.action.as_str().to_owned(),
    };
    vec![
        revision.number().to_string(),
        action,
        shown(revision.author(), revision.token.as_ref()),
        when(revision.recorded_at),
        match &revision.state {
            State::Present(note) => note.preview.clone(),
            State::Forgotten {
                forgotten_at,
                forgotten_by,
                ..
            } => format!(
                "forgotten {} by {}",
                day(*forgotten_at),
                shown(forgotten_by, None)
            ),
            _ => String::new(),
        },
    ]
}
