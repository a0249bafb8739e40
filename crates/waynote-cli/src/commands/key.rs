//! `waynote key`: notes by key, of the project, a directory or an agent's notebook.

use std::cmp::Reverse;

use waynote::visible::visible;
use waynote::{
    Address, AddressAt, Error, Filter, Key, Note, NoteAsOf, Place, Scope, instead, named, single,
};

use super::saved::{self, Saving, gone};
use super::show;
use crate::args::{KeyCommand, KeyedArgs, ScopeArgs, TargetArgs};
use crate::error::{Failure, Outcome, say};
use crate::invocation::Context;
use crate::settings::Origin;
use crate::table::{list, preview, written};
use crate::typed::{Use, found, latest};

pub(super) fn run(context: &mut Context<'_>, command: &KeyCommand) -> Outcome {
    match command {
        KeyCommand::Save {
            target,
            key,
            write,
            pin,
            max_bytes,
            max_notes,
        } => {
            let saving = to_save(context, target, key)?;
            let limits = context.settings.limits(*max_bytes, *max_notes);
            let options = saving.options.limits(limits).pin(pin.then_some(true));
            saved::write(context, Saving { options, ..saving }, write)
        }
        KeyCommand::Show { scope, key } => {
            let named = keyed(context, scope, key)?;
            show::print(context, &named, named.revision.map(NoteAsOf::Revision))
        }
        KeyCommand::List { scope, pinned } => list_of(context, scope, *pinned),
        KeyCommand::Delete(KeyedArgs { scope, key, expect }) => {
            let address = latest(keyed(context, scope, key)?, key)?;
            let is_unscoped = scope.at.is_none() && notebook(context, scope)?.is_none();
            let typed = Some(key.as_str()).filter(|key| is_unscoped && !Address::is_meant(key));
            saved::delete(context, address, typed, *expect)
        }
        KeyCommand::Pin(args) => pin(context, args, true),
        KeyCommand::Unpin(args) => pin(context, args, false),
        KeyCommand::Count { scope } => {
            let count = notes(context, &scopes(context, scope)?, false)?.len();
            context.answer(&count, || count.to_string())
        }
    }
}

fn pin(context: &mut Context<'_>, args: &KeyedArgs, pinned: bool) -> Outcome {
    let address = latest(keyed(context, &args.scope, &args.key)?, &args.key)?;
    let named = AddressAt::new(address, None);
    let (expect, stamp) = (args.expect.if_revision.into(), context.stamp()?);
    let note = context.write(|store| {
        match single::set_pinned(store, named.address.clone(), pinned, expect, &stamp) {
            Err(error @ Error::Conflict { .. }) => Err(gone(error)),
            pinned => found(store, &named, pinned),
        }
    })?;
    let did = if pinned { "pinned" } else { "unpinned" };
    context.answer(&note, || format!("{did} {}", note.address))
}

fn list_of(context: &mut Context<'_>, scope: &ScopeArgs, pinned: bool) -> Outcome {
    let scopes = scopes(context, scope)?;
    let notes = notes(context, &scopes, pinned)?;
    let which = if pinned { "pinned notes" } else { "notes" };
    let names: Vec<String> = scopes.iter().map(ToString::to_string).collect();
    let mut nothing = format!("no {which} in {}", names.join(", "));
    if let ([], [scope]) = (&notes[..], &scopes[..]) {
        let others = context.read(|store| Ok(instead::of_scope(store, scope)?))?;
        nothing += &others.map_or(String::new(), |others| format!("; {others}"));
    }
    let heading = ["note", "updated", "pinned", "preview"];
    list(context.output, &notes, &nothing, &heading, |note| {
        let pinned = if note.pinned { "pinned" } else { "" };
        vec![
            note.address.to_string(),
            written(note),
            pinned.into(),
            preview(note),
        ]
    })
}

/// The keyed notes of some scopes, most recently updated first.
fn notes(context: &Context<'_>, scopes: &[Scope], pinned: bool) -> Outcome<Vec<Note>> {
    let mut notes = context.read(|store| Ok(store.select(&Filter::Scopes(scopes.to_vec()))?))?;
    notes.retain(|note| note.address.key().is_some() && (note.pinned || !pinned));
    notes.sort_by_cached_key(|note| (Reverse(note.updated_at), note.address.key()));
    Ok(notes)
}

/// The agent's notebook, if it is asked for: by `--notebook`, or by naming an agent.
pub(super) fn notebook(context: &Context<'_>, scope: &ScopeArgs) -> Outcome<Option<Scope>> {
    let is_named = scope.notebook || matches!(context.settings.agent.origin, Origin::Flag(_));
    let own = || Ok(Scope::Agent(context.notebook()?.clone()));
    (is_named && scope.at.is_none()).then(own).transpose()
}

/// The scopes whose notes are listed: those of the project that apply here, unless one is named. What is listed without
/// being named is said.
fn scopes(context: &Context<'_>, scope: &ScopeArgs) -> Outcome<Vec<Scope>> {
    if let Some(notebook) = notebook(context, scope)? {
        return Ok(vec![notebook]);
    }
    let lineage = context.lineage(&context.place(scope.at.as_deref())?)?;
    let mut places: Vec<Place> = lineage.in_the_project().cloned().collect();
    match (&scope.at, lineage.project()) {
        (Some(_), _) => {
            places = lineage.names(lineage.place());
            places.push(lineage.place().clone());
            places.dedup();
        }
        (None, Some(_)) if context.output.json => {}
        (None, Some(project)) => say(&format!(
            "notes of the project {} that apply here; `--notebook` lists the agent's",
            visible(project.as_str())
        )),
        (None, None) => return Ok(vec![Scope::Agent(context.notebook()?.clone())]),
    }
    Ok(places.into_iter().map(Scope::Place).collect())
}

/// The keyed note of an address or a scope; without a scope the nearest one with the key.
fn keyed(context: &Context<'_>, scope: &ScopeArgs, typed: &str) -> Outcome<AddressAt> {
    let at = match in_scope(context, scope, typed, Use::Keep, false)? {
        Some(address) => AddressAt::new(address, None),
        None => context.note_at(typed, Use::Keep)?,
    };
    match at.address {
        Address::PlaceKey(..) | Address::Agent(..) => Ok(at),
        address => Err(Failure::usage(
            format!("{address} is not a keyed note"),
            "use `waynote show ADDRESS`, `waynote place` or `waynote log`",
        )),
    }
}

/// The note that a save under a key writes.
pub(super) fn to_save(context: &Context<'_>, target: &TargetArgs, typed: &str) -> Outcome<Saving> {
    let (scope, by_path) = (&target.scope, target.path.by_path);
    if let Some(address) = in_scope(context, scope, typed, Use::Make, by_path)? {
        return Ok(Saving::of(context, address));
    }
    if Address::is_meant(typed) {
        let address = latest(keyed(context, scope, typed)?, typed)?;
        return Ok(Saving::of(context, address));
    }
    let key: Key = typed.parse()?;
    if by_path {
        let lineage = context.around(&context.place(None)?)?;
        let project = lineage.path_of(lineage.project().unwrap_or(lineage.place()));
        return Ok(Saving::of(context, Address::PlaceKey(project, key)));
    }
    let named::Saved { address, others } = context.to_save(&key)?;
    Ok(Saving {
        others,
        is_unscoped: true,
        ..Saving::of(context, address)
    })
}

/// The note with a key in the scope that is named; none without one, and for an address.
fn in_scope(
    context: &Context<'_>,
    scope: &ScopeArgs,
    typed: &str,
    purpose: Use,
    by_path: bool,
) -> Outcome<Option<Address>> {
    if Address::is_meant(typed) {
        if scope.at.is_some() || scope.notebook {
            let what = "both an address and `--at` or `--notebook` are given";
            return Err(Failure::usage(what, "give only one"));
        }
        return Ok(None);
    }
    Ok(match (&scope.at, notebook(context, scope)?) {
        (Some(at), _) => {
            let directory = context.directory(Some(at))?.by_path(by_path);
            let key = typed.parse()?;
            Some(context.on_directory(directory, Some(&key), purpose)?)
        }
        (None, Some(_)) if by_path => {
            let what = "a notebook has no path";
            return Err(Failure::usage(what, "leave out `--path` or `--notebook`"));
        }
        (None, Some(notebook)) => Some(Address::keyed(&notebook, typed.parse()?)?),
        (None, None) => None,
    })
}
