//! `waynote forget`: removes a note's text for good.

use std::borrow::Borrow;

use serde_json::{Value, json};
use waynote::event::EventAddress;
use waynote::forget::Residue;
use waynote::text::plural;
use waynote::visible::visible;
use waynote::{AddressAt, Error, Forget, ForgetTarget, Forgotten, Store};
use waynote_formats::synced::files_that_held;
use waynote_system::shell::quoted;

use super::confirm;
use crate::error::{Failure, Outcome, say};
use crate::invocation::Context;
use crate::typed::{Use, found};

/// The JSON output, with the files that may still hold the text.
fn value(forgotten: &Forgotten) -> Value {
    let mut value = json!(forgotten);
    value["files"] = json!(files_that_held(forgotten));
    value
}

/// The request that the arguments make.
pub(super) fn request(
    context: &Context<'_>,
    typed: &str,
    revision: Option<u64>,
    everywhere: bool,
) -> Outcome<Forget> {
    let of_no_revision = |request: Forget| match revision {
        None => Ok(request.everywhere(everywhere)),
        Some(_) => Err(Failure::usage(
            format!("{} has no revisions", request.target),
            "leave out --revision",
        )),
    };
    if let Ok(event) = typed.parse() {
        return of_no_revision(Forget::event(event));
    }
    if typed.starts_with("session:") && !typed.contains('#') {
        // A session is written as in the addresses of its events.
        let EventAddress { session, .. } = format!("{typed}#event-1").parse()?;
        return of_no_revision(Forget::session(session));
    }
    let named = context.note_and_revision(typed, revision, Use::TakeAway)?;
    Ok(Forget::new(named.address)
        .revision(named.revision)
        .everywhere(everywhere))
}

pub(super) fn run(
    context: &mut Context<'_>,
    request: &Forget,
    dry_run: bool,
    is_confirmed: bool,
) -> Outcome {
    let stamp = context.stamp()?;
    let would = |context: &mut Context<'_>| {
        context.read(|store| there(store, request, store.would_forget(request, &stamp)))
    };
    if dry_run {
        let would = would(context)?;
        say_of_others(context, request)?;
        return context.answer(&value(&would), || plan(&would));
    }
    let forgotten = loop {
        let mut request = request.clone();
        if !is_confirmed {
            let would = would(context)?;
            // Nothing is lost where nothing is left: then it only finishes what was begun.
            if !would.revisions.is_empty() || !would.events.is_empty() {
                let named = visible(&would.named.to_string());
                let risk = format!("forgetting {named} cannot be undone");
                let question = "This cannot be undone. Forget it?";
                confirm::ask(&risk, &plan(&would), question)?;
            }
            request = request.up_to(would.up_to);
        }
        match context.write(|store| there(store, &request, store.forget(&request, &stamp))) {
            Err(Failure::Library(error @ Error::ForgetsMore { .. })) => {
                say(&format!("{error}: nothing was forgotten, look again"));
            }
            forgotten => break forgotten?,
        }
    };
    context.answer(&value(&forgotten), || said(&forgotten))?;
    say_of_others(context, request)?;
    // The completed part is printed before what is said about the rest.
    context.output.flush()?;
    let Some(residue) = &forgotten.residue else {
        return Ok(());
    };
    let hint = match residue {
        // All was done that can be done from here; the rest is the administrator's.
        Residue::Database(_) => {
            if !context.output.json {
                say(&format!("note: {residue}"));
            }
            return Ok(());
        }
        Residue::Foreign => {
            "end the programs that have the database open, then run `VACUUM` and `PRAGMA wal_checkpoint(TRUNCATE)` on it with sqlite3"
        }
        _ => "fix this, then run the same command again to finish",
    };
    let what = format!("no note has the text any more, but the store's files may: {residue}");
    Err(Failure::refused("not_erased", what, hint))
}

/// Says which note of others has the name: forgetting does not reach it.
fn say_of_others(context: &Context<'_>, request: &Forget) -> Outcome {
    let ForgetTarget::Note(named) = &request.target else {
        return Ok(());
    };
    let store = context.opened()?.store();
    let file = match store.others(&named.address) {
        Ok(Some((_, file))) => file,
        // It cannot be read, and git keeps it all the same.
        Err(Error::OthersNote { origin, .. }) => origin,
        _ => return Ok(()),
    };
    let team = "note: the team's store has a note of this name; its administrator can forget it";
    let git = |of| format!("note: {of} has a note of this name, and the history of git keeps it");
    say(&file.map_or(team.into(), git));
    Ok(())
}

/// The result; for a note that is not there the error says what there is instead.
fn there<T>(store: &dyn Store, request: &Forget, result: waynote::Result<T>) -> Outcome<T> {
    match &request.target {
        ForgetTarget::Note(named) => found(store, named, result),
        _ => Ok(result?),
    }
}

/// The plan of a dry run: each revision and each event that would be forgotten, and what would be left.
fn plan(would: &Forgotten) -> String {
    let mut plan = match counted(would) {
        None => nothing_left(would),
        Some(count) => format!("would forget {count}:"),
    };
    let revisions = would.revisions.iter().map(ToString::to_string);
    let events = would.events.iter().map(ToString::to_string);
    for of in revisions.chain(events) {
        plan += &format!("\n  {of}");
    }
    if !would.gone.is_empty() {
        let gone: Vec<String> = would.gone.iter().map(ToString::to_string).collect();
        plan += &format!("\nthese notes would be gone: {}", listed(&gone));
    }
    if would.kept > 0 {
        plan += &format!("\n{} would be left", plural(would.kept, "revision"));
    }
    let shared = shared(would);
    if !shared.is_empty() {
        let shared = listed(&shared);
        plan += &format!(
            "\nthe same text would remain in {shared}; `--everywhere` forgets it there too"
        );
    }
    let files = files_that_held(would);
    if !files.is_empty() {
        plan += &format!("\nthe text may still be in {}", listed(&files));
    }
    waynote::visible::lines(&plan)
}

/// The report: what was forgotten, what is left of the note, and where the same text is too.
fn said(forgotten: &Forgotten) -> String {
    let named = &forgotten.named;
    let mut said = match counted(forgotten) {
        None => nothing_left(forgotten),
        Some(count) => format!("forgot {count} of {named}"),
    };
    if let ForgetTarget::Note(AddressAt { address, .. }) = named
        && !forgotten.revisions.is_empty()
    {
        let left = plural(forgotten.kept, "revision");
        let note = quoted(&address.to_string());
        said += &match forgotten.kept {
            0 if forgotten.residue.is_some() => String::new(),
            0 => "; no text of it is left".into(),
            _ if forgotten.gone.contains(address) => {
                format!("; the note is gone until `waynote restore {note}@N` ({left} left)")
            }
            _ => format!("; {left} left"),
        };
    }
    let shared = shared(forgotten);
    if let Some(first) = shared.first() {
        let (shared, first) = (listed(&shared), quoted(first));
        said += &format!(
            "\nthe same text remains in {shared}; `waynote forget {first} --everywhere` forgets it there too"
        );
    }
    let files = files_that_held(forgotten);
    if let Some(first) = files.first() {
        let (files, first) = (listed(&files), quoted(first));
        said += &format!(
            "\nthe text may still be in {files}; run this again with ZRB_LLM_NOTE_FILE={first}"
        );
    }
    waynote::visible::lines(&said)
}

fn nothing_left(forgotten: &Forgotten) -> String {
    format!("{} has no text left to forget", forgotten.named)
}

/// Other addresses with the same text.
fn shared(forgotten: &Forgotten) -> Vec<String> {
    let revisions = forgotten.shared.iter().map(ToString::to_string);
    let events = forgotten.shared_events.iter().map(ToString::to_string);
    revisions.chain(events).collect()
}

/// So many revisions and events; none when there are none.
fn counted(of: &Forgotten) -> Option<String> {
    let counts = [(of.revisions.len(), "revision"), (of.events.len(), "event")].into_iter();
    let counts = counts.filter(|(count, _)| *count > 0);
    let counts = counts.map(|(count, what)| plural(count as u64, what));
    let counts = counts.collect::<Vec<_>>().join(" and ");
    (!counts.is_empty()).then_some(counts)
}

/// The first few of a list.
fn listed(all: &[impl Borrow<str>]) -> String {
    const FEW: usize = 5;
    let few = all[..all.len().min(FEW)].join(", ");
    match all.len().saturating_sub(FEW) {
        0 => few,
        more => format!("{few} and {more} more"),
    }
}
