//! The tools of Zrb, with its arguments: the notes of directories, each read and written alone.

use waynote::{Place, Places};

use crate::call::Call;
use crate::reply::{Refusal, Reply};
use crate::tool::{Effect, Kind, Spec, optional, required};

pub(super) const TOOLS: &[Spec] = &[
    Spec {
        name: "ReadLongTermNote",
        about: "Read the note that holds everywhere: preferences and facts about the user. Read it at the start.",
        parameters: &[],
        effect: Effect::Reads,
        output: None,
        run: read_long_term,
    },
    Spec {
        name: "WriteLongTermNote",
        about: "Write the note that holds everywhere, over all it said: read it first, keep it dense, and leave passing progress out.",
        parameters: &[required("content", Kind::Text, "The whole note")],
        effect: Effect::Overwrites,
        output: None,
        run: write_long_term,
    },
    Spec {
        name: "ReadContextualNote",
        about: "Read the note of one directory. Read it when you enter a project.",
        parameters: &[optional(
            "path",
            Kind::Text,
            "The directory; without it, the project's",
        )],
        effect: Effect::Reads,
        output: None,
        run: read_contextual,
    },
    Spec {
        name: "WriteContextualNote",
        about: "Write the note of one directory, over all it said: read it first, and keep it dense.",
        parameters: &[
            required("content", Kind::Text, "The whole note"),
            optional(
                "path",
                Kind::Text,
                "The directory; without it, the project's",
            ),
        ],
        effect: Effect::Overwrites,
        output: None,
        run: write_contextual,
    },
];

fn read_long_term(call: &mut Call<'_>) -> Result<Reply, Refusal> {
    read(call, &Place::home())
}

fn write_long_term(call: &mut Call<'_>) -> Result<Reply, Refusal> {
    write(call, &Place::home())?;
    Ok(Reply::text("The global note was saved."))
}

fn read_contextual(call: &mut Call<'_>) -> Result<Reply, Refusal> {
    let (place, _) = place(call)?;
    read(call, &place)
}

fn write_contextual(call: &mut Call<'_>) -> Result<Reply, Refusal> {
    let (place, shown) = place(call)?;
    write(call, &place)?;
    Ok(Reply::text(format!("The note was saved for {shown}")))
}

/// The place, and the path as it was given.
fn place(call: &Call<'_>) -> Result<(Place, String), Refusal> {
    match call.arguments.text("path") {
        Some(path) => Ok((call.here.place_of(path)?, waynote::visible::visible(path))),
        None => {
            let place = call.here.own_place()?;
            let shown = place.to_string();
            Ok((place, shown))
        }
    }
}

/// A note that is not there reads as nothing.
fn read(call: &mut Call<'_>, place: &Place) -> Result<Reply, Refusal> {
    let note = Places::new(call.keeper.read()?).read(place)?;
    Ok(Reply::text(note.map_or(String::new(), |note| {
        note.content.shown().into_owned()
    })))
}

fn write(call: &mut Call<'_>, place: &Place) -> Result<(), Refusal> {
    let content = call.content("content")?;
    let stamp = call.stamp();
    let limits = call.here.caller.limits;
    Places::new(call.keeper.write()?).save(place, content, limits, &stamp)?;
    Ok(())
}
