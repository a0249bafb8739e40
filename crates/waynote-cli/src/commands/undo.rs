//! `waynote undo`, `waynote redo` and `waynote restore`.

use waynote::text::shell_word;
use waynote::{
    Address, Applied, Change, Stamp, Store, UndoReport, UndoScope, log_entry_written_last, person,
    redo_last, undo_last,
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
    let (did, then) = match created(context, &taken_back.applied)? {
        Some(revision) => {
            let address = &taken_back.applied.address;
            let note = shell_word(&format!("{address}@{revision}"));
            let restore = format!("`waynote restore {note}`");
            let then = format!("; `{back}` or {restore} brings it back");
            ("undid creating", then)
        }
        None => {
            let then = format!("; `{back}` brings it back");
            ("undid the last change of", then)
        }
    };
    answer(context, &taken_back.applied, did, &then)?;
    if let (Some(later), false) = (&taken_back.later, context.output.json) {
        context.output.flush()?;
        let note = shell_word(&later.to_string());
        say(&format!(
            "your newer change is to {later}, which `undo` does not reach from here: run `waynote undo {note}`"
        ));
    }
    Ok(())
}

pub(super) fn redo(context: &mut Context<'_>, typed: Option<&str>) -> Outcome {
    let taken_back = take_back(context, typed, Change::redo, redo_last)?;
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
    let mut reach = UndoScope::new(context.settings.agent.value.clone(), Vec::new());
    // Without a home or a working directory, the notebook is left.
    if let (None, Ok(base)) = (&named, home::base()) {
        let here = base.cwd();
        reach.places.extend(home::main_checkout(&here)?);
        reach.places.push(here);
    }
    let stamp = context.stamp()?;
    context.write(|store| match &named {
        Some(address) => one(store.apply(&[of(address.clone())], &stamp)?),
        None => Ok(last(store, &reach, &stamp)?),
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
        later: None,
    });
    taken_back.ok_or_else(|| {
        let nothing = waynote::UndoError::NothingToUndo {
            address: None,
            last: None,
        };
        Failure::Library(nothing.into())
    })
}

pub(super) fn restore(context: &mut Context<'_>, typed: &str, revision: Option<u64>) -> Outcome {
    let named = context.note_and_revision(typed, revision, Use::Keep)?;
    let revision = named.revision.ok_or_else(|| {
        let hint = "add `--revision N`; `waynote history ADDRESS` lists them";
        Failure::usage("no revision given", hint)
    })?;
    let stamp = context.stamp()?;
    let change = Change::Restore {
        address: named.address.clone(),
        revision,
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
