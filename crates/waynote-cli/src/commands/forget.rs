//! `waynote forget`: removes a note's text for good.

use std::borrow::Borrow;

use serde::Serialize;
use waynote::forget::Residue;
use waynote::text::plural;
use waynote::{Forget, Forgotten};
use waynote_formats::synced::files_that_held;

use super::{Context, confirm};
use crate::error::{Failure, Outcome, say};

/// What a program is told.
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

/// What the arguments name.
pub(super) fn request(typed: &str, revision: Option<u64>, everywhere: bool) -> Outcome<Forget> {
    if let Some(event) = super::event::address(typed) {
        return Err(Failure::refused(
            "not_forgotten",
            format!("{event} is an event, and events cannot be forgotten yet"),
            "notes, single revisions of them and entries of a session's log can be forgotten: name one by its address",
        ));
    }
    let named = crate::input::address_and_revision(typed, revision)?;
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
    if dry_run || !is_confirmed {
        let would = context.read(|store| Ok(store.would_forget(request, &stamp)?))?;
        if dry_run {
            return context.output.answer(&Told::new(&would), || plan(&would));
        }
        confirm(&would)?;
    }
    let forgotten = context.write(|store| Ok(store.forget(request, &stamp)?))?;
    context
        .output
        .answer(&Told::new(&forgotten), || said(&forgotten))?;
    match &forgotten.residue {
        None => Ok(()),
        Some(residue) => {
            // What was done is said before what was not.
            context.output.flush()?;
            Err(Failure::refused(
                "not_erased",
                format!("the text may still be in the store's files: {residue}"),
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

/// Asks a person whether to forget that; a refusal where there is none, or when the answer is not yes.
fn confirm(would: &Forgotten) -> Outcome {
    let named = waynote::visible::visible(&would.named.to_string());
    if !confirm::can_ask() {
        return Err(Failure::refused(
            "not_confirmed",
            format!("forgetting {named} cannot be undone, and there is no terminal to confirm it"),
            "check with `--dry-run`, then add `--yes`",
        ));
    }
    say(&plan(would));
    if confirm::is_yes("This cannot be undone. Forget it?")? {
        return Ok(());
    }
    Err(Failure::refused(
        "not_confirmed",
        format!("{named} was not forgotten"),
        "answer `y` to forget it",
    ))
}

/// What would be forgotten, revision by revision.
fn plan(would: &Forgotten) -> String {
    let named = &would.named;
    let mut plan = match would.revisions.len() {
        0 => format!("{named} has no text left to forget"),
        count => format!("would forget {}:", revisions(count)),
    };
    for revision in &would.revisions {
        plan += &format!("\n  {revision}");
    }
    let note = &named.address;
    plan += &match (would.gone.contains(note), would.kept) {
        (true, 0) => format!("\n{note} would be gone for good"),
        (true, kept) => {
            format!(
                "\n{note} would be gone until another revision is restored ({kept} would be left)"
            )
        }
        (false, _) => String::new(),
    };
    let others: Vec<String> = would
        .gone
        .iter()
        .filter(|gone| *gone != note)
        .map(ToString::to_string)
        .collect();
    if !others.is_empty() {
        plan += &format!("\nthese would be gone too: {}", listed(&others));
    }
    if !would.shared.is_empty() {
        let shared: Vec<String> = would.shared.iter().map(ToString::to_string).collect();
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

/// What was forgotten, what is left of the note, and where else the same text is.
fn said(forgotten: &Forgotten) -> String {
    let note = &forgotten.named.address;
    let mut said = match (forgotten.revisions.len(), &forgotten.named.revision) {
        (0, _) => format!("{} has no text left to forget", forgotten.named),
        (1, Some(revision)) => format!("forgot revision {revision} of {note}"),
        (count, _) => {
            let here = |at: &&waynote::AddressAt| at.address == *note;
            let here = forgotten.revisions.iter().filter(here).count();
            let elsewhere = match count - here {
                0 => String::new(),
                elsewhere => format!(" and {} elsewhere", revisions(elsewhere)),
            };
            format!("forgot {} of {note}{elsewhere}", revisions(here))
        }
    };
    said += &match (forgotten.gone.contains(note), forgotten.kept) {
        (_, 0) if forgotten.revisions.is_empty() => String::new(),
        (_, 0) => "; no text of it is left".into(),
        (true, kept) => {
            let left = revisions(kept);
            format!(
                "; the note is gone until `waynote restore {note}@N` brings back another ({left} left)"
            )
        }
        (false, 1) => "; 1 revision is left".into(),
        (false, kept) => format!("; {kept} revisions are left"),
    };
    if let Some(first) = forgotten.shared.first() {
        let shared: Vec<String> = forgotten.shared.iter().map(ToString::to_string).collect();
        said += &format!(
            "\nthe same text remains in {}; `waynote forget {first} --everywhere` forgets it there too",
            listed(&shared)
        );
    }
    let files = files_that_held(forgotten);
    if let Some(first) = files.first() {
        said += &format!(
            "\nthe text may still be in {}; run this again with ZRB_LLM_NOTE_FILE={first}",
            listed(&files)
        );
    }
    waynote::visible::lines(&said)
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
