//! A point in the history of a store.

use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::note::{Action, Note, Position, Revision};

/// A point in the history of a whole store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AsOf {
    /// After the change at this position of the journal.
    Position(Position),
    /// After the last change of each note that was recorded at or before this time.
    Time(Timestamp),
}

impl FromStr for AsOf {
    type Err = String;

    /// Reads a position of the journal, or a time in RFC 3339.
    fn from_str(text: &str) -> std::result::Result<Self, String> {
        if let Ok(position) = text.parse() {
            return Ok(Self::Position(position));
        }
        text.parse().map(Self::Time).map_err(|_| {
            format!(
                "`{}` is neither a position in the journal nor a time such as 2026-05-17T12:00:00Z",
                crate::error::safe(text)
            )
        })
    }
}

impl AsOf {
    /// The note at that point, from its history (oldest first).
    pub fn pick(self, history: &[Revision]) -> Option<Note> {
        let until = self.until(history);
        until.last()?.noted(until)
    }

    /// The part of a history (oldest first) that existed at that point.
    ///
    /// Clocks can be set back. So for a time the last revision that qualifies counts, not the one with the latest time.
    /// A text from a synced file exists from the time at which it was written there. The exception is an older text
    /// that was only journaled later.
    pub fn until(self, history: &[Revision]) -> &[Revision] {
        let by_then = |index: usize| match self {
            Self::Position(position) => history[index].position.is_some_and(|of| of <= position),
            Self::Time(time) => {
                let revision = &history[index];
                let recorded_before = index
                    .checked_sub(1)
                    .map(|before| history[before].recorded_at);
                let written = revision.note().map(|note| note.updated_at);
                let from_file = revision.action == Action::Sync && written >= recorded_before;
                revision.recorded_at <= time
                    || (from_file && written.is_some_and(|written| written <= time))
            }
        };
        let last = (0..history.len()).rev().find(|index| by_then(*index));
        &history[..last.map_or(0, |last| last + 1)]
    }
}
