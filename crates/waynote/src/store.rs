//! The seam: what a store of notes can do. Everything above it is storage-blind.

mod boxed;
mod none;

use std::cmp::Reverse;

use jiff::Timestamp;

use crate::address::Address;
use crate::change::{Applied, Change};
use crate::content::ContentHash;
use crate::error::Result;
use crate::event::{Event, EventLog, Recorded};
use crate::forget::{Forget, Forgotten};
use crate::formats::zrb;
use crate::key::Name;
use crate::note::{Kind, Note, Position, Revision, Stamp};
use crate::scope::{Scope, ScopeKind};
use crate::search::{Hit, SearchRequest};
use crate::verify::Report;

pub use none::NoStore;

/// Which notes to select. Order: as the scopes are listed (or by name), a place's own note first, then by key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filter {
    /// All notes of these scopes.
    Scopes(Vec<Scope>),
    /// All notes of every scope of a kind.
    Kind(ScopeKind),
}

/// Which notes of a scope to read latest first, a page at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recent {
    /// Keyed notes, the most recently updated first, ties by key.
    Keyed {
        /// Whose they are.
        scope: Scope,
        /// The pinned ones, or the others.
        pinned: bool,
    },
    /// Entries of one type, those of the latest iteration first, in it the last added first. Those without an iteration
    /// come last.
    Entries {
        /// The session.
        session: Name,
        /// Their type.
        kind: Kind,
        /// Only entries of earlier iterations than this one.
        before: Option<i64>,
        /// Only entries that are not resolved.
        open: bool,
    },
}

impl Recent {
    /// The scope that the notes belong to.
    pub fn scope(&self) -> Scope {
        match self {
            Self::Keyed { scope, .. } => scope.clone(),
            Self::Entries { session, .. } => Scope::Session(session.clone()),
        }
    }

    /// Picks and orders notes of the scope as a store does that has no index for it.
    pub fn pick(&self, mut notes: Vec<Note>) -> Vec<Note> {
        match self {
            Self::Keyed { pinned, .. } => {
                notes.retain(|note| note.pinned == *pinned && note.address.key().is_some());
                crate::notebook::sort(&mut notes);
            }
            Self::Entries {
                kind, before, open, ..
            } => {
                notes.retain(|note| {
                    note.kind.as_ref() == Some(kind)
                        && before.is_none_or(|before| note.iteration.is_some_and(|of| of < before))
                        && !(*open && note.resolved_by.is_some())
                });
                notes.sort_by_cached_key(|note| Reverse((note.iteration, note.address.key())));
            }
        }
        notes
    }
}

/// A point in the history of a whole store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// After the change at that position of the journal.
    Position(Position),
    /// After the last change of each note recorded at or before that time.
    Time(Timestamp),
}

impl Moment {
    /// The note as it was then, from its history, oldest first.
    pub fn pick(self, history: &[Revision]) -> Option<Note> {
        let until = self.until(history);
        until.last()?.noted(until)
    }

    /// The part of a history, oldest first, that there was then.
    ///
    /// Clocks go backwards, so of a time the last revision that qualifies counts, not the one with the latest time. A
    /// text from a kept-in-step file was there since it was written there, unless it was an old one that was only
    /// journaled.
    pub fn until(self, history: &[Revision]) -> &[Revision] {
        let by_then = |index: usize| match self {
            Self::Position(position) => history[index].position.is_some_and(|of| of <= position),
            Self::Time(time) => {
                let revision = &history[index];
                let recorded_before = index
                    .checked_sub(1)
                    .map(|before| history[before].recorded_at);
                let written = revision.note().map(|note| note.updated_at);
                let from_file =
                    revision.author().as_str() == zrb::AUTHOR && written >= recorded_before;
                revision.recorded_at <= time
                    || (from_file && written.is_some_and(|written| written <= time))
            }
        };
        let last = (0..history.len()).rev().find(|index| by_then(*index));
        &history[..last.map_or(0, |last| last + 1)]
    }
}

/// What a store holds now, comparable with what the same open store said before: equal versions hold the same notes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// The last change.
    pub position: Option<Position>,
    /// What the engine says of changes through this connection and through others: positions are given out again when
    /// a transaction is taken back, and forgetting changes what was.
    pub(crate) changes: (i64, i64),
    /// Size in bytes, time of the last write and number of the file that the store is kept in step with.
    pub(crate) file: Option<(u64, Timestamp, u64)>,
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
pub trait Store: EventLog {
    /// Applies changes in one transaction: all of them or none, each with its guard checked inside it.
    ///
    /// # Errors
    /// What a guard refuses, or what the engine says.
    fn apply(&self, changes: &[Change], stamp: &Stamp) -> Result<Vec<Applied>>;

    /// Forgets what a note said (see [`crate::forget`]): the one thing that destroys. Done again on what is forgotten
    /// already, it finishes what a reader had kept from being erased.
    ///
    /// # Errors
    /// [`crate::Error::NotFound`] when it never was; what the engine says.
    fn forget(&self, request: &Forget, stamp: &Stamp) -> Result<Forgotten>;

    /// What forgetting would come to; nothing is changed.
    ///
    /// # Errors
    /// [`crate::Error::NotFound`] when it never was; what the engine says.
    fn would_forget(&self, request: &Forget, stamp: &Stamp) -> Result<Forgotten>;

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

    /// A page of a scope's notes, latest first: `limit` of them after the first `skip`.
    ///
    /// # Errors
    /// What the engine says.
    fn recent(&self, recent: &Recent, skip: usize, limit: usize) -> Result<Vec<Note>>;

    /// How many keyed notes of a scope are pinned, or are not.
    ///
    /// # Errors
    /// What the engine says.
    fn count_keyed(&self, scope: &Scope, pinned: bool) -> Result<u64>;

    /// Records what happened in a session, all of it or nothing, each as [`crate::event::check`] says. `lease` is the
    /// number of the [`Event::LoopStarted`] whose holder speaks.
    ///
    /// # Errors
    /// What the check refuses, or what the engine says.
    fn record(
        &self,
        session: &Name,
        events: &[Event],
        lease: Option<u64>,
        stamp: &Stamp,
    ) -> Result<()>;

    /// The loops that have a session, each with the [`Event::LoopStarted`] that it began with, by session.
    ///
    /// # Errors
    /// What the engine says.
    fn leases(&self) -> Result<Vec<(Name, Recorded)>>;

    /// The sessions in which something happened that [`Store::record`] was told of, by name, whether they have entries or not.
    ///
    /// # Errors
    /// What the engine says.
    fn sessions_with_events(&self) -> Result<Vec<Name>>;

    /// The largest iteration in which an entry of a session's log was noted, repeats counted.
    ///
    /// # Errors
    /// What the engine says.
    fn last_iteration(&self, session: &Name) -> Result<Option<i64>>;

    /// How many entries a session's log has, of one type or of all, of earlier iterations than that one or in all,
    /// resolved ones too or only `open` ones.
    ///
    /// # Errors
    /// What the engine says.
    fn count_entries(
        &self,
        session: &Name,
        kind: Option<&Kind>,
        before: Option<i64>,
        open: bool,
    ) -> Result<u64>;

    /// The types that a session's entries have, by word.
    ///
    /// # Errors
    /// What the engine says.
    fn kinds(&self, session: &Name) -> Result<Vec<Kind>>;

    /// The notes of these scopes as they were at a moment, in the order of [`Store::select`].
    ///
    /// # Errors
    /// What the engine says.
    fn select_at(&self, scopes: &[Scope], moment: Moment) -> Result<Vec<Note>>;

    /// What the store holds now, to tell later whether anything has changed.
    ///
    /// # Errors
    /// What the engine says.
    fn version(&self) -> Result<Version>;

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

    /// Runs `work`, which only reads, on one state of the store, whatever is written meanwhile.
    ///
    /// # Errors
    /// What the engine says; what `work` returns.
    fn on_one_state(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()>;

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
