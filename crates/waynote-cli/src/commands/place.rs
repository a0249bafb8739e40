//! `waynote place`: notes by directory.

use waynote::{Filter, Listing, Note, Place, SaveOptions, ScopeKind};

use super::moves;
use super::saved::{self, Saving};
use crate::args::PlaceCommand;
use crate::error::{Outcome, say};
use crate::home;
use crate::invocation::Context;
use crate::table::{labels, list, preview, written};
use crate::typed::Use;
use waynote::secrets::masked;
use waynote::visible::lines;

pub(super) fn run(context: &mut Context<'_>, command: &PlaceCommand) -> Outcome {
    match command {
        PlaceCommand::Write {
            at,
            path,
            text,
            if_revision,
            max_bytes,
            cites,
            allow,
        } => {
            let options = SaveOptions::default()
                .limits(context.settings.place_limits(*max_bytes))
                .expect(saved::expected(*if_revision));
            let directory = context.directory(at.path.as_deref())?.by_path(path.by_path);
            let saving = context.on_directory(directory, None, Use::Make)?.into();
            saved::save(context, Saving { options, ..saving }, text, (cites, allow))
        }
        PlaceCommand::Read { at } => {
            let directory = context.directory(at.path.as_deref())?;
            let address = context.on_directory(directory, None, Use::Keep)?;
            let note = context.read(|store| Ok(store.get(&address)?))?;
            match &note {
                _ if context.output.json => context.value(&note),
                Some(note) => context.output.content(&note.content),
                None => {
                    say(&format!(
                        "{address} has no note of its own; `waynote place all` prints what applies there"
                    ));
                    Ok(())
                }
            }
        }
        PlaceCommand::All { at } => {
            let place = context.place(at.path.as_deref())?;
            let applies = Filter::Scopes(context.lineage(&place)?.scopes());
            let notes = context.read(|store| Ok(store.select(&applies)?))?;
            context.answer(&notes, || whole(&notes))
        }
        PlaceCommand::List => {
            // Where there is no home directory, own notes alone.
            let _ = context.here();
            let notes = context.read(|store| {
                let places = Listing::default().kind(ScopeKind::Place);
                Ok(places.page(store, None, usize::MAX)?.notes)
            })?;
            let gone = gone_places(context, &notes)?;
            let heading = ["note", "updated", "preview"];
            let nothing = "no notes on any directory";
            let is_gone = |note: &Note| note.address.place().is_some_and(|of| gone.contains(of));
            list(context.output, &notes, nothing, &heading, |note| {
                let gone = if is_gone(note) { " (gone)" } else { "" };
                vec![
                    format!("{}{gone}", note.address),
                    written(note),
                    preview(note),
                ]
            })?;
            if !gone.is_empty() && !context.output.json {
                // After the table, not above it.
                context.output.flush()?;
                say("`waynote place mv OLD NEW` moves the notes of a directory that is gone");
            }
            Ok(())
        }
        PlaceCommand::Mv { old, new } => {
            let (old, new) = (context.directory(Some(old))?, context.directory(Some(new))?);
            let new = context.name_of(&new, Use::Make)?;
            moves::place(context, &old, &new)
        }
        PlaceCommand::Delete { at, if_revision } => {
            let directory = context.directory(at.path.as_deref())?;
            let address = context.on_directory(directory, None, Use::Keep)?;
            saved::delete(context, address, None, *if_revision)
        }
    }
}

/// The places of these notes that no longer exist on this machine. None for a store of several machines: the directory
/// may be on another one.
fn gone_places(context: &Context<'_>, notes: &[Note]) -> Outcome<Vec<Place>> {
    if context.opened()?.is_of_several_machines() {
        return Ok(Vec::new());
    }
    let places = notes.iter().filter_map(|note| note.address.place());
    let mut places: Vec<Place> = places.cloned().collect();
    places.dedup();
    // A note may be about a file. Which directories of a repository are missing, `tend` says.
    places.retain(|place| {
        let path = home::expanded(place.as_str());
        place.in_repository().is_none() && path.is_ok_and(|path| !path.exists())
    });
    Ok(places)
}

fn whole(notes: &[Note]) -> String {
    let one = |note: &Note| {
        let text = lines(&masked(&note.content.shown())).trim_end().to_owned();
        let head = note.address.masked() + &labels(note);
        format!("{head}\n{text}")
    };
    match notes {
        [] => "no notes apply here".into(),
        notes => notes.iter().map(one).collect::<Vec<_>>().join("\n\n"),
    }
}
