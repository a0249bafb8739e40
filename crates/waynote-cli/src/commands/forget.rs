//! `waynote forget`: what a note said goes for good.

use waynote::forget::Residue;
use waynote::{Forget, Forgotten};

use super::Context;
use crate::error::{Failure, Outcome};

pub(super) fn run(
    context: &mut Context<'_>,
    typed: &str,
    revision: Option<u64>,
    everywhere: bool,
) -> Outcome {
    let named = crate::input::address_and_revision(typed, revision)?;
    let request = Forget {
        address: named.address,
        revision: named.revision,
        everywhere,
    };
    let stamp = context.stamp()?;
    let forgotten = context.change(|store| Ok(store.forget(&request, &stamp)?))?;
    context.output.answer(&forgotten, || said(&forgotten))?;
    match &forgotten.residue {
        None => Ok(()),
        Some(residue) => {
            // What was done is said before what was not.
            context.output.flush()?;
            Err(Failure::refused(
                "not_erased",
                format!("old bytes of it may still be in the store's files: {residue}"),
                match residue {
                    Residue::Foreign => {
                        "end the programs that have it open, then run `VACUUM` and `PRAGMA wal_checkpoint(TRUNCATE)` on it with sqlite3"
                    }
                    _ => "mend that, then run the same command again: it finishes the work",
                },
            ))
        }
    }
}

/// What was forgotten, what is left of the note, and where else the text stands.
fn said(forgotten: &Forgotten) -> String {
    let note = &forgotten.named.address;
    let mut said = match (forgotten.revisions.len(), &forgotten.named.revision) {
        (0, _) => format!("nothing is left to forget of {}", forgotten.named),
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
        (_, 0) => "; nothing it said is left".into(),
        (true, kept) => {
            let left = revisions(kept);
            format!(
                "; the note is gone until `waynote restore {note}@N` brings back another ({left} left)"
            )
        }
        (false, 1) => "; 1 revision of it stays".into(),
        (false, kept) => format!("; {kept} revisions of it stay"),
    };
    if let Some(first) = forgotten.shared.first() {
        let shared: Vec<String> = forgotten.shared.iter().map(ToString::to_string).collect();
        said += &format!(
            "\nthe same text still stands in {}; `waynote forget {first} --everywhere` forgets it there too",
            listed(&shared)
        );
    }
    if let Some(first) = forgotten.files.first() {
        said += &format!(
            "\nit may still be in {}; run this again with ZRB_LLM_NOTE_FILE={first}",
            listed(&forgotten.files)
        );
    }
    waynote::visible::lines(&said)
}

fn revisions(count: impl TryInto<u64>) -> String {
    match count.try_into().unwrap_or(u64::MAX) {
        1 => "1 revision".into(),
        count => format!("{count} revisions"),
    }
}

/// The first few of a list.
fn listed(all: &[String]) -> String {
    const FEW: usize = 5;
    let few = all[..all.len().min(FEW)].join(", ");
    match all.len().saturating_sub(FEW) {
        0 => few,
        more => format!("{few} and {more} more"),
    }
}
