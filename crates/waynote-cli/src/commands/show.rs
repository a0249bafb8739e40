//! `waynote show`: a note by its address, as it is or as it was; or an event by its own.

use serde_json::json;
use waynote::{AddressAt, NoteAsOf, single};

use super::event;
use crate::args::ShowArgs;
use crate::error::{Outcome, say};
use crate::invocation::Context;
use crate::table::labels;
use crate::typed::{Use, found};

pub(super) fn run(context: &mut Context<'_>, args: &ShowArgs) -> Outcome {
    if let Some(event) = event::address(&args.address) {
        return event::show(context, &event);
    }
    let mut named = context.note_at(&args.address, Use::Keep)?;
    let as_of = args.as_of.as_deref().map(as_of).transpose()?;
    if let Some(NoteAsOf::Revision(revision)) = as_of {
        named.revision = Some(revision);
    }
    let as_of = as_of.or(named.revision.map(NoteAsOf::Revision));
    print(context, &named, as_of)
}

/// Prints the text of a note, or all of it as JSON.
pub(super) fn print(
    context: &mut Context<'_>,
    named: &AddressAt,
    as_of: Option<NoteAsOf>,
) -> Outcome {
    let note = context.read(|store| {
        let note = single::get(store, &named.address, as_of);
        found(store, named, note)
    })?;
    if context.output.json {
        let mut value = json!(note);
        if !note.source.is_dated() {
            drop(["created_at", "updated_at"].map(|name| value[name].take()));
        }
        return context.value(&value);
    }
    // Not on standard output, where the text stands byte by byte.
    let labels = labels(&note);
    if !labels.is_empty() {
        say(&(note.address.masked() + &labels));
    }
    context.output.content(&note.content)
}

/// A revision, or a time.
fn as_of(text: &str) -> Outcome<NoteAsOf> {
    if let Ok(revision) = text.parse() {
        return Ok(NoteAsOf::Revision(revision));
    }
    crate::when::read(text).map(NoteAsOf::Time)
}
