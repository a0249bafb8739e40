//! The requests and answers of the HTTP API between a store and its server, where they are more than one value of the
//! library. Values have one JSON form, which `--json`, MCP and HTTP share.
//!
//! Requests with a field that is not known are refused, since it might be a question that nobody would answer; in
//! answers such a field is ignored.
//!
//! | route | request | answer |
//! |---|---|---|
//! | `POST read` | [`Ask`](crate::store::Ask) | [`Answers`](crate::store::Answers) |
//! | `POST as-of` | [`AsOfRequest`] | [`NotesFound`] |
//! | `POST search` | [`SearchRequest`](crate::SearchRequest) | [`HitsFound`] |
//! | `POST apply` | [`ApplyRequest`] | [`ApplyAnswer`] |
//! | `POST record` | [`RecordRequest`] | nothing (204) |
//! | `POST forget` | [`ForgetRequest`] | [`Forgotten`](crate::Forgotten) |
//! | `POST context` | [`BlockAsk`](crate::context::BlockAsk) | [`BlockAnswer`](crate::context::BlockAnswer) |
//! | `POST beat` | [`Lease`] | nothing (204) |
//! | `POST silence` | [`Lease`] | [`Silence`] |
//! | `GET verify` | | [`Report`](crate::Report) |

use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::change::{Applied, Change};
use crate::error::Error;
use crate::event::SessionEvent;
use crate::forget::{Forget, ForgetTarget};
use crate::key::Name;
use crate::note::{Note, Stamp};
use crate::scope::Scope;
use crate::search::Hit;
use crate::store::{AsOf, Damage};

/// The path of the API below a store: `/s/NAME` + this.
pub const API: &str = "/api/v1";

/// The media type of errors.
pub const PROBLEM: &str = "application/problem+json";

/// The version of the API: a client tells by it whether the other side is too old or too new.
pub const VERSION: u16 = 1;

/// The header of an answer that has the version.
pub const VERSION_HEADER: &str = "waynote-api";

macro_rules! requests {
    ($($(#[$about:meta])* $name:ident { $($(#[$of:meta])* $field:ident: $type:ty,)* })*) => {$(
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $($(#[$of])* pub $field: $type,)*
        }
    )*};
}

requests! {
    /// A request for notes as they were.
    AsOfRequest {
        /// The scopes.
        scopes: Vec<Scope>,
        /// When.
        moment: AsOf,
    }

    /// Changes to apply, all of them or none.
    ApplyRequest {
        /// The changes.
        changes: Vec<Change>,
        /// The author and the time.
        stamp: Stamp,
    }

    /// Events of a session to record, all of them or none.
    RecordRequest {
        /// The session.
        session: Name,
        /// The events.
        events: Vec<SessionEvent>,
        /// The number of the `loop_started` event of the loop that records them.
        lease: Option<u64>,
        /// The author and the time.
        stamp: Stamp,
    }

    /// A request to forget.
    ForgetRequest {
        /// A note, a revision of one, an event, or what was said in a session: `agent:name#key`, `agent:name#key@3`,
        /// `session:name#event-3`, `session:name`.
        target: ForgetTarget,
        /// Also in other notes that have the same text.
        #[serde(default)]
        everywhere: bool,
        /// The author and the time.
        stamp: Stamp,
        /// Only say what would be forgotten.
        #[serde(default)]
        dry_run: bool,
    }

    /// The loop that holds a session.
    Lease {
        /// The session.
        session: Name,
        /// The number of the event with which the loop took it.
        lease: u64,
    }
}

impl ForgetRequest {
    /// The request to the store.
    pub fn forget(&self) -> Forget {
        Forget {
            target: self.target.clone(),
            everywhere: self.everywhere,
        }
    }
}

/// The results of changes, in their order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ApplyAnswer {
    /// The result of each change.
    pub applied: Vec<Applied>,
}

/// Hits of a search, best match first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HitsFound {
    /// The hits.
    pub hits: Vec<Hit>,
    /// The damage that was met.
    #[serde(default, skip_serializing_if = "Damage::is_none")]
    pub damage: Damage,
}

/// Notes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NotesFound {
    /// The notes.
    pub notes: Vec<Note>,
    /// The damage that was met.
    #[serde(default, skip_serializing_if = "Damage::is_none")]
    pub damage: Damage,
}

/// How long ago a loop was heard of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Silence {
    /// In milliseconds; none: it never was, or it no longer holds the session.
    pub silence_ms: Option<u64>,
}

impl From<Option<Duration>> for Silence {
    fn from(silence: Option<Duration>) -> Self {
        let millis = |silence: Duration| u64::try_from(silence.as_millis()).unwrap_or(u64::MAX);
        Self {
            silence_ms: silence.map(millis),
        }
    }
}

impl From<Silence> for Option<Duration> {
    fn from(of: Silence) -> Self {
        of.silence_ms.map(Duration::from_millis)
    }
}

/// The error with these fields, for a reader who knows the store by this name; none if this version has no such error.
/// `current` is the note that a conflict shows.
pub fn error(fields: &Value, current: Option<Box<Note>>, store: &str) -> Option<Error> {
    let mut error = Error::deserialize(fields).ok()?;
    error.name_store(Path::new(store));
    if let Error::Conflict { current: shown, .. } = &mut error {
        *shown = current;
    }
    Some(error)
}
