//! Changes of notes, and their results.

use serde::{Deserialize, Serialize};
use waynote::change::{self, Expect};
use waynote::{EntryType, Error, Result};

use crate::content::Content;
use crate::malformed::{each, forms, no_form, printed_or_none, text_or_none, time};
use crate::note::Note;
use crate::stamp::Stamp;

/// Changes to apply, all of them or none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ApplyRequest {
    /// The changes.
    pub changes: Vec<Change>,
    /// Who makes them, and when.
    pub stamp: Stamp,
}

/// The results of changes, in their order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ApplyAnswer {
    /// The result of each change.
    pub applied: Vec<Applied>,
}

/// A change of one note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Change {
    /// Saves a note: creates it, or adds a revision.
    Save {
        /// The note.
        address: String,
        /// The new text.
        content: Content,
        /// Whether to pin or unpin it; none: leave it as it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pin: Option<bool>,
        /// The limits that apply.
        #[serde(default)]
        limits: Limits,
        /// The revision that must be current; 0: the note must not exist; none: any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expect: Option<u64>,
        /// Who wrote it and when, if it comes from another program.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<Origin>,
    },
    /// Adds an entry to a session's log.
    Append {
        /// The session.
        session: String,
        /// The entry's type.
        #[serde(rename = "type")]
        kind: String,
        /// The iteration in which it was made.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        iteration: Option<i64>,
        /// What it says.
        content: Content,
        /// The `stuck` entry that it resolves.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resolves: Option<String>,
        /// Its id, if it comes from another program.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// When it was made, if it comes from another program.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        created_at: Option<String>,
    },
    /// Pins or unpins a note.
    Pin {
        /// The note.
        address: String,
        /// Pinned or not.
        pinned: bool,
        /// The revision that must be current; none: any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expect: Option<u64>,
    },
    /// Deletes a note.
    Delete {
        /// The note.
        address: String,
        /// The revision that must be current; 0: the note must not exist; none: any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expect: Option<u64>,
    },
    /// Restores the state after a revision, as a new revision.
    Restore {
        /// The note.
        address: String,
        /// The revision.
        revision: u64,
    },
    /// Undoes the last change that is not undone yet.
    Undo {
        /// The note.
        address: String,
        /// The author and the time to keep for the state that comes back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<Origin>,
        /// The revision that must be the last one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        last: Option<u64>,
    },
    /// Redoes what the last undo took back.
    Redo {
        /// The note.
        address: String,
        /// The revision that must be the last one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        last: Option<u64>,
    },
}

/// Limits on what is written; 0: no limit. What is left out is the default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// The size of a note in bytes.
    pub max_bytes: i64,
    /// The size of a directory's own note in bytes.
    pub max_place_bytes: i64,
    /// The number of notes of a notebook.
    pub max_notes: i64,
}

impl Default for Limits {
    fn default() -> Self {
        Self::from(&waynote::Limits::default())
    }
}

/// The author and the times of a note that comes from another program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// Who wrote it; none: the author of the change.
    #[serde(default)]
    pub author: Option<String>,
    /// When it was first written.
    pub created_at: String,
    /// When it was last written.
    pub updated_at: String,
    /// Whether it has been current since then, in a file kept in sync.
    #[serde(default)]
    pub is_synced: bool,
}

/// The result of a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Applied {
    /// The note.
    pub address: String,
    /// The note after the change; none if it does not exist.
    #[serde(default)]
    pub note: Option<Note>,
    /// Whether it existed before.
    pub existed: bool,
    /// Whether anything changed.
    pub changed: bool,
}

impl From<&waynote::Limits> for Limits {
    fn from(limits: &waynote::Limits) -> Self {
        Self {
            max_bytes: limits.max_bytes,
            max_place_bytes: limits.max_place_bytes,
            max_notes: limits.max_notes,
        }
    }
}

impl From<Limits> for waynote::Limits {
    fn from(limits: Limits) -> Self {
        Self::NONE
            .max_bytes(limits.max_bytes)
            .max_place_bytes(limits.max_place_bytes)
            .max_notes(limits.max_notes)
    }
}

impl From<&change::Origin> for Origin {
    fn from(origin: &change::Origin) -> Self {
        Self {
            author: printed_or_none(origin.author.as_ref()),
            created_at: origin.created_at.to_string(),
            updated_at: origin.updated_at.to_string(),
            is_synced: origin.is_synced,
        }
    }
}

impl TryFrom<Origin> for change::Origin {
    type Error = Error;

    fn try_from(origin: Origin) -> Result<Self> {
        Ok(Self {
            author: text_or_none(origin.author.as_ref())?,
            created_at: time(&origin.created_at)?,
            updated_at: time(&origin.updated_at)?,
            is_synced: origin.is_synced,
        })
    }
}

/// The revision that a change expects; none: any.
fn expected(expect: Expect) -> Result<Option<u64>> {
    match expect {
        Expect::Any => Ok(None),
        Expect::Revision(revision) => Ok(Some(revision)),
        _ => Err(no_form("this expectation over HTTP")),
    }
}

impl TryFrom<&change::Change> for Change {
    type Error = Error;

    fn try_from(change: &change::Change) -> Result<Self> {
        use change::Change as Of;
        Ok(match change {
            Of::Save {
                address,
                content,
                pin,
                limits,
                expect,
                origin,
            } => Self::Save {
                address: address.to_string(),
                content: Content::from(content),
                pin: *pin,
                limits: Limits::from(limits),
                expect: expected(*expect)?,
                origin: origin.as_ref().map(Origin::from),
            },
            Of::Append {
                session,
                kind,
                iteration,
                content,
                resolves,
                id,
                created_at,
            } => Self::Append {
                session: session.to_string(),
                kind: kind.to_string(),
                iteration: *iteration,
                content: Content::from(content),
                resolves: printed_or_none(resolves.as_ref()),
                id: printed_or_none(id.as_ref()),
                created_at: printed_or_none(created_at.as_ref()),
            },
            Of::Pin {
                address,
                pinned,
                expect,
            } => Self::Pin {
                address: address.to_string(),
                pinned: *pinned,
                expect: expected(*expect)?,
            },
            Of::Delete { address, expect } => Self::Delete {
                address: address.to_string(),
                expect: expected(*expect)?,
            },
            Of::Restore { address, revision } => Self::Restore {
                address: address.to_string(),
                revision: *revision,
            },
            Of::Undo {
                address,
                origin,
                last,
            } => Self::Undo {
                address: address.to_string(),
                origin: origin.as_ref().map(Origin::from),
                last: *last,
            },
            Of::Redo { address, last } => Self::Redo {
                address: address.to_string(),
                last: *last,
            },
            _ => return Err(no_form("this kind of change over HTTP")),
        })
    }
}

impl TryFrom<Change> for change::Change {
    type Error = Error;

    fn try_from(change: Change) -> Result<Self> {
        Ok(match change {
            Change::Save {
                address,
                content,
                pin,
                limits,
                expect,
                origin,
            } => Self::Save {
                address: address.parse()?,
                content: content.into(),
                pin,
                limits: limits.into(),
                expect: expect.map_or(Expect::Any, Expect::Revision),
                origin: origin.map(TryInto::try_into).transpose()?,
            },
            Change::Append {
                session,
                kind,
                iteration,
                content,
                resolves,
                id,
                created_at,
            } => Self::Append {
                session: session.parse()?,
                kind: EntryType::imported(&kind),
                iteration,
                content: content.into(),
                resolves: text_or_none(resolves.as_ref())?,
                id: text_or_none(id.as_ref())?,
                created_at: created_at.as_deref().map(time).transpose()?,
            },
            Change::Pin {
                address,
                pinned,
                expect,
            } => Self::Pin {
                address: address.parse()?,
                pinned,
                expect: expect.map_or(Expect::Any, Expect::Revision),
            },
            Change::Delete { address, expect } => Self::Delete {
                address: address.parse()?,
                expect: expect.map_or(Expect::Any, Expect::Revision),
            },
            Change::Restore { address, revision } => Self::Restore {
                address: address.parse()?,
                revision,
            },
            Change::Undo {
                address,
                origin,
                last,
            } => Self::Undo {
                address: address.parse()?,
                origin: origin.map(TryInto::try_into).transpose()?,
                last,
            },
            Change::Redo { address, last } => Self::Redo {
                address: address.parse()?,
                last,
            },
        })
    }
}

impl From<&change::Applied> for Applied {
    fn from(applied: &change::Applied) -> Self {
        Self {
            address: applied.address.to_string(),
            note: applied.note.as_ref().map(Note::from),
            existed: applied.existed,
            changed: applied.changed,
        }
    }
}

impl TryFrom<Applied> for change::Applied {
    type Error = Error;

    fn try_from(applied: Applied) -> Result<Self> {
        Ok(Self {
            address: applied.address.parse()?,
            note: applied.note.map(TryInto::try_into).transpose()?,
            existed: applied.existed,
            changed: applied.changed,
        })
    }
}

impl ApplyRequest {
    /// A request to apply these changes.
    ///
    /// # Errors
    /// [`Error::NotBuiltIn`] for a change that the API has no form for.
    pub fn new(changes: &[change::Change], stamp: &waynote::Stamp) -> Result<Self> {
        Ok(Self {
            changes: changes
                .iter()
                .map(Change::try_from)
                .collect::<Result<_>>()?,
            stamp: Stamp::try_from(stamp)?,
        })
    }

    /// The changes and the stamp.
    ///
    /// # Errors
    /// [`Error::InvalidAddress`], [`Error::InvalidKey`], [`Error::InvalidName`], [`Error::InvalidPlace`],
    /// [`crate::Malformed`].
    pub fn parts(self) -> Result<(Vec<change::Change>, waynote::Stamp)> {
        Ok((each(self.changes)?, self.stamp.try_into()?))
    }
}

impl ApplyAnswer {
    /// The answer for these results.
    pub fn new(applied: &[change::Applied]) -> Self {
        Self {
            applied: forms(applied),
        }
    }

    /// The results.
    ///
    /// # Errors
    /// As [`ApplyRequest::parts`].
    pub fn applied(self) -> Result<Vec<change::Applied>> {
        each(self.applied)
    }
}
