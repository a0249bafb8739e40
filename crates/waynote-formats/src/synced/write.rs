//! Writing: the file's texts are journaled, then the change, and then the file is replaced.

use std::collections::{HashMap, HashSet};

use waynote::change::{Applied, Expect};
use waynote::{
    Address, Change, ContentHash, Error, FlaggedNote, LocalStore, LocalStoreExt, Result, Revision,
    Stamp,
};

use super::overlay::Overlay;
use super::store::{StoredState, SyncedStore, place_of};
#[cfg(doc)]
use crate::error::FormatError;
use crate::merge::make_current_again;
use crate::report::ExportReport;
use crate::zrb::exchange::{self, FileContents, READER_RETRIES, ReplaceOutcome, WRITER_RETRIES};
use crate::zrb::{self, NotesFile};

/// How often a writer merges again when others write the file at the same time.
const MAX_ROUNDS: usize = 50;

impl<S: LocalStore> SyncedStore<S> {
    /// Brings file and store together without a change of its own.
    ///
    /// # Errors
    /// [`FormatError::DamagedFile`] when the file cannot be read as notes; [`Error::File`] when it cannot be read or
    /// written;
    /// [`Error::Busy`], [`Error::ReadOnly`], [`Error::DiskFull`], [`Error::DamagedStore`] or [`Error::Engine`] when the
    /// store cannot be written.
    pub fn sync(&self, stamp: &Stamp) -> Result<()> {
        let earlier = self.notices();
        let inner: &dyn LocalStore = &self.inner;
        let written = inner.alone(|inner| self.exclusive_over(inner).write(&[], stamp));
        let mut faults = std::mem::replace(&mut *self.target.notices.lock(), earlier);
        written?;
        faults.pop().map_or(Ok(()), Err)
    }

    /// Exports to the file: brings file and store together, and counts the notes that were written to it.
    ///
    /// # Errors
    /// As [`sync`](Self::sync).
    pub fn export(&self, stamp: &Stamp) -> Result<ExportReport> {
        // Only for the counts: an unreadable file is reported below.
        let before = NotesFile::open(self.file()).ok().flatten();
        self.sync(stamp)?;
        let now = NotesFile::open(self.file())?.unwrap_or_default();
        zrb::exported(self, &before.unwrap_or_default(), &now)
    }

    /// Journals the texts of the file and the changes, then replaces the file.
    pub(super) fn write(&self, changes: &[Change], stamp: &Stamp) -> Result<Vec<Applied>> {
        self.drop_cached();
        let read = exchange::lock(self.file())
            .and_then(|lock| Ok((lock, exchange::read(self.file(), WRITER_RETRIES)?)));
        let (_lock, read) = match read {
            Ok(read) => read,
            Err(error) => {
                self.notice(error);
                return self.inner.apply(changes, stamp);
            }
        };
        let mut known = self.known()?;
        self.journal_leftovers(&mut known, stamp)?;
        let applied = self.journal_with_file(read.as_ref(), changes, &mut known, stamp)?;
        // Journaled all the same: the next write that reaches the file takes it there.
        if let Err(error) = self.write_file(read, changes, known, stamp) {
            self.notice(error);
        }
        Ok(applied)
    }

    /// Replaces the file until it holds what the store does and nothing unknown was overwritten. Then its marks
    /// are stored.
    pub(super) fn write_file(
        &self,
        read: Option<FileContents>,
        changes: &[Change],
        mut known: StoredState,
        stamp: &Stamp,
    ) -> Result<()> {
        // The expected state of the file when it is replaced, as bytes and as notes.
        let mut expected = read.as_ref().map(|file| file.bytes.clone());
        let mut held = read.map(|file| file.notes).unwrap_or_default();
        // Our own view of it, with the latest of its values that are no notes.
        let mut ours = held.clone();
        for _ in 0..MAX_ROUNDS {
            let next = self.next_file(&ours, changes, &known);
            let text = next.to_text().into_bytes();
            if expected.as_ref() == Some(&text) {
                return self.remember(&next, &known);
            }
            match exchange::replace(self.file(), &text, expected.as_deref())? {
                ReplaceOutcome::Clean => return self.remember(&next, &known),
                ReplaceOutcome::Overwrote(other, beside) => {
                    let texts = self.texts_written_since(&held, &other, changes, &known);
                    self.journal_texts(&texts, &mut known, stamp)?;
                    ours.adopt_others(&held, &other.notes, &self.target.base);
                    exchange::remove(&beside)?;
                    expected = Some(text);
                    held = next;
                }
                ReplaceOutcome::FileAppeared => {
                    let appeared = exchange::read(self.file(), WRITER_RETRIES)?;
                    self.journal_with_file(
                        appeared.as_ref(),
                        &[],
                        &mut known,
                        &without_operation(stamp),
                    )?;
                    expected = appeared.as_ref().map(|file| file.bytes.clone());
                    held = appeared.map(|file| file.notes).unwrap_or_default();
                    ours = held.clone();
                }
            }
        }
        let busy = std::io::Error::other("other programs keep writing it");
        Err(Error::file(self.file(), "brought up to date", busy))
    }

    /// Journals the texts of the file that the store does not know, then the changes, in one transaction. Returns what
    /// came of the changes.
    pub(super) fn journal_with_file(
        &self,
        file: Option<&FileContents>,
        changes: &[Change],
        known: &mut StoredState,
        stamp: &Stamp,
    ) -> Result<Vec<Applied>> {
        let mut all = Vec::new();
        if let Some(file) = file {
            let overlay = Overlay::new(file, &known.marks, self.author());
            all = overlay.to_journal(&known.places, &self.target.base);
            let saved: HashSet<_> = changes.iter().filter_map(saved).collect();
            all.retain(|text| !saved_by(&saved, text));
        }
        if stamp.operation.is_some() {
            // In a transaction of its own: when the call is made again, the file has other texts, and the call must be
            // what it was.
            self.journal_texts(&all, known, stamp)?;
            let applied = self.apply(changes, known, stamp)?;
            // The answer of a call that was made before may be older than what is stored.
            *known = self.known()?;
            return Ok(applied);
        }
        let texts = all.len();
        all.extend_from_slice(changes);
        let mut applied = self.apply(&all, known, stamp)?;
        let ours = applied.split_off(texts);
        self.flag(&applied);
        Ok(ours)
    }

    /// The changes that journal what another program wrote between our reading of the file, which held `before`, and
    /// our replacing it. Where it wrote a key that we write too, ours is the later text, and its text is a revision
    /// before it; elsewhere its text is current.
    fn texts_written_since(
        &self,
        before: &NotesFile,
        overwritten: &FileContents,
        changes: &[Change],
        known: &StoredState,
    ) -> Vec<Change> {
        let no_marks = HashMap::new();
        let overlay = Overlay::new(overwritten, &no_marks, self.author());
        let mut journal = Vec::new();
        for (place, text) in overwritten.notes.notes(&self.target.base) {
            let current = known.places.get(&place);
            let is_known = current.is_some_and(|note| note.content == text);
            if before.get(&place).as_ref() == Some(&text) || is_known {
                continue;
            }
            journal.push(overlay.written(place.clone(), text));
            if changes
                .iter()
                .any(|change| place_of(change) == Some(&place))
            {
                journal.extend(current.map(make_current_again));
            }
        }
        journal
    }

    /// Journals texts of the file; those that hold a credential are kept for [`flagged`](Self::flagged). They
    /// belong to no call.
    fn journal_texts(
        &self,
        texts: &[Change],
        known: &mut StoredState,
        stamp: &Stamp,
    ) -> Result<()> {
        self.flag(&self.apply(texts, known, &without_operation(stamp))?);
        Ok(())
    }

    fn flag(&self, journaled: &[Applied]) {
        let notes = journaled.iter().filter_map(|applied| applied.note.as_ref());
        let saved = notes.filter(|note| note.author == *self.author());
        self.target
            .flagged
            .lock()
            .extend(saved.filter_map(FlaggedNote::of));
    }

    /// Journals the texts of files that earlier replacements left beside the file. They are old: a text that is new
    /// becomes a revision, and is current only where the place has no note.
    pub(super) fn journal_leftovers(&self, known: &mut StoredState, stamp: &Stamp) -> Result<()> {
        for path in exchange::leftovers(self.file()) {
            let cleared = match exchange::read(&path, READER_RETRIES) {
                Ok(Some(file)) if !file.bytes.is_empty() => {
                    let texts = self.leftover_texts(&file, known)?;
                    self.journal_texts(&texts, known, stamp)?;
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

    /// The changes that journal the texts of a leftover that no revision holds yet.
    fn leftover_texts(&self, leftover: &FileContents, known: &StoredState) -> Result<Vec<Change>> {
        let overlay = Overlay::new(leftover, &known.marks, self.author());
        let mut changes = Vec::new();
        for (place, text) in leftover.notes.notes(&self.target.base) {
            let current = known.places.get(&place);
            if current.is_some_and(|note| note.content == text) {
                continue;
            }
            let history = self.inner.history(&Address::Place(place.clone()))?;
            let is_there =
                |revision: &Revision| revision.note().is_some_and(|note| note.content == text);
            if !history.iter().any(is_there) {
                changes.push(overlay.written(place, text));
                changes.extend(current.map(make_current_again));
            }
        }
        Ok(changes)
    }

    /// Applies changes to the store, and to what is known of the places.
    fn apply(
        &self,
        changes: &[Change],
        known: &mut StoredState,
        stamp: &Stamp,
    ) -> Result<Vec<Applied>> {
        if changes.is_empty() {
            return Ok(Vec::new());
        }
        let applied = self.inner.apply(changes, stamp)?;
        for Applied { address, note, .. } in &applied {
            if let Address::Place(place) = address {
                match note {
                    Some(note) => known.places.insert(place.clone(), note.clone()),
                    None => known.places.remove(place),
                };
            }
        }
        Ok(applied)
    }

    /// The next text of the file: its values that are not ours, and every place's own note.
    fn next_file(&self, file: &NotesFile, changes: &[Change], known: &StoredState) -> NotesFile {
        let mut next = file.clone();
        for (place, _) in file.notes(&self.target.base) {
            if !known.places.contains_key(&place) {
                next.remove(&place);
            }
        }
        for (place, note) in &known.places {
            let written = || changes.iter().any(|change| place_of(change) == Some(place));
            if !next.holds_other(place) || written() {
                next.set(place, &note.content);
            }
        }
        next
    }
}

/// The stamp for texts of the file: they belong to no call.
pub(super) fn without_operation(stamp: &Stamp) -> Stamp {
    Stamp {
        operation: None,
        token: None,
        ..stamp.clone()
    }
}

/// The address and the text of a save.
fn saved(change: &Change) -> Option<(&Address, ContentHash)> {
    match change {
        // One that expects a revision relies on the texts that are journaled before it.
        Change::Save {
            address,
            content,
            expect: Expect::Any,
            ..
        } => Some((address, content.hash())),
        _ => None,
    }
}

/// True if one of the changes that save this already journals what the other would.
fn saved_by(saved_there: &HashSet<(&Address, ContentHash)>, change: &Change) -> bool {
    !saved_there.is_empty() && saved(change).is_some_and(|saves| saved_there.contains(&saves))
}
