//! A store whose places are kept in step with a `notes.json` that people and other programs write too.
//!
//! Readers lay the file over the store and write nothing. A writer first takes into the journal what the file
//! says that the store does not know, then its own change, commits, and exchanges the file; what the exchange
//! displaced is compared with what was read, so that a text written meanwhile becomes a revision too. The
//! store remembers for each key what the file was last known to hold (its *mark*): a text that differs from
//! its mark was written by somebody else. A key that is missing from the file deletes nothing.
//!
//! When the file is damaged or cannot be written, the store works on without it, and [`InStep::notices`] says so.

pub(crate) mod exchange;
mod forget;
mod overlay;
mod store;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::address::Address;
use crate::change::{Applied, Change, Expect};
use crate::content::ContentHash;
use crate::error::Result;
use crate::forget::Forgotten;
use crate::formats::zrb::{self, NotesFile};
use crate::key::Name;
use crate::model::secret_policy::Flagged;
use crate::note::{Note, Revision, Stamp};
use crate::place::{Base, Place};
use crate::scope::ScopeKind;
use crate::store::{Filter, LocalStore, LocalStoreExt, SideValue};
use crate::system::mutex::locked;

use exchange::{Patience, Put};
use overlay::{FileSide, Overlay};

pub(crate) use overlay::again;

/// A store kept in step with a file.
pub struct InStep<S> {
    inner: S,
    kept: Arc<Kept>,
    /// What was read of the file, kept while no other writer of the store can run.
    seen: Option<Mutex<Option<Arc<Seen>>>>,
}

/// The file that is kept in step, and what there is to say of it.
struct Kept {
    /// The file, links followed, so that a link stays one.
    file: PathBuf,
    base: Base,
    author: Name,
    notices: Mutex<Vec<crate::Error>>,
    /// Notes taken in from the file that hold a credential.
    flagged: Mutex<Vec<Flagged>>,
}

/// The file and what the store knows of it.
struct Seen {
    side: FileSide,
    marks: HashMap<String, ContentHash>,
}

/// How often a writer merges again when others write the file at the same time.
const MAX_ROUNDS: usize = 50;

impl<S: LocalStore> InStep<S> {
    /// Keeps the places of a store in step with a file, which need not exist yet.
    ///
    /// # Errors
    /// [`crate::Error::InvalidName`], which the author of imports never is.
    pub fn new(inner: S, file: &Path, base: Base) -> Result<Self> {
        Ok(Self {
            inner,
            kept: Arc::new(Kept {
                file: crate::system::file::followed(file),
                base,
                author: zrb::AUTHOR.parse()?,
                notices: Mutex::default(),
                flagged: Mutex::default(),
            }),
            seen: None,
        })
    }

    /// The same over the store while no other writer of it can run.
    fn alone_over<T>(&self, inner: T) -> InStep<T> {
        InStep {
            inner,
            kept: Arc::clone(&self.kept),
            seen: Some(Mutex::default()),
        }
    }

    /// Whether this is the file that the store is kept in step with.
    pub fn is_kept(&self, file: &Path) -> bool {
        crate::system::file::followed(file) == self.kept.file
    }

    /// Brings file and store together without a change of its own: what an export to the file comes to.
    ///
    /// # Errors
    /// [`crate::FormatError::DamagedFile`] when the file cannot be read as notes; [`crate::Error::File`] when it cannot
    /// be read or written; [`crate::Error::Busy`], [`crate::Error::ReadOnly`], [`crate::Error::DiskFull`],
    /// [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be written.
    pub fn bring_together(&self, stamp: &Stamp) -> Result<()> {
        let earlier = self.notices();
        let written = self
            .inner
            .alone(|inner| self.alone_over(inner).write(&[], stamp));
        let mut faults = std::mem::replace(&mut *locked(&self.kept.notices), earlier);
        written?;
        faults.pop().map_or(Ok(()), Err)
    }

    /// What went wrong with the file since the last call, while the store worked on without it.
    pub fn notices(&self) -> Vec<crate::Error> {
        std::mem::take(&mut *locked(&self.kept.notices))
    }

    /// Notes that were taken in from the file since the last call and hold a credential.
    pub fn flagged(&self) -> Vec<Flagged> {
        std::mem::take(&mut *locked(&self.kept.flagged))
    }

    fn file(&self) -> &Path {
        &self.kept.file
    }

    fn author(&self) -> &Name {
        &self.kept.author
    }

    fn name(&self) -> String {
        self.kept.file.to_string_lossy().into_owned()
    }

    /// The places that the file has texts for.
    fn places_in(&self, seen: &Seen) -> Vec<Place> {
        let notes = seen.side.notes.notes(&self.kept.base);
        notes.map(|(place, _)| place).collect()
    }

    /// The file as a reader sees it; a fault is noted, and then there is nothing to lay over.
    fn seen(&self) -> Result<Option<Arc<Seen>>> {
        let known = self.seen.as_ref().and_then(|seen| locked(seen).clone());
        if known.is_some() {
            return Ok(known);
        }
        let side = match exchange::read(self.file(), Patience::Reader) {
            Ok(Some(side)) => side,
            Ok(None) => return Ok(None),
            Err(error) => {
                self.notice(error);
                return Ok(None);
            }
        };
        let marks = self.marks()?;
        let seen = Arc::new(Seen { side, marks });
        if let Some(kept) = &self.seen {
            *locked(kept) = Some(Arc::clone(&seen));
        }
        Ok(Some(seen))
    }

    /// What is known of the file is to be read again.
    fn look_again(&self) {
        if let Some(kept) = &self.seen {
            *locked(kept) = None;
        }
    }

    /// Notes a fault; one command may meet it often, and once is enough to say it.
    fn notice(&self, error: crate::Error) {
        let mut notices = locked(&self.kept.notices);
        if !notices
            .iter()
            .any(|known| known.to_string() == error.to_string())
        {
            notices.push(error);
        }
    }

    fn write(&self, changes: &[Change], stamp: &Stamp) -> Result<Vec<Applied>> {
        self.look_again();
        let read = exchange::turn(self.file())
            .and_then(|turn| Ok((turn, exchange::read(self.file(), Patience::Writer)?)));
        let (_turn, read) = match read {
            Ok(read) => read,
            Err(error) => {
                self.notice(error);
                return self.inner.apply(changes, stamp);
            }
        };
        let mut known = self.known()?;
        self.take_in_left_over(&mut known, &of_texts(stamp))?;
        let applied = self.take_in(read.as_ref(), changes, &mut known, stamp)?;
        // Journaled all the same: the next write that reaches the file brings it there.
        if let Err(error) = self.bring_into_file(read, changes, known, stamp) {
            self.notice(error);
        }
        Ok(applied)
    }

    /// What the store says now of the places and of the file.
    fn known(&self) -> Result<Known> {
        Ok(Known {
            places: self.stored()?,
            marks: self.marks()?,
        })
    }

    /// Exchanges the file until it holds what the store does and displaced nothing unknown, and marks it.
    fn bring_into_file(
        &self,
        read: Option<FileSide>,
        changes: &[Change],
        mut known: Known,
        stamp: &Stamp,
    ) -> Result<()> {
        // What the file is expected to hold when it is exchanged, as bytes and as notes.
        let mut expected = read.as_ref().map(|side| side.bytes.clone());
        let mut held = read.map(|side| side.notes).unwrap_or_default();
        // Our own view of it: its values that are no notes, as whoever wrote them last has them.
        let mut ours = held.clone();
        for _ in 0..MAX_ROUNDS {
            let next = self.next_file(&ours, changes, &known);
            let text = next.to_text().into_bytes();
            if expected.as_ref() == Some(&text) {
                return self.remember(&next, &known);
            }
            match exchange::put(self.file(), &text, expected.as_deref())? {
                Put::Clean => return self.remember(&next, &known),
                Put::Displaced(other) => {
                    let written = WrittenMeanwhile {
                        before: &held,
                        side: &other.side,
                    };
                    self.take_in_displaced(&written, changes, &mut known, &of_texts(stamp))?;
                    ours.adopt_others(&held, &other.side.notes, &self.kept.base);
                    other.remove()?;
                    expected = Some(text);
                    held = next;
                }
                Put::Appeared => {
                    let appeared = exchange::read(self.file(), Patience::Writer)?;
                    self.take_in(appeared.as_ref(), &[], &mut known, &of_texts(stamp))?;
                    expected = appeared.as_ref().map(|side| side.bytes.clone());
                    held = appeared.map(|side| side.notes).unwrap_or_default();
                    ours = held.clone();
                }
            }
        }
        let busy = std::io::Error::other("other programs keep writing it");
        Err(crate::Error::file(self.file(), "brought up to date", busy))
    }

    /// Journals what the file says that the store does not know, then the changes, in one transaction. Returns
    /// what came of the changes.
    fn take_in(
        &self,
        side: Option<&FileSide>,
        changes: &[Change],
        known: &mut Known,
        stamp: &Stamp,
    ) -> Result<Vec<Applied>> {
        let mut all = Vec::new();
        if let Some(side) = side {
            let overlay = Overlay::new(side, &known.marks, self.author());
            all = overlay.to_journal(&known.places, &self.kept.base);
            let saved: HashSet<_> = changes.iter().filter_map(saved).collect();
            all.retain(|text| !saved_by(&saved, text));
        }
        if stamp.operation.is_some() {
            return self.take_in_before(&all, changes, known, stamp);
        }
        let taken_in = all.len();
        all.extend_from_slice(changes);
        let mut applied = self.journal_all(&all, known, stamp)?;
        let ours = applied.split_off(taken_in);
        self.flag(&applied);
        Ok(ours)
    }

    /// The same for a call that has an id, in a transaction of its own: when it is made again, the file has other texts,
    /// and the call must be what it was.
    fn take_in_before(
        &self,
        texts: &[Change],
        changes: &[Change],
        known: &mut Known,
        stamp: &Stamp,
    ) -> Result<Vec<Applied>> {
        if !texts.is_empty() {
            self.flag(&self.journal_all(texts, known, &of_texts(stamp))?);
        }
        let applied = self.journal_all(changes, known, stamp)?;
        // The answer of a call that was made before may be older than what is stored.
        *known = self.known()?;
        Ok(applied)
    }

    /// Texts that another program wrote between our reading and our exchange. Where it wrote a key that we
    /// write too, ours is the later one, and theirs a revision before it; elsewhere theirs is.
    fn take_in_displaced(
        &self,
        written: &WrittenMeanwhile<'_>,
        changes: &[Change],
        known: &mut Known,
        stamp: &Stamp,
    ) -> Result<()> {
        let WrittenMeanwhile { before, side } = written;
        let nothing = HashMap::new();
        let overlay = Overlay::new(side, &nothing, self.author());
        let mut journal = Vec::new();
        for (place, text) in side.notes.notes(&self.kept.base) {
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
                journal.extend(current.map(again));
            }
        }
        self.flag(&self.journal_all(&journal, known, stamp)?);
        Ok(())
    }

    /// Notes which of the texts that were taken in hold a credential.
    fn flag(&self, taken_in: &[Applied]) {
        let notes = taken_in.iter().filter_map(|applied| applied.note.as_ref());
        let saved = notes.filter(|note| note.author == *self.author());
        locked(&self.kept.flagged).extend(saved.filter_map(Flagged::of));
    }

    /// Texts in files that earlier exchanges left beside the file. They are old: a text that is new becomes a
    /// revision, and is current only where the place has no note.
    fn take_in_left_over(&self, known: &mut Known, stamp: &Stamp) -> Result<()> {
        for file in exchange::left_over(self.file()) {
            let cleared = match exchange::read(&file, Patience::Reader) {
                Ok(Some(side)) if !side.bytes.is_empty() => {
                    let changes = self.past_texts(&side, known)?;
                    self.flag(&self.journal_all(&changes, known, stamp)?);
                    exchange::remove(&file)
                }
                // Somebody may still be writing there.
                Ok(Some(_)) if exchange::is_settled(&file) => exchange::remove(&file),
                Err(error) if exchange::is_settled(&file) => Err(error),
                _ => Ok(()),
            };
            if let Err(error) = cleared {
                self.notice(error);
            }
        }
        Ok(())
    }

    /// The changes that journal the texts of a left-over file that no revision holds yet.
    fn past_texts(&self, side: &FileSide, known: &Known) -> Result<Vec<Change>> {
        let overlay = Overlay::new(side, &known.marks, self.author());
        let mut changes = Vec::new();
        for (place, text) in side.notes.notes(&self.kept.base) {
            let current = known.places.get(&place);
            if current.is_some_and(|note| note.content == text) {
                continue;
            }
            let history = self.inner.history(&Address::Place(place.clone()))?;
            let is_there =
                |revision: &Revision| revision.note().is_some_and(|note| note.content == text);
            if !history.iter().any(is_there) {
                changes.push(overlay.written(place, text));
                changes.extend(current.map(again));
            }
        }
        Ok(changes)
    }

    /// Applies changes and keeps up what is known of the places.
    fn journal_all(
        &self,
        changes: &[Change],
        known: &mut Known,
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

    /// The places' own notes in the store.
    fn stored(&self) -> Result<BTreeMap<Place, Note>> {
        let notes = self.inner.select(&Filter::Kind(ScopeKind::Place))?;
        let own = notes.into_iter().filter_map(|note| match &note.address {
            Address::Place(place) => Some((place.clone(), note)),
            _ => None,
        });
        Ok(own.collect())
    }

    /// What the file shall hold: all that it holds that is not ours, and every place's own note.
    fn next_file(&self, file: &NotesFile, changes: &[Change], known: &Known) -> NotesFile {
        let mut next = file.clone();
        for (place, _) in file.notes(&self.kept.base) {
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

    /// Marks what the file holds now.
    fn remember(&self, file: &NotesFile, known: &Known) -> Result<()> {
        let now: HashMap<String, ContentHash> = file
            .notes(&self.kept.base)
            .map(|(place, content)| (place.to_string(), content.hash()))
            .collect();
        let new = now
            .iter()
            .filter(|(key, hash)| known.marks.get(*key) != Some(*hash));
        let new: Vec<SideValue> = new
            .map(|(key, hash)| SideValue {
                key: key.clone(),
                value: Vec::new(),
                about: Some(*hash),
            })
            .collect();
        let gone = known.marks.keys().filter(|key| !now.contains_key(*key));
        let gone: Vec<String> = gone.cloned().collect();
        if new.is_empty() && gone.is_empty() {
            return Ok(());
        }
        self.inner.put_side_values(&self.space(), &new, &gone)
    }

    /// What the file was last known to hold, by place.
    fn marks(&self) -> Result<HashMap<String, ContentHash>> {
        let values = self.inner.side_values(&self.space())?.into_iter();
        Ok(values
            .filter_map(|mark| Some((mark.key, mark.about?)))
            .collect())
    }

    /// Where the store keeps what it knows of the file.
    fn space(&self) -> String {
        format!("{SPACE}{}", self.name())
    }
}

/// What the spaces of kept files begin with.
const SPACE: &str = "file:";

/// The files that were last known to hold a text that is forgotten: those that the store was kept in sync with before,
/// and not in the call that forgot it.
pub fn files_with(forgotten: &Forgotten) -> Vec<&str> {
    let spaces = forgotten.spaces.iter();
    spaces
        .filter_map(|space| space.strip_prefix(SPACE))
        .collect()
}

/// The stamp for texts that are taken in: they belong to nobody's call.
fn of_texts(stamp: &Stamp) -> Stamp {
    Stamp {
        operation: None,
        ..stamp.clone()
    }
}

/// What an exchange displaced, beside what the file had held before somebody wrote it.
struct WrittenMeanwhile<'w> {
    before: &'w NotesFile,
    side: &'w FileSide,
}

/// What the store says of the places and of the file, kept up during one write.
struct Known {
    places: BTreeMap<Place, Note>,
    marks: HashMap<String, ContentHash>,
}

/// What a change saves where.
fn saved(change: &Change) -> Option<(&Address, ContentHash)> {
    match change {
        // One that expects a revision counts on what is taken in before it.
        Change::Save {
            address,
            content,
            expect: Expect::Any,
            ..
        } => Some((address, content.hash())),
        _ => None,
    }
}

/// Whether one of the changes that save this already journals what the other would.
fn saved_by(saved_there: &HashSet<(&Address, ContentHash)>, change: &Change) -> bool {
    !saved_there.is_empty() && saved(change).is_some_and(|saves| saved_there.contains(&saves))
}

/// The place whose own note a change is about.
fn place_of(change: &Change) -> Option<&Place> {
    match change.address() {
        Some(Address::Place(place)) => Some(place),
        _ => None,
    }
}
