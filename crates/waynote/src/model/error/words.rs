//! The parts of a message: text from outside, the note as it is now, waits.

use std::fmt::Display;
use std::time::Duration;

use super::Error;
use crate::note::Note;

/// The most characters of a note that a refusal shows.
const SHOWN: usize = 8000;

/// Text from outside, for use in a message: credentials in it are masked.
pub fn safe(text: impl Display) -> String {
    crate::secrets::masked(&text.to_string()).into_owned()
}

impl Error {
    /// The note as it is now, where a change was refused for it.
    pub fn current(&self) -> Option<&Note> {
        match self {
            Self::Conflict { current, .. }
            | Self::OthersText { current, .. }
            | Self::OthersNote { current, .. } => current.as_deref(),
            _ => None,
        }
    }

    /// The address and the beginning of its text, with credentials masked: a keyed note is whole, with the limit that it
    /// has by default.
    pub fn current_text(&self) -> Option<String> {
        let note = self.current()?;
        let at = match note.source.is_own() {
            true => safe(format_args!("{}@{}", note.address, note.revision)),
            false => safe(&note.address),
        };
        let text = safe(note.content.shown());
        let text = crate::text::cut(&text, SHOWN);
        Some(format!("the current text of {at}:\n{text}"))
    }
}

pub(super) fn seconds(duration: &Duration) -> String {
    if duration.is_zero() {
        return String::new();
    }
    format!(", for {} s now", duration.as_secs_f64())
}
