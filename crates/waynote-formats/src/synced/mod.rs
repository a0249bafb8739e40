//! A store whose places are kept in sync with a `notes.json` that people and other programs write too.
//!
//! Before each call, a file that is not the one last read or written is read, and each text that changed there becomes
//! a revision. After a write to a place, the file is written anew. No transaction spans both: each step leaves a state
//! from which the next one goes on.
//!
//! For each key the store remembers the hash of the text that the file last held, its *mark*. A text that differs from
//! its mark was written by another program. A key that is missing from the file deletes nothing.
//!
//! When the file is damaged or cannot be written, the store works without it, and [`SyncedStore::notices`] says so.

mod file;
mod known;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use parking_lot::Mutex;

use waynote::change::Applied;
use waynote::forget::{Forget, Forgotten};
use waynote::{
    Address, AddressAt, Base, Change, ContentHash, Error, FlaggedNote, LocalStore, Name, Reader,
    Result, Revision, SideData, Stamp, Store, StoreId, pass_on,
};
use waynote_files::followed;

#[cfg(doc)]
use crate::error::FormatError;
use crate::incoming::author;
use crate::zrb::FORMAT;
use crate::zrb::exchange::Fingerprint;

pub use known::files_that_held;

/// A store kept in sync with a file.
pub struct SyncedStore<S> {
    inner: S,
    /// The file, links followed, so that a link stays one.
    file: PathBuf,
    base: Base,
    now: fn() -> Timestamp,
    /// The author of texts from the file.
    author: Name,
    /// The file as this process last read or wrote it.
    seen: Mutex<Option<Fingerprint>>,
    /// Texts that this process is forgetting: they leave the file, and are not taken in.
    withheld: Mutex<HashSet<ContentHash>>,
    notices: Mutex<Vec<Error>>,
    flagged: Mutex<Vec<FlaggedNote>>,
}

impl<S: LocalStore> SyncedStore<S> {
    /// Keeps the places of a store in sync with a file, which need not exist yet. `now` is the time at which a text of
    /// the file is taken in.
    ///
    /// # Errors
    /// [`Error::InvalidName`], which the author of imports never is.
    pub fn new(inner: S, file: &Path, base: Base, now: fn() -> Timestamp) -> Result<Self> {
        Ok(Self {
            inner,
            file: followed(file),
            base,
            now,
            author: author(FORMAT.name)?,
            seen: Mutex::default(),
            withheld: Mutex::default(),
            notices: Mutex::default(),
            flagged: Mutex::default(),
        })
    }

    /// The store that is kept in sync.
    pub fn store(&self) -> &S {
        &self.inner
    }

    /// Errors with the file since the last call, while the store worked without it.
    pub fn notices(&self) -> Vec<Error> {
        std::mem::take(&mut *self.notices.lock())
    }

    /// Notes that were taken from the file since the last call and hold a credential.
    pub fn flagged(&self) -> Vec<FlaggedNote> {
        std::mem::take(&mut *self.flagged.lock())
    }

    /// Brings file and store together.
    ///
    /// # Errors
    /// [`FormatError::DamagedFile`] when the file cannot be read as notes; [`Error::File`] when it cannot be read or
    /// written; [`Error::Busy`], [`Error::ReadOnly`], [`Error::DiskFull`], [`Error::DamagedStore`] or
    /// [`Error::Engine`] when the store cannot be written.
    pub fn sync(&self) -> Result<()> {
        self.write_file(&[])
    }

    /// The store with the file's texts in it. A fault of the file becomes a notice.
    fn current(&self) -> &S {
        if let Err(error) = self.take_in() {
            self.notice(error);
        }
        &self.inner
    }

    /// Keeps a fault as a notice. One command may meet the same fault often; it is reported once.
    fn notice(&self, error: Error) {
        let mut notices = self.notices.lock();
        let text = error.to_string();
        if !notices.iter().any(|known| known.to_string() == text) {
            notices.push(error);
        }
    }
}

impl<S: LocalStore> Reader for SyncedStore<S> {
    pass_on! { self => self.current(); read select_at search search_over one_state }
    pass_on! { self => self.inner; take_damage is_shared }
}

impl<S: LocalStore> Store for SyncedStore<S> {
    pass_on! { self => self.inner; record verify heartbeat silence silences checkpoint }

    fn apply(&self, changes: &[Change], stamp: &Stamp) -> Result<Vec<Applied>> {
        let applied = self.current().apply(changes, stamp)?;
        let places = applied.iter().filter_map(|applied| match &applied.address {
            Address::Place(place) => Some(place.clone()),
            _ => None,
        });
        let places: Vec<_> = places.collect();
        // Saved all the same: the next write that reaches the file takes it there.
        if !places.is_empty()
            && let Err(error) = self.write_file(&places)
        {
            self.notice(error);
        }
        Ok(applied)
    }

    fn forget(&self, request: &Forget, stamp: &Stamp) -> Result<Forgotten> {
        // Notes of other kinds are not in the file.
        let is_place = |note: &AddressAt| matches!(note.address, Address::Place(_));
        if !request.everywhere && !request.note().is_some_and(is_place) {
            return self.inner.forget(request, stamp);
        }
        // What lies in the file alone, or beside it, is forgotten too.
        self.sync()?;
        *self.withheld.lock() = self.texts_to_forget(request, stamp)?;
        let forgotten = self.forget_withheld(request, stamp);
        self.withheld.lock().clear();
        Ok(self.without_own(forgotten?))
    }

    fn would_forget(&self, request: &Forget, stamp: &Stamp) -> Result<Forgotten> {
        let forgotten = self.current().would_forget(request, stamp)?;
        Ok(self.without_own(forgotten))
    }
}

impl<S: LocalStore> SyncedStore<S> {
    /// Takes the withheld texts out of the file before the store forgets them: after a crash, nothing brings one back.
    fn forget_withheld(&self, request: &Forget, stamp: &Stamp) -> Result<Forgotten> {
        self.write_file(&[])?;
        self.no_leftovers()?;
        let forgotten = self.inner.forget(request, stamp)?;
        self.write_file(&[])?;
        self.no_leftovers()?;
        Ok(forgotten)
    }

    /// The texts of directories' own notes that a request would forget.
    fn texts_to_forget(&self, request: &Forget, stamp: &Stamp) -> Result<HashSet<ContentHash>> {
        let would = match self.inner.would_forget(request, stamp) {
            Err(Error::NotFound { .. }) => return Ok(HashSet::new()),
            would => would?,
        };
        let mut texts = HashSet::new();
        for AddressAt { address, revision } in would.revisions {
            if matches!(address, Address::Place(_)) {
                let history = self.inner.history(&address)?;
                let is_it = |known: &&Revision| Some(known.number()) == revision;
                let named = history.iter().find(is_it).and_then(Revision::note);
                texts.extend(named.map(|note| note.content.hash()));
            }
        }
        Ok(texts)
    }

    /// Without the file of this store: the call clears it.
    fn without_own(&self, mut forgotten: Forgotten) -> Forgotten {
        let own = self.space();
        forgotten.spaces.retain(|space| *space != own);
        forgotten
    }
}

impl<S: LocalStore> SideData for SyncedStore<S> {
    pass_on! { self => self.inner; side_values put_side_values make_shared }
}

impl<S: LocalStore> LocalStore for SyncedStore<S> {
    fn rebuild_index(&self) -> Result<()> {
        self.inner.rebuild_index()
    }

    fn renew_id(&self) -> Result<StoreId> {
        self.inner.renew_id()
    }
}
