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

use std::collections::HashSet;
use std::io;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::change::{Applied, Change};
use crate::error::{Error, Result};
use crate::event::SessionEvent;
use crate::forget::{Forget, ForgetTarget};
use crate::key::Name;
use crate::limits::Limits;
use crate::model::allowance::Allowance;
use crate::note::{Note, Position, Stamp};
use crate::scope::Scope;
use crate::search::Hit;
use crate::store::{AsOf, Damage, Reader};

/// The path of the API below a store: `/s/NAME` + this.
pub const API: &str = "/api/v1";

/// The media type of errors.
pub const PROBLEM: &str = "application/problem+json";

/// The version of the API: a client tells by it whether the other side is too old or too new.
pub const VERSION: u16 = 1;

/// The header of an answer that has the version.
pub const VERSION_HEADER: &str = "waynote-api";

/// An answer as JSON.
///
/// # Errors
/// [`Error::TooMuchAsked`] if it is longer than [`Limits::ANSWER_BYTES`]; [`Error::Ended`].
pub fn answer(answer: &impl Serialize) -> Result<Vec<u8>> {
    let mut written = LimitedWriter {
        text: Some(Vec::new()),
        ..LimitedWriter::default()
    };
    written.add(answer)?;
    Ok(written.text.unwrap_or_default())
}

/// Writes an answer, or only counts its bytes, up to the most that an answer may have.
#[derive(Default)]
pub(crate) struct LimitedWriter {
    bytes: u64,
    text: Option<Vec<u8>>,
}

impl LimitedWriter {
    /// Adds a value.
    pub(crate) fn add(&mut self, value: &impl Serialize) -> Result<()> {
        // No answer can fail to be serialized in another way.
        serde_json::to_writer(&mut *self, value).or_else(|_| {
            Allowance::check()?;
            Err(Error::TooMuchAsked {
                what: "bytes of an answer".into(),
                asked: self.bytes,
                most: Limits::ANSWER_BYTES,
            })
        })
    }
}

impl io::Write for LimitedWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes += bytes.len() as u64;
        if self.bytes > Limits::ANSWER_BYTES || Allowance::check().is_err() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        if let Some(text) = &mut self.text {
            text.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl AsOfRequest {
    /// The notes of a store: equal scopes are answered once, and there is a limit for their number.
    ///
    /// # Errors
    /// [`Error::TooMuchAsked`], and those of [`Reader::select_at`].
    pub fn answered(&self, store: &(impl Reader + ?Sized)) -> Result<Vec<Note>> {
        let mut known = HashSet::new();
        let scopes = self.scopes.iter().filter(|scope| known.insert(*scope));
        let scopes: Vec<Scope> = scopes.cloned().collect();
        if scopes.len() > Limits::QUESTIONS {
            return Err(Error::TooMuchAsked {
                what: "scopes".into(),
                asked: scopes.len() as u64,
                most: Limits::QUESTIONS as u64,
            });
        }
        store.select_at(&scopes, self.moment)
    }
}

/// The header of an answer with the author that the server records in place of `person`.
pub const HOLDER_HEADER: &str = "waynote-holder";

/// The header of an answer from a store of several people.
pub const SHARED_HEADER: &str = "waynote-shared";

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
        /// The `up_to` of the dry run that was looked at. A text that was written later is not forgotten: the answer is
        /// 409. Left out: whatever is there.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        up_to: Option<Position>,
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
            up_to: self.up_to,
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
/// `current` is the note that [`Error::current`] shows.
pub fn error(fields: &Value, current: Option<Box<Note>>, store: &str) -> Option<Error> {
    let mut error = Error::deserialize(fields).ok()?;
    error.name_store(Path::new(store));
    if let Error::Conflict { current: shown, .. }
    | Error::OthersText { current: shown, .. }
    | Error::OthersNote { current: shown, .. } = &mut error
    {
        *shown = current;
    }
    Some(error)
}
