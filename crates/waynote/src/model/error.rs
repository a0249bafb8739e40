//! The library's errors, as one enum that a caller can match.
//!
//! `Display` names the failure and its cause in one line. [`Error::advice`] says what to do about it, in words that
//! suit every program; a program adds its own commands or tools. [`Error::class`] is the family of the error: a program
//! derives its exit code or status from it. [`Error::kind`] is a stable word for programs.
//!
//! Errors of only one module are enums of their own: [`LoopError`], [`UndoError`], [`StorageError`]. A crate that
//! builds on this one puts its own errors into [`Error::Custom`].
//!
//! In JSON an error is an object with its kind and its fields: credentials are masked, and paths are left out. The
//! other side of a connection makes the same error of it, or [`Error::Remote`] if it does not know the kind.
//!
//! `Display` and the advice mask credentials. Of notes they show only previews, where several notes could be meant. The
//! fields hold the unmasked input, and a conflict holds the current note: do not log the fields.

mod advice;
mod class;
mod custom;
mod form;
mod loops;
mod made;
mod storage;
#[cfg(test)]
mod tests;
mod undo;
mod words;

use std::borrow::Cow;
use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::address::Address;
use crate::author::shown;
use crate::key::{Key, Name};
use crate::note::{Note, Position};
use crate::scope::Scope;
use crate::text::plural;

pub use class::ErrorClass;
pub use custom::CustomError;
pub use loops::{LoopError, PersonalAct};
pub use storage::StorageError;
pub use undo::UndoError;
pub use words::safe;

use form::{io, millis, safe_candidates, safe_text, safe_text_or_none, text};
use words::seconds;

/// The library's result type.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of the library.
#[derive(Debug, thiserror::Error, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Fields))]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Error {
    /// A key with characters that keys do not have, or of the wrong length (openotters' `ErrInvalidKey`).
    #[error("`{}` is not a valid key", safe(key))]
    InvalidKey {
        /// What was given, trimmed.
        #[serde(serialize_with = "safe_text")]
        key: String,
        /// The nearest key that would be valid.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        suggestion: Option<Key>,
    },

    /// A name of an agent, a session or an author, or an entry's id, that is not valid.
    #[error("`{}` is not a valid name: {reason}", safe(name))]
    InvalidName {
        /// What was given, trimmed.
        #[serde(serialize_with = "safe_text")]
        name: String,
        /// What is wrong with it.
        reason: String,
    },

    /// A path that is not a valid place.
    #[error("`{}` is not a place: {reason}", safe(path))]
    InvalidPlace {
        /// What was given.
        #[serde(serialize_with = "safe_text")]
        path: String,
        /// What is wrong with it.
        reason: String,
    },

    /// Code that cannot be cited.
    #[error("`{}` cannot be cited: {reason}", safe(code))]
    InvalidCitation {
        /// What was given.
        #[serde(serialize_with = "safe_text")]
        code: String,
        /// What is wrong with it.
        reason: String,
    },

    /// A repository of which it is not known how it is called: a new note of it has no name.
    #[error("it is not known how this repository is called: {}", safe(reason))]
    UnknownRepository {
        /// Why.
        #[serde(serialize_with = "safe_text")]
        reason: String,
    },

    /// An address that cannot be read.
    #[error("`{}` is not an address: {reason}", safe(address))]
    InvalidAddress {
        /// What was given.
        #[serde(serialize_with = "safe_text")]
        address: String,
        /// What is wrong with it.
        reason: String,
    },

    /// The id of a call that another call, with other contents, went by.
    #[error("another call went by this id: `{}`", safe(id))]
    IdUsed {
        /// The id.
        #[serde(serialize_with = "safe_text")]
        id: String,
    },

    /// A type that a new log entry cannot have.
    #[error("`{}` is not an entry type", safe(kind))]
    UnknownType {
        /// What was given.
        #[serde(rename = "entry_type", serialize_with = "safe_text")]
        kind: String,
    },

    /// A number that an iteration cannot have.
    #[error("`{iteration}` is not an iteration number")]
    InvalidIteration {
        /// What was given.
        iteration: i64,
    },

    /// A token factor outside 0.1 to 10.
    #[error("`{factor}` is not a token factor")]
    InvalidTokenFactor {
        /// What was given.
        factor: f64,
    },

    /// A call without something that it needs.
    #[error("the call needs {needs}")]
    Incomplete {
        /// What it needs.
        needs: String,
        /// How to give it.
        advice: String,
    },

    /// A text that is not UTF-8 or contains a NUL.
    #[error("the text is not plain text: {what}")]
    NotText {
        /// What was found in it, and where.
        what: String,
    },

    /// A text that holds a credential. The error names the rule and the position, never the credential.
    #[error("the text holds a credential ({rule}) at line {line}, column {column}")]
    HoldsSecret {
        /// The rule that found it (see [`crate::secrets`]).
        rule: Cow<'static, str>,
        /// The line, from 1.
        line: usize,
        /// The column, from 1, in characters.
        column: usize,
    },

    /// A name that holds a credential. The name would outlive the note, and would be shown wherever the note is.
    #[error("the {what} holds a credential ({rule})")]
    NameHoldsSecret {
        /// `address` or `author`.
        what: Cow<'static, str>,
        /// The rule that found it (see [`crate::secrets`]).
        rule: Cow<'static, str>,
    },

    /// A text over the size limit (openotters' `ErrNoteTooLarge`).
    #[error("the note is too large: {}, the limit is {max_bytes}", plural(*bytes as u64, "byte"))]
    NoteTooLarge {
        /// The content's size in bytes.
        bytes: usize,
        /// The limit in bytes.
        max_bytes: i64,
        /// The field of [`Limits`](crate::Limits) that sets the limit: `max_bytes`, or `max_place_bytes` for a
        /// directory's own note.
        limit: Cow<'static, str>,
    },

    /// A new key where the limit of notes is reached (openotters' `ErrTooManyNotes`).
    #[error("{} is full: {}, the limit is {max_notes}", safe(scope), plural(*notes, "note"))]
    TooManyNotes {
        /// The agent or the place that has them.
        scope: Scope,
        /// The number of its notes.
        notes: u64,
        /// The limit.
        max_notes: i64,
    },

    /// A request that asks for more than one request may.
    #[error(
        "too much is asked at once: {asked} {}, the limit is {most}",
        safe(what)
    )]
    TooMuchAsked {
        /// What there is too much of: `words`, `bytes of texts`.
        what: Cow<'static, str>,
        /// How much was asked for; of an answer, how much there was when it was given up.
        asked: u64,
        /// The limit.
        most: u64,
    },

    /// A request whose answer nobody waits for any more.
    #[error("the request was ended: nobody waits for its answer any more")]
    Ended,

    /// No such note, or no such revision of it.
    #[error("there is no {}", safe(what))]
    NotFound {
        /// The address, with the revision when one was asked for.
        #[serde(serialize_with = "safe_text")]
        what: String,
    },

    /// A write that expected another revision than the current one.
    #[error("{} has changed: {}, {expected} was expected", safe(address), match current {
        Some(note) => format!("it is at revision {}", note.revision),
        None => "it does not exist".into(),
    })]
    Conflict {
        /// The note.
        address: Address,
        /// The revision that was expected, in words.
        expected: String,
        /// The note as it is now.
        #[serde(skip)]
        current: Option<Box<Note>>,
    },

    /// A change of a text that another author wrote, by a writer who did not say that it had read it (see
    /// [`Replaces`](crate::note::Replaces)). Nothing was changed.
    #[error("{} has text by {} (revision {revision})", safe(address), safe(shown(author, holder.as_ref())))]
    OthersText {
        /// The note.
        address: Address,
        /// Who wrote its text, or a part of it.
        author: Name,
        /// The holder of the token with which it was written.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        holder: Option<Name>,
        /// Its revision.
        revision: u64,
        /// The note as it is now.
        #[serde(skip)]
        current: Option<Box<Note>>,
    },

    /// A note that only one person can use, in a store of several. Nothing was changed.
    #[error("{} cannot be in a store of several people: {}", safe(address), match holder {
        Some(_) => "a notebook there has a name of its own",
        None => "it is on a path of one machine",
    })]
    OnePersons {
        /// The note.
        address: Address,
        /// The holder whose notebook was not named; none for a note on a path.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        holder: Option<Name>,
    },

    /// A change of a note of others, which is not in this store (see [`StoreBeside`](crate::store::StoreBeside)). Nothing
    /// was changed.
    #[error("{} is {}{}", safe(address), if *of_team { "a note of the team" } else { "a shared note" }, match origin {
        Some(origin) => format!(": {}", safe(origin)),
        None => String::new(),
    })]
    OthersNote {
        /// The note.
        address: Address,
        /// True if it is in a team's store, false if the checkout shares it.
        of_team: bool,
        /// The file that it is in.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            serialize_with = "safe_text_or_none"
        )]
        origin: Option<String>,
        /// The revision with which a save puts another text in its place here; none: no change of that kind does.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expect: Option<u64>,
        /// The note as it is now.
        #[serde(skip)]
        current: Option<Box<Note>>,
    },

    /// A change to an entry of a session's log.
    #[error("{} cannot be changed: a session's log is append-only", safe(address))]
    AppendOnly {
        /// The entry.
        address: Address,
    },

    /// An entry that cannot be resolved, or not by this entry.
    #[error("{} is not resolved: {reason}", safe(address))]
    NotResolved {
        /// The entry that should be resolved.
        address: Address,
        /// Why not.
        reason: Cow<'static, str>,
    },

    /// Words that match no open `stuck` entry, or several.
    #[error("`{}` matches {} open stuck note", safe(named), if *several { "more than one" } else { "no" })]
    NoSuchStuck {
        /// What was given.
        #[serde(serialize_with = "safe_text")]
        named: String,
        /// Whether several match.
        several: bool,
        /// The entries that could be meant, with their previews.
        #[serde(serialize_with = "safe_candidates")]
        candidates: Vec<(Address, String)>,
    },

    /// A text that must not be empty, but is.
    #[error("the {what} is empty")]
    Empty {
        /// What is empty, for example `question`.
        what: Cow<'static, str>,
    },

    /// What was asked for was forgotten; it cannot be brought back.
    #[error("{} was forgotten {} by {}", safe(what), crate::text::day(*at), safe(shown(by, None)))]
    Forgotten {
        /// The address, with the revision when it is one of several.
        #[serde(serialize_with = "safe_text")]
        what: String,
        /// When.
        at: Timestamp,
        /// By whom.
        by: Name,
    },

    /// A write or a forgetting for which the caller lacks the right.
    #[error("{} is not allowed here: {}", safe(what), safe(reason))]
    Denied {
        /// What was asked for.
        #[serde(serialize_with = "safe_text")]
        what: String,
        /// The rule that forbids it.
        #[serde(serialize_with = "safe_text")]
        reason: String,
    },

    /// The store's own file is damaged.
    #[error("the store {} is damaged: {}", safe(path.display()), safe(reason))]
    DamagedStore {
        /// The store.
        #[serde(skip)]
        path: PathBuf,
        /// What is damaged.
        #[serde(serialize_with = "safe_text")]
        reason: String,
    },

    /// A note, a revision or an event that is not as it was written: its row or its text does not match its checksum.
    #[error("{} is damaged: it is not as it was written", safe(what))]
    DamagedNote {
        /// Its address, as far as that is known.
        #[serde(serialize_with = "safe_text")]
        what: String,
    },

    /// The search index is damaged. A search does without it, and the next write builds it again.
    #[error("the search index of {} is damaged: {}", safe(path.display()), safe(reason))]
    DamagedIndex {
        /// The store.
        #[serde(skip)]
        path: PathBuf,
        /// What is damaged.
        #[serde(serialize_with = "safe_text")]
        reason: String,
    },

    /// A request would forget a text that was written after what was shown. Nothing was forgotten.
    #[error("{} was written after what was shown", safe(what))]
    ForgetsMore {
        /// The address of the newer text.
        #[serde(serialize_with = "safe_text")]
        what: String,
    },

    /// The store's file is the database of another program. Nothing was written to it.
    #[error("{} is the SQLite database of another program", safe(path.display()))]
    ForeignStore {
        /// The store.
        #[serde(skip)]
        path: PathBuf,
    },

    /// The path holds something that is not a store.
    #[error("{} is not a waynote store: {}", safe(path.display()), safe(reason))]
    NotAStore {
        /// The path.
        #[serde(skip)]
        path: PathBuf,
        /// What it holds instead.
        #[serde(serialize_with = "safe_text")]
        reason: String,
    },

    /// The store was written by another version of waynote. Nothing was changed.
    #[error(
        "the store {} has tables of version {found}, and this program has version {known}",
        safe(path.display())
    )]
    OtherVersion {
        /// The store.
        #[serde(skip)]
        path: PathBuf,
        /// The version of the store's tables.
        found: u32,
        /// The version of this program's tables.
        known: u32,
    },

    /// The store's file was deleted or replaced while it was open.
    #[error("the store {} was deleted or replaced: {}", safe(path.display()), safe(reason))]
    StoreLost {
        /// The store.
        #[serde(skip)]
        path: PathBuf,
        /// What happened to it.
        #[serde(serialize_with = "safe_text")]
        reason: String,
    },

    /// The store is behind what was acknowledged: its newest notes are missing. It can be read; nothing was written.
    #[error("the store {} has lost acknowledged writes: {}", safe(path.display()), match found.number() {
        0 => format!("it was at position {acknowledged}, and now it is empty or gone"),
        _ => format!("it was at position {acknowledged}, and now it is at {found}"),
    })]
    LostWrites {
        /// The store.
        #[serde(skip)]
        path: PathBuf,
        /// The position of the last acknowledged write.
        acknowledged: Position,
        /// The last position that the store still has; 0 when there is no store any more.
        found: Position,
    },

    /// The store cannot be written.
    #[error("the store {} cannot be written: {}", safe(path.display()), safe(reason))]
    ReadOnly {
        /// The store.
        #[serde(skip)]
        path: PathBuf,
        /// The reason, from the operating system.
        #[serde(serialize_with = "safe_text")]
        reason: String,
    },

    /// The disk is full.
    #[error("the store {} cannot be written: the disk is full", safe(path.display()))]
    DiskFull {
        /// The store.
        #[serde(skip)]
        path: PathBuf,
    },

    /// Another writer held the store during the whole wait.
    #[error("the store {} is busy: another writer holds it{}{}", safe(path.display()), seconds(waited), match holder {
        Some(holder) => format!(" ({})", safe(holder)),
        None => String::new(),
    })]
    Busy {
        /// The store.
        #[serde(skip)]
        path: PathBuf,
        /// How long this one waited.
        #[serde(rename = "waited_ms", with = "millis")]
        #[cfg_attr(feature = "openapi", schema(value_type = u64))]
        waited: Duration,
        /// The writer that holds it, if known: its process, and in a database its program and address too.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        holder: Option<String>,
    },

    /// A file cannot be read or written.
    #[error("{} cannot be {action}: {}", safe(path.display()), safe(source))]
    File {
        /// The file.
        #[serde(skip)]
        path: PathBuf,
        /// `read`, `written`, …
        action: Cow<'static, str>,
        /// The operating system's error.
        #[serde(flatten, with = "io")]
        #[cfg_attr(feature = "openapi", schema(value_type = io::SystemErrorForm))]
        source: std::io::Error,
    },

    /// Any other error of the storage engine.
    #[error("the store {} failed: {}", safe(path.display()), safe(source))]
    Engine {
        /// The store.
        #[serde(skip)]
        path: PathBuf,
        /// The engine's own error.
        #[serde(rename = "what", with = "text")]
        #[cfg_attr(feature = "openapi", schema(value_type = String))]
        source: Box<dyn std::error::Error + Send + Sync>,
    },

    /// An error of the other side of a connection that this version does not know.
    #[error("{}", safe(message))]
    #[serde(skip)]
    Remote {
        /// The stable word for it.
        kind: String,
        /// Its family.
        class: ErrorClass,
        /// The failure, in the words of the other side.
        message: String,
        /// The advice of the other side.
        advice: Option<String>,
    },

    /// An error of a crate that builds on this one (see [`Error::downcast_ref`]).
    #[error("{0}")]
    #[serde(skip)]
    Custom(Box<dyn CustomError>),

    /// What the system says about the store's files.
    #[error(transparent)]
    #[serde(untagged)]
    Storage(#[from] StorageError),

    /// An error that only loops have.
    #[error(transparent)]
    #[serde(untagged)]
    Loop(#[from] LoopError),

    /// Nothing to undo or redo, or not by this author.
    #[error(transparent)]
    #[serde(untagged)]
    Undo(#[from] UndoError),
}

impl From<std::convert::Infallible> for Error {
    fn from(never: std::convert::Infallible) -> Self {
        match never {}
    }
}

impl Error {
    /// A stable word for programs.
    pub fn kind(&self) -> &str {
        match self {
            Self::Storage(error) => error.kind(),
            Self::Loop(error) => error.kind(),
            Self::Undo(error) => error.kind(),
            Self::Remote { kind, .. } => kind,
            Self::Custom(error) => error.kind(),
            own => own.into(),
        }
    }
}
