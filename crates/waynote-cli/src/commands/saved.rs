//! The note that a save overwrote, and the command that restores it.

use serde::Serialize;
use waynote::text::shell_word;
use waynote::{Note, NoteBefore};

/// A note that was saved.
#[derive(Serialize)]
pub(super) struct Saved<'n> {
    #[serde(flatten)]
    note: &'n Note,
    /// None for a new note.
    #[serde(skip_serializing_if = "Option::is_none")]
    overwrote: Option<Overwrote>,
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
    /// The note, and its current revision before the save.
    pub(super) fn new(note: &'n Note, before: Option<NoteBefore>) -> Self {
        let overwrote = before.map(|before| Overwrote {
            revision: before.revision,
            same_text: before.hash == note.content.hash(),
            undo: format!("waynote undo {}", shell_word(&note.address.to_string())),
        });
        Self { note, overwrote }
    }

    /// The overwritten note, in the words of the text output; empty for a new note.
    pub(super) fn told(&self) -> String {
        match &self.overwrote {
            None => String::new(),
            Some(Overwrote {
                revision,
                same_text: true,
                ..
            }) => format!("unchanged: revision {revision} has the same text"),
            Some(Overwrote { revision, undo, .. }) => {
                format!("overwrote revision {revision}; `{undo}` brings it back")
            }
        }
    }
}
