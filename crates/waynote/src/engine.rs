//! The lower interface: the rows, locks and snapshots that the rules need from a storage engine.
//!
//! An [`Engine`] stores the rows of one store and makes no decisions. [`EngineStore`](crate::EngineStore) makes them
//! all: what may be written, what counts as a repeat, which limits apply, when the search index takes in new notes, how
//! a text is forgotten. It turns any engine into a [`Store`](crate::Store).
//!
//! An engine provides three handles:
//!
//! - [`Engine::rows`]: every call sees the current state of the store,
//! - [`Engine::snapshot`]: all calls see one state, whatever is written meanwhile,
//! - [`Engine::write`]: a transaction that sees its own writes and is committed or rolled back as a whole.
//!
//! Reading is batched: an [`Ask`] lists all questions, [`Rows`] has the answers in the same order, and both take one
//! round trip. The methods of `dyn Read` ask one question each.
//!
//! # What an engine has to keep
//!
//! | rows | what is in them |
//! |---|---|
//! | scopes | kind, name, how many of its notes count towards its limit, which [`LoopStarted`](crate::event::SessionEvent::LoopStarted) holds it |
//! | contents | each text once, with its SHA-256 |
//! | journal | one row for every revision, never changed but by [`Row::Forgotten`], by [`Position`] |
//! | notes | each note as it is now, with the position of its last revision |
//! | deleted notes | the position of the last revision of each note that is not there |
//! | events | what happened in sessions, numbered 1, 2, 3 … in each, and forgettings, by [`Position`]; an event changes only by [`Row::Forgotten`] |
//! | side data | values by space and key, some of them about a content |
//! | search index | segments, their blocks and lists of dead notes, and one row of state |
//!
//! The rules assign positions inside the transaction, counting on from the last one, so the order of positions is the
//! order of commits. Addresses and names are compared byte by byte.

mod one;

use auto_impl::auto_impl;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::address::{Address, AddressAt};
use crate::content::Content;
use crate::error::Result;
use crate::event::RecordedEvent;
use crate::forget::Residue;
use crate::id::{OperationId, StoreId};
use crate::key::{EntryId, Name};
use crate::model::report::Report;
use crate::note::{EntryType, Note, Position, Revision};
use crate::scope::{Scope, ScopeKind};
use crate::store::{self, SideValue, none};

/// Stores the rows of one store.
///
/// The trait requires neither `Send` nor `Sync`: an engine over the connection of an application has neither. A reference
/// to an engine is an engine.
#[auto_impl(&)]
pub trait Engine {
    /// A handle of which every call sees the current state of the store.
    ///
    /// # Errors
    /// [`Error::DamagedStore`](crate::Error::DamagedStore), or another variant that the engine uses.
    fn rows(&self) -> Result<Box<dyn Read + '_>>;

    /// Runs `work` on one state of the store, even while others write.
    ///
    /// # Errors
    /// As [`Engine::rows`], and the errors of `work`.
    fn snapshot(&self, work: &mut dyn FnMut(&dyn Read) -> Result<()>) -> Result<()>;

    /// Runs `work` in a transaction that excludes all other writers of the store, and commits it. If `work` returns an
    /// error, the transaction is rolled back. An engine may run `work` again if the transaction could not be carried
    /// out.
    ///
    /// # Errors
    /// [`Error::Busy`](crate::Error::Busy), [`Error::ReadOnly`](crate::Error::ReadOnly),
    /// [`Error::DiskFull`](crate::Error::DiskFull), or another variant that the engine uses; and the errors of `work`.
    fn write(
        &self,
        writing: Writing,
        work: &mut dyn FnMut(&dyn Transaction) -> Result<()>,
    ) -> Result<()>;

    /// Runs `work` while no other writer of the store can run. `work` writes through the engine that it gets, which
    /// need not wait for the lock; any other write waits until `work` ends.
    ///
    /// # Errors
    /// [`Error::Busy`](crate::Error::Busy) when the wait was too long, and the errors of `work`.
    fn exclusively(&self, work: &mut dyn FnMut(&dyn Engine) -> Result<()>) -> Result<()>;

    /// Removes old bytes of erased texts from the engine's files, after the transaction that erased them. If it cannot,
    /// it returns the reason, not an error: the notes no longer have the texts.
    fn scrub(&self) -> Option<Residue>;

    /// True if other machines use the store too. No machine knows which processes of another one live, so loops send
    /// heartbeats, with the time of the database ([`Ask::clock`]).
    fn is_shared(&self) -> bool {
        false
    }

    /// Runs a checkpoint: moves the engine's log to its final place, if nobody else is using the store now. Called when
    /// a program has been idle for a while. Returns true if the log is empty. An engine without such a log does
    /// nothing.
    ///
    /// # Errors
    /// As [`Engine::write`].
    fn checkpoint(&self) -> Result<bool> {
        Ok(true)
    }

    /// The store's name in errors, usually the path of its file.
    fn name(&self) -> String;
}

/// The purpose of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// Not `non_exhaustive`: an engine that does not know a variant must not compile.
pub enum Writing {
    /// Its writes must be on disk when it is committed.
    Durable,
    /// A crash may lose it without harm, so it need not wait for the disk.
    Relaxed,
    /// It erases texts: the bytes that it frees must be overwritten.
    Erasing,
}

/// The questions with their answers. Those of `each` are lists, with an answer for each question.
macro_rules! questions {
    (
        each { $($(#[doc = $about:literal])+ $each:ident: $ask:ty => $answer:ty;)* }
        once { $($(#[doc = $of:literal])+ $once:ident: $asked:ty => $single:ty;)* }
    ) => {
        /// All questions of one round trip. The answer to a question is at the same place in [`Rows`].
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct Ask {
            /// Questions of callers of the store.
            pub store: store::Ask,
            $($(#[doc = $about])+ pub $each: Vec<$ask>,)*
            $($(#[doc = $of])+ pub $once: $asked,)*
        }

        impl Ask {
            /// The number of questions.
            pub fn questions(&self) -> usize {
                self.store.questions()
                    $(+ self.$each.len())*
                    $(+ usize::from(self.$once != <$asked>::default()))*
            }
        }

        /// The answers to an [`Ask`].
        #[derive(Clone, Debug, Default, PartialEq)]
        #[expect(missing_docs, reason = "each field answers the one of the same name")]
        pub struct Rows {
            pub store: store::Answers,
            $(pub $each: Vec<$answer>,)*
            $(pub $once: $single,)*
        }

        impl Rows {
            /// As many answers as there are questions, all of them empty.
            pub fn none(ask: &Ask) -> Self {
                Self {
                    store: store::Answers::none(&ask.store),
                    $($each: none(&ask.$each),)*
                    ..Self::default()
                }
            }
        }
    };
}

questions! {
    each {
        /// A note's last revision, and the note as it is now.
        states: Address => Option<NoteState>;
        /// One revision of a note.
        revisions: AddressAt => Option<Revision>;
        /// The revisions of every note that a scope ever had, by key.
        scope_histories: Scope => Vec<Vec<Revision>>;
        /// The revision at a position of the journal.
        positions: Position => Option<Revision>;
        /// The current state of the note to which the revision at a position belongs.
        notes_at: Position => Option<NoteAt>;
        /// Every revision with one of these contents.
        holders: Content => Vec<AddressAt>;
        /// The entries of a session that are resolved, by key.
        resolved: Name => Vec<Note>;
        /// The largest id that any entry of a session ever had, including forgotten entries.
        last_entries: Name => Option<EntryId>;
        /// The first entry of a session, by id, with a certain type and content.
        entries_saying: (Name, EntryType, Content) => Option<NoteState>;
        /// The values of a space of side data, by key.
        side: String => Vec<SideValue>;
        /// The names of the spaces of side data that have a value about a content.
        about: Content => Vec<String>;
        /// The engine's ids of scopes.
        scope_numbers: Scope => Option<u32>;
        /// The list of notes of a segment.
        segment_notes: i64 => Vec<u8>;
        /// Blocks of a segment.
        blocks: Blocks => Vec<(Vec<u8>, Vec<u8>)>;
    }
    once {
        /// True to read the names of all spaces of side data that have a value, by name. Copying asks.
        spaces: bool => Vec<String>;
        /// True to read the state of the search index.
        index: bool => IndexState;
        /// True to read the heads of all segments, by first position.
        segments: bool => Vec<SegmentHead>;
        /// The position after which to look for anything that was forgotten.
        forgotten_after: Option<i64> => bool;
        /// The journal's rows after a position, in order, with their maximum number: fewer only if there are no more. Rows
        /// whose scope cannot be read are skipped.
        journal_rows: Option<(i64, usize)> => Vec<JournalRow>;
        /// True to read the time of the database. Asked of an engine that [is shared](Engine::is_shared).
        clock: bool => Option<Timestamp>;
    }
}

/// The note to which a revision belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteAt {
    /// The note as it is now.
    pub note: Note,
    /// The position of its last revision.
    pub last: Position,
    /// The number of the requested revision.
    pub revision: u64,
}

/// A note's last revision, and the note as it is now.
#[derive(Clone, Debug, PartialEq)]
pub struct NoteState {
    /// The position of its last revision.
    pub position: Position,
    /// The number of its last revision.
    pub revision: u64,
    /// The note; none if it was deleted.
    pub note: Option<Note>,
}

/// The state of the search index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexState {
    /// The format of its segments; 0 if there is no index.
    pub format: i64,
    /// The last position that is indexed.
    pub indexed: i64,
    /// How many segments it should have.
    pub segments: u32,
}

impl IndexState {
    /// True if nothing is indexed yet.
    pub(crate) fn is_new(&self, segments: &[SegmentHead]) -> bool {
        *self == Self::default() && segments.is_empty()
    }
}

/// A segment of the search index, without its contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentHead {
    /// The engine's id of it, greater than 0.
    pub id: i64,
    /// The position of its first note.
    pub first: i64,
    /// The position of its last note.
    pub last: i64,
    /// How many notes it has.
    pub notes: u32,
    /// The checksum of its list of notes.
    pub checksum: u32,
    /// How many of its notes are marked as dead (no longer current).
    pub dead: u32,
    /// One bit for each note, set if the note is dead; empty when none is.
    pub dead_bits: Vec<u8>,
}

/// The blocks of a segment to read. A block holds sorted terms and is stored under its first one.
#[derive(Clone, Debug, PartialEq, Eq)]
// Not `non_exhaustive`: an engine that does not know a variant must not compile.
pub enum Blocks {
    /// All blocks, by first term.
    All {
        /// The segment.
        segment: i64,
    },
    /// For each of these terms, the last block whose first term is not after it; each block once, by first term.
    Holding {
        /// The segment.
        segment: i64,
        /// The terms, in any order.
        terms: Vec<Vec<u8>>,
    },
    /// The blocks that can hold terms with this prefix.
    WithPrefix {
        /// The segment.
        segment: i64,
        /// The prefix.
        prefix: Vec<u8>,
    },
}

/// A row of the journal, as the search index reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalRow {
    /// Its position.
    pub position: i64,
    /// The position of the previous row of the same note.
    pub previous: Option<i64>,
    /// The kind of its scope.
    pub kind: ScopeKind,
    /// The name of its scope.
    pub name: String,
    /// The engine's id of its scope.
    pub scope: i64,
    /// Its key; empty for a place's own note.
    pub key: String,
    /// The number of the revision.
    pub revision: u64,
    /// True if it repeats a log entry.
    pub is_repeat: bool,
    /// True if this is the last revision of the note; none if the note does not exist now.
    pub now: Option<bool>,
    /// True if its content differs from that of the previous row.
    pub has_new_content: bool,
    /// Its content; none if it deleted the note or was forgotten.
    pub content: Option<Vec<u8>>,
    /// When the note was first written, in microseconds since 1970.
    pub created_at: i64,
    /// When the note was last changed, in microseconds since 1970.
    pub updated_at: i64,
    /// For a log entry, the previous entry of the log by id: the position of its first revision, and when it was made.
    pub entry_before: Option<(i64, i64)>,
}

/// Reads rows.
#[auto_impl(&, Box)]
pub trait Read {
    /// Answers all questions from one state, in one round trip.
    ///
    /// Damaged rows are never an answer: they are left out of lists, and named in
    /// [`Answers::damaged`](store::Answers::damaged).
    ///
    /// # Errors
    /// [`Error::DamagedNote`](crate::Error::DamagedNote) when a single thing was asked for that is damaged;
    /// [`Error::DamagedIndex`](crate::Error::DamagedIndex) when rows of the search index are;
    /// [`Error::DamagedStore`](crate::Error::DamagedStore), or another variant that the engine uses.
    fn read(&self, ask: &Ask) -> Result<Rows>;

    /// Checks the engine's own structures and whether its rows are consistent. Returns whether the rows can be read
    /// further.
    ///
    /// # Errors
    /// As [`Read::read`]. Damage that was found is in the report.
    fn verify(&self, report: &mut Report) -> Result<bool>;
}

/// The call that writes a row, and the index of the change or event in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Step {
    /// The call.
    pub operation: OperationId,
    /// The index, from 0.
    pub step: u32,
}

/// A row to write.
#[derive(Clone, Debug)]
// Not `non_exhaustive`: an engine that does not know a variant must not compile.
pub enum Row<'r> {
    /// A revision for the journal, and the resulting note. When a store is copied, its text may be forgotten already
    /// ([`State::Forgotten`](crate::note::State::Forgotten)): the row then says when and by whom.
    Revision(Put<'r>),
    /// An event of a session. Events that begin or end a loop also set or clear the lease.
    Event {
        /// The session.
        session: &'r Name,
        /// The event, with its position and number.
        recorded: RecordedEvent,
        /// The call, if it has an id.
        step: Option<Step>,
    },
    /// Another entry resolves a current entry of a session.
    Resolved {
        /// The session.
        session: &'r Name,
        /// The entry.
        entry: EntryId,
        /// The entry that resolves it.
        by: EntryId,
    },
    /// Revisions and events are forgotten: their texts are erased. The revisions record when and by whom; the events
    /// are replaced.
    Forgotten {
        /// The position of the forgetting.
        position: Position,
        /// When.
        at: Timestamp,
        /// By whom.
        by: &'r Name,
        /// The revisions, each with its position.
        revisions: Vec<(AddressAt, Position)>,
        /// The events without their forgotten texts, each with its session.
        events: Vec<(Name, RecordedEvent)>,
        /// The call, if it has an id.
        step: Option<Step>,
    },
}

/// A revision to write.
#[derive(Clone, Debug)]
pub struct Put<'p> {
    /// The journal row, with its position.
    pub revision: &'p Revision,
    /// The previous revision of the note, unless this is the first.
    pub previous: Option<Position>,
    /// The resulting note; none if it no longer exists.
    pub note: Option<&'p Note>,
    /// True if the note existed before.
    pub existed: bool,
    /// True if the note counts in [`Count::Counted`](crate::store::Count::Counted).
    pub is_counted: bool,
    /// The call, if it has an id.
    pub step: Option<Step>,
}

/// Writes rows. Reads through the same handle see them.
#[auto_impl(&)]
pub trait Transaction: Read {
    /// Writes rows in order, in one round trip. Their positions follow the store's last one without a gap: the
    /// transaction keeps other writers from assigning any.
    ///
    /// # Errors
    /// As [`Engine::write`].
    fn put(&self, rows: &[Row<'_>]) -> Result<()>;

    /// Removes contents that no revision has any more, and the side data about them.
    ///
    /// # Errors
    /// As [`Engine::write`].
    fn remove_contents(&self, contents: &[Content]) -> Result<()>;

    /// Writes values to a space of side data, and removes others.
    ///
    /// # Errors
    /// As [`Engine::write`].
    fn put_side(&self, space: &str, values: &[SideValue], removed: &[String]) -> Result<()>;

    /// Gives the store a new id, for a copy that is used on its own.
    ///
    /// # Errors
    /// As [`Engine::write`].
    fn renew_id(&self) -> Result<StoreId>;

    /// Changes rows of the search index, in order.
    ///
    /// # Errors
    /// As [`Engine::write`].
    fn put_index(&self, changes: &[IndexChange<'_>]) -> Result<()>;
}

/// A change of the search index.
#[derive(Clone, Debug)]
// Not `non_exhaustive`: an engine that does not know a variant must not compile.
pub enum IndexChange<'c> {
    /// The whole index is removed, whether its rows can be read or not: segments, blocks, marks of dead notes.
    Cleared,
    /// Segments are removed with all their data.
    Removed(&'c [i64]),
    /// A segment is added, which gets a new id.
    Segment {
        /// Its head. The id in it has no meaning.
        head: &'c SegmentHead,
        /// Its list of notes.
        notes: &'c [u8],
        /// Its blocks by first term.
        blocks: Vec<(&'c [u8], &'c [u8])>,
    },
    /// The marks of dead notes in a segment are replaced: their number and the bits.
    Dead(&'c SegmentHead),
    /// The state is replaced.
    State(IndexState),
}
