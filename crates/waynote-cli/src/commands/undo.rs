//! `waynote undo`, `waynote redo` and `waynote restore`.

use serde_json::json;
use waynote::text::shell_word;
use waynote::visible::visible;
use waynote::{
    Address, AddressAt, Applied, Change, Error, Stamp, Store, UndoReport, UndoScope, redo_last,
    undo_last,
};

use super::saved::{before_theirs, say_deleted};
use crate::args::ExpectArgs;
use crate::error::{Failure, Outcome};
use crate::home;
use crate::invocation::Context;
use crate::program::calling;
use crate::typed::{Use, found};

pub(super) fn undo(context: &mut Context<'_>, typed: Option<&str>) -> Outcome {
    let then = match typed.map(shell_word) {
        Some(of) => format!("; `waynote redo {of}` brings it back"),
        None => "; `waynote redo` brings it back".to_owned(),
    };
    let then = calling(&then);
    let undone = taken_back(context, typed, Change::undo, undo_last)?;
    report(context, &undone, "undid", &then)
}

pub(super) fn redo(context: &mut Context<'_>, typed: Option<&str>) -> Outcome {
    let redone = taken_back(context, typed, Change::redo, redo_last)?;
    report(context, &redone, "redid", "")
}

/// Takes back the change named by `of`, or the `last` one within reach of the working directory. Returns what became
/// of the notes.
fn taken_back(
    context: &Context<'_>,
    typed: Option<&str>,
    of: fn(Address) -> Change,
    last: fn(&dyn Store, &UndoScope, &Stamp) -> waynote::Result<UndoReport>,
) -> Outcome<Vec<Applied>> {
    let named = typed
        .map(|typed| context.note(typed, Use::Keep))
        .transpose()?;
    let (reach, stamp) = (reach(context)?, context.stamp()?);
    context.write(|store| match &named {
        Some(address) => match store.apply(&[of(address.clone())], &stamp) {
            Err(Error::Undo(_)) if store.history(address)?.is_empty() => {
                let missing = Err(Error::not_found(address.to_string()));
                found(store, &AddressAt::new(address.clone(), None), missing)
            }
            applied => Ok(applied?),
        },
        None => {
            let mut done = last(store, &reach, &stamp)?;
            done.others.insert(0, done.applied);
            Ok(done.others)
        }
    })
}

/// The notes that an undo here reaches without an address.
fn reach(context: &Context<'_>) -> Outcome<UndoScope> {
    let mut reach = UndoScope::new(context.settings.agent.value.clone(), Vec::new());
    // Without a home or a working directory, the notebook is left.
    if let Ok(base) = home::base() {
        let here = base.cwd();
        let lineage = context.lineage(&here)?;
        reach.places = lineage.names(&here);
        reach.places.push(here);
    }
    Ok(reach)
}

/// The most notes that the reply to one undo names.
const NAMED: usize = 20;

/// Says what became of a note, or of several that one call had changed together.
fn report(context: &mut Context<'_>, done: &[Applied], did: &str, then: &str) -> Outcome {
    if let [one] = done {
        return answer(context, one, &format!("{did} the last change of"), then);
    }
    context.answer(&json!({ "notes": done }), || {
        let count = done.len();
        let mut said = format!("{did} the last change, of {count} notes{then}");
        for one in done.iter().take(NAMED) {
            said += &format!("\n  {} ({})", one.address.masked(), now(one));
        }
        match count.saturating_sub(NAMED) {
            0 => said,
            more => said + &format!("\n  … {more} more"),
        }
    })
}

pub(super) fn restore(
    context: &mut Context<'_>,
    typed: &str,
    revision: Option<u64>,
    expect: ExpectArgs,
) -> Outcome {
    let named = context.note_and_revision(typed, revision, Use::Keep)?;
    let Some(revision) = named.revision else {
        let note = shell_word(&named.address.to_string());
        return Err(Failure::usage(
            "no revision given",
            format!(
                "`waynote history {note}` lists the revisions, `waynote restore {note}@N` restores one"
            ),
        ));
    };
    let stamp = context.stamp()?;
    let change = Change::Restore {
        address: named.address.clone(),
        revision,
        last: expect.if_revision,
    };
    let applied = context.write(|store| found(store, &named, store.apply(&[change], &stamp)))?;
    let did = format!("restored revision {revision} of");
    applied
        .iter()
        .try_for_each(|applied| answer(context, applied, &did, ""))
}

fn answer(context: &mut Context<'_>, applied: &Applied, did: &str, then: &str) -> Outcome {
    let before = applied.note.as_ref().map_or(String::new(), before_theirs);
    let said = format!("{did} {} ({}){before}{then}", applied.address, now(applied));
    match &applied.note {
        Some(note) => context.answer(note, || said),
        None => say_deleted(context, &applied.address, said),
    }
}

/// The note after the change.
fn now(applied: &Applied) -> String {
    match &applied.note {
        Some(note) if note.preview.is_empty() => format!("now revision {}: blank", note.revision),
        Some(note) => format!("now revision {}: {}", note.revision, visible(&note.preview)),
        None => "it no longer exists".into(),
    }
}
