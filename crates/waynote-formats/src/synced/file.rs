//! The two directions: the file's texts into the store, and the store's into the file.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::{fs, io};

use waynote::change::{Expect, Origin};
use waynote::{
    Action, Address, Change, ContentHash, Error, Filter, FlaggedNote, Limits, LocalStore, Name,
    Place, Result, Revision, ScopeKind, Stamp,
};

use super::SyncedStore;
use super::known::Marks;
use crate::merge::make_current_again;
use crate::zrb::NotesFile;
use crate::zrb::exchange::{
    self, FileContents, Fingerprint, READER_RETRIES, ROUNDS, WRITER_RETRIES,
};

impl<S: LocalStore> SyncedStore<S> {
    /// Takes in the texts of the file, unless it is the one that was last read or written.
    pub(super) fn take_in(&self) -> Result<()> {
        let now = exchange::fingerprint(&self.file);
        if now.is_none() || now == *self.seen.lock() {
            return Ok(());
        }
        if now == self.known()?.1 {
            *self.seen.lock() = now;
            return Ok(());
        }
        let Some(file) = exchange::read(&self.file, READER_RETRIES)? else {
            return Ok(());
        };
        self.journal(&file, Some(&self.known()?.0))?;
        self.remember(&file.notes, file.fingerprint)
    }

    /// Writes the notes of the store to the file, until it holds them and nothing that is not in the store was
    /// overwritten. Values that are no text stay, unless their places were just `written`.
    pub(super) fn write_file(&self, written: &[Place]) -> Result<()> {
        let _lock = exchange::lock(&self.file)?;
        for _ in 0..ROUNDS {
            self.journal_leftovers()?;
            let read = exchange::read(&self.file, WRITER_RETRIES)?;
            if let Some(file) = &read {
                self.journal(file, Some(&self.known()?.0))?;
            }
            let mut notes = read
                .as_ref()
                .map(|file| file.notes.clone())
                .unwrap_or_default();
            self.put_notes(&mut notes, written)?;
            let text = notes.to_text().into_bytes();
            let (held, fingerprint) = read.map(|file| (file.bytes, file.fingerprint)).unzip();
            let ours = match held.as_ref() == Some(&text) {
                true => fingerprint,
                false => exchange::replace(&self.file, &text, held.as_deref())?,
            };
            if let Some(ours) = ours {
                return self.remember(&notes, ours);
            }
            // What another program wrote meanwhile is compared with what the file holds now.
            self.remember(&notes, Fingerprint::new())?;
        }
        Err(exchange::busy(&self.file))
    }

    /// Puts every path's own note into a file, without texts that are being forgotten.
    fn put_notes(&self, file: &mut NotesFile, written: &[Place]) -> Result<()> {
        let withheld = self.withheld.lock().clone();
        let stored = self.inner.select(&Filter::Kind(ScopeKind::Place))?;
        let own = stored.into_iter().filter_map(|note| match note.address {
            Address::Place(place)
                if place.in_repository().is_none() && !withheld.contains(&note.content.hash()) =>
            {
                Some((place, note.content))
            }
            _ => None,
        });
        let own: BTreeMap<_, _> = own.collect();
        let held = file.notes(&self.base).map(|(place, _)| place);
        for place in held.collect::<Vec<_>>() {
            if !own.contains_key(&place) {
                file.remove(&place);
            }
        }
        for (place, content) in &own {
            if !file.holds_other(place) || written.contains(place) {
                file.set(place, content);
            }
        }
        Ok(())
    }

    /// Takes in the texts of a file that are not the marked ones, without those that are being forgotten. Of a text and
    /// a note that both changed since, the later one is current, and the other one is a revision. Without marks, it is
    /// an old file that was left beside: a text that a revision has is none of its own. Those that hold a credential are
    /// kept for [`flagged`](Self::flagged).
    fn journal(&self, file: &FileContents, marks: Option<&Marks>) -> Result<()> {
        for _ in 0..ROUNDS {
            let mut changes = Vec::new();
            for (place, content) in file.notes.notes(&self.base) {
                let hash = content.hash();
                let mark = marks.and_then(|marks| marks.get(place.as_str()).copied());
                if mark == Some(hash) || self.withheld.lock().contains(&hash) {
                    continue;
                }
                let address = Address::Place(place);
                let history = self.inner.history(&address)?;
                let stored = history.last().and_then(Revision::note);
                let says = |revision: &Revision| {
                    revision.note().is_some_and(|note| note.content == content)
                };
                // The text that both sides last had.
                let base = match marks {
                    Some(_) => mark.or_else(|| last_from_file(&history, &self.author)),
                    None => None,
                };
                let is_known = match marks {
                    Some(_) => base == Some(hash) || history.last().is_some_and(says),
                    None => history.iter().any(says),
                };
                if is_known {
                    continue;
                }
                let is_current = stored.is_none_or(|note| {
                    base == Some(note.content.hash()) || file.written_at >= note.updated_at
                });
                changes.push(Change::Save {
                    address,
                    content,
                    pin: None,
                    limits: Limits::NONE,
                    // Another process may take the same text in.
                    expect: Expect::Revision(stored.map_or(0, |note| note.revision)),
                    origin: Some(Origin {
                        is_synced: true,
                        cites: Vec::new(),
                        author: Some(self.author.clone()),
                        created_at: file.written_at,
                        updated_at: file.written_at,
                    }),
                });
                changes.extend(stored.filter(|_| !is_current).map(make_current_again));
            }
            if changes.is_empty() {
                return Ok(());
            }
            let stamp = Stamp::new((self.now)(), self.author.clone());
            match self.inner.apply(&changes, &stamp) {
                // Another process wrote one of the notes meanwhile.
                Err(Error::Conflict { .. }) => {}
                applied => {
                    let notes = applied?.into_iter().filter_map(|applied| applied.note);
                    let taken_in = notes.filter(|note| note.author == self.author);
                    let flagged = taken_in.filter_map(|note| FlaggedNote::of(&note));
                    self.flagged.lock().extend(flagged);
                    return Ok(());
                }
            }
        }
        Err(exchange::busy(&self.file))
    }

    /// Takes in the texts of files that replacements left beside the file.
    fn journal_leftovers(&self) -> Result<()> {
        for path in exchange::leftovers(&self.file) {
            let cleared = match exchange::read(&path, WRITER_RETRIES) {
                Ok(Some(file)) if !file.bytes.is_empty() => {
                    self.journal(&file, None)?;
                    exchange::remove(&path)
                }
                // A program may still be writing there.
                _ if !exchange::is_settled(&path) => continue,
                Ok(_) => exchange::remove(&path),
                Err(error) => Err(error),
            };
            if let Err(error) = cleared {
                self.notice(error);
            }
        }
        Ok(())
    }

    /// Refuses to call a text forgotten while a file beside this one may hold it.
    pub(super) fn no_leftovers(&self) -> Result<()> {
        let mut left = exchange::leftovers(&self.file).into_iter();
        let is_full = |file: &PathBuf| fs::metadata(file).is_ok_and(|file| file.len() > 0);
        left.find(is_full).map_or(Ok(()), |file| {
            let why = io::Error::other("it cannot be read, and may hold what was forgotten");
            Err(Error::file(file, "cleared", why))
        })
    }
}

/// The text that a note last got from the file or from an import of it: what both sides last had, where no mark says
/// so.
fn last_from_file(history: &[Revision], author: &Name) -> Option<ContentHash> {
    let from_file = |revision: &&Revision| {
        revision.author() == author && matches!(revision.action, Action::Save | Action::Sync)
    };
    let last = history.iter().rev().find(from_file)?;
    Some(last.note()?.content.hash())
}
