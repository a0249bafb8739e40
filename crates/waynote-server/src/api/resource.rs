//! The bodies of the resources: what programs read and write one at a time.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use waynote::{Address, Content, Limits, Name, Note, Revision};

macro_rules! forms {
    ($($(#[$about:meta])* $name:ident { $($(#[$of:meta])* $field:ident: $type:ty,)* })*) => {$(
        $(#[$about])*
        #[derive(Serialize, ToSchema)]
        pub(crate) struct $name {
            $($(#[$of])* pub(crate) $field: $type,)*
        }
    )*};
}

forms! {
    /// A page of notes.
    NotePage {
        /// By kind of scope, scope and key; a place's own note comes before its keyed ones.
        notes: Vec<Note>,
        /// The cursor of the next page; none: this is the last one.
        next: Option<String>,
        /// Notes that are left out because they are damaged: addresses, as far as they are known.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        damaged: Vec<String>,
    }

    /// A page of revisions.
    RevisionPage {
        /// Latest first.
        revisions: Vec<Revision>,
        /// The cursor of the next page; none: this is the last one.
        next: Option<String>,
    }

    /// The result of deleting a note.
    DeletedNote {
        /// The note.
        address: Address,
        /// Whether there was one.
        deleted: bool,
        /// The revision with its text; none without such a note.
        revision: Option<u64>,
    }

    /// A page of sessions.
    SessionPage {
        /// By name.
        sessions: Vec<SessionSummary>,
        /// The cursor of the next page; none: this is the last one.
        next: Option<String>,
    }

    /// A session, and the state of its loop.
    SessionSummary {
        /// Its name.
        session: Name,
        /// The number of its entries.
        notes: u64,
        /// Its state: `no loop has run`, `running`, `waiting for an answer`, `answered and ready to go on`, `done`,
        /// `stalled`, `failed`, `lost`, `out of time`, `stopped` or `interrupted`.
        state: String,
        /// The last iteration that a loop began.
        last_iteration: Option<i64>,
        /// The question for a person that is not answered yet.
        question: Option<String>,
        /// The answer to the last question, until an iteration has finished its turn with it.
        answer: Option<SessionAnswer>,
    }

    /// An answer to a question.
    SessionAnswer {
        /// The answer.
        answer: String,
        /// The author of the answer.
        by: Name,
        /// When.
        at: Timestamp,
    }
}

/// A text to save as a note.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SaveNote {
    /// The text.
    pub(crate) content: Content,
    /// Whether to pin or unpin the note; none: leave it as it is.
    #[serde(default)]
    pub(crate) pinned: Option<bool>,
    /// The limits that apply.
    #[serde(default)]
    pub(crate) limits: Limits,
}

/// A condition of an undo.
#[derive(Serialize, Deserialize, Default, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct UndoNote {
    /// The revision that must be the note's last one.
    pub(crate) last: Option<u64>,
}

/// An entry to add to a session's log.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewEntry {
    /// Its type: `stuck`, `learning`, `tip`, `decision`
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// Its text.
    pub(crate) content: Content,
    /// The iteration in which it was made.
    #[serde(default)]
    pub(crate) iteration: Option<i64>,
    /// The `stuck` entry that it resolves: its id, `#3` for the only one of iteration 3, or words that only it has.
    #[serde(default)]
    pub(crate) resolves: Option<String>,
}
