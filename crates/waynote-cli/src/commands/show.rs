//! `waynote show`: a note by its address, as it is or as it was; or an event by its own.

use waynote::{NoteAsOf, single};

use super::event;
use crate::args::ShowArgs;
use crate::error::{Failure, Outcome, say};
use crate::invocation::Context;
use crate::typed::{Use, found};

pub(super) fn run(context: &mut Context<'_>, args: &ShowArgs) -> Outcome {
    if let Some(event) = event::address(&args.address) {
        if args.as_of.is_some() {
            return Err(Failure::usage(
                "an event is never changed, so it has one state only",
                "leave `--as-of` out",
            ));
        }
        return event::show(context, &event);
    }
    let mut named = context.note_at(&args.address, Use::Keep)?;
    let as_of = args.as_of.as_deref().map(as_of).transpose()?;
    if as_of.is_some() && named.revision.is_some() {
        let what = "both a revision and a time are given";
        return Err(Failure::usage(what, "give one: `@N` or `--as-of`"));
    }
    if let Some(NoteAsOf::Revision(revision)) = as_of {
        named.revision = Some(revision);
    }
    let as_of = as_of.or(named.revision.map(NoteAsOf::Revision));
    let note = context.read(|store| {
        let note = single::get(store, &named.address, as_of);
        found(store, &named, note)
    })?;
    if context.output.json {
        context.value(&note)
    } else {
        // Not on standard output, where the text stands byte by byte.
        if note.is_stale() {
            say(&format!(
                "{}{}",
                note.address.masked(),
                crate::table::stale(&note)
            ));
        }
        context.output.content(&note.content)
    }
}

/// A revision, or a time.
fn as_of(text: &str) -> Outcome<NoteAsOf> {
    if let Ok(revision) = text.parse() {
        return Ok(NoteAsOf::Revision(revision));
    }
    crate::when::read(text).map(NoteAsOf::Time)
}
