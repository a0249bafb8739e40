//! `waynote undo` and `waynote restore`.

use serde_json::json;
use waynote::{Applied, Change, Error, undo_last};

use super::Context;
use crate::error::{Failure, Outcome};

pub(super) fn undo(context: &mut Context<'_>, typed: Option<&str>) -> Outcome {
    let named = typed.map(crate::input::note).transpose()?;
    let stamp = context.stamp()?;
    let applied = context.change(|store| match named {
        Some(address) => Ok(store.apply(
            &[Change::Undo {
                address,
                origin: None,
            }],
            &stamp,
        )?),
        None => undo_last(store, &stamp).map_err(|error| match error {
            Error::AppendOnly { address } => Failure::refused(
                "append_only",
                format!("the last change added {address}, and a session's log is append-only"),
                "name the note whose last change is meant: `waynote undo ADDRESS`",
            ),
            error => error.into(),
        }),
    })?;
    answer(context, &applied, "undid the last change of")
}

pub(super) fn restore(context: &mut Context<'_>, typed: &str, revision: Option<u64>) -> Outcome {
    let named = crate::input::address_and_revision(typed, revision)?;
    let revision = named.revision.ok_or_else(|| {
        let hint = "add `--revision N`; `waynote history ADDRESS` lists them";
        Failure::usage("no revision is named", hint)
    })?;
    let stamp = context.stamp()?;
    let change = Change::Restore {
        address: named.address,
        revision,
    };
    let applied = context.change(|store| Ok(store.apply(&[change], &stamp)?))?;
    answer(
        context,
        &applied,
        &format!("restored revision {revision} of"),
    )
}

fn answer(context: &mut Context<'_>, applied: &[Applied], did: &str) -> Outcome {
    for Applied { address, note, .. } in applied {
        match note {
            Some(note) => context.output.answer(note, || {
                format!(
                    "{did} {address} (now revision {}: {})",
                    note.revision,
                    preview(&note.preview)
                )
            })?,
            None => context
                .output
                .answer(&json!({ "address": address, "deleted": true }), || {
                    format!("{did} {address} (now it does not exist)")
                })?,
        }
    }
    Ok(())
}

fn preview(preview: &str) -> String {
    if preview.is_empty() {
        "blank".into()
    } else {
        waynote::visible::visible(preview)
    }
}
