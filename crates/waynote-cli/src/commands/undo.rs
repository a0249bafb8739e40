//! `waynote undo`, `waynote redo` and `waynote restore`.

use serde_json::json;
use waynote::text::shell_word;
use waynote::{
    Address, AddressAt, Applied, Change, Error, Stamp, Store, UndoReport, UndoScope,
    log_entry_written_last, person, redo_last, undo_last,
};

use super::confirm;
use super::saved::say_deleted;
use crate::error::{Failure, Outcome, say};
use crate::home;
use crate::invocation::Context;
use crate::typed::{Use, found};

pub(super) fn undo(context: &mut Context<'_>, typed: Option<&str>) -> Outcome {
    let back = match typed {
        Some(address) => format!("waynote redo {}", shell_word(address)),
        None => "waynote redo".into(),
    };
    if typed.is_none() {
        ask_past_the_log(context)?;
    }
    let taken_back = take_back(context, typed, Change::undo, undo_last)?;
    if !taken_back.others.is_empty() {
        let then = "; `waynote redo` brings it back";
        return several(context, &taken_back, "undid", then);
    }
    let (did, then) = match created(context, &taken_back.applied)? {
        Some(revision) => {
            let address = &taken_back.applied.address;
            let note = shell_word(&format!("{address}@{revision}"));
            let restore = format!("`waynote restore {note}`");
            let then = format!("; `{back}` or {restore} brings it back");
            ("removed", format!(" (undid its creation){then}"))
        }
        None => {
            let then = format!("; `{back}` brings it back");
            ("undid the last change of", then)
        }
    };
    answer(context, &taken_back.applied, did, &then)
}

pub(super) fn redo(context: &mut Context<'_>, typed: Option<&str>) -> Outcome {
    let taken_back = take_back(context, typed, Change::redo, redo_last)?;
    if !taken_back.others.is_empty() {
        return several(context, &taken_back, "redid", "");
    }
    answer(
        context,
        &taken_back.applied,
        "redid the last change of",
        gone(&taken_back.applied),
    )
}

/// Asks before `undo` skips a log entry that was written last: the user probably means that entry, and an older note
/// would change instead. Refused if nobody can be asked.
fn ask_past_the_log(context: &Context<'_>) -> Outcome {
    let stamp = context.stamp()?;
    let entry = context.read(|store| {
        let author = person::author(&store, &stamp)?;
        Ok(log_entry_written_last(store, &author)?)
    });
    let Some(entry) = entry? else {
        return Ok(());
    };
    let what =
        format!("your last write is {entry}, which `undo` cannot take back: a log is append-only");
    if confirm::can_ask() {
        say(&what);
        if confirm::is_yes("Undo your last change of another note?")? {
            return Ok(());
        }
    }
    let entry = shell_word(&entry.to_string());
    let hint = format!(
        "name the note to undo: `waynote undo ADDRESS`; `waynote forget {entry}` removes the text of the entry"
    );
    Err(Failure::refused("log_entry_is_last", what, hint))
}

/// Takes back the change named by `of`, or the `last` one within reach of the working directory.
fn take_back(
    context: &Context<'_>,
    typed: Option<&str>,
    of: fn(Address) -> Change,
    last: fn(&dyn Store, &UndoScope, &Stamp) -> waynote::Result<UndoReport>,
) -> Outcome<UndoReport> {
    let named = typed
        .map(|typed| context.note(typed, Use::Keep))
        .transpose()?;
    let reach = reach(context)?;
    let stamp = context.stamp()?;
    context.write(|store| match &named {
        Some(address) => match store.apply(&[of(address.clone())], &stamp) {
            Err(Error::Undo(_)) if store.history(address)?.is_empty() => {
                let missing = Err(Error::not_found(address.to_string()));
                found(store, &AddressAt::new(address.clone(), None), missing)
            }
            applied => one(applied?),
        },
        None => Ok(last(store, &reach, &stamp)?),
    })
}

/// The notes that an undo here reaches without an address.
fn reach(context: &Context<'_>) -> Outcome<UndoScope> {
    let mut reach = UndoScope::new(context.settings.agent.value.clone(), Vec::new());
    // Without a home or a working directory, the notebook is left.
    if let Ok(base) = home::base() {
        let here = base.cwd();
        reach.places.extend(home::main_checkout(&here)?);
        reach.places.push(here);
    }
    Ok(reach)
}

/// The command that takes back what was written last to one of these notes: a bare `undo` where it reaches one.
pub(super) fn command(
    context: &Context<'_>,
    notes: &[&Address],
    otherwise: String,
) -> Outcome<String> {
    let reach = reach(context)?;
    let is_reached = notes.iter().any(|note| reach.covers(note));
    Ok(if is_reached {
        "waynote undo".into()
    } else {
        otherwise
    })
}

/// The most notes that the reply to one undo names.
const NAMED: usize = 20;

/// Says what became of the notes that one call had changed together.
fn several(context: &mut Context<'_>, done: &UndoReport, did: &str, then: &str) -> Outcome {
    let notes: Vec<&Applied> = std::iter::once(&done.applied).chain(&done.others).collect();
    context.answer(&json!({ "notes": notes }), || {
        let mut said = format!("{did} the last change, of {} notes{then}", notes.len());
        for Applied { address, note, .. } in notes.iter().take(NAMED) {
            let now = match note {
                Some(note) => format!("now revision {}: {}", note.revision, preview(&note.preview)),
                None => "no longer exists".into(),
            };
            said += &format!("\n  {} ({now})", address.masked());
        }
        match notes.len().saturating_sub(NAMED) {
            0 => said,
            more => said + &format!("\n  … {more} more"),
        }
    })
}

/// The revision that created a note, where an undo has taken that back.
fn created(context: &Context<'_>, undone: &Applied) -> Outcome<Option<u64>> {
    if undone.note.is_some() || context.output.json {
        return Ok(None);
    }
    let history = context.read(|store| Ok(store.history(&undone.address)?))?;
    Ok(history.last().and_then(|undo| undo.undoes))
}

/// The result of one change.
fn one(applied: Vec<Applied>) -> Outcome<UndoReport> {
    let applied = applied.into_iter().next();
    let taken_back = applied.map(|applied| UndoReport {
        applied,
        others: Vec::new(),
    });
    taken_back.ok_or_else(|| {
        let nothing = waynote::UndoError::NothingToUndo { address: None };
        Failure::Library(nothing.into())
    })
}

pub(super) fn restore(context: &mut Context<'_>, typed: &str, revision: Option<u64>) -> Outcome {
    let named = context.note_and_revision(typed, revision, Use::Keep)?;
    let Some(revision) = named.revision else {
        return Err(which(context, &named.address)?);
    };
    let stamp = context.stamp()?;
    let change = Change::Restore {
        address: named.address.clone(),
        revision,
        last: None,
    };
    let applied = context.write(|store| found(store, &named, store.apply(&[change], &stamp)))?;
    for applied in &applied {
        answer(
            context,
            applied,
            &format!("restored revision {revision} of"),
            gone(applied),
        )?;
    }
    Ok(())
}

/// The refusal to restore a note without a revision: it has these.
fn which(context: &Context<'_>, address: &Address) -> Outcome<Failure> {
    let note = shell_word(&address.to_string());
    let last = context.read(|store| {
        let history = store.history(address)?;
        let missing = AddressAt::new(address.clone(), None);
        let last = history.last().map(|last| last.number());
        found(
            store,
            &missing,
            last.ok_or_else(|| Error::not_found(address.to_string())),
        )
    })?;
    let hint = match last {
        1 => format!("it has revision 1 only: `waynote restore {note}@1`"),
        last => format!(
            "it has the revisions 1 to {last}: `waynote history {note}` lists them, `waynote restore {note}@N` restores one"
        ),
    };
    Ok(Failure::usage("no revision given", hint))
}

fn answer(context: &mut Context<'_>, applied: &Applied, did: &str, then: &str) -> Outcome {
    let Applied { address, note, .. } = applied;
    match note {
        Some(note) => context.answer(note, || {
            format!(
                "{did} {address} (now revision {}: {}){then}",
                note.revision,
                preview(&note.preview)
            )
        }),
        None => say_deleted(context, address, format!("{did} {address}{then}")),
    }
}

/// The end of a reply after a change that removed the note.
fn gone(applied: &Applied) -> &'static str {
    match applied.note {
        Some(_) => "",
        None => "; it no longer exists",
    }
}

fn preview(preview: &str) -> String {
    if preview.is_empty() {
        "blank".into()
    } else {
        waynote::visible::visible(preview)
    }
}
