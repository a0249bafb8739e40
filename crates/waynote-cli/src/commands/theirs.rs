//! What others did to a person's notes, for the view of the morning.

use std::collections::HashSet;

use serde::Serialize;
use waynote::secrets::masked;
use waynote::text::{plural, shell_word};
use waynote::visible::visible;
use waynote::{Address, Author, Name, NoteAsOf, Position, Reader, Revision};

use super::diff;
use crate::error::Outcome;

/// The most notes that are compared: each is a read of the store.
const NOTES: usize = 20;

/// The most lines of one note.
const LINES: usize = 3;

/// Revisions that are read to find the text before a change: those above it only pin.
const PINS: usize = 8;

/// True if the person of that name wrote it.
pub(super) fn is_own(author: &Name, own: &Name) -> bool {
    author == own || Author::of(author) == Author::Person
}

/// A note of the person's that another author replaced or deleted.
#[derive(Debug, Serialize)]
pub(super) struct Changed {
    address: Address,
    /// Who changed it last.
    by: Name,
    deleted: bool,
    /// The revision with the person's text.
    revision: u64,
    /// What changed, as lines of a patch.
    lines: Vec<String>,
    more_lines: usize,
}

/// The person's notes that others changed, of the changes after a position, which are given latest first.
pub(super) fn changed(
    store: &dyn Reader,
    changes: &[Revision],
    seen: Position,
    own: &Name,
) -> Outcome<Vec<Changed>> {
    let new = changes.iter().take_while(|of| of.position > Some(seen));
    let new: Vec<&Revision> = new.collect();
    let is_theirs =
        |of: &Revision| !is_own(of.author(), own) && !matches!(of.address(), Address::Session(..));
    // What the person wrote since was written with the others' text in view.
    let mut known = HashSet::new();
    let last = new
        .iter()
        .filter(|of| known.insert(of.address()) && is_theirs(of));
    let mut changed = Vec::new();
    for last in last.take(NOTES) {
        let address = last.address();
        let mut oldest = new.iter().rev();
        let first = oldest.find(|of| of.address() == address && is_theirs(of));
        let number = first.map_or(0, |first| first.number());
        let mut before = store.history_before(address, Some(number), PINS)?;
        before.reverse();
        let note = NoteAsOf::Revision(number.saturating_sub(1))
            .note(&before)
            .ok()
            .flatten();
        let Some(note) = note.filter(|note| is_own(&note.author, own)) else {
            continue;
        };
        let after = last.note().map(|note| note.content.shown().into_owned());
        let (lines, more_lines) = diff::lines(
            &masked(&note.content.shown()),
            &masked(&after.unwrap_or_default()),
            LINES,
        );
        if !lines.is_empty() {
            changed.push(Changed {
                address: address.clone(),
                by: last.author().clone(),
                deleted: last.note().is_none(),
                revision: note.revision,
                lines,
                more_lines,
            });
        }
    }
    Ok(changed)
}

impl Changed {
    /// The note, the command that brings its text back, and what changed.
    pub(super) fn lines(&self) -> Vec<String> {
        let revision = format!("{}@{}", self.address, self.revision);
        let back = shell_word(&masked(&revision));
        let by = visible(&masked(self.by.as_str()));
        let did = if self.deleted { "deleted" } else { "changed" };
        let mut lines = vec![format!(
            "  your {} was {did} by {by}; `waynote restore {back}` brings it back",
            self.address.masked()
        )];
        lines.extend(
            self.lines
                .iter()
                .map(|line| format!("    {}", visible(line))),
        );
        if self.more_lines > 0 {
            let more = plural(self.more_lines as u64, "line");
            lines.push(format!("    … {more} more"));
        }
        lines
    }
}
