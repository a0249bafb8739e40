//! Deciding which text of a place is current: the store's or the file's.

use std::collections::{BTreeMap, HashMap};

use waynote::change::{Expect, Origin};
use waynote::note::State;
use waynote::{
    Action, Address, Base, Change, Content, ContentHash, Limits, Name, Note, Place, Revision,
};

use crate::merge::make_current_again;
use crate::zrb::exchange::FileContents;

/// The file beside its last known state in the store.
pub(super) struct Overlay<'a> {
    file: &'a FileContents,
    marks: &'a HashMap<String, ContentHash>,
    author: &'a Name,
}

/// The relation of a text in the file to the store's.
#[derive(PartialEq, Eq)]
enum TextState {
    /// The store has it, or it is older than the store's and was known.
    Known,
    /// Another program wrote it, and it is the current one.
    Newer,
    /// Another program wrote it, but the store's text was written later.
    Older,
}

impl<'a> Overlay<'a> {
    pub(super) fn new(
        file: &'a FileContents,
        marks: &'a HashMap<String, ContentHash>,
        author: &'a Name,
    ) -> Self {
        Self {
            file,
            marks,
            author,
        }
    }

    fn state_of(&self, place: &Place, text: &Content, stored: Option<&Note>) -> TextState {
        let hash = text.hash();
        let mark = self.marks.get(place.as_str());
        if mark == Some(&hash) {
            return TextState::Known;
        }
        match stored {
            // Deleted here and written there since, or never known here.
            None => TextState::Newer,
            Some(note) if note.content == *text => TextState::Known,
            // Only the file has changed.
            Some(note) if mark == Some(&note.content.hash()) => TextState::Newer,
            // Both have: the later one is current.
            Some(note) if self.file.written_at >= note.updated_at => TextState::Newer,
            Some(_) => TextState::Older,
        }
    }

    pub(super) fn file_is_current(&self, place: &Place, stored: Option<&Note>) -> bool {
        let text = self.file.notes.get(place);
        text.is_some_and(|text| self.state_of(place, &text, stored) == TextState::Newer)
    }

    /// The note that the file's text makes, as the next write will journal it.
    pub(super) fn note(&self, place: &Place, stored: Option<&Note>, revision: u64) -> Option<Note> {
        let content = self.file.notes.get(place)?;
        Some(Note {
            address: Address::Place(place.clone()),
            preview: content.preview(),
            content,
            kind: None,
            iteration: None,
            resolved_by: None,
            cites: Vec::new(),
            pinned: stored.is_some_and(|note| note.pinned),
            revision,
            author: self.author.clone(),
            created_at: stored.map_or(self.file.written_at, |note| note.created_at),
            updated_at: self.file.written_at,
        })
    }

    /// That note as the last line of its history.
    pub(super) fn revision(&self, note: Note) -> Revision {
        Revision {
            position: None,
            action: Action::Sync,
            undoes: None,
            recorded_at: self.file.written_at,
            token: None,
            state: State::Present(note),
        }
    }

    /// The changes that bring into the journal what the file says and the store does not know.
    pub(super) fn to_journal(&self, stored: &BTreeMap<Place, Note>, base: &Base) -> Vec<Change> {
        let mut changes = Vec::new();
        for (place, text) in self.file.notes.notes(base) {
            let note = stored.get(&place);
            match self.state_of(&place, &text, note) {
                TextState::Known => {}
                TextState::Newer => changes.push(self.written(place, text)),
                TextState::Older => {
                    changes.push(self.written(place, text));
                    changes.extend(note.map(make_current_again));
                }
            }
        }
        changes
    }

    /// The change that journals a text of the file.
    pub(super) fn written(&self, place: Place, text: Content) -> Change {
        Change::Save {
            address: Address::Place(place),
            content: text,
            pin: None,
            limits: Limits::NONE,
            expect: Expect::Any,
            origin: Some(Origin {
                is_synced: true,
                cites: Vec::new(),
                author: Some(self.author.clone()),
                created_at: self.file.written_at,
                updated_at: self.file.written_at,
            }),
        }
    }
}
