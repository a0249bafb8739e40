//! `waynote show`: a note by its address, as it is or as it was; or an event by its own.

use serde_json::json;
use waynote::{AddressAt, NoteAsOf, Source, single};
use waynote_system::shell::quoted;

use super::{event, share_team};
use crate::args::ShowArgs;
use crate::error::{Outcome, say};
use crate::invocation::Context;
use crate::table::labels;
use crate::typed::{Use, found};

pub(super) fn run(context: &mut Context<'_>, args: &ShowArgs) -> Outcome {
    if let Ok(event) = args.address.parse() {
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
    let (note, others) = context.read(|store| {
        let note = found(store, named, single::get(store, &named.address, as_of))?;
        let others = single::replaced(store, &note)?;
        Ok((note, others))
    })?;
    if context.output.json {
        let mut value = json!(note);
        if !note.source.is_dated() {
            drop(["created_at", "updated_at"].map(|name| value[name].take()));
        }
        return context.value(&value);
    }
    // Not on standard output, where the text stands byte by byte.
    let own = labels(&note);
    if !own.is_empty() {
        say(&(note.address.masked() + &own));
    }
    context.output.content(&note.content)?;
    let Some(others) = others else {
        return Ok(());
    };
    context.output.flush()?;
    let (shown, theirs) = (quoted(&note.address.masked()), others.content.shown());
    let delete = share_team::delete_of(&note.address);
    let to = match others.source {
        Source::Team => " --to team",
        _ => "",
    };
    let others = labels(&others);
    // The text on standard output may have no line end.
    let theirs = theirs.trim_end();
    say(&format!("\nthe text of others{others}:\n{theirs}\n"));
    say(&format!("`waynote {delete}` drops yours"));
    say(&format!("`waynote share {shown}{to}` gives them yours"));
    Ok(())
}

/// A revision, or a time.
fn as_of(text: &str) -> Outcome<NoteAsOf> {
    if let Ok(revision) = text.parse() {
        return Ok(NoteAsOf::Revision(revision));
    }
    crate::when::read(text).map(NoteAsOf::Time)
}
