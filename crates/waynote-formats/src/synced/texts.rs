//! Deciding what a text of the file is beside the stored note, and the changes that take it in.

use waynote::change::{Expect, Origin};
use waynote::{Action, Address, Change, Content, ContentHash, Limits, Name, Note, Place, Revision};

use crate::merge::make_current_again;
use crate::zrb::exchange::FileContents;

/// A text of the file, and what the store has of its place.
pub(super) struct FileText<'a> {
    pub(super) file: &'a FileContents,
    pub(super) place: Place,
    pub(super) content: Content,
    pub(super) stored: Option<Note>,
}

impl FileText<'_> {
    /// The changes that take the text in; none if the store knows it. `base` is the text that both sides last had. If
    /// both have changed since, the later text is current and the other one is a revision.
    pub(super) fn changes(self, base: Option<ContentHash>, author: &Name) -> Vec<Change> {
        let is_stored = |note: &Note| note.content == self.content;
        if base == Some(self.content.hash()) || self.stored.as_ref().is_some_and(is_stored) {
            return Vec::new();
        }
        let is_current = self.stored.as_ref().is_none_or(|note| {
            base == Some(note.content.hash()) || self.file.written_at >= note.updated_at
        });
        self.taken_in(author, is_current)
    }

    /// The changes that add the text as a revision, and make the stored note current again unless the text is to be.
    pub(super) fn taken_in(self, author: &Name, is_current: bool) -> Vec<Change> {
        let written_at = self.file.written_at;
        // Another process may take the same text in.
        let expect = Expect::Revision(self.stored.as_ref().map_or(0, |note| note.revision));
        let stored = self.stored.filter(|_| !is_current);
        let mut changes = vec![Change::Save {
            address: Address::Place(self.place),
            content: self.content,
            pin: None,
            limits: Limits::NONE,
            expect,
            origin: Some(Origin {
                is_synced: true,
                cites: Vec::new(),
                author: Some(author.clone()),
                created_at: written_at,
                updated_at: written_at,
            }),
        }];
        changes.extend(stored.as_ref().map(make_current_again));
        changes
    }
}

/// The text that a note last got from the file or from an import of it: what both sides last had, where no mark says
/// so.
pub(super) fn last_from_file(history: &[Revision], author: &Name) -> Option<ContentHash> {
    let from_file = |revision: &&Revision| {
        revision.author() == author && matches!(revision.action, Action::Save | Action::Sync)
    };
    let last = history.iter().rev().find(from_file)?;
    Some(last.note()?.content.hash())
}
