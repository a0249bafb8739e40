//! The resources of the API: what programs read and write one at a time.

use serde::{Deserialize, Serialize};
use waynote::event::SessionEvent;

use crate::change::Limits;
use crate::content::Content;
use crate::event::RecordedEvent;
use crate::note::{Note, Revision};

macro_rules! forms {
    ($($(#[$about:meta])* $name:ident { $($(#[$of:meta])* $field:ident: $type:ty,)* })*) => {$(
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
        pub struct $name {
            $($(#[$of])* pub $field: $type,)*
        }
    )*};
}

forms! {
    /// A page of the scopes of a store.
    ScopeList {
        /// By kind and name.
        scopes: Vec<ScopeNotes>,
        /// The cursor of the next page; none: this is the last one.
        next: Option<String>,
    }

    /// A scope with the number of its notes.
    ScopeNotes {
        /// The scope: `place:~/p`, `agent:NAME` or `session:NAME`.
        scope: String,
        /// The number of its notes, without a place's own note.
        notes: u64,
    }

    /// A page of notes.
    NotePage {
        /// By kind of scope, scope and key; a place's own note comes before its keyed ones.
        notes: Vec<Note>,
        /// The cursor of the next page; none: this is the last one.
        next: Option<String>,
        /// What is damaged, and so left out: addresses, as far as they are known.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        damaged: Vec<String>,
    }

    /// A page of revisions.
    RevisionPage {
        /// Latest first.
        revisions: Vec<Revision>,
        /// The cursor of the next page; none: this is the last one.
        next: Option<String>,
        /// What is damaged, and so left out: addresses, as far as they are known.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        damaged: Vec<String>,
    }

    /// The result of deleting a note.
    DeletedNote {
        /// The note.
        address: String,
        /// Whether there was one.
        deleted: bool,
    }

    /// An entry that was added to a log.
    AddedEntry {
        /// The entry.
        note: Note,
        /// Whether the log had it already, so that it was only counted.
        repeat: bool,
    }

    /// A page of a session's events.
    SessionEventPage {
        /// Latest first.
        events: Vec<RecordedEvent>,
        /// The cursor of the next page; none: this is the last one.
        next: Option<String>,
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
        session: String,
        /// The number of its entries.
        notes: u64,
        /// Its state: `no loop has run`, `running`, `waiting for an answer`, `answered and ready to go on`, `done`,
        /// `stalled`, `failed`, `lost`, `out of time` or `interrupted`.
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
        /// Who answered.
        by: String,
        /// When.
        at: String,
    }

    /// The tokens of a store.
    TokenList {
        /// By name.
        tokens: Vec<TokenSummary>,
    }

    /// What is known of a token.
    TokenSummary {
        /// The part of its text that is no secret.
        id: String,
        /// Its name.
        name: String,
        /// `read`, `write` or `admin`.
        rights: String,
        /// The agents that it is narrowed to.
        agents: Vec<String>,
        /// The places that it is narrowed to, with everything below them.
        places: Vec<String>,
        /// The sessions that it is narrowed to.
        sessions: Vec<String>,
        /// When it was created.
        created_at: String,
        /// When it expires; none: never.
        expires_at: Option<String>,
        /// The day of its last use.
        last_used: Option<String>,
    }

    /// A token that was created.
    CreatedToken {
        /// The token itself. It is shown this once.
        token: String,
        /// What is known of it.
        #[serde(flatten)]
        summary: TokenSummary,
    }

    /// A page of the audit log.
    AuditPage {
        /// Latest first.
        entries: Vec<AuditLine>,
        /// The cursor of the next page; none: this is the last one.
        next: Option<String>,
    }

    /// A refused or administrative call.
    AuditLine {
        /// When; the first time if there were several.
        at: String,
        /// What was called.
        call: String,
        /// The token that called.
        token: Option<String>,
        /// Whether it was refused.
        refused: bool,
        /// What it was about, or why it was refused.
        detail: String,
        /// How often, within a minute.
        times: u64,
        /// Where the page after this line begins.
        cursor: String,
    }
}

/// A text to save as a note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SaveNote {
    /// The text.
    pub content: Content,
    /// Whether to pin or unpin the note; none: leave it as it is.
    #[serde(default)]
    pub pinned: Option<bool>,
    /// The limits that apply.
    #[serde(default)]
    pub limits: Limits,
}

/// A change of a note that keeps its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct PinNote {
    /// Whether the note is pinned: shown whole in every prompt.
    pub pinned: bool,
}

/// What to undo or to redo.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct UndoNote {
    /// The revision that must be the note's last one.
    pub last: Option<u64>,
}

/// What to restore.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RestoreNote {
    /// The revision whose state becomes the current one again.
    pub revision: u64,
}

/// An entry to add to a session's log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewEntry {
    /// Its type: `stuck`, `learning`, `tip`, `decision`
    #[serde(rename = "type")]
    pub kind: String,
    /// What it says.
    pub content: Content,
    /// The iteration in which it was made.
    #[serde(default)]
    pub iteration: Option<i64>,
    /// The `stuck` entry that it resolves: its id, `#3` for the only one of iteration 3, or words that only it has.
    #[serde(default)]
    pub resolves: Option<String>,
}

/// Events of a session to record, all of them or none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewEvents {
    /// The events.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<crate::event::form::SessionEvent>))]
    pub events: Vec<SessionEvent>,
    /// The number of the `loop_started` event of the loop that records them.
    #[serde(default)]
    pub lease: Option<u64>,
}

/// A token to create.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewToken {
    /// Its name, which no other token has.
    pub name: String,
    /// `read`, `write` or `admin`.
    pub rights: String,
    /// The agents that it is narrowed to. With neither agents, places nor sessions, it is for all notes.
    #[serde(default)]
    pub agents: Vec<String>,
    /// The places that it is narrowed to, with everything below them.
    #[serde(default)]
    pub places: Vec<String>,
    /// The sessions that it is narrowed to.
    #[serde(default)]
    pub sessions: Vec<String>,
    /// When it expires (RFC 3339); none: never.
    #[serde(default)]
    pub expires_at: Option<String>,
}
