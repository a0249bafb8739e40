//! Many questions in one round trip, and their answers.

use super::{Cursor, FeedEntry, Recent, ScopeSummary, Version};
use crate::address::Address;
use crate::event::RecordedEvent;
use crate::id::{OperationId, StoreId};
use crate::key::Name;
use crate::note::{EntryType, Note, Position, Revision};
use crate::scope::{Scope, ScopeKind};

/// All questions of one round trip. The answer to a question is at the same place in [`Answers`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ask {
    /// Notes as they are now.
    pub notes: Vec<Address>,
    /// All notes of a scope, by key.
    pub scopes: Vec<Scope>,
    /// All notes of every scope of a kind, by scope's name and key.
    pub kinds: Vec<ScopeKind>,
    /// Pages of notes of a scope, latest first.
    pub pages: Vec<Page>,
    /// Numbers of notes.
    pub counts: Vec<Count>,
    /// The scopes of a kind that have notes, by name.
    pub summaries: Vec<ScopeKind>,
    /// The revisions of notes, oldest first.
    pub histories: Vec<Address>,
    /// How often an entry was noted before an iteration: counts its revisions with an earlier iteration that are not
    /// deleted.
    pub noted_before: Vec<(Address, i64)>,
    /// The journal before a position (none: from its end), latest first, with the maximum number of rows.
    pub journal: Vec<(Option<Position>, usize)>,
    /// The types of a session's entries, by word.
    pub entry_types: Vec<Name>,
    /// The largest iteration in any revision of a session's current entries.
    pub last_iterations: Vec<Name>,
    /// A session's events before a number (none: from the end), latest first, with their maximum number.
    pub events: Vec<(Name, Option<u64>, usize)>,
    /// The event with which the loop began that holds a session.
    pub leases: Vec<Name>,
    /// Whether to read the leases of all sessions, by session.
    pub all_leases: bool,
    /// Whether to read the names of all sessions that have events.
    pub event_sessions: bool,
    /// What happened after a point, in order, with the maximum number of items.
    pub feed: Vec<(Cursor, usize)>,
    /// What the call with that id wrote, by step; nothing when there was no such call, or it changed nothing.
    pub operations: Vec<OperationId>,
    /// Whether to read the store's id.
    pub store_id: bool,
    /// Whether to read the store's version.
    pub version: bool,
}

impl Ask {
    /// The number of questions.
    pub fn questions(&self) -> usize {
        self.notes.len()
            + self.scopes.len()
            + self.kinds.len()
            + self.pages.len()
            + self.counts.len()
            + self.summaries.len()
            + self.histories.len()
            + self.noted_before.len()
            + self.journal.len()
            + self.entry_types.len()
            + self.last_iterations.len()
            + self.events.len()
            + self.leases.len()
            + usize::from(self.all_leases)
            + usize::from(self.event_sessions)
            + self.feed.len()
            + self.operations.len()
            + usize::from(self.store_id)
            + usize::from(self.version)
    }
}

/// The answers to an [`Ask`].
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(missing_docs, reason = "each field answers the one of the same name")]
pub struct Answers {
    pub notes: Vec<Option<Note>>,
    pub scopes: Vec<Vec<Note>>,
    pub kinds: Vec<Vec<Note>>,
    pub pages: Vec<Vec<Note>>,
    /// For each page of entries before an iteration, how often each of them was noted before it; empty for other pages.
    pub pages_noted: Vec<Vec<u64>>,
    pub counts: Vec<u64>,
    pub summaries: Vec<Vec<ScopeSummary>>,
    pub histories: Vec<Vec<Revision>>,
    pub noted_before: Vec<u64>,
    pub journal: Vec<Vec<Revision>>,
    pub entry_types: Vec<Vec<EntryType>>,
    pub last_iterations: Vec<Option<i64>>,
    pub events: Vec<Vec<RecordedEvent>>,
    pub leases: Vec<Option<RecordedEvent>>,
    pub all_leases: Vec<(Name, RecordedEvent)>,
    pub event_sessions: Vec<Name>,
    pub feed: Vec<Vec<FeedEntry>>,
    pub operations: Vec<Vec<Done>>,
    pub store_id: Option<StoreId>,
    pub version: Version,
    /// What is damaged, and so left out of the lists of notes, scopes and changes among these answers: addresses, as far
    /// as they are known. A single note that is damaged is the error of the whole reading.
    pub damaged: Vec<String>,
}

/// One thing that a call wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// As which of its changes or events, from 0.
    pub step: u32,
    /// Where it stands, and what it was.
    pub entry: FeedEntry,
}

/// A page of a scope's notes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Which notes, and their order.
    pub of: Recent,
    /// How many notes to skip.
    pub skip: usize,
    /// The most notes of the page.
    pub limit: usize,
}

/// A number of notes.
#[derive(Clone, Debug, PartialEq, Eq)]
// Not `non_exhaustive`: an engine that does not know a variant must not compile.
pub enum Count {
    /// The notes of a scope as the limit counts them: keyed notes and entries, not a place's own note.
    Counted(Scope),
    /// The keyed notes of a scope that are pinned, or that are not.
    Keyed {
        /// The scope.
        scope: Scope,
        /// Whether to count the pinned notes or the others.
        pinned: bool,
    },
    /// Entries of a session.
    Entries {
        /// The session.
        session: Name,
        /// Only entries of this type; none: all types.
        kind: Option<EntryType>,
        /// Only entries of iterations before this one, without those that have none; none: all entries.
        before: Option<i64>,
        /// Only entries that are not resolved.
        open: bool,
    },
}
