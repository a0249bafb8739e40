//! `waynote forget`: removes a note's text for good.

use std::borrow::Borrow;

use serde::Serialize;
use waynote::event::EventAddress;
use waynote::forget::Residue;
use waynote::text::plural;
use waynote::{Address, AddressAt, Error, Forget, ForgetTarget, Forgotten, Store};
use waynote_formats::synced::files_that_held;
use waynote_system::shell::quoted;

use super::confirm::Question;
use crate::error::{Failure, Outcome, say};
use crate::invocation::Context;
use crate::typed::{Use, found};

/// The JSON output.
#[derive(Serialize)]
struct Told<'f> {
    #[serde(flatten)]
    forgotten: &'f Forgotten,
    /// Files that may still hold the text.
    files: Vec<&'f str>,
}

impl<'f> Told<'f> {
    fn new(forgotten: &'f Forgotten) -> Self {
        Self {
            forgotten,
            files: files_that_held(forgotten),
        }
    }
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
    if let Some(event) = super::event::address(typed) {
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
        return context.answer(&Told::new(&would), || plan(&would));
    }
    let forgotten = loop {
        let mut request = request.clone();
        if !is_confirmed {
            let would = would(context)?;
            // Nothing is lost where nothing is left: then it only finishes what was begun.
            if !would.revisions.is_empty() || !would.events.is_empty() {
                confirm(&would)?;
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
    context.answer(&Told::new(&forgotten), || said(&forgotten))?;
    match &forgotten.residue {
        None => Ok(()),
        // All was done that can be done from here; the rest is the administrator's.
        Some(residue @ Residue::Database(_)) => {
            if !context.output.json {
                context.output.flush()?;
                say(&format!("note: {residue}"));
            }
            Ok(())
        }
        Some(residue) => {
            // The completed part is printed before the error about the rest.
            context.output.flush()?;
            Err(Failure::refused(
                "not_erased",
                format!("no note has the text any more, but the store's files may: {residue}"),
                match residue {
                    Residue::Foreign => {
                        "end the programs that have the database open, then run `VACUUM` and `PRAGMA wal_checkpoint(TRUNCATE)` on it with sqlite3"
                    }
                    _ => "fix this, then run the same command again to finish",
                },
            ))
        }
    }
}

/// The result; for a note that is not there the error says what there is instead.
fn there<T>(store: &dyn Store, request: &Forget, result: waynote::Result<T>) -> Outcome<T> {
    match &request.target {
        ForgetTarget::Note(named) => found(store, named, result),
        _ => Ok(result?),
    }
}

/// Asks a person whether to forget that; a refusal where there is none, or when the answer is not yes.
fn confirm(would: &Forgotten) -> Outcome {
    let named = waynote::visible::visible(&would.named.to_string());
    let question = Question {
        risk: &format!("forgetting {named} cannot be undone"),
        alone: "check with `--dry-run`, then add `--yes`",
        before: &plan(would),
        question: "This cannot be undone. Forget it?",
        refused: &format!("kept {named}"),
        hint: "answer `y` to forget it",
    };
    question.ask()
}

/// The plan of a dry run: each revision and each event that would be forgotten.
fn plan(would: &Forgotten) -> String {
    let named = &would.named;
    let mut plan = match counted(would.revisions.len(), would.events.len()) {
        None => format!("{named} has no text left to forget"),
        Some(count) => format!("would forget {count}:"),
    };
    for revision in &would.revisions {
        plan += &format!("\n  {revision}");
    }
    for event in &would.events {
        plan += &format!("\n  {event}");
    }
    let note = note_of(would);
    if let Some(note) = note.filter(|note| would.gone.contains(note)) {
        plan += &match would.kept {
            0 => format!("\n{note} would be gone for good"),
            kept => format!(
                "\n{note} would be gone until another revision is restored ({kept} would be left)"
            ),
        };
    }
    let others: Vec<String> = would
        .gone
        .iter()
        .filter(|gone| Some(*gone) != note)
        .map(ToString::to_string)
        .collect();
    if !others.is_empty() {
        plan += &format!("\nthese would be gone too: {}", listed(&others));
    }
    let shared = shared(would);
    if !shared.is_empty() {
        plan += &format!(
            "\nthe same text would remain in {}; `--everywhere` forgets it there too",
            listed(&shared)
        );
    }
    let files = files_that_held(would);
    if !files.is_empty() {
        plan += &format!("\nthe text may still be in {}", listed(&files));
    }
    waynote::visible::lines(&plan)
}

/// The report: the forgotten texts, the rest of the note, and other addresses with the same text.
fn said(forgotten: &Forgotten) -> String {
    let mut said = match &forgotten.named {
        ForgetTarget::Note(named) => of_note(forgotten, named),
        named => {
            let (revisions, events) = (forgotten.revisions.len(), forgotten.events.len());
            match counted(revisions, events) {
                None => format!("{named} has no text left to forget"),
                Some(_)
                    if matches!(named, ForgetTarget::Event(_)) && revisions == 0 && events == 1 =>
                {
                    format!("forgot what was said in {named}")
                }
                Some(count) => format!("forgot {count} of {named}"),
            }
        }
    };
    let shared = shared(forgotten);
    if let Some(first) = shared.first() {
        let command = quoted(first);
        said += &format!(
            "\nthe same text remains in {}; `waynote forget {command} --everywhere` forgets it there too",
            listed(&shared)
        );
    }
    let files = files_that_held(forgotten);
    if let Some(first) = files.first() {
        said += &format!(
            "\nthe text may still be in {}; run this again with ZRB_LLM_NOTE_FILE={}",
            listed(&files),
            quoted(first)
        );
    }
    waynote::visible::lines(&said)
}

/// The reply for a text that was forgotten before.
fn nothing_left(forgotten: &Forgotten) -> String {
    let named = &forgotten.named;
    match forgotten.residue {
        None => format!("{named} has no text left to forget"),
        // Its old bytes may be left: the error says so.
        Some(_) => format!("{named} was forgotten before"),
    }
}

/// The same for a note.
fn of_note(forgotten: &Forgotten, named: &AddressAt) -> String {
    let note = &named.address;
    let events = forgotten.events.len();
    let mut said = match (forgotten.revisions.len(), &named.revision) {
        (0, _) => nothing_left(forgotten),
        (1, Some(revision)) if events == 0 => format!("forgot revision {revision} of {note}"),
        (count, _) => {
            let here = |at: &&AddressAt| at.address == *note;
            let here = forgotten.revisions.iter().filter(here).count();
            let elsewhere = match counted(count - here, events) {
                None => String::new(),
                Some(elsewhere) => format!(" and {elsewhere} elsewhere"),
            };
            format!("forgot {} of {note}{elsewhere}", revisions(here))
        }
    };
    said += &match (forgotten.gone.contains(note), forgotten.kept) {
        (_, 0) if forgotten.revisions.is_empty() || forgotten.residue.is_some() => String::new(),
        (_, 0) => "; no text of it is left".into(),
        (true, kept) => {
            let left = revisions(kept);
            let note = quoted(&note.to_string());
            format!(
                "; the note is gone until `waynote restore {note}@N` brings back another ({left} left)"
            )
        }
        (false, 1) => "; 1 revision is left".into(),
        (false, kept) => format!("; {kept} revisions are left"),
    };
    said
}

/// The note that was named, if it was one.
fn note_of(forgotten: &Forgotten) -> Option<&Address> {
    match &forgotten.named {
        ForgetTarget::Note(named) => Some(&named.address),
        _ => None,
    }
}

/// Other addresses with the same text.
fn shared(forgotten: &Forgotten) -> Vec<String> {
    let revisions = forgotten.shared.iter().map(ToString::to_string);
    let events = forgotten.shared_events.iter().map(ToString::to_string);
    revisions.chain(events).collect()
}

/// So many revisions and events; none when there are none.
fn counted(of_revisions: usize, events: usize) -> Option<String> {
    let events = plural(events as u64, "event");
    Some(match (of_revisions, events.as_str()) {
        (0, "0 events") => return None,
        (0, events) => events.to_owned(),
        (count, "0 events") => revisions(count),
        (count, events) => format!("{} and {events}", revisions(count)),
    })
}

fn revisions(count: impl TryInto<u64>) -> String {
    plural(count.try_into().unwrap_or(u64::MAX), "revision")
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
