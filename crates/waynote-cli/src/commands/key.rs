//! `waynote key`: notes by key, in an agent's notebook or on a directory.

use std::ffi::OsStr;

use waynote::{Address, AddressAt, Error, NoteAsOf, Notebook, SaveOptions, Scope, named, single};

use super::saved::{self, expected, gone};
use super::show;
use crate::args::{KeyCommand, NotebookArgs, PinArgs};
use crate::error::{Failure, Outcome};
use crate::input;
use crate::invocation::Context;
use crate::table::{list, preview, when};
use crate::typed::found;

pub(super) fn run(context: &mut Context<'_>, command: &KeyCommand) -> Outcome {
    match command {
        KeyCommand::Save {
            notebook,
            key,
            text,
            pin,
            if_revision,
            max_bytes,
            max_notes,
            cites,
            allow,
        } => {
            let address = current(context, notebook, key)?;
            let options = SaveOptions::default()
                .limits(context.settings.limits(*max_bytes, *max_notes))
                .pin(pin.then_some(true))
                .expect(expected(*if_revision));
            saved::save(context, address, text, (cites, allow), options)
        }
        KeyCommand::Show { notebook, key } => {
            let named = keyed(context, notebook, key)?;
            show::print(context, &named, named.revision.map(NoteAsOf::Revision))
        }
        KeyCommand::List { notebook, pinned } => {
            let scope = scope(context, notebook.at.as_deref())?;
            list_of(context, &scope, *pinned)
        }
        KeyCommand::Delete {
            notebook,
            key,
            if_revision,
        } => {
            let address = current(context, notebook, key)?;
            saved::delete(context, address, *if_revision)
        }
        KeyCommand::Pin(args) => pin(context, args, true),
        KeyCommand::Unpin(args) => pin(context, args, false),
        KeyCommand::Count { notebook } => {
            let scope = scope(context, notebook.at.as_deref())?;
            let count = context.read(|store| Ok(store.count(&scope)?))?;
            context.answer(&count, || count.to_string())
        }
    }
}

fn pin(context: &mut Context<'_>, args: &PinArgs, pinned: bool) -> Outcome {
    let named = AddressAt::new(current(context, &args.notebook, &args.key)?, None);
    let (expect, stamp) = (expected(args.if_revision), context.stamp()?);
    let note = context.write(|store| {
        match single::set_pinned(store, named.address.clone(), pinned, expect, &stamp) {
            Err(error @ Error::Conflict { .. }) => Err(gone(error)),
            pinned => found(store, &named, pinned),
        }
    })?;
    let did = if pinned { "pinned" } else { "unpinned" };
    context.answer(&note, || format!("{did} {}", note.address))
}

fn list_of(context: &mut Context<'_>, scope: &Scope, pinned: bool) -> Outcome {
    let notes = context.read(|store| {
        let notebook = Notebook::of(store, scope.clone());
        Ok(match pinned {
            true => notebook.list_pinned()?,
            false => notebook.list()?,
        })
    })?;
    let which = if pinned { "pinned notes" } else { "notes" };
    let mut nothing = format!("no {which} in {scope}");
    if notes.is_empty() {
        let others = context.read(|store| Ok(named::instead_of_scope(store, scope)?))?;
        nothing += &others.map_or(String::new(), |others| format!("; {others}"));
    }
    let heading = ["note", "updated", "pinned", "preview"];
    list(context.output, &notes, &nothing, &heading, |note| {
        let pinned = if note.pinned { "pinned" } else { "" };
        vec![
            note.address.to_string(),
            when(note.updated_at),
            pinned.into(),
            preview(note),
        ]
    })
}

/// The notebook that is meant: the agent's, or a directory's.
pub(super) fn scope(context: &Context<'_>, at: Option<&OsStr>) -> Outcome<Scope> {
    Ok(match at {
        Some(path) => Scope::Place(input::place(Some(path))?),
        None => Scope::Agent(context.settings.agent.value.clone()),
    })
}

/// The note of a key, or the keyed note of an address.
fn keyed(context: &Context<'_>, notebook: &NotebookArgs, typed: &str) -> Outcome<AddressAt> {
    if !Address::is_meant(typed) {
        let address = Address::keyed(&scope(context, notebook.at.as_deref())?, typed.parse()?)?;
        return Ok(AddressAt::new(address, None));
    }
    if notebook.at.is_some() {
        let what = "both an address and `--at` are given";
        return Err(Failure::usage(what, "give only one"));
    }
    let named = input::address(typed)?;
    match named.address {
        Address::PlaceKey(..) | Address::Agent(..) => Ok(named),
        address => Err(Failure::usage(
            format!("{address} is not a keyed note"),
            "use `waynote show ADDRESS`, `waynote place` or `waynote log`",
        )),
    }
}

/// The same for a command that changes the note itself: a revision is refused.
fn current(context: &Context<'_>, notebook: &NotebookArgs, typed: &str) -> Outcome<Address> {
    let AddressAt { address, revision } = keyed(context, notebook, typed)?;
    match revision {
        None => Ok(address),
        Some(_) => Err(Error::invalid_address(typed, "name the note without a revision").into()),
    }
}
