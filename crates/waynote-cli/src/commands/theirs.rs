//! Changes of a person's notes by others, for the view of the morning.

use std::collections::HashSet;

use serde::Serialize;
use waynote::author::shown;
use waynote::secrets::masked;
use waynote::text::shell_word;
use waynote::visible::visible;
use waynote::{Address, Author, Name, Note, Position, Reader, Revision};

use super::diff;
use crate::error::Outcome;

/// The most notes that are looked at: each is a read of the store.
const NOTES: usize = 20;

/// True if the person of that name wrote it. In a store with a holder in place of a person, `person` is another one.
pub(super) fn is_own(author: &Name, (own, is_holder): (&Name, bool)) -> bool {
    author == own || !is_holder && Author::of(author) == Author::Person
}

/// A note of the person's that another author replaced or deleted.
#[derive(Serialize)]
pub(super) struct Changed {
    address: Address,
    /// Who changed it last.
    by: Name,
    deleted: bool,
    /// The revision with the person's text.
    revision: u64,
    /// The change, as lines of a patch.
    lines: Vec<String>,
}

/// The person's notes that others changed, of the changes after a position, which are given latest first.
pub(super) fn changed(
    store: &dyn Reader,
    changes: &[Revision],
    seen: Position,
    own: (&Name, bool),
) -> Outcome<Vec<Changed>> {
    let new = changes.iter().take_while(|of| of.position > Some(seen));
    let is_note = |of: &&Revision| !matches!(of.address(), Address::Session(..));
    let new: Vec<&Revision> = new.filter(is_note).collect();
    let is_theirs = |of: &&Revision| !is_own(of.author(), own);
    let mut known = HashSet::new();
    // The person has written since with the others' text in view: only what came after it is news.
    let latest = new.iter().filter(|of| known.insert(of.address()));
    let mut changed = Vec::new();
    for last in latest.copied().filter(is_theirs).take(NOTES) {
        let address = last.address();
        let of_note = new.iter().copied().filter(|of| of.address() == address);
        let first = of_note.take_while(is_theirs).last().unwrap_or(last);
        let before = store.history_before(address, Some(first.number()), 1)?;
        let before = before.first().filter(|of| is_own(of.author(), own));
        let text = |note: &Note| masked(&note.content.shown()).into_owned();
        if let Some(note) = before.and_then(Revision::note) {
            changed.push(Changed {
                address: address.clone(),
                by: last.author().clone(),
                deleted: last.note().is_none(),
                revision: note.revision,
                lines: diff::lines(&text(note), &last.note().map(text).unwrap_or_default()),
            });
        }
    }
    changed.retain(|of| !of.lines.is_empty());
    Ok(changed)
}

impl Changed {
    /// The note, the command that brings its text back, and what changed.
    pub(super) fn lines(&self) -> Vec<String> {
        let address = self.address.masked();
        let back = shell_word(&format!("{address}@{}", self.revision));
        let by = visible(&masked(&shown(&self.by, None)));
        let did = if self.deleted { "deleted" } else { "changed" };
        let said =
            format!("  your {address} was {did} by {by}; `waynote restore {back}` brings it back");
        let lines = self.lines.iter();
        let lines = lines.map(|line| format!("    {}", visible(line)));
        std::iter::once(said).chain(lines).collect()
    }
}
