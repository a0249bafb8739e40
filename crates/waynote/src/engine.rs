//! The seam below the rules: rows, locks and snapshots.
//!
//! An [`Engine`] keeps the rows of one store and decides nothing. What may be written, what a repeat or a cap is, when the
//! search index takes in what was written, how a text is forgotten: all of that is decided once, in
//! [`EngineStore`](crate::EngineStore), which makes a [`Store`](crate::Store) of any engine.
//!
//! An engine gives out three handles:
//!
//! - [`Engine::rows`]: every call is answered from the store as it is then,
//! - [`Engine::snapshot`]: all calls are answered from one state, whatever is written meanwhile,
//! - [`Engine::write`]: a transaction, which reads its own writes and is committed or taken back as a whole.
//!
//! Reading is in batches: [`Ask`] names everything that is wanted, [`Rows`] has it in the same order, and both together are
//! one round trip. The functions of `dyn Read` ask for one thing.
//!
//! # What an engine has to keep
//!
//! | rows | what is in them |
//! |---|---|
//! | scopes | kind, name, how many of its notes count towards the cap, which [`Event::LoopStarted`] holds it |
//! | contents | each text once, with its SHA-256 |
//! | journal | one row for every revision, never changed but by [`Transaction::erase`], by [`Position`] |
//! | notes | each note as it is now, with the position of its last revision |
//! | deleted notes | the position of the last revision of each note that is not there |
//! | events | what happened in sessions, numbered 1, 2, 3 … in each |
//! | marks | what a file is known to hold, by file and key |
//! | search index | segments, their blocks and lists of dead notes, and one row of state |
//!
//! Positions are given inside the transaction and grow with every commit. Addresses and names are compared byte by byte.

mod one;

use jiff::Timestamp;

use crate::address::{Address, AddressAt};
use crate::content::Content;
use crate::error::Result;
use crate::event::{Event, Recorded};
use crate::forget::Residue;
use crate::key::{EntryId, Name};
use crate::note::{Kind, Note, Position, Revision};
use crate::scope::{Scope, ScopeKind};
use crate::store::{FileMark, Recent, ScopeSummary};
use crate::verify::Report;

/// Keeps the rows of one store.
///
/// There is no bound on threads: an engine over a connection that an application lends has none.
pub trait Engine {
    /// A handle whose every call is answered from the store as it is then.
    ///
    /// # Errors
    /// [`Error::DamagedStore`](crate::Error::DamagedStore), or another variant of the engine's own.
    fn rows(&self) -> Result<Box<dyn Read + '_>>;

    /// Runs `work` on one state of the store, whatever is written meanwhile.
    ///
    /// # Errors
    /// As [`Engine::rows`]; what `work` returns.
    fn snapshot(&self, work: &mut dyn FnMut(&dyn Read) -> Result<()>) -> Result<()>;

    /// Runs `work` in a transaction that no other writer of the store can come between, and commits it; takes all of it back
    /// when `work` returns an error. An engine may run `work` again when the transaction could not be carried out.
    ///
    /// # Errors
    /// [`Error::Busy`](crate::Error::Busy), [`Error::ReadOnly`](crate::Error::ReadOnly),
    /// [`Error::DiskFull`](crate::Error::DiskFull), or another variant of the engine's own; what `work` returns.
    fn write(
        &self,
        writing: Writing,
        work: &mut dyn FnMut(&dyn Transaction) -> Result<()>,
    ) -> Result<()>;

    /// Runs `work` while no other writer of the store can run. Writing inside it needs no further waiting.
    ///
    /// # Errors
    /// [`Error::Busy`](crate::Error::Busy) when the wait was too long; what `work` returns.
    fn exclusively(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()>;

    /// Clears old bytes of erased texts out of the engine's files, after the transaction that erased them. What keeps it
    /// from that is returned, not an error: the texts are out of the notes.
    fn scrub(&self) -> Option<Residue>;

    /// The store's name in errors: its file, as a rule.
    fn name(&self) -> String;
}

/// What a transaction is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writing {
    /// Its writes are on disk when it is committed.
    Durable,
    /// Losing it in a crash does no harm, so that nobody need wait for the disk.
    Relaxed,
    /// It erases texts: whatever bytes it frees are overwritten.
    Erasing,
}

/// Everything that is wanted in one round trip. An answer stands at the same place in [`Rows`] as its question here.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ask {
    /// Notes as they are now.
    pub notes: Vec<Address>,
    /// The last revision of a note, whether it is there or was deleted.
    pub ends: Vec<Address>,
    /// All notes of a scope, by key.
    pub scopes: Vec<Scope>,
    /// All notes of every scope of a kind, by scope's name and key.
    pub kinds: Vec<ScopeKind>,
    /// Notes of a scope, latest first, a page at a time.
    pub pages: Vec<Page>,
    /// Numbers of notes.
    pub counts: Vec<Count>,
    /// The scopes of a kind that have notes, by name.
    pub summaries: Vec<ScopeKind>,
    /// A note's revisions, oldest first.
    pub histories: Vec<Address>,
    /// One revision of a note.
    pub revisions: Vec<AddressAt>,
    /// The revisions of every note that a scope ever had, by key.
    pub scope_histories: Vec<Scope>,
    /// The revision at a position of the journal.
    pub positions: Vec<Position>,
    /// The journal before a position (none: from its end), latest first, so many rows at most.
    pub journal: Vec<(Option<Position>, usize)>,
    /// Every revision that has one of these contents.
    pub holders: Vec<Content>,
    /// The types of a session's entries, by word.
    pub entry_types: Vec<Name>,
    /// The entries of a session that are resolved, by key.
    pub resolved: Vec<Name>,
    /// The largest id that an entry of a session ever had, of a forgotten one too.
    pub last_entries: Vec<Name>,
    /// The first entry of a session, by id, that is of a type and has a content.
    pub entries_saying: Vec<(Name, Kind, Content)>,
    /// The largest iteration in any revision of a session's current entries.
    pub last_iterations: Vec<Name>,
    /// A session's events before a number (none: from the end), latest first, so many at most.
    pub events: Vec<(Name, Option<u64>, usize)>,
    /// The event with which the loop began that holds a session.
    pub leases: Vec<Name>,
    /// Whether the leases of all sessions are wanted, by session.
    pub all_leases: bool,
    /// Whether the names of all sessions that have events are wanted, by name.
    pub event_sessions: bool,
    /// What a file is known to hold.
    pub marks: Vec<String>,
    /// The files that are known to hold a content.
    pub marked: Vec<Content>,
    /// Whether the head is wanted.
    pub head: bool,
    /// The engine's numbers of scopes.
    pub scope_numbers: Vec<Scope>,
    /// Whether the search index's state is wanted.
    pub index: bool,
    /// Whether the heads of all segments are wanted, by first position.
    pub segments: bool,
    /// The list of notes of a segment.
    pub segment_notes: Vec<i64>,
    /// Blocks of a segment.
    pub blocks: Vec<Blocks>,
}

/// What an [`Ask`] found.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(missing_docs, reason = "each field answers the one of the same name")]
pub struct Rows {
    pub notes: Vec<Option<Note>>,
    pub ends: Vec<Option<End>>,
    pub scopes: Vec<Vec<Note>>,
    pub kinds: Vec<Vec<Note>>,
    pub pages: Vec<Vec<Note>>,
    pub counts: Vec<u64>,
    pub summaries: Vec<Vec<ScopeSummary>>,
    pub histories: Vec<Vec<Revision>>,
    pub revisions: Vec<Option<Revision>>,
    pub scope_histories: Vec<Vec<Vec<Revision>>>,
    pub positions: Vec<Option<Revision>>,
    pub journal: Vec<Vec<Revision>>,
    pub holders: Vec<Vec<AddressAt>>,
    pub entry_types: Vec<Vec<Kind>>,
    pub resolved: Vec<Vec<Note>>,
    pub last_entries: Vec<Option<EntryId>>,
    pub entries_saying: Vec<Option<Note>>,
    pub last_iterations: Vec<Option<i64>>,
    pub events: Vec<Vec<Recorded>>,
    pub leases: Vec<Option<Recorded>>,
    pub all_leases: Vec<(Name, Recorded)>,
    pub event_sessions: Vec<Name>,
    pub marks: Vec<Vec<FileMark>>,
    pub marked: Vec<Vec<String>>,
    pub head: Head,
    pub scope_numbers: Vec<Option<u32>>,
    pub index: IndexState,
    pub segments: Vec<SegmentHead>,
    pub segment_notes: Vec<Vec<u8>>,
    pub blocks: Vec<Vec<(Vec<u8>, Vec<u8>)>>,
}

/// The last revision of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Where it stands in the journal.
    pub position: Position,
    /// Its number.
    pub revision: u64,
}

/// A page of a scope's notes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Which notes, in which order.
    pub of: Recent,
    /// How many stand before the page.
    pub skip: usize,
    /// The most notes of the page.
    pub limit: usize,
}

/// A number of notes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Count {
    /// The notes of a scope that were put with [`Put::is_counted`].
    Counted(Scope),
    /// Keyed notes of a scope that are pinned, or that are not.
    Keyed {
        /// The scope.
        scope: Scope,
        /// Which.
        pinned: bool,
    },
    /// Entries of a session.
    Entries {
        /// The session.
        session: Name,
        /// Of one type; none: of all.
        kind: Option<Kind>,
        /// Of earlier iterations than this one, those without an iteration left out; none: of all.
        before: Option<i64>,
        /// Only those that are not resolved.
        open: bool,
    },
}

/// The state of a store, to tell whether anything has changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// The last position of the journal.
    pub position: Option<Position>,
    /// Numbers that differ after any write, the engine's own: through this handle, and through others.
    pub changes: (i64, i64),
}

/// What the search index says of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexState {
    /// The format of its segments; 0: there is none.
    pub format: i64,
    /// The position up to which it reaches.
    pub indexed: i64,
    /// How many segments it should have.
    pub segments: u32,
}

impl IndexState {
    /// Whether nothing was indexed yet.
    pub(crate) fn is_new(&self, segments: &[SegmentHead]) -> bool {
        *self == Self::default() && segments.is_empty()
    }
}

/// A segment of the search index, without its contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentHead {
    /// The engine's number of it.
    pub id: i64,
    /// The position of its first note.
    pub first: i64,
    /// That of its last note.
    pub last: i64,
    /// How many notes it has.
    pub notes: u32,
    /// The checksum of its list of notes.
    pub checksum: u32,
    /// How many of its notes are counted as dead.
    pub dead: u32,
    /// A bit for each note that is dead; empty when none is.
    pub dead_bits: Vec<u8>,
}

/// Which blocks of a segment: each has terms in their order, and is kept under its first one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// All of them, by first term.
    All {
        /// The segment.
        segment: i64,
    },
    /// The last whose first term is not after a term.
    Holding {
        /// The segment.
        segment: i64,
        /// The term.
        term: Vec<u8>,
    },
    /// Those that can hold terms with a prefix.
    WithPrefix {
        /// The segment.
        segment: i64,
        /// The prefix.
        prefix: Vec<u8>,
    },
}

/// A row of the journal as the search index takes it.
#[derive(Clone, Debug)]
pub struct JournalRow<'r> {
    /// Where it stands.
    pub position: i64,
    /// The row before it of the same note.
    pub previous: Option<i64>,
    /// Its scope's kind.
    pub kind: ScopeKind,
    /// Its scope's name.
    pub name: &'r str,
    /// The engine's number of its scope.
    pub scope: i64,
    /// Its key; empty for a place's own note.
    pub key: &'r str,
    /// Its number among the revisions of its note.
    pub revision: u64,
    /// Whether it is a repeat of an entry.
    pub is_repeat: bool,
    /// Whether the note is there now, and whether this is then its last revision.
    pub now: Option<bool>,
    /// Whether its content is another one than that of the row before it.
    pub has_new_content: bool,
    /// Its content; none: it deleted the note, or was forgotten.
    pub content: Option<&'r [u8]>,
    /// When the note was first written and last changed, in microseconds since 1970.
    pub created_at: i64,
    /// The same of the last change.
    pub updated_at: i64,
    /// Of an entry, the entry before it by id in its log: the position of its first revision, and when it was made.
    pub entry_before: Option<(i64, i64)>,
}

/// Reads rows.
pub trait Read {
    /// Reads everything that is asked for, from one state and in one round trip.
    ///
    /// # Errors
    /// [`Error::DamagedStore`](crate::Error::DamagedStore), or another variant of the engine's own.
    fn read(&self, ask: &Ask) -> Result<Rows>;

    /// Gives the journal's rows after a position in their order, so many at most, until `each` returns false. A row whose
    /// scope cannot be read is passed over.
    ///
    /// # Errors
    /// As [`Read::read`].
    fn each_row(
        &self,
        after: i64,
        limit: usize,
        each: &mut dyn FnMut(&JournalRow<'_>) -> bool,
    ) -> Result<()>;

    /// Checks the engine's own structures and whether its rows agree. Returns whether the rows can be read any further.
    ///
    /// # Errors
    /// As [`Read::read`]; damage that was found is in the report.
    fn verify(&self, report: &mut Report) -> Result<bool>;
}

/// A revision to put.
#[derive(Clone, Debug)]
pub struct Put<'p> {
    /// The journal row; its position is the engine's to give.
    pub revision: &'p Revision,
    /// The last revision of the note before it, unless this is its first.
    pub previous: Option<Position>,
    /// The note as it is from now on; none when it is not there.
    pub note: Option<&'p Note>,
    /// Whether it was there before.
    pub existed: bool,
    /// Whether the note counts in [`Count::Counted`].
    pub is_counted: bool,
}

/// Writes rows. What is written is read by the same handle.
pub trait Transaction: Read {
    /// Puts a revision into the journal, and the note as it then is.
    ///
    /// # Errors
    /// As [`Engine::write`].
    fn put(&self, put: &Put<'_>) -> Result<Position>;

    /// Puts an event behind those of the session. One that begins or ends a loop gives or takes the lease.
    ///
    /// # Errors
    /// As [`Engine::write`].
    fn put_event(
        &self,
        session: &Name,
        event: &Event,
        author: &Name,
        recorded_at: Timestamp,
    ) -> Result<()>;

    /// Marks a current entry as resolved by another one of its log.
    ///
    /// # Errors
    /// As [`Engine::write`].
    fn resolve(&self, session: &Name, entry: EntryId, by: EntryId) -> Result<()>;

    /// Takes the contents out of revisions, which say from now on when and by whom they were forgotten.
    ///
    /// # Errors
    /// As [`Engine::write`].
    fn erase(&self, positions: &[Position], at: Timestamp, by: &Name) -> Result<()>;

    /// Removes contents that no revision has any more, and the marks that know them.
    ///
    /// # Errors
    /// As [`Engine::write`].
    fn remove_contents(&self, contents: &[Content]) -> Result<()>;

    /// Records what a file is known to hold; a key without a content is known not to be in it.
    ///
    /// # Errors
    /// As [`Engine::write`].
    fn mark(
        &self,
        file: &str,
        marks: &[(String, Option<crate::content::ContentHash>)],
    ) -> Result<()>;

    /// Puts a segment of the search index, with its list of notes and its blocks by first term.
    ///
    /// # Errors
    /// As [`Engine::write`].
    fn put_segment(
        &self,
        head: &SegmentHead,
        notes: &[u8],
        blocks: &[(Vec<u8>, Vec<u8>)],
    ) -> Result<()>;

    /// Replaces which notes of a segment are dead.
    ///
    /// # Errors
    /// As [`Engine::write`].
    fn put_dead(&self, segment: i64, dead: u32, bits: &[u8]) -> Result<()>;

    /// Removes segments with all that belongs to them.
    ///
    /// # Errors
    /// As [`Engine::write`].
    fn remove_segments(&self, ids: &[i64]) -> Result<()>;

    /// Replaces the state of the search index.
    ///
    /// # Errors
    /// As [`Engine::write`].
    fn put_index(&self, state: IndexState) -> Result<()>;
}
