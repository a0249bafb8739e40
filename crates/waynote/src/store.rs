//! The upper interface: the traits that every caller uses.
//!
//! A [`Store`] reads, writes and forgets notes and session events. Nothing in it depends on this machine, so a store
//! can also be a connection over a network. A [`LocalStore`] adds functions that only work on one machine, such as data
//! beside the notes. A store that replaces or wraps another one implements these
//! traits; all other functions are built on them. A reference to a store, or an `Arc` of it, is a store, so that a
//! wrapper can own, share or borrow the one inside.

mod ask;
mod beside;
mod feed;
mod noted;
mod pass_on;
mod team;
mod values;

use std::path::PathBuf;
use std::time::Duration;

use auto_impl::auto_impl;

use crate::address::Address;
use crate::block::{BlockAnswer, BlockAsk};
use crate::change::{Applied, Change};
use crate::cites::Checkouts;
use crate::engine::Writing;
use crate::error::Result;
use crate::event::{EventAddress, RecordedEvent, SessionEvent, SessionsEvent};
use crate::forget::{Forget, Forgotten};
use crate::id::{OperationId, StoreId};
use crate::key::Name;
use crate::model::report::Report;
use crate::note::{EntryType, Note, Position, Revision, Stamp};
use crate::scope::{Scope, ScopeKind};
use crate::search::{Hit, SearchRequest};

pub use crate::model::as_of::AsOf;
pub use ask::{Answers, Ask, Count, Done, EventPage, FeedPage, JournalPage, NotedBefore, Page};
pub(crate) use ask::{answer, answers, limit, none};
pub(crate) use beside::check_own;
pub use beside::{NotesBeside, StoreBeside};
#[cfg(feature = "openapi")]
pub(crate) use feed::FeedForm;
pub use feed::{FeedContent, FeedEntry, ForgottenTexts, Mark};
pub(crate) use noted::noted_before;
pub use team::{TeamNotes, share_to_team};
pub use values::{Damage, Filter, Recent, ScopeSummary, SideValue, Version};

/// Reads notes and session events.
///
/// An implementation has [`Reader::read`], [`Reader::select_at`], [`Reader::search`] and [`Reader::one_state`]. Each of
/// the other methods asks one question through [`Reader::read`] and has the same errors.
#[expect(
    clippy::missing_errors_doc,
    reason = "all but four have the errors of `Reader::read`"
)]
#[auto_impl(&, Arc)]
pub trait Reader {
    /// Answers all questions from one state of the store, in one round trip.
    ///
    /// # Errors
    /// [`Error::DamagedStore`](crate::Error::DamagedStore), [`Error::Engine`](crate::Error::Engine).
    fn read(&self, ask: &Ask) -> Result<Answers>;

    /// The notes of these scopes as they were at that point, in the order of [`Reader::select`].
    ///
    /// # Errors
    /// As [`Reader::read`].
    fn select_at(&self, scopes: &[Scope], moment: AsOf) -> Result<Vec<Note>>;

    /// Searches the notes, best match first. A damaged search index is no error: the notes themselves are searched
    /// instead.
    ///
    /// # Errors
    /// As [`Reader::read`].
    fn search(&self, request: &SearchRequest) -> Result<Vec<Hit>>;

    /// Searches with these notes in place of the stored notes with the same addresses: texts that are not in the store.
    /// None if this store cannot: it is on the other side of a network, and such texts do not leave this machine.
    ///
    /// # Errors
    /// As [`Reader::read`].
    fn search_over(
        &self,
        _request: &SearchRequest,
        _laid_over: &[Note],
    ) -> Result<Option<Vec<Hit>>> {
        Ok(None)
    }

    /// Takes the damage that reads have met since the last call: the answers left it out. Another reader of the same
    /// store at the same time may take it first.
    fn take_damage(&self) -> Damage {
        Damage::default()
    }

    /// The block, or notes of it, if the other side of this store makes them; none if they are made here, with the
    /// reads of this reader. A store over a network implements this, so that a block takes one request.
    ///
    /// A store that wraps another one and changes its answers must keep this default: the inner store does not know
    /// about the change.
    ///
    /// # Errors
    /// As [`Reader::read`].
    fn rendered(&self, _ask: &BlockAsk) -> Result<Option<BlockAnswer>> {
        Ok(None)
    }

    /// Runs `work` on one state of the store, whatever is written meanwhile. `work` must read through the handle that
    /// it gets. It may run more than once: a store that cannot hold a state, such as one behind a network, runs it
    /// again if the store was written meanwhile (see [`unless_written`]). Then only the last run counts.
    ///
    /// # Errors
    /// As [`Reader::read`], and the errors of `work`.
    fn one_state(&self, work: &mut dyn FnMut(&dyn Reader) -> Result<()>) -> Result<()>;

    /// The author that this store records in place of `person`: the holder of the token with which a store on a server is
    /// reached. None: a person is `person`.
    ///
    /// # Errors
    /// As [`Reader::read`].
    fn holder(&self) -> Result<Option<Name>> {
        Ok(None)
    }

    /// True if the store is one of several people: it takes no notes on paths, and each holder has a notebook of his own
    /// (see [`person::notebook`](crate::person::notebook)).
    ///
    /// # Errors
    /// As [`Reader::read`].
    fn is_shared(&self) -> Result<bool> {
        Ok(false)
    }

    /// The repositories in which citations are looked up, if this store does that (see [`crate::cites`]).
    fn checkouts(&self) -> Option<&dyn Checkouts> {
        None
    }

    /// The note that others have by an address, also where an own one stands in its place, and its file, if it is in one
    /// (see [`StoreBeside`]).
    ///
    /// # Errors
    /// [`Error::OthersNote`](crate::Error::OthersNote) if the file cannot be read as a note.
    fn others(&self, _address: &Address) -> Result<Option<(Note, Option<String>)>> {
        Ok(None)
    }

    /// One note as it is now.
    fn get(&self, address: &Address) -> Result<Option<Note>> {
        Ok(answer!(self, notes: address.clone()))
    }

    /// Several notes as they are now, in the order of their addresses.
    fn get_all(&self, addresses: Vec<Address>) -> Result<Vec<Option<Note>>> {
        Ok(answers!(self, notes: addresses))
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

    /// A page of a scope's notes, latest first: skips `skip` notes and returns at most `limit`.
    fn recent(&self, recent: &Recent, skip: usize, limit: usize) -> Result<Vec<Note>> {
        Ok(answer!(self, pages: Page {
            of: recent.clone(),
            skip,
            limit,
        }))
    }

    /// A number of notes.
    fn number_of(&self, count: Count) -> Result<u64> {
        Ok(answer!(self, counts: count))
    }

    /// How many keyed notes or entries a scope has.
    fn count(&self, scope: &Scope) -> Result<u64> {
        self.number_of(Count::Counted(scope.clone()))
    }

    /// How many entries a session's log has: of one type or of all, of iterations before `before` or of all, only
    /// `open` (unresolved) ones or all.
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
        Ok(answer!(self, summaries: kind))
    }

    /// A note's revisions, oldest first; empty if the note never existed.
    fn history(&self, address: &Address) -> Result<Vec<Revision>> {
        Ok(answer!(self, histories: address.clone()))
    }

    /// A note's revisions before a number (none: from the last one on), latest first, at most `limit`. A store that can
    /// read a long history in parts overrides this, so that it reads no more than these.
    fn history_before(
        &self,
        address: &Address,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<Revision>> {
        let history = self.history(address)?.into_iter().rev();
        let earlier = history.filter(|of| before.is_none_or(|before| of.number() < before));
        Ok(earlier.take(limit).collect())
    }

    /// The changes of the whole store before a position (none: up to now), latest first, at most `limit`.
    fn journal(&self, before: Option<Position>, limit: usize) -> Result<Vec<Revision>> {
        Ok(answer!(self, journal: JournalPage { before, limit }))
    }

    /// The types of a session's entries, by word.
    fn kinds(&self, session: &Name) -> Result<Vec<EntryType>> {
        Ok(answer!(self, entry_types: session.clone()))
    }

    /// The last iteration in which an entry of a session's log was noted, repeats included.
    fn last_iteration(&self, session: &Name) -> Result<Option<i64>> {
        Ok(answer!(self, last_iterations: session.clone()))
    }

    /// A session's events before a number (none: up to now), latest first, at most `limit`.
    fn events(
        &self,
        session: &Name,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<RecordedEvent>> {
        Ok(answer!(self, events: EventPage {
            session: session.clone(),
            before,
            limit,
        }))
    }

    /// One event; none when the session has no such event.
    fn event(&self, address: &EventAddress) -> Result<Option<RecordedEvent>> {
        let before = address.number.saturating_add(1);
        let last = self.events(&address.session, Some(before), 1)?.pop();
        Ok(last.filter(|recorded| recorded.number == address.number))
    }

    /// The [`SessionEvent::LoopStarted`] of the loop that holds a session.
    fn lease(&self, session: &Name) -> Result<Option<RecordedEvent>> {
        Ok(answer!(self, leases: session.clone()))
    }

    /// The [`SessionEvent::LoopStarted`] of every loop that holds a session, by session.
    fn leases(&self) -> Result<Vec<SessionsEvent>> {
        Ok(answers!(self, all_leases: true))
    }

    /// Everything that happened after a point, in order, at most `limit` items.
    fn feed(&self, after: Option<Position>, limit: usize) -> Result<Vec<FeedEntry>> {
        Ok(answer!(self, feed: FeedPage { after, limit }))
    }

    /// The store's id, and the mark of the item at a point of the feed; none if nothing is there. A reader that goes on at
    /// the point compares it with the mark that it had.
    fn mark(&self, at: Position) -> Result<(Option<StoreId>, Option<Mark>)> {
        let page = FeedPage {
            after: Some(Position(at.0.saturating_sub(1))),
            limit: usize::from(at.0 > 0),
        };
        let answers = self.read(&Ask {
            feed: vec![page],
            store_id: true,
            ..Ask::default()
        })?;
        let mut found = answers
            .feed
            .into_iter()
            .flatten()
            .filter(|item| item.at == at);
        let mark = match found.next() {
            None if at.0 == 0 => Some(Mark::default()),
            found => found.map(|item| Mark::of(answers.store_id, &item)),
        };
        Ok((answers.store_id, mark))
    }

    /// The changes of the call with that id; none if there was no such call, or it changed nothing.
    fn operation(&self, operation: OperationId) -> Result<Vec<Done>> {
        Ok(answer!(self, operations: operation))
    }

    /// The store's id; none if the store does not exist yet.
    fn store_id(&self) -> Result<Option<StoreId>> {
        Ok(answers!(self, store_id: true))
    }

    /// The version of the store, to find out later whether anything has changed.
    fn version(&self) -> Result<Version> {
        Ok(answers!(self, version: true))
    }
}

/// Functions of every [`Reader`] that return the value of the work.
pub trait ReaderExt: Reader {
    /// Runs `work` on one state of the store and returns its result (see [`Reader::one_state`]).
    ///
    /// # Errors
    /// As [`Reader::one_state`].
    fn on_one_state<T>(&self, mut work: impl FnMut(&dyn Reader) -> Result<T>) -> Result<T> {
        let mut value = None;
        self.one_state(&mut |reader| {
            value = Some(work(reader)?);
            Ok(())
        })?;
        value.ok_or_else(|| nothing_ran("store"))
    }
}

impl<R: Reader + ?Sized> ReaderExt for R {}

/// The most runs of the work in [`unless_written`].
const RUNS: usize = 4;

/// [`Reader::one_state`] for a store that cannot hold a state: runs `work`, and runs it again if the store was written
/// meanwhile. After a few runs the last one counts, although it may have read more than one state: a reader must not
/// wait forever for a store that is written all the time.
///
/// # Errors
/// As [`Reader::read`], and the errors of `work`.
pub fn unless_written(
    reader: &dyn Reader,
    work: &mut dyn FnMut(&dyn Reader) -> Result<()>,
) -> Result<()> {
    let mut before = reader.version()?;
    let mut runs = 1;
    loop {
        // A run that reads two states may fail because they contradict each other. The next run may succeed.
        let worked = work(reader);
        let after = reader.version()?;
        if after == before || runs == RUNS {
            return worked;
        }
        before = after;
        runs += 1;
    }
}

/// A store of notes.
#[auto_impl(&, Arc)]
pub trait Store: Reader {
    /// Applies changes in one transaction, all of them or none. The rules decide each one inside the
    /// transaction.
    ///
    /// # Errors
    /// [`Error::HoldsSecret`](crate::Error::HoldsSecret), [`Error::NameHoldsSecret`](crate::Error::NameHoldsSecret),
    /// [`Error::NoteTooLarge`](crate::Error::NoteTooLarge), [`Error::TooManyNotes`](crate::Error::TooManyNotes),
    /// [`Error::Conflict`](crate::Error::Conflict), [`Error::OthersText`](crate::Error::OthersText),
    /// [`Error::OthersNote`](crate::Error::OthersNote),
    /// [`Error::NotFound`](crate::Error::NotFound),
    /// [`Error::NotResolved`](crate::Error::NotResolved), [`Error::AppendOnly`](crate::Error::AppendOnly),
    /// [`Error::Forgotten`](crate::Error::Forgotten), [`Error::Undo`](crate::Error::Undo), as the change has it;
    /// [`Error::Busy`](crate::Error::Busy),
    /// [`Error::ReadOnly`](crate::Error::ReadOnly), [`Error::DiskFull`](crate::Error::DiskFull),
    /// [`Error::DamagedStore`](crate::Error::DamagedStore), [`Error::Engine`](crate::Error::Engine).
    fn apply(&self, changes: &[Change], stamp: &Stamp) -> Result<Vec<Applied>>;

    /// Records events of a session, all of them or none. The rules check each one. `lease` is the number
    /// of the [`SessionEvent::LoopStarted`] of the loop that records them.
    ///
    /// # Errors
    /// [`Error::Loop`](crate::Error::Loop) for what cannot have happened now, [`Error::Empty`](crate::Error::Empty);
    /// the others as [`Store::apply`].
    fn record(
        &self,
        session: &Name,
        events: &[SessionEvent],
        lease: Option<u64>,
        stamp: &Stamp,
    ) -> Result<()>;

    /// Forgets the text of a note (see [`crate::forget`]): the only call that destroys anything. Repeated for a
    /// forgotten text, it finishes an erasure that a reader had prevented. A repeated call with the same [operation
    /// id](Stamp::of_operation) forgets nothing that was written since the first one. It returns the first answer, but
    /// without [`Forgotten::shared`] and [`Forgotten::spaces`]: the store keeps nothing that tells which other texts
    /// were equal to the forgotten one.
    ///
    /// # Errors
    /// [`Error::NotFound`](crate::Error::NotFound) when the note never existed; the others as [`Store::apply`].
    fn forget(&self, request: &Forget, stamp: &Stamp) -> Result<Forgotten>;

    /// The result that [`Store::forget`] would have; nothing is changed.
    ///
    /// # Errors
    /// [`Error::NotFound`](crate::Error::NotFound) when the note never existed; the others as [`Reader::read`].
    fn would_forget(&self, request: &Forget, stamp: &Stamp) -> Result<Forgotten>;

    /// Checks the whole store for damage.
    ///
    /// # Errors
    /// As [`Reader::read`], when the store cannot be read at all. Damage that was found is in the report.
    fn verify(&self) -> Result<Report>;

    /// Records a heartbeat of the loop with this lease. A store that several machines use keeps its time, so that they
    /// can tell if a loop of another machine is dead (see [`Store::silence`]). A heartbeat is no event, and takes no
    /// position.
    ///
    /// # Errors
    /// As [`Store::apply`].
    fn heartbeat(&self, _session: &Name, _lease: u64) -> Result<()> {
        Ok(())
    }

    /// The time since the last heartbeat of the loop with this lease; none if there was none, or if the store keeps no
    /// record of heartbeats.
    ///
    /// # Errors
    /// As [`Reader::read`].
    fn silence(&self, _session: &Name, _lease: u64) -> Result<Option<Duration>> {
        Ok(None)
    }

    /// As [`Store::silence`], for several loops at once, each named by session and lease. The answers are in the same
    /// order. None if the store answers only one by one.
    ///
    /// # Errors
    /// As [`Reader::read`].
    fn silences(&self, _loops: &[(Name, u64)]) -> Result<Option<Vec<Option<Duration>>>> {
        Ok(None)
    }

    /// A checkpoint: moves the newest notes from the engine's write-ahead log into the database, if nobody else is
    /// using the store. A program that keeps running calls this after some idle seconds. Returns whether the log is
    /// empty. A store without such a log has nothing to do.
    ///
    /// # Errors
    /// As [`Store::apply`].
    fn checkpoint(&self) -> Result<bool> {
        Ok(true)
    }
}

/// Side data: values that programs keep in a store beside its notes, by space and key, for example the last known
/// content of a file. Side data has no history, and a crash may lose the last write that was [`Writing::Relaxed`].
#[auto_impl(&, Arc)]
pub trait SideData {
    /// The values of a space, by key.
    ///
    /// # Errors
    /// As [`Reader::read`].
    fn side_values(&self, space: &str) -> Result<Vec<SideValue>>;

    /// Puts values into a space, and removes others. [`Writing::Durable`] is for values that cannot be computed again:
    /// they are on the disk when this returns.
    ///
    /// # Errors
    /// As [`Store::apply`].
    fn put_side_values(
        &self,
        space: &str,
        values: &[SideValue],
        removed: &[String],
        writing: Writing,
    ) -> Result<()>;

    /// Makes the store one of several people, for good, by a mark in its side data: it takes no notes on paths any more.
    /// A store that does not exist is made.
    ///
    /// # Errors
    /// [`Error::OnePersons`](crate::Error::OnePersons) if it has a note on a path; the others as [`Store::apply`].
    fn make_shared(&self) -> Result<()>;
}

/// A store on this machine.
#[auto_impl(&)]
pub trait LocalStore: Store + SideData {
    /// Throws the search index away and builds it again.
    ///
    /// # Errors
    /// As [`Store::apply`].
    fn rebuild_index(&self) -> Result<()>;

    /// Gives the store a new id. A copy that is used beside the original, for instance a restored backup, gets one
    /// before anything is written to it: positions and operation ids that others remember of the original do not hold
    /// for the copy.
    ///
    /// # Errors
    /// As [`Store::apply`]. A store that does not exist is made.
    fn renew_id(&self) -> Result<StoreId>;
}

/// The error of an engine or a store that did not run the given work.
pub(crate) fn nothing_ran(store: impl Into<PathBuf>) -> crate::Error {
    crate::Error::damaged_store(store, "its engine ran nothing")
}
