//! `waynote place`: notes by directory.

use waynote::{Address, Filter, Note, Place, Places, SaveOptions, Scope, single};

use super::key::{expected, gone, nothing_to_delete};
use super::moves;
use super::saved::{self, say_deleted};
use crate::args::PlaceCommand;
use crate::error::{Outcome, say};
use crate::invocation::Context;
use crate::table::{list, when};
use crate::{home, input, output::Output};
use waynote::secrets::masked;
use waynote::visible::lines;

pub(super) fn run(context: &mut Context<'_>, command: &PlaceCommand) -> Outcome {
    match command {
        PlaceCommand::Write {
            at,
            text,
            max_bytes,
            cites,
            allow,
        } => {
            let place = input::place(at.path.as_deref())?;
            let options = SaveOptions::default().limits(context.settings.place_limits(*max_bytes));
            let new = |note: &Note| format!("revision {}", note.revision);
            saved::save(
                context,
                Address::Place(place),
                text,
                (cites, allow),
                options,
                new,
            )
        }
        PlaceCommand::Read { at } => {
            let place = input::place(at.path.as_deref())?;
            let note = context.read(|store| Ok(Places::new(store).read(&place)?))?;
            match &note {
                _ if context.output.json => context.value(&note),
                Some(note) => context.output.content(&note.content),
                None => {
                    let address = Address::Place(place);
                    say(&format!(
                        "{address} has no note of its own; `waynote place all` prints what applies there"
                    ));
                    Ok(())
                }
            }
        }
        PlaceCommand::All { at } => {
            let place = input::place(at.path.as_deref())?;
            let applies = home::lineage(&place)?.into_iter().map(Scope::Place);
            let applies = Filter::Scopes(applies.collect());
            let notes = context.read(|store| Ok(store.select(&applies)?))?;
            if context.output.json {
                context.value(&notes)
            } else {
                whole(context.output, &notes)
            }
        }
        PlaceCommand::List => {
            let notes = context.read(|store| Ok(Places::new(store).list()?))?;
            let gone = gone_places(context, &notes)?;
            let heading = ["note", "updated", "preview"];
            let nothing = "no notes on any directory";
            let is_gone = |note: &Note| matches!(note.address.scope(), Scope::Place(place) if gone.contains(&place));
            list(context.output, &notes, nothing, &heading, |note| {
                let gone = if is_gone(note) { " (gone)" } else { "" };
                vec![
                    format!("{}{gone}", note.address),
                    when(note.updated_at),
                    crate::table::preview(note),
                ]
            })?;
            if !gone.is_empty() && !context.output.json {
                // After the table, not above it.
                context.output.flush()?;
                say("`waynote place mv OLD NEW` moves the notes of a directory that is gone");
            }
            Ok(())
        }
        PlaceCommand::Mv { old, new } => moves::place(
            context,
            &input::place(Some(old))?,
            &input::place(Some(new))?,
        ),
        PlaceCommand::Delete { at, if_revision } => {
            let place = input::place(at.path.as_deref())?;
            let stamp = context.stamp()?;
            let (address, expect) = (Address::Place(place), expected(*if_revision));
            let deleted = context.write(|store| {
                single::delete(store, address.clone(), expect, &stamp).map_err(gone)
            })?;
            let shown = address.masked();
            if !deleted {
                return Err(nothing_to_delete(
                    &shown,
                    "`waynote place list` shows the notes of directories",
                ));
            }
            say_deleted(context, &address, format!("deleted {shown}"))
        }
    }
}

/// The places of these notes that no longer exist on this machine. None for a store of several machines: the directory
/// may be on another one.
fn gone_places(context: &Context<'_>, notes: &[Note]) -> Outcome<Vec<Place>> {
    if context.opened()?.is_of_several_machines() {
        return Ok(Vec::new());
    }
    let places = notes.iter().filter_map(|note| match note.address.scope() {
        Scope::Place(place) => Some(place),
        _ => None,
    });
    let mut places: Vec<Place> = places.collect();
    places.dedup();
    // A note may be about a file.
    places.retain(|place| home::expanded(place.as_str()).is_ok_and(|path| !path.exists()));
    Ok(places)
}

fn whole(output: &mut Output, notes: &[Note]) -> Outcome {
    if notes.is_empty() {
        return output.line("no notes apply here");
    }
    for (index, note) in notes.iter().enumerate() {
        let between = if index == 0 { "" } else { "\n" };
        output.line(format!(
            "{between}{}{}\n{}",
            note.address.masked(),
            crate::table::stale(note),
            lines(&masked(&note.content.shown())).trim_end()
        ))?;
    }
    Ok(())
}
