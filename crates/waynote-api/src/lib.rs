//! The JSON forms of the HTTP API: requests, answers and errors, for the server and for its clients.
//!
//! Each type stands for a value of the library, converts from a reference to it, and back with [`TryFrom`]. Names,
//! addresses, times and positions are texts as they print: what cannot be read is an error of the library, with a hint.
//! Requests with a field that is not known are refused, since it might be a question that nobody would answer; in
//! answers such a field is ignored.
//!
//! | route | request | answer |
//! |---|---|---|
//! | `POST read` | [`Ask`] | [`Answers`] |
//! | `POST as-of` | [`AsOfRequest`] | [`NotesFound`] |
//! | `POST search` | [`SearchRequest`] | [`HitsFound`] |
//! | `POST apply` | [`ApplyRequest`] | [`ApplyAnswer`] |
//! | `POST record` | [`RecordRequest`] | nothing (204) |
//! | `POST forget` | [`ForgetRequest`] | [`Forgotten`] |
//! | `POST context` | [`BlockAsk`] | [`BlockAnswer`] |
//! | `GET verify` | | [`Report`] |
//!
//! An error is a [`Problem`]: `application/problem+json` (RFC 9457).
//!
//! With the feature `openapi` every type has a schema of OpenAPI 3.1.

mod answers;
mod ask;
mod block;
mod block_ask;
mod change;
mod content;
mod event;
mod forget;
mod lease;
mod malformed;
mod note;
mod problem;
pub mod resource;
mod search;
mod stamp;
mod words;

pub use answers::{Answers, Done, FeedEntry, Report, ScopeSummary, Version};
pub use ask::{
    AsOf, AsOfRequest, Ask, Count, EventPage, FeedPage, JournalPage, NotedBefore, Page, Recent,
};
pub use block::{
    Block, Budget, Claim, Matching, MatchingNote, Receipt, Request, SectionText, ShownNote, Tools,
    Why,
};
pub use block_ask::{BlockAnswer, BlockAsk, BlockPart};
pub use change::{Applied, ApplyAnswer, ApplyRequest, Change, Limits, Origin};
pub use content::Content;
#[cfg(feature = "openapi")]
pub use event::form::{EndReason, IterationOutcome, ProcessIdentity, SessionEvent};
pub use event::{RecordRequest, RecordedEvent, SessionsEvent};
pub use forget::{ForgetRequest, Forgotten, Residue};
pub use lease::{Lease, Silence};
pub use malformed::Malformed;
pub use note::{ForgottenRevisions, Note, Revision};
pub use problem::{Fields, Problem, Remote};
pub use search::{Damage, Hit, HitsFound, NotesFound, SearchRequest};
pub use stamp::{Secrets, Stamp};
pub use words::{Class, ScopeKind, SearchKind, Section, Shown, Style};

/// The path of the API below a store: `/s/NAME` + this.
pub const API: &str = "/api/v1";

/// The media type of errors.
pub const PROBLEM: &str = "application/problem+json";

/// The version of the API: a client tells by it whether the other side is too old or too new.
pub const VERSION: u16 = 1;

/// The header of an answer that has the version.
pub const VERSION_HEADER: &str = "waynote-api";
