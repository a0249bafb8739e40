//! `waynote key`: notes by key, in an agent's notebook or on a directory.

use waynote::named;
use waynote::{
    Address, AddressAt, Error, Expect, Note, NoteAsOf, Notebook, SaveOptions, Scope, single,
};

use super::saved::{self, say_deleted};
use crate::args::{KeyCommand, NotebookArgs, PinArgs};
use crate::error::{Failure, Outcome};
use crate::input;
use crate::invocation::Context;
use crate::table::List;
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
            let address = Target::of(context, notebook, Some(key))?
                .current()?
                .address()?;
            let options = SaveOptions::default()
                .limits(context.settings.limits(*max_bytes, *max_notes))
                .pin(pin.then_some(true))
                .expect(expected(*if_revision));
            saved::save(context, address, text, (cites, allow), options, |_| {
                "new key".into()
            })
        }
        KeyCommand::Show { notebook, key } => {
            let target = Target::of(context, notebook, Some(key))?;
            let named = AddressAt::new(target.address()?, target.revision);
            let as_of = target.revision.map(NoteAsOf::Revision);
            let note = context.read(|store| {
                let note = single::get(store, &named.address, as_of);
                found(store, &named, note)
            })?;
            if context.output.json {
                context.value(&note)
            } else {
                context.output.content(&note.content)
            }
        }
        KeyCommand::List { notebook, pinned } => {
            let target = Target::of(context, notebook, None)?;
            list(context, &target.scope, *pinned)
        }
        KeyCommand::Delete {
            notebook,
            key,
            if_revision,
        } => {
            let target = Target::of(context, notebook, Some(key))?.current()?;
            let stamp = context.stamp()?;
            let expect = expected(*if_revision);
            let deleted = context.write(|store| match target.address() {
                Ok(address) => single::delete(store, address, expect, &stamp).map_err(gone),
                // As in openotters, a text that is not a valid key deletes nothing.
                Err(_) => Ok(false),
            })?;
            let name = format!("{}#{}", target.scope, target.text.trim());
            let shown = waynote::visible::visible(&name);
            if !deleted {
                let scope = &target.scope;
                let keys = context.read(|store| Ok(named::keys(store, scope, Some(&target.text))?));
                let keys = keys?.unwrap_or_else(|| format!("there are no notes in {scope}"));
                return Err(nothing_to_delete(&shown, &keys));
            }
            say_deleted(context, &name, format!("deleted {shown}"))
        }
        KeyCommand::Pin(args) => pin(context, args, true),
        KeyCommand::Unpin(args) => pin(context, args, false),
        KeyCommand::Count { notebook } => {
            let target = Target::of(context, notebook, None)?;
            let count = context.read(|store| Ok(store.count(&target.scope)?))?;
            context.answer(&count, || count.to_string())
        }
    }
}

fn pin(context: &mut Context<'_>, args: &PinArgs, pinned: bool) -> Outcome {
    let target = Target::of(context, &args.notebook, Some(&args.key))?.current()?;
    let expect = expected(args.if_revision);
    let (named, stamp) = (AddressAt::new(target.address()?, None), context.stamp()?);
    let note = context.write(|store| {
        match single::set_pinned(store, named.address.clone(), pinned, expect, &stamp) {
            Err(error @ Error::Conflict { .. }) => Err(gone(error)),
            pinned => found(store, &named, pinned),
        }
    })?;
    context.answer(&note, || {
        format!(
            "{} {}",
            if pinned { "pinned" } else { "unpinned" },
            note.address
        )
    })
}

/// The revision that `--if-revision` expects.
pub(super) fn expected(if_revision: Option<u64>) -> Expect {
    if_revision.map_or(Expect::Any, Expect::Revision)
}

/// The error of a change that does not create a note, where the expected one is gone.
pub(super) fn gone(error: Error) -> Failure {
    match error {
        Error::Conflict { current: None, .. } => Failure::refused(
            "conflict",
            error.to_string(),
            "somebody deleted it; `waynote history ADDRESS` shows who",
        ),
        error => error.into(),
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
