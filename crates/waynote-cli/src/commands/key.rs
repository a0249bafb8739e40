//! `waynote key`: notes by key, in an agent's notebook or on a directory.

use waynote::named;
use waynote::{
    Address, AddressAt, Error, Expect, Note, NoteAsOf, Notebook, SaveOptions, Scope, single,
};

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

/// The refusal of a deletion that found nothing. In openotters, and in the tools that follow it, that is no error; at
/// the command line a misspelt key would pass for a deletion.
pub(super) fn nothing_to_delete(name: &str, hint: &str) -> Failure {
    let what = format!("{name} does not exist; nothing was deleted");
    Failure::refused("not_found", what, hint)
}

/// Prints the notes of a notebook.
fn list(context: &mut Context<'_>, scope: &Scope, pinned: bool) -> Outcome {
    context.opened()?;
    let Context { output, opened, .. } = context;
    let Some(opened) = opened.get() else {
        return Ok(());
    };
    let mut printed = List::new(output, &["note", "updated", "pinned", "preview"]);
    let notes = opened.work(|store| {
        let notebook = Notebook::of(store, scope.clone());
        Ok(match pinned {
            true => notebook.list_pinned()?,
            false => notebook.list()?,
        })
    })?;
    printed.page(&notes, row)?;
    let which = if pinned {
        "no pinned notes"
    } else {
        "no notes"
    };
    let nothing = format!("{which} in {scope}");
    let others = match printed.is_begun {
        true => None,
        false => opened.work(|store| Ok(named::instead_of_scope(store, scope)?))?,
    };
    printed.end(&others.map_or(nothing.clone(), |others| format!("{nothing}; {others}")))
}

fn row(note: &Note) -> Vec<String> {
    vec![
        note.address.to_string(),
        crate::table::when(note.updated_at),
        if note.pinned {
            "pinned".into()
        } else {
            String::new()
        },
        crate::table::preview(note),
    ]
}

/// The notebook and the key that a command's argument stands for.
struct Target {
    scope: Scope,
    /// The key as it was typed.
    text: String,
    /// The revision, if the address names one.
    revision: Option<u64>,
}

impl Target {
    fn of(context: &Context<'_>, notebook: &NotebookArgs, key: Option<&str>) -> Outcome<Self> {
        let typed = key.unwrap_or_default();
        if Address::is_meant(typed) {
            if notebook.at.is_some() {
                let what = "both an address and `--at` are given";
                return Err(Failure::usage(what, "give only one"));
            }
            let AddressAt { address, revision } = input::address(typed)?;
            let text = match &address {
                Address::PlaceKey(_, key) | Address::Agent(_, key) => key.to_string(),
                _ => {
                    let hint = "use `waynote show ADDRESS`, `waynote place` or `waynote log`";
                    return Err(Failure::usage(
                        format!("{address} is not a keyed note"),
                        hint,
                    ));
                }
            };
            return Ok(Self {
                scope: address.scope(),
                text,
                revision,
            });
        }
        let scope = match &notebook.at {
            Some(path) => Scope::Place(input::place(Some(path))?),
            None => Scope::Agent(context.settings.agent.value.clone()),
        };
        Ok(Self {
            scope,
            text: typed.to_owned(),
            revision: None,
        })
    }

    /// The note's address, where the text is a key.
    fn address(&self) -> Outcome<Address> {
        Ok(Address::keyed(&self.scope, self.text.parse()?)?)
    }

    /// Refuses an address that names a revision, for a command that changes the note itself.
    fn current(self) -> Outcome<Self> {
        match self.revision {
            None => Ok(self),
            Some(revision) => Err(Failure::usage(
                format!("`@{revision}` names a revision, which cannot be changed"),
                format!("leave out `@{revision}`, or use `waynote restore`"),
            )),
        }
    }
}
