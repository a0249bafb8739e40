//! The seam above: what every caller uses.
//!
//! A [`Store`] reads, writes and forgets notes and session events, and nothing in it is tied to this machine: a store that
//! is spoken to over a network can be one. What works only on this machine is a [`LocalStore`]: one state for several
//! reads, no other writer meanwhile, and data kept beside the notes. What replaces or decorates a store implements these
//! traits; the rest of the functions are made of them.

mod ask;
mod by_reference;
mod feed;

use std::cmp::Reverse;
use std::path::PathBuf;

use jiff::Timestamp;

use crate::address::Address;
use crate::change::{Applied, Change};
use crate::content::ContentHash;
use crate::error::Result;
use crate::event::{EventAddress, RecordedEvent, SessionEvent};
use crate::forget::{Forget, Forgotten};
use crate::id::{OperationId, StoreId};
use crate::key::Name;
use crate::model::report::Report;
use crate::note::{Action, EntryType, Note, Position, Revision, Stamp};
use crate::scope::{Scope, ScopeKind};
use crate::search::{Hit, SearchRequest};

pub use ask::{Answers, Ask, Count, Done, Page};
pub use feed::{Cursor, FeedEntry, Happened};

/// Which notes to select. Order: as the scopes are listed (or by name), a place's own note first, then by key.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Filter {
    /// All notes of these scopes.
    Scopes(Vec<Scope>),
    /// All notes of every scope of a kind.
    Kind(ScopeKind),
}

/// Which notes of a scope to read latest first, a page at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
        kind: EntryType,
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
#[non_exhaustive]
pub enum AsOf {
    /// After the change at that position of the journal.
    Position(Position),
    /// After the last change of each note recorded at or before that time.
    Time(Timestamp),
}

impl AsOf {
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
                let from_file = revision.action == Action::Sync && written >= recorded_before;
                revision.recorded_at <= time
                    || (from_file && written.is_some_and(|written| written <= time))
            }
        };
        let last = (0..history.len()).rev().find(|index| by_then(*index));
        &history[..last.map_or(0, |last| last + 1)]
    }
}

/// What a store holds now, comparable with what the same open store said before: equal versions hold the same notes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Version {
    /// The last position of the journal.
    pub position: Option<Position>,
    /// A number that differs after every change that the position does not tell: on a connection that an application
    /// lends, positions are given out again when its transaction is taken back.
    pub changes: u64,
    /// When a part of the store was last written of which only a clock tells: it may be written again in the same tick.
    pub written_at: Option<Timestamp>,
}

impl Version {
    /// The number of the last position, 0 where there is none.
    pub(crate) fn head(&self) -> i64 {
        self.position.map_or(0, Position::number)
    }
}

/// A scope and how much is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeSummary {
    /// The scope.
    pub scope: Scope,
    /// Its notes, without a place's own note: what the count cap counts.
    pub notes: u64,
}

/// A value that a program keeps beside the notes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideValue {
    /// Its key within the space.
    pub key: String,
    /// The value.
    pub value: Vec<u8>,
    /// The content that it is about: when that is forgotten, the value goes with it.
    pub about: Option<ContentHash>,
}

/// Reads notes and session events.
///
/// [`Reader::read`], [`Reader::select_at`] and [`Reader::search`] are what an implementation has; the others ask one
/// question each. Their errors are those of [`Reader::read`].
#[expect(
    clippy::missing_errors_doc,
    reason = "all but three have the errors of `Reader::read`"
)]
pub trait Reader {
    /// Answers everything that is asked, from one state of the store and in one round trip.
    ///
    /// # Errors
    /// [`Error::DamagedStore`](crate::Error::DamagedStore), [`Error::Engine`](crate::Error::Engine).
    fn read(&self, ask: &Ask) -> Result<Answers>;

    /// The notes of these scopes as they were at a moment, in the order of [`Reader::select`].
    ///
    /// # Errors
    /// As [`Reader::read`].
    fn select_at(&self, scopes: &[Scope], moment: AsOf) -> Result<Vec<Note>>;

    /// Finds notes by what they say, the best first. A search index that is damaged is no error: the notes are read
    /// instead.
    ///
    /// # Errors
    /// As [`Reader::read`].
    fn search(&self, request: &SearchRequest) -> Result<Vec<Hit>>;

    /// One note as it is now.
    fn get(&self, address: &Address) -> Result<Option<Note>> {
        let ask = Ask {
            notes: vec![address.clone()],
            ..Ask::default()
        };
        Ok(self.read(&ask)?.notes.pop().flatten())
    }

    /// Notes as they are now.
    fn select(&self, filter: &Filter) -> Result<Vec<Note>> {
        let mut ask = Ask::default();
        match filter {
            Filter::Scopes(scopes) => ask.scopes.clone_from(scopes),
            Filter::Kind(kind) => ask.kinds = vec![*kind],
        }
        let answers = self.read(&ask)?;
        Ok(answers
            .scopes
            .into_iter()
            .chain(answers.kinds)
            .flatten()
            .collect())
    }

    /// A page of a scope's notes, latest first: `limit` of them after the first `skip`.
    fn recent(&self, recent: &Recent, skip: usize, limit: usize) -> Result<Vec<Note>> {
        let ask = Ask {
            pages: vec![Page {
                of: recent.clone(),
                skip,
                limit,
            }],
            ..Ask::default()
        };
        Ok(self.read(&ask)?.pages.pop().unwrap_or_default())
    }

    /// A number of notes.
    fn number_of(&self, count: Count) -> Result<u64> {
        let ask = Ask {
            counts: vec![count],
            ..Ask::default()
        };
        Ok(self.read(&ask)?.counts.pop().unwrap_or_default())
    }

    /// How many keyed notes or entries a scope has.
    fn count(&self, scope: &Scope) -> Result<u64> {
        self.number_of(Count::Counted(scope.clone()))
    }

    /// How many keyed notes of a scope are pinned, or are not.
    fn count_keyed(&self, scope: &Scope, pinned: bool) -> Result<u64> {
        let scope = scope.clone();
        self.number_of(Count::Keyed { scope, pinned })
    }

    /// How many entries a session's log has, of one type or of all, of earlier iterations than that one or in all,
    /// resolved ones too or only `open` ones.
    fn count_entries(
        &self,
        session: &Name,
        kind: Option<&EntryType>,
        before: Option<i64>,
        open: bool,
    ) -> Result<u64> {
        self.number_of(Count::Entries {
            session: session.clone(),
            kind: kind.cloned(),
            before,
            open,
        })
    }

    /// The scopes of a kind that have notes, by name.
    fn scopes(&self, kind: ScopeKind) -> Result<Vec<ScopeSummary>> {
        let ask = Ask {
            summaries: vec![kind],
            ..Ask::default()
        };
        Ok(self.read(&ask)?.summaries.pop().unwrap_or_default())
    }

    /// A note's revisions, oldest first; none when it never was.
    fn history(&self, address: &Address) -> Result<Vec<Revision>> {
        let ask = Ask {
            histories: vec![address.clone()],
            ..Ask::default()
        };
        Ok(self.read(&ask)?.histories.pop().unwrap_or_default())
    }

    /// The changes of the whole store before a position (none: from the end), latest first, at most `limit`.
    fn journal(&self, before: Option<Position>, limit: usize) -> Result<Vec<Revision>> {
        let ask = Ask {
            journal: vec![(before, limit)],
            ..Ask::default()
        };
        Ok(self.read(&ask)?.journal.pop().unwrap_or_default())
    }

    /// The types that a session's entries have, by word.
    fn kinds(&self, session: &Name) -> Result<Vec<EntryType>> {
        let ask = Ask {
            entry_types: vec![session.clone()],
            ..Ask::default()
        };
        Ok(self.read(&ask)?.entry_types.pop().unwrap_or_default())
    }

    /// The largest iteration in which an entry of a session's log was noted, repeats counted.
    fn last_iteration(&self, session: &Name) -> Result<Option<i64>> {
        let ask = Ask {
            last_iterations: vec![session.clone()],
            ..Ask::default()
        };
        Ok(self.read(&ask)?.last_iterations.pop().flatten())
    }

    /// A session's events before that number (none: from the end), latest first, at most `limit`.
    fn events(
        &self,
        session: &Name,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<RecordedEvent>> {
        let ask = Ask {
            events: vec![(session.clone(), before, limit)],
            ..Ask::default()
        };
        Ok(self.read(&ask)?.events.pop().unwrap_or_default())
    }

    /// One event; none when the session has no such event.
    fn event(&self, address: &EventAddress) -> Result<Option<RecordedEvent>> {
        let before = address.number.saturating_add(1);
        let last = self.events(&address.session, Some(before), 1)?.pop();
        Ok(last.filter(|recorded| recorded.number == address.number))
    }

    /// The loop that has a session: its [`SessionEvent::LoopStarted`].
    fn lease(&self, session: &Name) -> Result<Option<RecordedEvent>> {
        let ask = Ask {
            leases: vec![session.clone()],
            ..Ask::default()
        };
        Ok(self.read(&ask)?.leases.pop().flatten())
    }

    /// The loops that have a session, each with the [`SessionEvent::LoopStarted`] that it began with, by session.
    fn leases(&self) -> Result<Vec<(Name, RecordedEvent)>> {
        let ask = Ask {
            all_leases: true,
            ..Ask::default()
        };
        Ok(self.read(&ask)?.all_leases)
    }

    /// The sessions in which something happened that [`Store::record`] was told of, by name, whether they have entries
    /// or not.
    fn sessions_with_events(&self) -> Result<Vec<Name>> {
        let ask = Ask {
            event_sessions: true,
            ..Ask::default()
        };
        Ok(self.read(&ask)?.event_sessions)
    }

    /// Everything that happened after a point, in its order, at most `limit` of it.
    fn feed(&self, after: Cursor, limit: usize) -> Result<Vec<FeedEntry>> {
        let ask = Ask {
            feed: vec![(after, limit)],
            ..Ask::default()
        };
        Ok(self.read(&ask)?.feed.pop().unwrap_or_default())
    }

    /// What the call with that id wrote; nothing when there was no such call, or it changed nothing.
    fn operation(&self, operation: OperationId) -> Result<Vec<Done>> {
        let ask = Ask {
            operations: vec![operation],
            ..Ask::default()
        };
        Ok(self.read(&ask)?.operations.pop().unwrap_or_default())
    }

    /// Which store this is; none as long as it does not exist.
    fn store_id(&self) -> Result<Option<StoreId>> {
        let ask = Ask {
            store_id: true,
            ..Ask::default()
        };
        Ok(self.read(&ask)?.store_id)
    }

    /// What the store holds now, to tell later whether anything has changed.
    fn version(&self) -> Result<Version> {
        let ask = Ask {
            version: true,
            ..Ask::default()
        };
        Ok(self.read(&ask)?.version)
    }
}

/// A store of notes.
pub trait Store: Reader {
    /// Applies changes in one transaction: all of them or none, each with its guard checked inside it, as
    /// [`crate::change::decide`] says.
    ///
    /// # Errors
    /// What [`crate::change::decide`] refuses; [`Error::Busy`](crate::Error::Busy),
    /// [`Error::ReadOnly`](crate::Error::ReadOnly), [`Error::DiskFull`](crate::Error::DiskFull),
    /// [`Error::DamagedStore`](crate::Error::DamagedStore), [`Error::Engine`](crate::Error::Engine).
    fn apply(&self, changes: &[Change], stamp: &Stamp) -> Result<Vec<Applied>>;

    /// Records what happened in a session, all of it or nothing, each as [`crate::event::check`] says. `lease` is the
    /// number of the [`SessionEvent::LoopStarted`] whose holder speaks.
    ///
    /// # Errors
    /// What [`crate::event::check`] refuses; the others as [`Store::apply`].
    fn record(
        &self,
        session: &Name,
        events: &[SessionEvent],
        lease: Option<u64>,
        stamp: &Stamp,
    ) -> Result<()>;

    /// Forgets what a note said (see [`crate::forget`]): the one thing that destroys. Done again on what is forgotten
    /// already, it finishes what a reader had kept from being erased. A call with an
    /// [operation id](Stamp::of_operation) that was carried out already forgets nothing that was written since. Its
    /// answer is the first one, but without [`Forgotten::shared`] and [`Forgotten::spaces`]: nothing that is kept
    /// tells which other texts were equal to the one that is gone.
    ///
    /// # Errors
    /// [`Error::NotFound`](crate::Error::NotFound) when it never was; the others as [`Store::apply`].
    fn forget(&self, request: &Forget, stamp: &Stamp) -> Result<Forgotten>;

    /// What forgetting would come to; nothing is changed.
    ///
    /// # Errors
    /// [`Error::NotFound`](crate::Error::NotFound) when it never was; the others as [`Reader::read`].
    fn would_forget(&self, request: &Forget, stamp: &Stamp) -> Result<Forgotten>;

    /// Checks everything there is.
    ///
    /// # Errors
    /// As [`Reader::read`] when it cannot even look; damage that was found is in the report.
    fn verify(&self) -> Result<Report>;
}

/// Reads one state of a store on this machine.
pub trait Snapshot: Reader {
    /// Searches with these notes in the place of those that are stored at their addresses: texts that are not in the
    /// store yet.
    ///
    /// # Errors
    /// As [`Reader::read`].
    fn search_over(&self, request: &SearchRequest, laid_over: &[Note]) -> Result<Vec<Hit>>;
}

/// Data that programs keep in a store beside its notes, by space and key: what a file was last known to hold, for
/// instance. It has no history, and losing the last of it in a crash does no harm.
pub trait SideData {
    /// The values of a space, by key.
    ///
    /// # Errors
    /// As [`Reader::read`].
    fn side_values(&self, space: &str) -> Result<Vec<SideValue>>;

    /// Puts values into a space, and removes others.
    ///
    /// # Errors
    /// As [`Store::apply`].
    fn put_side_values(&self, space: &str, values: &[SideValue], removed: &[String]) -> Result<()>;
}

/// A store on this machine.
pub trait LocalStore: Store + Snapshot + SideData {
    /// Runs `work` while no other writer of this store can run. It writes through the handle that it is given: any other
    /// way of writing waits for it to end.
    ///
    /// # Errors
    /// [`Error::Busy`](crate::Error::Busy) when the wait was too long; what `work` returns.
    fn exclusively(&self, work: &mut dyn FnMut(&dyn LocalStore) -> Result<()>) -> Result<()>;

    /// Runs `work` on one state of the store, whatever is written meanwhile. It reads through the handle that it is
    /// given.
    ///
    /// # Errors
    /// As [`Reader::read`]; what `work` returns.
    fn snapshot(&self, work: &mut dyn FnMut(&dyn Snapshot) -> Result<()>) -> Result<()>;

    /// Gives the store a new id. A copy that goes on beside the original, a restored backup for instance, gets one before
    /// anything is written to it: what others remember of the original (positions, operation ids) does not hold for it.
    ///
    /// # Errors
    /// As [`Store::apply`]. A store that does not exist is made.
    fn renew_id(&self) -> Result<StoreId>;
}

/// What every [`LocalStore`] has: its functions with the value that the work returns.
pub trait LocalStoreExt: LocalStore {
    /// Runs `work` on one state of the store and returns what it returns (see [`LocalStore::snapshot`]).
    ///
    /// # Errors
    /// As [`LocalStore::snapshot`].
    fn on_one_state<T>(&self, work: impl FnOnce(&dyn Snapshot) -> Result<T>) -> Result<T> {
        let (mut work, mut value) = (Some(work), None);
        self.snapshot(&mut |reader| {
            value = work.take().map(|work| work(reader)).transpose()?;
            Ok(())
        })?;
        value.ok_or_else(|| nothing_ran("store"))
    }

    /// Runs `work` while no other writer of this store can run and returns what it returns (see
    /// [`LocalStore::exclusively`]).
    ///
    /// # Errors
    /// As [`LocalStore::exclusively`].
    fn alone<T>(&self, work: impl FnOnce(&dyn LocalStore) -> Result<T>) -> Result<T> {
        let (mut work, mut value) = (Some(work), None);
        self.exclusively(&mut |store| {
            value = work.take().map(|work| work(store)).transpose()?;
            Ok(())
        })?;
        value.ok_or_else(|| nothing_ran("store"))
    }
}

impl<S: LocalStore + ?Sized> LocalStoreExt for S {}

/// The error of an engine or a store that did not run the work that it was given.
pub(crate) fn nothing_ran(store: impl Into<PathBuf>) -> crate::Error {
    crate::Error::DamagedStore {
        path: store.into(),
        reason: "its engine ran nothing".into(),
    }
}
