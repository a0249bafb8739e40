//! Notes that a block shows.

use super::Shown;
use crate::address::Address;
use crate::note::Note;

/// A note that a reader was shown: its address, its revision and how much of it.
pub type ShownNote = (Address, u64, Shown);

/// Notes that match, or that are new to a reader, as text for a prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matching {
    /// The text: first the notes shown as lines, then whole notes, each best match first; empty if none matches.
    pub text: String,
    /// The notes in the text.
    pub notes: Vec<(Note, Shown)>,
}

impl Matching {
    /// The notes in the text, each with its revision and how much of it is shown.
    pub fn pieces(&self) -> Vec<ShownNote> {
        let notes = self.notes.iter();
        notes
            .map(|(note, shown)| (note.address.clone(), note.revision, *shown))
            .collect()
    }
}
