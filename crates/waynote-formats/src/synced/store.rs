//! The store and its file: the file's known state, and errors with it.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

use waynote::store::SideValue;
use waynote::{
    Address, Base, Change, ContentHash, Error, Filter, FlaggedNote, Forgotten, LocalStore, Name,
    Note, Place, Result, ScopeKind,
};
use waynote_files::followed;

use crate::incoming::author;
use crate::zrb::exchange::{self, FileContents, READER_RETRIES};
use crate::zrb::{FORMAT, NotesFile};

/// The [side data](waynote::SideData) of a file is in a space of this prefix and its path.
const SPACE: &str = "file:";

/// A store kept in sync with a file.
pub struct SyncedStore<S> {
    pub(super) inner: S,
    pub(super) target: Arc<Target>,
    /// The file's contents, cached while no other writer of the store can run.
    cached: Option<Mutex<Option<Arc<FileView>>>>,
}

/// The file that is kept in sync, and reports of it.
pub(super) struct Target {
    /// The file, links followed, so that a link stays one.
    pub(super) file: PathBuf,
    pub(super) base: Base,
    pub(super) author: Name,
    pub(super) notices: Mutex<Vec<Error>>,
    /// Notes journaled from the file that hold a credential.
    pub(super) flagged: Mutex<Vec<FlaggedNote>>,
}

/// The file and what the store knows of it.
pub(super) struct FileView {
    pub(super) file: FileContents,
    pub(super) marks: HashMap<String, ContentHash>,
}

/// Places and file marks in the store, kept up to date during one write.
pub(super) struct StoredState {
    pub(super) places: BTreeMap<Place, Note>,
    pub(super) marks: HashMap<String, ContentHash>,
}

impl<S: LocalStore> SyncedStore<S> {
    /// The store that is kept in sync.
    pub fn store(&self) -> &S {
        &self.inner
    }

    /// Keeps the places of a store in sync with a file, which need not exist yet.
    ///
    /// # Errors
    /// [`Error::InvalidName`], which the author of imports never is.
    pub fn new(inner: S, file: &Path, base: Base) -> Result<Self> {
        Ok(Self {
            inner,
            target: Arc::new(Target {
                file: followed(file),
                base,
                author: author(FORMAT.name)?,
                notices: Mutex::default(),
                flagged: Mutex::default(),
            }),
            cached: None,
        })
    }

    /// As this, over another store while no other writer of it can run.
    pub(super) fn exclusive_over<T>(&self, inner: T) -> SyncedStore<T> {
        SyncedStore {
            inner,
            target: Arc::clone(&self.target),
            cached: Some(Mutex::default()),
        }
    }

    /// True if this is the file that the store is kept in sync with.
    pub fn is_synced_with(&self, file: &Path) -> bool {
        followed(file) == self.target.file
    }

    /// Errors with the file since the last call, while the store worked on without it.
    pub fn notices(&self) -> Vec<Error> {
        std::mem::take(&mut *self.target.notices.lock())
    }

    /// Notes that were journaled from the file since the last call and hold a credential.
    pub fn flagged(&self) -> Vec<FlaggedNote> {
        std::mem::take(&mut *self.target.flagged.lock())
    }

    pub(super) fn file(&self) -> &Path {
        &self.target.file
    }

    pub(super) fn author(&self) -> &Name {
        &self.target.author
    }

    /// The places that the file has texts for.
    pub(super) fn places_in(&self, view: &FileView) -> Vec<Place> {
        let notes = view.file.notes.notes(&self.target.base);
        notes.map(|(place, _)| place).collect()
    }

    /// The file as a reader sees it. A fault becomes a notice, and then there is nothing to lay over the store.
    pub(super) fn view(&self) -> Result<Option<Arc<FileView>>> {
        let cached = self.cached.as_ref().and_then(|view| view.lock().clone());
        if cached.is_some() {
            return Ok(cached);
        }
        let file = match exchange::read(self.file(), READER_RETRIES) {
            Ok(Some(file)) => file,
            Ok(None) => return Ok(None),
            Err(error) => {
                self.notice(error);
                return Ok(None);
            }
        };
        let marks = self.marks()?;
        let view = Arc::new(FileView { file, marks });
        if let Some(cached) = &self.cached {
            *cached.lock() = Some(Arc::clone(&view));
        }
        Ok(Some(view))
    }

    /// Drops what is cached of the file, so that it is read again.
    pub(super) fn drop_cached(&self) {
        if let Some(cached) = &self.cached {
            *cached.lock() = None;
        }
    }

    /// Keeps a fault as a notice. One command may meet the same fault often; it is reported once.
    pub(super) fn notice(&self, error: Error) {
        let mut notices = self.target.notices.lock();
        if !notices
            .iter()
            .any(|known| known.to_string() == error.to_string())
        {
            notices.push(error);
        }
    }

    /// Reads the places and the file marks.
    pub(super) fn known(&self) -> Result<StoredState> {
        Ok(StoredState {
            places: self.stored()?,
            marks: self.marks()?,
        })
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

    /// Records the file's texts as known.
    pub(super) fn remember(&self, file: &NotesFile, known: &StoredState) -> Result<()> {
        let now: HashMap<String, ContentHash> = file
            .notes(&self.target.base)
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

    /// The last known texts of the file, by place.
    fn marks(&self) -> Result<HashMap<String, ContentHash>> {
        let values = self.inner.side_values(&self.space())?.into_iter();
        Ok(values
            .filter_map(|mark| Some((mark.key, mark.about?)))
            .collect())
    }

    /// The side values of the file.
    pub(super) fn space(&self) -> String {
        format!("{SPACE}{}", self.file().display())
    }
}

/// The place whose own note a change is about.
pub(super) fn place_of(change: &Change) -> Option<&Place> {
    match change.address() {
        Some(Address::Place(place)) => Some(place),
        _ => None,
    }
}

/// The files that were last known to hold a forgotten text: files of earlier syncs, not of the call that forgot it.
pub fn files_that_held(forgotten: &Forgotten) -> Vec<&str> {
    let spaces = forgotten.spaces.iter();
    spaces
        .filter_map(|space| space.strip_prefix(SPACE))
        .collect()
}
