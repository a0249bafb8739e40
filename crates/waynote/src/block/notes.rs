//! Notes that a block shows.

use serde::{Deserialize, Serialize};

use super::Shown;
use crate::address::Address;
use crate::model::source::OF_OTHERS;
use crate::note::Note;

/// A note that a reader was shown, and how much of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ShownNote {
    /// The note.
    pub address: Address,
    /// The revision; of a note of others its [edition](Note::edition).
    pub revision: u64,
    /// How much of it.
    pub shown: Shown,
}

impl ShownNote {
    /// True if a number is the [edition](Note::edition) of a note of others, which has no revision.
    pub fn is_of_others(number: u64) -> bool {
        number >= OF_OTHERS
    }
}

/// Notes that match, or that are new to a reader, as text for a prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Matching {
    /// The text: first the notes shown as lines, then whole notes, each best match first; empty if none matches.
    pub text: String,
    /// The notes in the text.
    pub notes: Vec<MatchingNote>,
}

/// A note in a text, and how much of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MatchingNote {
    /// The note.
    pub note: Note,
    /// How much of it.
    pub shown: Shown,
}

impl Matching {
    /// The notes in the text, each with its revision and how much of it is shown.
    pub fn pieces(&self) -> Vec<ShownNote> {
        let notes = self.notes.iter();
        notes
            .map(|MatchingNote { note, shown }| ShownNote {
                address: note.address.clone(),
                revision: note.edition(),
                shown: *shown,
            })
            .collect()
    }
}
