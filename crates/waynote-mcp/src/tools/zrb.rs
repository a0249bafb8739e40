//! The tools of Zrb, with its arguments: the notes of directories, each read and written alone.

use waynote::{Address, Place, Places, SaveOptions, single};

use crate::call::Call;
use crate::reply::Refusal;
use crate::tool::{Effect, Kind, Spec, optional, required};

pub(super) const TOOLS: &[Spec] = &[
    Spec {
        name: "ReadLongTermNote",
        about: "Read the note that applies everywhere: preferences and facts about the user. Read it at the start.",
        parameters: &[],
        effect: Effect::Reads,
        run: |call| read(call, &Place::home()),
    },
    Spec {
        name: "WriteLongTermNote",
        about: "Write the note that applies everywhere, replacing its text: read it first, keep it dense, and leave passing progress out.",
        parameters: &[required("content", Kind::Text, "The whole note")],
        effect: Effect::Overwrites,
        run: |call| write(call, &Place::home(), "The global note was saved."),
    },
    Spec {
        name: "ReadContextualNote",
        about: "Read the note of one directory. Read it when you enter a project.",
        parameters: &[optional(
            "path",
            Kind::Text,
            "The directory; without it, the working directory",
        )],
        effect: Effect::Reads,
        run: |call| {
            let (place, _) = place(call)?;
            read(call, &place)
        },
    },
    Spec {
        name: "WriteContextualNote",
        about: "Write the note of one directory, replacing its text: read it first, and keep it dense.",
        parameters: &[
            required("content", Kind::Text, "The whole note"),
            optional(
                "path",
                Kind::Text,
                "The directory; without it, the working directory",
            ),
        ],
        effect: Effect::Overwrites,
        run: |call| {
            let (place, shown) = place(call)?;
            write(call, &place, &format!("The note was saved for {shown}"))
        },
    },
];

/// The place, and its path for the reply: the given path if it is complete, as in the original; else the absolute path,
/// so that the model sees the directory.
fn place(call: &Call<'_>) -> Result<(Place, String), Refusal> {
    let here = call.here.or_at_home();
    let given = call.arguments.text("path");
    let place = here.place_of(given.unwrap_or("."))?;
    let shown = match given.filter(|path| path.trim().starts_with(['/', '~'])) {
        Some(path) => path.to_owned(),
        None => here.absolute(&place),
    };
    Ok((place, waynote::visible::visible(&shown)))
}

/// A note that is not there reads as nothing.
fn read(call: &mut Call<'_>, place: &Place) -> Result<String, Refusal> {
    let note = Places::new(call.notes.store()).read(place)?;
    Ok(note.map_or(String::new(), |note| note.content.shown().into_owned()))
}

fn write(call: &mut Call<'_>, place: &Place, said: &str) -> Result<String, Refusal> {
    let content = call.content("content")?;
    let stamp = call.stamp();
    let options = SaveOptions::default().limits(call.here.caller.limits);
    let address = Address::Place(place.clone());
    let dropped = waynote::visible::dropped(&content.shown());
    single::save(call.notes.writable()?, address, content, options, &stamp)?;
    Ok(format!("{said}{dropped}"))
}
