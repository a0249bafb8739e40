//! `waynote mv`, `waynote cp` and `waynote place mv`: notes that get another address.

use serde_json::json;
use waynote::moved::{self, MoveOptions};
use waynote::text::plural;
use waynote::visible::visible;
use waynote::{Address, AddressAt, Error, Place, Scope};
use waynote_system::shell::quoted;

use crate::args::MoveArgs;
use crate::error::{Failure, Outcome};
use crate::invocation::Context;
use crate::typed::{Use, found, in_shell};

pub(super) fn one(context: &mut Context<'_>, args: &MoveArgs, copy: bool) -> Outcome {
    let purpose = if copy { Use::Keep } else { Use::TakeAway };
    let (from, to) = (
        context.note(&args.from, purpose)?,
        context.note(&args.to, Use::Make)?,
    );
    if from == to {
        return Err(Failure::usage(
            format!("both are {}", from.masked()),
            "name another address",
        ));
    }
    let options = MoveOptions {
        copy,
        force: args.force,
        is_directory: false,
        limits: context.settings.limits(None, None),
    };
    let stamp = context.stamp()?;
    let pair = [(from.clone(), to.clone())];
    let applied = context.write(|store| {
        let named = AddressAt::new(from.clone(), None);
        found(
            store,
            &named,
            moved::relocate(store, &pair, options, &stamp),
        )
    });
    let applied = applied.map_err(in_the_way)?;
    let overwrote = applied.iter().find_map(|applied| applied.before);
    let (shown, back) = (from.masked(), to.masked());
    let back = match overwrote {
        Some(_) => format!("waynote undo {}", quoted(&back)),
        None => format!("waynote mv {} {}", quoted(&back), quoted(&shown)),
    };
    let value = json!({ "from": from, "to": to, "copied": copy, "note": applied[0].note });
    context.answer(&value, || {
        let (did, to) = (if copy { "copied" } else { "moved" }, to.masked());
        let back = match (overwrote, copy) {
            (Some(before), _) => {
                let revision = before.revision;
                format!("; it overwrote revision {revision}, which `{back}` brings back")
            }
            (None, true) => String::new(),
            (None, false) => format!("; `{back}` moves it back"),
        };
        format!("{did} {shown} to {to}{back}")
    })
}

/// Moves the notes of a directory and of all below it.
pub(super) fn place(context: &mut Context<'_>, old: &Place, new: &Place) -> Outcome {
    let options = MoveOptions {
        is_directory: true,
        limits: context.settings.limits(None, None),
        ..MoveOptions::default()
    };
    let stamp = context.stamp()?;
    // Inside a repository that gets its name, another one has its own.
    let around = |place: &Place| {
        context
            .settings
            .lineage(place)
            .ok()?
            .checkouts()
            .first()
            .cloned()
    };
    let own = around(old).filter(|_| new.in_repository().is_some());
    let is_own = |address: &Address| match (address.scope(), &own) {
        (Scope::Place(place), Some(_)) => around(&place) == own,
        _ => true,
    };
    let moved = context.write(|store| {
        let mut pairs = moved::below(store, old, new)?;
        pairs.retain(|(from, _)| is_own(from));
        moved::relocate(store, &pairs, options, &stamp)?;
        Ok(pairs)
    });
    let moved = moved.map_err(in_the_way)?;
    if moved.is_empty() {
        return Err(Failure::refused(
            "not_found",
            format!(
                "there are no notes on {} or below it",
                visible(old.as_str())
            ),
            "`waynote place list` shows the notes of directories",
        ));
    }
    let notes: Vec<&Address> = moved.iter().map(|(_, to)| to).collect();
    let (from, to) = (in_shell(old), in_shell(new));
    context.answer(&json!({ "from": old, "to": new, "notes": notes }), || {
        format!(
            "moved {} from {from} to {to}; `waynote place mv {to} {from}` moves them back",
            plural(notes.len() as u64, "note"),
        )
    })
}

/// The refusal where a note is at the new address.
fn in_the_way(failure: Failure) -> Failure {
    match failure {
        Failure::Library(Error::Conflict {
            address,
            current: Some(note),
            ..
        }) if note.address == address => {
            let shown = address.masked();
            Failure::refused(
                "exists",
                format!("{shown} exists already; nothing was moved"),
                format!(
                    "`waynote show {}` prints it; `--force` of `mv` and `cp` overwrites it",
                    quoted(&shown)
                ),
            )
        }
        failure => failure,
    }
}
