//! `waynote mv`, `waynote cp` and `waynote place mv`: notes that get another address.

use serde_json::json;
use waynote::moved::{self, MoveOptions};
use waynote::text::plural;
use waynote::visible::visible;
use waynote::{Address, AddressAt, Error, Key, Place, Scope};
use waynote_system::shell::quoted;

use crate::args::MoveArgs;
use crate::error::{Failure, Outcome};
use crate::invocation::Context;
use crate::typed::{Directory, Use, found, in_shell};

pub(super) fn one(context: &mut Context<'_>, args: &MoveArgs, copy: bool) -> Outcome {
    let purpose = if copy { Use::Keep } else { Use::TakeAway };
    let from = context.note(&args.from, purpose)?;
    // A key gets another one where it is.
    let to = match (args.from.parse::<Key>(), args.to.parse::<Key>()) {
        (Ok(_), Ok(key)) if from.key().is_some() => Address::keyed(&from.scope(), key)?,
        _ => context.note(&args.to, Use::Make)?,
    };
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
    let applied = applied.map_err(|failure| in_the_way(failure, Some(&to), &[]))?;
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

/// Moves the notes of a directory and of all below it: those by its path, and those by its name in a repository.
pub(super) fn place(context: &mut Context<'_>, old: &Directory, new: &Place) -> Outcome {
    let mut names = vec![old.place.clone(), context.name_of(old, Use::Keep)?];
    names.dedup();
    let options = MoveOptions {
        is_directory: true,
        limits: context.settings.limits(None, None),
        ..MoveOptions::default()
    };
    let stamp = context.stamp()?;
    // Inside a repository that gets its name, another one has its own.
    let around = |place: &Place| {
        let lineage = context.settings.lineage(place).ok()?;
        lineage.checkouts().first().cloned()
    };
    let own = around(&old.place).filter(|_| new.in_repository().is_some());
    let is_own =
        |(_, from, _): &(_, Address, _)| own.is_none() || from.place().and_then(&around) == own;
    let mut pairs = Vec::new();
    let own = context.opened_for_writing()?.own();
    let moved = context.write(|_| {
        for name in names.iter().filter(|name| *name != new) {
            let below = moved::below(own, name, new)?;
            pairs.extend(below.into_iter().map(|(from, to)| (name, from, to)));
        }
        pairs.retain(is_own);
        let each = pairs.iter().map(|(_, from, to)| (from.clone(), to.clone()));
        moved::relocate(own, &each.collect::<Vec<_>>(), options, &stamp)?;
        Ok(())
    });
    moved.map_err(|failure| in_the_way(failure, None, &pairs))?;
    let Some((from, ..)) = pairs.first() else {
        return Err(Failure::refused(
            "not_found",
            format!(
                "there are no notes on {} or below it",
                visible(old.place.as_str())
            ),
            "`waynote place list` shows the notes of directories",
        ));
    };
    let notes: Vec<&Address> = pairs.iter().map(|(.., to)| to).collect();
    // The way back keeps the path, which a directory of a repository that has a name does not.
    let back = match names.len() {
        1 => in_shell(from),
        _ => quoted(&Scope::Place((*from).clone()).to_string()),
    };
    let value = json!({ "from": from, "to": new, "notes": notes });
    let to = in_shell(new);
    context.answer(&value, || {
        format!(
            "moved {} from {} to {to}; `waynote place mv {to} {back}` moves them back",
            plural(notes.len() as u64, "note"),
            in_shell(from),
        )
    })
}

/// The refusal where a note is at the new address, or where a note is not the caller's to move or to overwrite. `pairs`
/// are the notes of a directory: each, and where it was to go.
fn in_the_way(
    failure: Failure,
    to: Option<&Address>,
    pairs: &[(&Place, Address, Address)],
) -> Failure {
    match failure {
        Failure::Library(ref error @ Error::OthersText { ref address, .. })
            if Some(address) == to =>
        {
            Failure::refused(
                "others_text",
                error.to_string(),
                "nothing was changed: name another address, and a person overwrites this one",
            )
        }
        Failure::Library(Error::Conflict {
            address,
            current: Some(note),
            ..
        }) if note.address == address => {
            let shown = address.masked();
            let to = quoted(&shown);
            let next = match pairs.iter().find(|(.., to)| *to == address) {
                None => "`--force` of `mv` and `cp` overwrites it".into(),
                Some((_, from, _)) => {
                    let from = quoted(&from.masked());
                    format!(
                        "`waynote edit {to} --append TEXT` adds to it and `waynote mv --force {from} {to}` \
                         overwrites it, then the others can move"
                    )
                }
            };
            Failure::refused(
                "exists",
                format!("{shown} exists already; nothing was moved"),
                format!("`waynote show {to}` prints it; {next}"),
            )
        }
        Failure::Library(error @ Error::OthersText { .. }) => Failure::refused(
            "others_text",
            error.to_string(),
            "nothing was moved: `waynote cp` copies it, and a person moves it",
        ),
        failure => failure,
    }
}
