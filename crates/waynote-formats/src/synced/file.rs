//! The two directions: the file's texts into the store, and the store's into the file.

use std::collections::BTreeMap;

use waynote::store::Ask;
use waynote::{
    Address, Change, Error, Filter, FlaggedNote, LocalStore, Note, Place, Result, Revision,
    ScopeKind, Stamp,
};

use super::SyncedStore;
use super::known::Known;
use super::texts::{FileText, last_from_file};
use crate::zrb::NotesFile;
use crate::zrb::exchange::{
    self, FileContents, Fingerprint, READER_RETRIES, ReplaceOutcome, WRITER_RETRIES,
};

/// How often to begin again when others write the file or the store at the same time.
const MAX_ROUNDS: usize = 50;

impl<S: LocalStore> SyncedStore<S> {
    /// Takes in the texts of the file, unless it is the one that was last read or written.
    pub(super) fn take_in(&self) -> Result<()> {
        let now = Fingerprint::at(&self.file);
        if now.is_none() || now == *self.seen.lock() {
            return Ok(());
        }
        let known = self.known()?;
        if now == known.seen {
            *self.seen.lock() = now;
            return Ok(());
        }
        self.take_in_again(&known)
    }

    /// Takes in the texts of the file that the store does not know.
    pub(super) fn take_in_again(&self, known: &Known) -> Result<()> {
        match exchange::read(&self.file, READER_RETRIES)? {
            None => Ok(()),
            Some(file) => {
                self.journal(&file, known)?;
                self.remember(&file.notes, file.fingerprint, known)
            }
        }
    }

    /// Writes the notes of the store to the file, until it holds them and nothing that is not in the store was
    /// overwritten. Values that are no text stay, unless their places were just `written`.
    pub(super) fn write_file(&self, written: &[Place]) -> Result<()> {
        let _lock = exchange::lock(&self.file)?;
        self.journal_leftovers()?;
        // What the file held before and after another program wrote it: its values that are no notes stay.
        let mut others: Vec<(NotesFile, NotesFile)> = Vec::new();
        for _ in 0..MAX_ROUNDS {
            let known = self.known()?;
            let read = exchange::read(&self.file, WRITER_RETRIES)?;
            if let Some(file) = &read {
                self.journal(file, &known)?;
            }
            let held = read.as_ref().map(|file| file.notes.clone());
            let held = held.unwrap_or_default();
            let mut next = held.clone();
            for (before, after) in &others {
                next.adopt_others(before, after, &self.base);
            }
            self.put_notes(&mut next, written)?;
            let text = next.to_text().into_bytes();
            let expected = read.as_ref().map(|file| file.bytes.as_slice());
            if let Some(file) = read.as_ref().filter(|file| file.bytes == text) {
                return self.remember(&next, file.fingerprint, &known);
            }
            match exchange::replace(&self.file, &text, expected)? {
                ReplaceOutcome::Clean(ours) => return self.remember(&next, ours, &known),
                ReplaceOutcome::Overwrote(other, beside, ours) => {
                    self.remember(&next, ours, &known)?;
                    let before = Known {
                        marks: self.marks_of(&held),
                        seen: None,
                    };
                    self.journal(&other, &before)?;
                    others.push((held, other.notes));
                    exchange::remove(&beside)?;
                }
                ReplaceOutcome::FileAppeared => {}
            }
        }
        let busy = std::io::Error::other("other programs keep writing it");
        Err(Error::file(&self.file, "brought up to date", busy))
    }

    /// Puts every place's own note into a file, without texts that are being forgotten.
    fn put_notes(&self, file: &mut NotesFile, written: &[Place]) -> Result<()> {
        let stored = self.inner.select(&Filter::Kind(ScopeKind::Place))?;
        let own = stored.into_iter().filter_map(|note| match note.address {
            Address::Place(place) => Some((place, note.content)),
            _ => None,
        });
        let withheld = self.withheld.lock().clone();
        let own = own.filter(|(_, content)| !withheld.contains(&content.hash()));
        let own: BTreeMap<_, _> = own.collect();
        let gone = file.notes(&self.base).map(|(place, _)| place);
        let gone: Vec<Place> = gone.filter(|place| !own.contains_key(place)).collect();
        for place in &gone {
            file.remove(place);
        }
        for (place, content) in &own {
            if !file.holds_other(place) || written.contains(place) {
                file.set(place, content);
            }
        }
        Ok(())
    }

    /// Takes in the texts of a file that changed since the store last knew it.
    fn journal(&self, file: &FileContents, known: &Known) -> Result<()> {
        for _ in 0..MAX_ROUNDS {
            let mut changes = Vec::new();
            for text in self.texts(file, known)? {
                let base = match known.marks.get(text.place.as_str()) {
                    Some(mark) => Some(*mark),
                    None => last_from_file(&self.history_of(&text.place)?, &self.author),
                };
                changes.extend(text.changes(base, &self.author));
            }
            match self.apply_texts(&changes) {
                // Another process wrote one of the notes meanwhile.
                Err(Error::Conflict { .. }) => {}
                done => return done,
            }
        }
        let busy = std::io::Error::other("other programs keep writing its notes");
        Err(Error::file(&self.file, "taken in", busy))
    }

    /// The texts of a file that are not the marked ones, without those that are being forgotten.
    fn texts<'f>(&self, file: &'f FileContents, known: &Known) -> Result<Vec<FileText<'f>>> {
        let texts = file.notes.notes(&self.base).filter(|(place, content)| {
            let hash = content.hash();
            known.marks.get(place.as_str()) != Some(&hash) && !self.withheld.lock().contains(&hash)
        });
        let texts: Vec<_> = texts.collect();
        let ask = Ask {
            notes: texts
                .iter()
                .map(|(place, _)| Address::Place(place.clone()))
                .collect(),
            ..Ask::default()
        };
        let stored = self.inner.read(&ask)?.notes;
        let texts = texts.into_iter().zip(stored);
        let texts = texts.map(|((place, content), stored)| FileText {
            file,
            place,
            content,
            stored,
        });
        Ok(texts.collect())
    }

    fn history_of(&self, place: &Place) -> Result<Vec<Revision>> {
        self.inner.history(&Address::Place(place.clone()))
    }

    /// Saves texts of the file; those that hold a credential are kept for [`flagged`](Self::flagged).
    fn apply_texts(&self, changes: &[Change]) -> Result<()> {
        if changes.is_empty() {
            return Ok(());
        }
        let stamp = Stamp::new((self.now)(), self.author.clone());
        let applied = self.inner.apply(changes, &stamp)?;
        let notes = applied.iter().filter_map(|applied| applied.note.as_ref());
        let taken_in = notes.filter(|note| note.author == self.author);
        self.flagged
            .lock()
            .extend(taken_in.filter_map(FlaggedNote::of));
        Ok(())
    }

    /// Takes in the texts of files that earlier replacements left beside the file. They are old: a text that no
    /// revision has becomes one, and is current only where the place has no note.
    fn journal_leftovers(&self) -> Result<()> {
        for path in exchange::leftovers(&self.file) {
            let cleared = match exchange::read(&path, READER_RETRIES) {
                Ok(Some(file)) if !file.bytes.is_empty() => {
                    self.journal_leftover(&file)?;
                    exchange::remove(&path)
                }
                // A program may still be writing there.
                Ok(Some(_)) if exchange::is_settled(&path) => exchange::remove(&path),
                Err(error) if exchange::is_settled(&path) => Err(error),
                _ => Ok(()),
            };
            if let Err(error) = cleared {
                self.notice(error);
            }
        }
        Ok(())
    }

    fn journal_leftover(&self, leftover: &FileContents) -> Result<()> {
        let mut changes = Vec::new();
        for text in self.texts(leftover, &self.known()?)? {
            let says = |note: &Note| note.content == text.content;
            let history = self.history_of(&text.place)?;
            if !history.iter().filter_map(Revision::note).any(says) {
                let is_current = text.stored.is_none();
                changes.extend(text.taken_in(&self.author, is_current));
            }
        }
        self.apply_texts(&changes)
    }

    /// Refuses to call a text forgotten while a file beside this one may hold it.
    pub(super) fn no_leftovers(&self) -> Result<()> {
        for file in exchange::leftovers(&self.file) {
            if std::fs::metadata(&file).is_ok_and(|file| file.len() > 0) {
                let why =
                    std::io::Error::other("it cannot be read, and may hold what was forgotten");
                return Err(Error::file(file, "cleared", why));
            }
        }
        Ok(())
    }
}
