//! The seam: what a store of notes can do. Everything above it is storage-blind.

use crate::address::Address;
use crate::change::{Applied, Before, Change, decide};
use crate::content::ContentHash;
use crate::error::{Error, Result};
use crate::key::{EntryId, Name};
use crate::note::{Note, Position, Revision, Stamp};
use crate::scope::{Scope, ScopeKind};
use crate::search::{Hit, SearchRequest};
use crate::verify::Report;

/// Which notes to select. Order: as the scopes are listed (or by name), a place's own note first, then by key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filter {
    /// All notes of these scopes.
    Scopes(Vec<Scope>),
    /// All notes of every scope of a kind.
    Kind(ScopeKind),
}

/// A scope and how much is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeSummary {
    /// The scope.
    pub scope: Scope,
    /// Its notes, without a place's own note: what the count cap counts.
    pub notes: u64,
}

/// What a file that is kept in step was last known to hold under a place's key.
pub type FileMark = (String, ContentHash);

/// A store of notes.
///
/// An implementation carries out [`Change`]s as [`crate::change::decide`] says and adds no rule of its own.
pub trait Store {
    /// Applies changes in one transaction: all of them or none, each with its guard checked inside it.
    ///
    /// # Errors
    /// What a guard refuses, or what the engine says.
    fn apply(&self, changes: &[Change], stamp: &Stamp) -> Result<Vec<Applied>>;

    /// One note as it is now.
    ///
    /// # Errors
    /// What the engine says.
    fn get(&self, address: &Address) -> Result<Option<Note>>;

    /// Notes as they are now.
    ///
    /// # Errors
    /// What the engine says.
    fn select(&self, filter: &Filter) -> Result<Vec<Note>>;

    /// The scopes of a kind that have notes, by name.
    ///
    /// # Errors
    /// What the engine says.
    fn scopes(&self, kind: ScopeKind) -> Result<Vec<ScopeSummary>>;

    /// How many keyed notes or entries a scope has.
    ///
    /// # Errors
    /// What the engine says.
    fn count(&self, scope: &Scope) -> Result<u64>;

    /// A note's revisions, oldest first; none when it never was.
    ///
    /// # Errors
    /// What the engine says.
    fn history(&self, address: &Address) -> Result<Vec<Revision>>;

    /// The changes of the whole store before a position (none: from the end), latest first, at most `limit`.
    ///
    /// # Errors
    /// What the engine says.
    fn journal(&self, before: Option<Position>, limit: usize) -> Result<Vec<Revision>>;

    /// Finds notes by what they say, the best first.
    ///
    /// # Errors
    /// What the engine says. A search index that is damaged is no error: the notes are read instead.
    fn search(&self, request: &SearchRequest) -> Result<Vec<Hit>>;

    /// Checks everything there is.
    ///
    /// # Errors
    /// What the engine says when it cannot even look; damage found is in the report.
    fn verify(&self) -> Result<Report>;

    /// Runs `work` while no other writer of this store can run.
    ///
    /// # Errors
    /// [`crate::Error::Busy`] when the wait was too long; what `work` returns.
    fn exclusively(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()>;

    /// What the file was last known to hold (see [`crate::instep`]).
    ///
    /// # Errors
    /// What the engine says.
    fn file_marks(&self, file: &str) -> Result<Vec<FileMark>>;

    /// Records what the file is now known to hold; a key without a hash is known not to be in it.
    ///
    /// # Errors
    /// What the engine says.
    fn mark_file(&self, file: &str, marks: &[(String, Option<ContentHash>)]) -> Result<()>;
}

/// A store that was never written: there is nothing in it, and nothing can be put there.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoStore;

impl Store for NoStore {
    /// Refuses as any store does; what would have to be written is refused too.
    fn apply(&self, changes: &[Change], stamp: &Stamp) -> Result<Vec<Applied>> {
        let mut applied = Vec::new();
        for change in changes {
            if decide(change, self, stamp)?.is_some() {
                let reason = "it was opened for reading and does not exist".into();
                return Err(Error::ReadOnly {
                    path: "store".into(),
                    reason,
                });
            }
            if let Some(address) = change.address() {
                applied.push(Applied {
                    address: address.clone(),
                    note: None,
                    existed: false,
                    changed: false,
                });
            }
        }
        Ok(applied)
    }

    fn get(&self, _: &Address) -> Result<Option<Note>> {
        Ok(None)
    }

    fn select(&self, _: &Filter) -> Result<Vec<Note>> {
        Ok(Vec::new())
    }

    fn scopes(&self, _: ScopeKind) -> Result<Vec<ScopeSummary>> {
        Ok(Vec::new())
    }

    fn count(&self, _: &Scope) -> Result<u64> {
        Ok(0)
    }

    fn history(&self, _: &Address) -> Result<Vec<Revision>> {
        Ok(Vec::new())
    }

    fn journal(&self, _: Option<Position>, _: usize) -> Result<Vec<Revision>> {
        Ok(Vec::new())
    }

    fn search(&self, request: &SearchRequest) -> Result<Vec<Hit>> {
        crate::search::without_index(request)
    }

    fn verify(&self) -> Result<Report> {
        Ok(Report::default())
    }

    fn exclusively(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        work()
    }

    fn file_marks(&self, _: &str) -> Result<Vec<FileMark>> {
        Ok(Vec::new())
    }

    fn mark_file(&self, _: &str, _: &[(String, Option<ContentHash>)]) -> Result<()> {
        Ok(())
    }
}

impl Before for NoStore {
    fn current(&self, _: &Address) -> Result<Option<Note>> {
        Ok(None)
    }

    fn last_revision(&self, _: &Address) -> Result<u64> {
        Ok(0)
    }

    fn revision(&self, _: &Address, _: u64) -> Result<Option<Revision>> {
        Ok(None)
    }

    fn count(&self, _: &Scope) -> Result<u64> {
        Ok(0)
    }

    fn last_entry(&self, _: &Name) -> Result<Option<EntryId>> {
        Ok(None)
    }
}

impl<S: Store + ?Sized> Store for Box<S> {
    fn apply(&self, changes: &[Change], stamp: &Stamp) -> Result<Vec<Applied>> {
        (**self).apply(changes, stamp)
    }

    fn get(&self, address: &Address) -> Result<Option<Note>> {
        (**self).get(address)
    }

    fn select(&self, filter: &Filter) -> Result<Vec<Note>> {
        (**self).select(filter)
    }

    fn scopes(&self, kind: ScopeKind) -> Result<Vec<ScopeSummary>> {
        (**self).scopes(kind)
    }

    fn count(&self, scope: &Scope) -> Result<u64> {
        (**self).count(scope)
    }

    fn history(&self, address: &Address) -> Result<Vec<Revision>> {
        (**self).history(address)
    }

    fn journal(&self, before: Option<Position>, limit: usize) -> Result<Vec<Revision>> {
        (**self).journal(before, limit)
    }

    fn search(&self, request: &SearchRequest) -> Result<Vec<Hit>> {
        (**self).search(request)
    }

    fn verify(&self) -> Result<Report> {
        (**self).verify()
    }

    fn exclusively(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        (**self).exclusively(work)
    }

    fn file_marks(&self, file: &str) -> Result<Vec<FileMark>> {
        (**self).file_marks(file)
    }

    fn mark_file(&self, file: &str, marks: &[(String, Option<ContentHash>)]) -> Result<()> {
        (**self).mark_file(file, marks)
    }
}
