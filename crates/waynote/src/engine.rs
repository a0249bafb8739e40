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
//! | scopes | kind, name, how many of its notes count towards the cap, which [`LoopStarted`](crate::event::SessionEvent::LoopStarted) holds it |
//! | contents | each text once, with its SHA-256 |
//! | journal | one row for every revision, never changed but by [`Row::Forgotten`], by [`Position`] |
//! | notes | each note as it is now, with the position of its last revision |
//! | deleted notes | the position of the last revision of each note that is not there |
//! | events | what happened in sessions, numbered 1, 2, 3 … in each, and forgettings, by [`Position`] |
//! | side data | values by space and key, some of them about a content |
//! | search index | segments, their blocks and lists of dead notes, and one row of state |
//!
//! The rules give positions, inside the transaction and from the last one on, so that their order is that of the commits.
//! Addresses and names are compared byte by byte.

mod one;

use std::borrow::Cow;

use jiff::Timestamp;

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
use crate::store::{self, SideValue};

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

    /// Runs `work` while no other writer of the store can run. It writes through the engine that it is given, which need
    /// not wait; writing otherwise waits for it to end.
    ///
    /// # Errors
    /// [`Error::Busy`](crate::Error::Busy) when the wait was too long; what `work` returns.
    fn exclusively(&self, work: &mut dyn FnMut(&dyn Engine) -> Result<()>) -> Result<()>;

    /// Clears old bytes of erased texts out of the engine's files, after the transaction that erased them. What keeps it
    /// from that is returned, not an error: the texts are out of the notes.
    fn scrub(&self) -> Option<Residue>;

    /// The store's name in errors: its file, as a rule.
    fn name(&self) -> String;
}

impl<E: Engine + ?Sized> Engine for &E {
    fn rows(&self) -> Result<Box<dyn Read + '_>> {
        (**self).rows()
    }

    fn snapshot(&self, work: &mut dyn FnMut(&dyn Read) -> Result<()>) -> Result<()> {
        (**self).snapshot(work)
    }

    fn write(
        &self,
        writing: Writing,
        work: &mut dyn FnMut(&dyn Transaction) -> Result<()>,
    ) -> Result<()> {
        (**self).write(writing, work)
    }

    fn exclusively(&self, work: &mut dyn FnMut(&dyn Engine) -> Result<()>) -> Result<()> {
        (**self).exclusively(work)
    }

    fn scrub(&self) -> Option<Residue> {
        (**self).scrub()
    }

    fn name(&self) -> String {
        (**self).name()
    }
}

/// What a transaction is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// Not `non_exhaustive`: an engine that does not know a variant must not compile.
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
    /// What the callers of a store ask.
    pub store: store::Ask,
    /// A note's last revision, and the note as it is now.
    pub states: Vec<Address>,
    /// One revision of a note.
    pub revisions: Vec<AddressAt>,
    /// The revisions of every note that a scope ever had, by key.
    pub scope_histories: Vec<Scope>,
    /// The revision at a position of the journal.
    pub positions: Vec<Position>,
    /// The note that the revision at a position is of, as it is now.
    pub notes_at: Vec<Position>,
    /// Every revision that has one of these contents.
    pub holders: Vec<Content>,
    /// The entries of a session that are resolved, by key.
    pub resolved: Vec<Name>,
    /// The largest id that an entry of a session ever had, of a forgotten one too.
    pub last_entries: Vec<Name>,
    /// The first entry of a session, by id, that is of a type and has a content.
    pub entries_saying: Vec<(Name, EntryType, Content)>,
    /// The values of a space of side data, by key.
    pub side: Vec<String>,
    /// The spaces of side data that have a value about a content, by name.
    pub about: Vec<Content>,
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
    /// The journal's rows after a position, so many at most: what [`Read::each_row`] gives.
    pub journal_rows: Option<(i64, usize)>,
}

impl Ask {
    /// How many questions it has.
    pub fn questions(&self) -> usize {
        self.store.questions()
            + self.states.len()
            + self.revisions.len()
            + self.scope_histories.len()
            + self.positions.len()
            + self.notes_at.len()
            + self.holders.len()
            + self.resolved.len()
            + self.last_entries.len()
            + self.entries_saying.len()
            + self.side.len()
            + self.about.len()
            + self.scope_numbers.len()
            + usize::from(self.index)
            + usize::from(self.segments)
            + self.segment_notes.len()
            + self.blocks.len()
            + usize::from(self.journal_rows.is_some())
    }
}

/// What an [`Ask`] found.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(missing_docs, reason = "each field answers the one of the same name")]
pub struct Rows {
    pub store: store::Answers,
    pub states: Vec<Option<NoteState>>,
    pub revisions: Vec<Option<Revision>>,
    pub scope_histories: Vec<Vec<Vec<Revision>>>,
    pub positions: Vec<Option<Revision>>,
    pub notes_at: Vec<Option<NoteAt>>,
    pub holders: Vec<Vec<AddressAt>>,
    pub resolved: Vec<Vec<Note>>,
    pub last_entries: Vec<Option<EntryId>>,
    pub entries_saying: Vec<Option<NoteState>>,
    pub side: Vec<Vec<SideValue>>,
    pub about: Vec<Vec<String>>,
    pub scope_numbers: Vec<Option<u32>>,
    pub index: IndexState,
    pub segments: Vec<SegmentHead>,
    pub segment_notes: Vec<Vec<u8>>,
    pub blocks: Vec<Vec<(Vec<u8>, Vec<u8>)>>,
    pub journal_rows: Vec<JournalRow<'static>>,
}

/// The note that a revision is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteAt {
    /// The note as it is now.
    pub note: Note,
    /// Where its last revision stands.
    pub last: Position,
    /// The number of the revision that was asked for.
    pub revision: u64,
}

/// A note's last revision, and the note as it is now.
#[derive(Clone, Debug, PartialEq)]
pub struct NoteState {
    /// Where its last revision stands.
    pub position: Position,
    /// The number of its last revision.
    pub revision: u64,
    /// The note; none: it was deleted.
    pub note: Option<Note>,
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
// Not `non_exhaustive`: an engine that does not know a variant must not compile.
pub enum Blocks {
    /// All of them, by first term.
    All {
        /// The segment.
        segment: i64,
    },
    /// For each of some terms the last whose first term is not after it; each block once, by first term.
    Holding {
        /// The segment.
        segment: i64,
        /// The terms, in any order.
        terms: Vec<Vec<u8>>,
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalRow<'r> {
    /// Where it stands.
    pub position: i64,
    /// The row before it of the same note.
    pub previous: Option<i64>,
    /// Its scope's kind.
    pub kind: ScopeKind,
    /// Its scope's name.
    pub name: Cow<'r, str>,
    /// The engine's number of its scope.
    pub scope: i64,
    /// Its key; empty for a place's own note.
    pub key: Cow<'r, str>,
    /// Its number among the revisions of its note.
    pub revision: u64,
    /// Whether it is a repeat of an entry.
    pub is_repeat: bool,
    /// Whether the note is there now, and whether this is then its last revision.
    pub now: Option<bool>,
    /// Whether its content is another one than that of the row before it.
    pub has_new_content: bool,
    /// Its content; none: it deleted the note, or was forgotten.
    pub content: Option<Cow<'r, [u8]>>,
    /// When the note was first written and last changed, in microseconds since 1970.
    pub created_at: i64,
    /// The same of the last change.
    pub updated_at: i64,
    /// Of an entry, the entry before it by id in its log: the position of its first revision, and when it was made.
    pub entry_before: Option<(i64, i64)>,
}

impl JournalRow<'_> {
    /// The row for as long as it is wanted.
    pub fn into_owned(self) -> JournalRow<'static> {
        JournalRow {
            name: Cow::Owned(self.name.into_owned()),
            key: Cow::Owned(self.key.into_owned()),
            content: self.content.map(|body| Cow::Owned(body.into_owned())),
            position: self.position,
            previous: self.previous,
            kind: self.kind,
            scope: self.scope,
            revision: self.revision,
            is_repeat: self.is_repeat,
            now: self.now,
            has_new_content: self.has_new_content,
            created_at: self.created_at,
            updated_at: self.updated_at,
            entry_before: self.entry_before,
        }
    }
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

/// The call that writes a row, and as which of its changes or events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The call.
    pub operation: OperationId,
    /// From 0.
    pub step: u32,
}

/// A row to put.
#[derive(Clone, Debug)]
// Not `non_exhaustive`: an engine that does not know a variant must not compile.
pub enum Row<'r> {
    /// A revision into the journal, and the note as it then is.
    Revision(Put<'r>),
    /// An event of a session. One that begins or ends a loop gives or takes the lease.
    Event {
        /// The session.
        session: &'r Name,
        /// The event, with its position and number.
        recorded: RecordedEvent,
        /// The call, where it has an id.
        step: Option<Step>,
    },
    /// A current entry of a session is resolved by another one.
    Resolved {
        /// The session.
        session: &'r Name,
        /// The entry.
        entry: EntryId,
        /// The one that says how.
        by: EntryId,
    },
    /// Revisions are forgotten: they are erased, and say from now on when and by whom.
    Forgotten {
        /// Where the forgetting stands.
        position: Position,
        /// When.
        at: Timestamp,
        /// By whom.
        by: &'r Name,
        /// The revisions, each with its position.
        revisions: &'r [(AddressAt, Position)],
        /// The call, where it has an id.
        step: Option<Step>,
    },
}

/// A revision to put.
#[derive(Clone, Debug)]
pub struct Put<'p> {
    /// The journal row, with its position.
    pub revision: &'p Revision,
    /// The last revision of the note before it, unless this is its first.
    pub previous: Option<Position>,
    /// The note as it is from now on; none when it is not there.
    pub note: Option<&'p Note>,
    /// Whether it was there before.
    pub existed: bool,
    /// Whether the note counts in [`Count::Counted`](crate::store::Count::Counted).
    pub is_counted: bool,
    /// The call, where it has an id.
    pub step: Option<Step>,
}

/// Writes rows. What is written is read by the same handle.
pub trait Transaction: Read {
    /// Puts rows in their order, all in one round trip. Their positions follow on the store's last one without a gap:
    /// the transaction keeps every other writer from giving any.
    ///
    /// # Errors
    /// As [`Engine::write`].
    fn put(&self, rows: &[Row<'_>]) -> Result<()>;

    /// Removes contents that no revision has any more, and the side data about them.
    ///
    /// # Errors
    /// As [`Engine::write`].
    fn remove_contents(&self, contents: &[Content]) -> Result<()>;

    /// Puts values into a space of side data, and removes others.
    ///
    /// # Errors
    /// As [`Engine::write`].
    fn put_side(&self, space: &str, values: &[SideValue], removed: &[String]) -> Result<()>;

    /// Gives the store a new id: it is a copy that goes on by itself.
    ///
    /// # Errors
    /// As [`Engine::write`].
    fn renew_id(&self) -> Result<StoreId>;

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
