//! A change of one note, and what came of it.

use jiff::Timestamp;

use crate::address::Address;
use crate::content::Content;
use crate::key::{EntryId, Name};
use crate::limits::Limits;
use crate::note::{EntryType, Note};

/// Which revision a writer believes to be current.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Expect {
    /// Any, or none.
    Any,
    /// That one; 0: the note does not exist.
    Revision(u64),
}

/// What is known of a note that comes from elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Who wrote it; none: who brings it.
    pub author: Option<Name>,
    /// When the note was first written; an existing note keeps its own.
    pub created_at: Timestamp,
    /// When it was last written.
    pub updated_at: Timestamp,
    /// Whether it was in force from then on, because it stood in a file that is kept in sync.
    pub is_synced: bool,
}

/// A change of one note.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// Writes a note: creates it or makes a new revision. Not for entries of a log.
    Save {
        /// The note.
        address: Address,
        /// What it shall say.
        content: Content,
        /// Whether it shall be pinned; none: as it is.
        pin: Option<bool>,
        /// The caps that hold.
        limits: Limits,
        /// The revision that must be current.
        expect: Expect,
        /// Who wrote it and when, if that was elsewhere.
        origin: Option<Origin>,
    },
    /// Adds an entry to a session's log. Without an id, a text that an entry of that type says already is no new
    /// one: it repeats that entry.
    Append {
        /// The session.
        session: Name,
        /// The entry's type.
        kind: EntryType,
        /// The iteration it was made in.
        iteration: Option<i64>,
        /// What it says.
        content: Content,
        /// The `stuck` entry of the same log that it resolves: it leaves the prompts until it is noted again.
        resolves: Option<EntryId>,
        /// Its id, when it comes from elsewhere; one that is there already changes nothing.
        id: Option<EntryId>,
        /// When it was made, when it comes from elsewhere.
        created_at: Option<Timestamp>,
    },
    /// Pins or unpins a note. Counts as an update (as in openotters).
    Pin {
        /// The note.
        address: Address,
        /// Pinned or not.
        pinned: bool,
    },
    /// Deletes a note; one that is not there is no error.
    Delete {
        /// The note.
        address: Address,
    },
    /// Makes the state after a revision current again, as a new revision.
    Restore {
        /// The note.
        address: Address,
        /// The revision.
        revision: u64,
    },
    /// Takes back the last change that has not been taken back, as a new revision.
    Undo {
        /// The note.
        address: Address,
        /// Who made the state that comes back, and when, where it shall stay theirs: a text of somebody else was
        /// only journaled in between.
        origin: Option<Origin>,
    },
    /// Brings back what the last undo took back, as a new revision. A change made since ends that.
    Redo {
        /// The note.
        address: Address,
    },
}

impl Change {
    /// The note that it is about; none for an entry whose id is yet to be made.
    pub fn address(&self) -> Option<&Address> {
        match self {
            Self::Save { address, .. }
            | Self::Pin { address, .. }
            | Self::Delete { address }
            | Self::Restore { address, .. }
            | Self::Undo { address, .. }
            | Self::Redo { address } => Some(address),
            Self::Append { .. } => None,
        }
    }
}

/// What came of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The note.
    pub address: Address,
    /// The note after the change; none when it is not there.
    pub note: Option<Note>,
    /// Whether it was there before.
    pub existed: bool,
    /// Whether anything changed.
    pub changed: bool,
}
