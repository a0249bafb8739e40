//! Which text of a place is the current one: the store's or the file's.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;

use crate::address::Address;
use crate::change::{Change, Origin};
use crate::content::{Content, ContentHash};
use crate::formats::zrb::{self, NotesFile};
use crate::key::Name;
use crate::note::{Action, Note, Revision, State};
use crate::place::{Base, Place};

/// The file as it was read.
#[derive(Clone, Debug)]
pub(crate) struct FileSide {
    pub(crate) notes: NotesFile,
    pub(super) bytes: Vec<u8>,
    /// When it was last written.
    pub(super) written: Timestamp,
}

/// The file beside what the store last knew of it.
pub(super) struct Overlay<'a> {
    side: &'a FileSide,
    marks: &'a HashMap<String, ContentHash>,
    author: &'a Name,
}

/// What is to be done with a text in the file.
#[derive(PartialEq, Eq)]
enum Verdict {
    /// Nothing: the store has it, or it is older than the store's and was known.
    Known,
    /// Somebody wrote it, and it is the current one.
    Current,
    /// Somebody wrote it, but what the store says is later.
    Past,
}

impl<'a> Overlay<'a> {
    pub(super) fn new(
        side: &'a FileSide,
        marks: &'a HashMap<String, ContentHash>,
        author: &'a Name,
    ) -> Self {
        Self {
            side,
            marks,
            author,
        }
    }

    fn verdict(&self, place: &Place, text: &Content, stored: Option<&Note>) -> Verdict {
        let hash = text.hash();
        let mark = self.marks.get(place.as_str());
        if mark == Some(&hash) {
            return Verdict::Known;
        }
        match stored {
            // Deleted here and written there since, or never known here.
            None => Verdict::Current,
            Some(note) if note.content == *text => Verdict::Known,
            // Only the file has changed.
            Some(note) if mark == Some(&note.content.hash()) => Verdict::Current,
            // Both have: the later one is current.
            Some(note) if self.side.written >= note.updated_at => Verdict::Current,
            Some(_) => Verdict::Past,
        }
    }

    pub(super) fn file_is_current(&self, place: &Place, stored: Option<&Note>) -> bool {
        let text = self.side.notes.get(place);
        text.is_some_and(|text| self.verdict(place, &text, stored) == Verdict::Current)
    }

    /// The note that the file's text makes, as the next write will journal it.
    pub(super) fn note(&self, place: &Place, stored: Option<&Note>, revision: u64) -> Option<Note> {
        let content = self.side.notes.get(place)?;
        Some(Note {
            address: Address::Place(place.clone()),
            preview: content.preview(),
            content,
            kind: None,
            iteration: None,
            resolved_by: None,
            pinned: stored.is_some_and(|note| note.pinned),
            revision,
            author: self.author.clone(),
            created_at: stored.map_or(self.side.written, |note| note.created_at),
            updated_at: self.side.written,
        })
    }

    /// That note as the last line of its history.
    pub(super) fn revision(&self, note: Note) -> Revision {
        Revision {
            position: None,
            action: Action::Sync,
            undoes: None,
            recorded_at: self.side.written,
            state: State::Present(note),
        }
    }

    /// The changes that bring into the journal what the file says and the store does not know.
    pub(super) fn to_journal(&self, stored: &BTreeMap<Place, Note>, base: &Base) -> Vec<Change> {
        let mut changes = Vec::new();
        for (place, text) in self.side.notes.notes(base) {
            let note = stored.get(&place);
            match self.verdict(&place, &text, note) {
                Verdict::Known => {}
                Verdict::Current => changes.push(self.written(place, text)),
                Verdict::Past => {
                    changes.push(self.written(place, text));
                    changes.extend(note.map(again));
                }
            }
        }
        changes
    }

    /// The change that journals a text of the file.
    pub(super) fn written(&self, place: Place, text: Content) -> Change {
        zrb::save(
            place,
            text,
            Origin {
                is_synced: true,
                author: Some(self.author.clone()),
                created_at: self.side.written,
                updated_at: self.side.written,
            },
        )
    }
}

/// The change that makes a note the current one again, as it was, after a text that was only journaled. It takes
/// that text back, so that an undo later on reaches what the note's own author did.
pub(crate) fn again(note: &Note) -> Change {
    Change::Undo {
        address: note.address.clone(),
        origin: Some(Origin {
            is_synced: false,
            author: Some(note.author.clone()),
            created_at: note.created_at,
            updated_at: note.updated_at,
        }),
    }
}
