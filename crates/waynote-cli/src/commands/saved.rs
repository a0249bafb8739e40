//! Saving a note, what it overwrote, and the command that restores that.

use serde::Serialize;
use serde_json::json;
use waynote::text::shell_word;
use waynote::visible::{dropped, hidden_characters};
use waynote::{Address, Note, NoteBefore, SaveOptions, single};

use super::edit;
use crate::args::{AllowArgs, CitesArgs, TextArgs};
use crate::error::Outcome;
use crate::invocation::Context;

/// A note that was saved.
#[derive(Serialize)]
pub(super) struct Saved<'n> {
    #[serde(flatten)]
    note: &'n Note,
    /// None for a new note.
    #[serde(skip_serializing_if = "Option::is_none")]
    overwrote: Option<Overwrote>,
    /// How many hidden characters of the text were not saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    dropped: Option<u64>,
}

/// The revision that was current before.
#[derive(Serialize)]
struct Overwrote {
    revision: u64,
    /// True if it has the same text.
    same_text: bool,
    /// The command that makes it current again.
    undo: String,
}

impl<'n> Saved<'n> {
    /// The note, its current revision before the save, and the text that was given for it.
    pub(super) fn new(note: &'n Note, before: Option<NoteBefore>, given: &str) -> Self {
        let dropped = hidden_characters(given);
        let overwrote = before.map(|before| Overwrote {
            revision: before.revision,
            same_text: before.hash == note.content.hash(),
            undo: format!("waynote undo {}", shell_word(&note.address.to_string())),
        });
        Self {
            note,
            overwrote,
            dropped: (dropped > 0).then_some(dropped),
        }
    }

    /// The note and what it overwrote, in the words of the text output; `new` says what a new note is.
    pub(super) fn told(&self, new: &str) -> String {
        let how = match &self.overwrote {
            None => new.to_owned(),
            Some(Overwrote {
                revision,
                same_text: true,
                ..
            }) => format!(
                "revision {}, with the text of revision {revision}",
                self.note.revision
            ),
            Some(Overwrote { revision, undo, .. }) => {
                format!("overwrote revision {revision}; `{undo}` brings it back")
            }
        };
        format!("saved {} ({how})", self.note.address.masked())
    }
}

/// Saves the whole text of a note, from an argument, a file or the editor, and says so.
pub(super) fn save(
    context: &mut Context<'_>,
    address: Address,
    text: &TextArgs,
    (cites, allow): (&CitesArgs, &AllowArgs),
    options: SaveOptions,
    new: impl FnOnce(&Note) -> String,
) -> Outcome {
    let Some(content) = edit::text_or_editor(context, text, allow)? else {
        return edit::in_editor(context, address, allow);
    };
    let stamp = context.stamp_allowing(allow)?.citing(cites.given());
    let given = content.shown().into_owned();
    let (note, before) =
        context.write(|store| Ok(single::save(store, address, content, options, &stamp)?))?;
    let saved = Saved::new(&note, before, &given);
    context.answer(&saved, || {
        let pinned = options.pin.map_or("", |_| ", pinned");
        let said = saved.told(&new(&note));
        let said = said.strip_suffix(')').unwrap_or(&said);
        format!("{said}{pinned}){}{}", note.cited(), dropped(&given))
    })
}

/// Says that the note of an address is gone.
pub(super) fn say_deleted(
    context: &mut Context<'_>,
    address: &impl Serialize,
    said: String,
) -> Outcome {
    let value = json!({ "address": address, "deleted": true });
    context.answer(&value, || said)
}
