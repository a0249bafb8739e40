//! A change of one note, and its result.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::address::Address;
use crate::content::{Content, ContentHash};
use crate::key::{EntryId, Name};
use crate::limits::Limits;
use crate::model::citation::Citation;
use crate::note::{EntryType, Note};

/// The revision that a writer expects to be current.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Option<u64>", into = "Option<u64>")]
#[non_exhaustive]
pub enum Expect {
    /// Any revision, or no note at all.
    #[default]
    Any,
    /// This revision; 0: the note must not exist.
    Revision(u64),
}

impl Expect {
    fn is_any(&self) -> bool {
        *self == Self::Any
    }
}

impl From<Option<u64>> for Expect {
    fn from(revision: Option<u64>) -> Self {
        revision.map_or(Self::Any, Self::Revision)
    }
}

impl From<Expect> for Option<u64> {
    fn from(expect: Expect) -> Self {
        match expect {
            Expect::Any => None,
            Expect::Revision(revision) => Some(revision),
        }
    }
}

/// The author and the times of a note that comes from another program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// Who wrote it; none: the author of the change.
    pub author: Option<Name>,
    /// When the note was first written. An existing note keeps its own time.
    pub created_at: Timestamp,
    /// When it was last written.
    pub updated_at: Timestamp,
    /// Whether it has been current since then, because it was in a file that is kept in sync.
    #[serde(default)]
    pub is_synced: bool,
    /// The code that it cites.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cites: Vec<Citation>,
}

/// A change of one note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Change {
    /// Saves a note: creates it, or adds a revision. Not for log entries.
    Save {
        /// The note.
        address: Address,
        /// The new text.
        content: Content,
        /// Whether to pin or unpin the note; none: leave it as it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pin: Option<bool>,
        /// The limits that apply.
        #[serde(default)]
        limits: Limits,
        /// The revision that must be current; 0: the note must not exist; none: any.
        #[serde(default, skip_serializing_if = "Expect::is_any")]
        #[cfg_attr(feature = "openapi", schema(value_type = Option<u64>))]
        expect: Expect,
        /// Who wrote the note and when, if it comes from another program.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<Origin>,
    },
    /// Adds an entry to a session's log. Without an id, a text that an entry of the same type already has adds no new
    /// entry: it counts as a repeat of that entry.
    Append {
        /// The session.
        session: Name,
        /// The entry's type.
        #[serde(rename = "type")]
        kind: EntryType,
        /// The iteration in which it was made.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        iteration: Option<i64>,
        /// What it says.
        content: Content,
        /// The `stuck` entry of the same log that it resolves. That entry is not shown in prompts until it is noted
        /// again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resolves: Option<EntryId>,
        /// Its id, if it comes from another program. If the log already has that id, nothing changes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<EntryId>,
        /// When it was made, if it comes from another program.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        created_at: Option<Timestamp>,
    },
    /// Pins or unpins a note. Counts as an update (as in openotters).
    Pin {
        /// The note.
        address: Address,
        /// Pinned or not.
        pinned: bool,
        /// The revision that must be current; 0: the note must not exist; none: any.
        #[serde(default, skip_serializing_if = "Expect::is_any")]
        #[cfg_attr(feature = "openapi", schema(value_type = Option<u64>))]
        expect: Expect,
    },
    /// Deletes a note. It is no error if the note does not exist.
    Delete {
        /// The note.
        address: Address,
        /// The revision that must be current; 0: the note must not exist; none: any.
        #[serde(default, skip_serializing_if = "Expect::is_any")]
        #[cfg_attr(feature = "openapi", schema(value_type = Option<u64>))]
        expect: Expect,
    },
    /// Restores the state after a revision, as a new revision.
    Restore {
        /// The note.
        address: Address,
        /// The revision.
        revision: u64,
        /// The revision that must be the note's last one; none: whichever it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        last: Option<u64>,
    },
    /// Undoes the last change that is not undone yet, as a new revision.
    Undo {
        /// The note.
        address: Address,
        /// The author and the time to keep for the state that comes back; used when a text from a synced file was only
        /// journaled in between.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<Origin>,
        /// The revision that must be the note's last one, a deletion included; none: whatever is last.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        last: Option<u64>,
    },
    /// Redoes what the last undo took back, as a new revision. Not possible after a new change.
    Redo {
        /// The note.
        address: Address,
        /// The revision that must be the note's last one; none: whatever is last.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        last: Option<u64>,
    },
}

impl Change {
    /// Pins or unpins a note, whatever its revision.
    pub fn pin(address: Address, pinned: bool) -> Self {
        Self::Pin {
            address,
            pinned,
            expect: Expect::Any,
        }
    }

    /// Deletes a note, whatever its revision.
    pub fn delete(address: Address) -> Self {
        Self::Delete {
            address,
            expect: Expect::Any,
        }
    }

    /// Undoes the last change of a note that is not undone yet.
    pub fn undo(address: Address) -> Self {
        Self::Undo {
            address,
            origin: None,
            last: None,
        }
    }

    /// Redoes what the last undo of a note took back.
    pub fn redo(address: Address) -> Self {
        Self::Redo {
            address,
            last: None,
        }
    }

    /// The note that changes; none for a log entry whose id is not assigned yet.
    pub fn address(&self) -> Option<&Address> {
        match self {
            Self::Save { address, .. }
            | Self::Pin { address, .. }
            | Self::Delete { address, .. }
            | Self::Restore { address, .. }
            | Self::Undo { address, .. }
            | Self::Redo { address, .. } => Some(address),
            Self::Append { .. } => None,
        }
    }
}

/// A note as it was before a change: enough to tell what was overwritten, and whether its text was the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NoteBefore {
    /// The number of its revision.
    pub revision: u64,
    /// The SHA-256 of its text, in hexadecimal.
    pub hash: ContentHash,
}

impl NoteBefore {
    pub(crate) fn of(note: &Note) -> Self {
        Self {
            revision: note.revision,
            hash: note.content.hash(),
        }
    }
}

/// The result of a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Applied {
    /// The note.
    pub address: Address,
    /// The note after the change; none if it does not exist.
    pub note: Option<Note>,
    /// The note before the change; none if it did not exist.
    pub before: Option<NoteBefore>,
    /// Whether anything changed.
    pub changed: bool,
}
