//! Everything that can be refused or go wrong, as one enum that a caller can match.
//!
//! `Display` says what and why in one line; [`Error::hint`] what to do next; [`Error::kind`] is a stable
//! word for programs. No message holds a note's text, except a conflict's, which hands over the current note.

use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;

use crate::address::Address;
use crate::key::{Key, Name};
use crate::note::Note;

/// The library's result.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can be refused or go wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A key that breaks the key rule (source 002's `ErrInvalidKey`).
    #[error("`{key}` is not a valid key")]
    InvalidKey {
        /// What was given, trimmed.
        key: String,
        /// The nearest key that would be valid.
        suggestion: Option<Key>,
    },

    /// A name of an agent, a session or an author, or an entry's id, that is not valid.
    #[error("`{name}` is not a valid name: {reason}")]
    InvalidName {
        /// What was given, trimmed.
        name: String,
        /// What is wrong with it.
        reason: String,
    },

    /// A path that can be no place.
    #[error("`{path}` is not a place: {reason}")]
    InvalidPlace {
        /// What was given.
        path: String,
        /// What is wrong with it.
        reason: String,
    },

    /// An address that cannot be read.
    #[error("`{address}` is not an address: {reason}")]
    InvalidAddress {
        /// What was given.
        address: String,
        /// What is wrong with it.
        reason: String,
    },

    /// A type that a log entry cannot be added with.
    #[error("`{kind}` is not a type of note")]
    UnknownType {
        /// What was given.
        kind: String,
    },

    /// A number that an iteration cannot have.
    #[error("`{iteration}` is not an iteration")]
    InvalidIteration {
        /// What was given.
        iteration: i64,
    },

    /// A text to be written that is not UTF-8 or holds a NUL.
    #[error("the text is not plain text: {what}")]
    NotText {
        /// What is in it, and where.
        what: String,
    },

    /// A text to be written that holds a credential. It says by which rule and where, never what.
    #[error("the text holds a credential ({rule}) at line {line}, column {column}")]
    HoldsSecret {
        /// The rule that found it (see [`crate::secrets`]).
        rule: &'static str,
        /// The line, from 1.
        line: usize,
        /// The column, from 1, in characters.
        column: usize,
    },

    /// A name to be written under that holds a credential: it would outlive the note, and be shown wherever the note is.
    #[error("the {what} holds a credential ({rule})")]
    NameHoldsSecret {
        /// `address` or `author`.
        what: &'static str,
        /// The rule that found it (see [`crate::secrets`]).
        rule: &'static str,
    },

    /// A content over the size cap (source 002's `ErrNoteTooLarge`).
    #[error("the note is too large: {bytes} bytes, {max_bytes} are allowed")]
    NoteTooLarge {
        /// The content's size in bytes.
        bytes: usize,
        /// The cap in bytes.
        max_bytes: i64,
        /// The setting that holds the cap: `max_bytes`, or `max_place_bytes` for a directory's own note.
        setting: &'static str,
    },

    /// A new key over the count cap (source 002's `ErrTooManyNotes`).
    #[error("the notebook is full: {notes} notes, {max_notes} are allowed")]
    TooManyNotes {
        /// The notes that are there.
        notes: u64,
        /// The cap.
        max_notes: i64,
    },

    /// No such note, or no such revision of it.
    #[error("there is no {what}")]
    NotFound {
        /// The address, with the revision when one was asked for.
        what: String,
    },

    /// A write that expected another revision than the current one.
    #[error("{address} has changed: {}, {expected} was expected", match current {
        Some(note) => format!("it is at revision {}", note.revision),
        None => "it does not exist".into(),
    })]
    Conflict {
        /// The note.
        address: Address,
        /// The revision that was expected, in words.
        expected: String,
        /// The note as it is now.
        current: Option<Box<Note>>,
    },

    /// A change to an entry of a session's log.
    #[error("{address} cannot be changed: a session's log is append-only")]
    AppendOnly {
        /// The entry.
        address: Address,
    },

    /// An entry that cannot be resolved, or not by this one.
    #[error("{address} is not resolved: {reason}")]
    NotResolved {
        /// The entry that should be resolved.
        address: Address,
        /// What stands against it.
        reason: &'static str,
    },

    /// Words that name no open `stuck` entry, or several.
    #[error("`{named}` fits {} open stuck note", if *several { "more than one" } else { "no" })]
    NoSuchStuck {
        /// What was given.
        named: String,
        /// Whether it fits several.
        several: bool,
        /// Those that could be meant, with their previews.
        candidates: Vec<(Address, String)>,
    },

    /// A text that has to say something and does not.
    #[error("the {what} is empty")]
    Empty {
        /// What it is.
        what: &'static str,
    },

    /// Another loop has the session.
    #[error("a loop is running in session {session}: {holder}, since {}", time(*since))]
    LoopRunning {
        /// The session.
        session: Name,
        /// The process that runs it.
        holder: String,
        /// When it began.
        since: Timestamp,
    },

    /// The session was taken over from the loop that spoke.
    #[error("the loop has lost session {session}: another one has taken it")]
    LeaseLost {
        /// The session.
        session: Name,
    },

    /// Something was said of an iteration that does not run.
    #[error("{}", match iteration {
        Some(iteration) => format!("iteration {iteration} of session {session} is not running"),
        None => format!("no iteration of session {session} is running"),
    })]
    NoLiveIteration {
        /// The session.
        session: Name,
        /// The iteration that was named.
        iteration: Option<i64>,
    },

    /// The agent waits for an answer.
    #[error("session {session} waits for an answer to: {question}")]
    Unanswered {
        /// The session.
        session: Name,
        /// What the agent asked.
        question: String,
    },

    /// An iteration that has asked, or said that all is done, and says so once more.
    #[error("iteration {iteration} has already {}", said(*has_asked))]
    AlreadySaid {
        /// The iteration.
        iteration: i64,
        /// Whether it asked a person; otherwise it said that all is done.
        has_asked: bool,
    },

    /// An answer to nothing.
    #[error("no question is open in session {session}")]
    NothingAsked {
        /// The session.
        session: Name,
    },

    /// What was asked for was forgotten: nothing brings it back.
    #[error("{what} was forgotten {} by {by}", date(*at))]
    Forgotten {
        /// The address, with the revision when it is one of several.
        what: String,
        /// When.
        at: Timestamp,
        /// By whom.
        by: Name,
    },

    /// Nothing left that could be undone.
    #[error("there is {} to undo{}", match last {
        Some(_) => "nothing of yours",
        None => "nothing",
    }, match address {
        Some(address) => format!(" in {address}"),
        None => String::new(),
    })]
    NothingToUndo {
        /// The note, when one was named.
        address: Option<Address>,
        /// The last change that could be undone and is not meant without an address: its note and its author.
        last: Option<Box<(Address, Name)>>,
    },

    /// Nothing left that could be redone.
    #[error("there is nothing to redo{}", match address {
        Some(address) => format!(" in {address}"),
        None => String::new(),
    })]
    NothingToRedo {
        /// The note, when one was named.
        address: Option<Address>,
    },

    /// The last change, or the last undo, was of a note that somebody else has changed since.
    #[error("your last {what} was of {address}, which {by} has changed since")]
    Superseded {
        /// `change` or `undo`.
        what: &'static str,
        /// The note.
        address: Address,
        /// Who changed it last.
        by: Name,
    },

    /// Another program's file that cannot be read as what it should be. It is left as it is.
    #[error("{} is damaged: {}{reason}", path.display(), match line {
        Some(line) => format!("line {line}: "),
        None => String::new(),
    })]
    DamagedFile {
        /// The file.
        path: PathBuf,
        /// The line, from 1, where there is one.
        line: Option<usize>,
        /// What is wrong there.
        reason: String,
    },

    /// A database that holds nothing that could be imported. It is left as it is.
    #[error("{} has nothing to import: {}", path.display(), match is_store {
        true => "it is a waynote store",
        false => "it has no table `notes`",
    })]
    NothingToImport {
        /// The database.
        path: PathBuf,
        /// Whether it is one of our own stores.
        is_store: bool,
    },

    /// The store's own file is damaged.
    #[error("the store {} is damaged: {reason}", path.display())]
    DamagedStore {
        /// The store.
        path: PathBuf,
        /// What the engine says.
        reason: String,
    },

    /// The store's file is the database of another program. Nothing was written to it.
    #[error("{} is the SQLite database of another program", path.display())]
    ForeignStore {
        /// The store.
        path: PathBuf,
    },

    /// The store's path holds something else.
    #[error("{} is not a waynote store: {reason}", path.display())]
    NotAStore {
        /// The path.
        path: PathBuf,
        /// What it is instead.
        reason: String,
    },

    /// The store was written by a newer program.
    #[error("the store {} is of version {found}; this program knows versions up to {known}", path.display())]
    NewerStore {
        /// The store.
        path: PathBuf,
        /// Its schema's number.
        found: u32,
        /// The newest number this program knows.
        known: u32,
    },

    /// The store's file went away, or became another one, while it was open.
    #[error("the store {} is not the file that it was: {reason}", path.display())]
    StoreLost {
        /// The store.
        path: PathBuf,
        /// What happened to it.
        reason: String,
    },

    /// The store cannot be written.
    #[error("the store {} cannot be written: {reason}", path.display())]
    ReadOnly {
        /// The store.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },

    /// No room for the write.
    #[error("the store {} cannot be written: the disk is full", path.display())]
    DiskFull {
        /// The store.
        path: PathBuf,
    },

    /// Another writer held the store for the whole of the wait.
    #[error("the store {} is busy: another writer holds it{}{}", path.display(), seconds(waited), match holder {
        Some(holder) => format!(" (process {holder})"),
        None => String::new(),
    })]
    Busy {
        /// The store.
        path: PathBuf,
        /// How long this one waited.
        waited: Duration,
        /// The process that holds it, when it left its number.
        holder: Option<u32>,
    },

    /// A file cannot be read or written.
    #[error("{} cannot be {action}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// `read`, `written`, …
        action: &'static str,
        /// What the system says.
        source: std::io::Error,
    },

    /// Another failure of the engine.
    #[error("the store {} failed: {source}", path.display())]
    Engine {
        /// The store.
        path: PathBuf,
        /// What the engine says.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// Whether a refusal is about how something was written down, or about what the store holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The words of the request are wrong: nothing the store holds could make it right.
    Usage,
    /// The request was understood and refused, or could not be carried out.
    Refusal,
}

fn said(has_asked: bool) -> &'static str {
    match has_asked {
        true => "asked a person",
        false => "said that all is done",
    }
}

impl Error {
    /// A stable word for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::InvalidKey { .. } => "invalid_key",
            Self::InvalidName { .. } => "invalid_name",
            Self::InvalidPlace { .. } => "invalid_place",
            Self::InvalidAddress { .. } => "invalid_address",
            Self::UnknownType { .. } => "unknown_type",
            Self::InvalidIteration { .. } => "invalid_iteration",
            Self::NotText { .. } => "not_text",
            Self::HoldsSecret { .. } => "holds_secret",
            Self::NameHoldsSecret { .. } => "name_holds_secret",
            Self::NoteTooLarge { .. } => "note_too_large",
            Self::TooManyNotes { .. } => "too_many_notes",
            Self::NotFound { .. } => "not_found",
            Self::Conflict { .. } => "conflict",
            Self::AppendOnly { .. } => "append_only",
            Self::NotResolved { .. } => "not_resolved",
            Self::NoSuchStuck { .. } => "no_such_stuck",
            Self::Empty { .. } => "empty",
            Self::LoopRunning { .. } => "loop_running",
            Self::LeaseLost { .. } => "lease_lost",
            Self::NoLiveIteration { .. } => "no_live_iteration",
            Self::Unanswered { .. } => "unanswered",
            Self::AlreadySaid { .. } => "already_said",
            Self::NothingAsked { .. } => "nothing_asked",
            Self::Forgotten { .. } => "forgotten",
            Self::NothingToUndo { .. } => "nothing_to_undo",
            Self::NothingToRedo { .. } => "nothing_to_redo",
            Self::Superseded { .. } => "superseded",
            Self::DamagedFile { .. } => "damaged_file",
            Self::NothingToImport { .. } => "nothing_to_import",
            Self::DamagedStore { .. } => "damaged_store",
            Self::ForeignStore { .. } => "foreign_store",
            Self::NotAStore { .. } => "not_a_store",
            Self::NewerStore { .. } => "newer_store",
            Self::StoreLost { .. } => "store_lost",
            Self::ReadOnly { .. } => "read_only",
            Self::DiskFull { .. } => "disk_full",
            Self::Busy { .. } => "busy",
            Self::File { .. } => "file",
            Self::Engine { .. } => "engine",
        }
    }

    /// Whether the request was wrong or was refused.
    pub fn class(&self) -> Class {
        match self {
            Self::InvalidName { .. }
            | Self::InvalidPlace { .. }
            | Self::InvalidAddress { .. }
            | Self::InvalidIteration { .. }
            | Self::UnknownType { .. }
            | Self::Empty { .. } => Class::Usage,
            _ => Class::Refusal,
        }
    }

    /// What to do next.
    pub fn hint(&self) -> String {
        match self {
            Self::InvalidKey { suggestion, .. } => {
                let rule = "a key is 1 to 64 of a-z, 0-9, `_`, `-`, the first a letter or a digit";
                match suggestion {
                    Some(key) => format!("{rule}; `{key}` would do"),
                    None => rule.into(),
                }
            }
            Self::InvalidName { .. } => "a name is 1 to 200 bytes without control characters".into(),
            Self::InvalidPlace { .. } => "a place is `~`, `~/x`, an absolute path, or a relative one".into(),
            Self::InvalidAddress { .. } => {
                "write `place:~/p`, `place:~/p#key`, `agent:name#key` or `session:name#id`, \
                 with `@REVISION` for an older one"
                    .into()
            }
            Self::UnknownType { .. } => "the types are stuck, learning, tip, decision".into(),
            Self::InvalidIteration { .. } => "iterations are counted from 1; an entry without one belongs to none".into(),
            Self::NotText { .. } => "a note is UTF-8 text without NUL; convert it first, or encode other data, for instance as base64".into(),
            Self::NameHoldsSecret { .. } => {
                "use another name: one cannot be forgotten; `--allow-secret` allows it all the same".into()
            }
            Self::HoldsSecret { rule, .. } => format!(
                "replace it by where it is kept (a variable, a vault); \
                 or allow it with `--allow-secret`, or `{rule}` for good in `allow_secrets` of the configuration"
            ),
            Self::NoteTooLarge { setting, .. } => {
                format!("shorten it, split it over several keys, or raise `{setting}`; zero or less is no cap")
            }
            Self::TooManyNotes { .. } => {
                "delete or merge notes, save under a key that exists, or raise `max_notes`; zero or less is no cap"
                    .into()
            }
            Self::NotFound { .. } => "list what there is with `place list`, `key list` or `log list`".into(),
            Self::Conflict { current, .. } => match current {
                Some(note) => format!(
                    "look at the current text, then write again expecting revision {}",
                    note.revision
                ),
                None => "expect revision 0 to create it".into(),
            },
            Self::AppendOnly { .. } => "add an entry that corrects it".into(),
            Self::NotResolved { .. } => "name a `stuck` entry, and say how it was solved as a learning, a tip or a decision".into(),
            Self::NoSuchStuck { candidates, .. } if candidates.is_empty() => {
                "nothing is open there: leave `resolves` out".into()
            }
            Self::NoSuchStuck { candidates, .. } => {
                let named = candidates.iter().map(|(address, preview)| format!("{address}: {preview}"));
                format!("name one by its address: {}", named.collect::<Vec<_>>().join("; "))
            }
            Self::Empty { what } => format!("say what the {what} is"),
            Self::LoopRunning { .. } => {
                "wait for it or end it, or name another session; one on another machine that is known to be dead, `--take-over`".into()
            },
            Self::LeaseLost { .. } => "look at `waynote log show` for what the other one does".into(),
            Self::NoLiveIteration { .. } => "this is for the agent that a loop runs, while it runs".into(),
            Self::Unanswered { .. } => "start the loop again with `--answer TEXT`".into(),
            Self::AlreadySaid { .. } => "the first one counts: end your turn; put what else a person should know into a note".into(),
            Self::NothingAsked { .. } => "drop `--answer`; put what the agent should know into the spec or a note".into(),
            Self::Forgotten { .. } => {
                "it is gone for good; `waynote history ADDRESS` lists what is left, and `restore` brings that back".into()
            }
            Self::NothingToUndo { last: Some(last), .. } => {
                let (address, author) = last.as_ref();
                format!("the last change is of {address}, by {author}: `waynote undo {address}` undoes it")
            }
            Self::NothingToUndo { .. } => "`restore ADDRESS --revision N` brings back any revision".into(),
            Self::NothingToRedo { .. } => {
                "only what was undone can be redone, until the next change; `restore ADDRESS --revision N` brings back \
                 any revision"
                    .into()
            }
            Self::Superseded { address, .. } => {
                format!("look at `waynote history {address}`, then name the note to undo, or restore a revision")
            }
            Self::DamagedFile { .. } => "mend it or move it away; nothing was written to it".into(),
            Self::NothingToImport { is_store: true, path } => {
                format!("use it as it is: `waynote --store {}`", path.display())
            }
            Self::NothingToImport { is_store: false, .. } => "name the memory.db of an openotters agent".into(),
            Self::DamagedStore { .. } => "restore the file from a copy; what can be read of it can be exported first".into(),
            Self::ForeignStore { .. } => {
                "add `--attach` once to keep notes in it, in tables beside its own; or name another file with `--store`".into()
            }
            Self::NotAStore { .. } => "name another file with `--store`".into(),
            Self::StoreLost { .. } => "put it back, or start again with what is there now; nothing was written".into(),
            Self::NewerStore { .. } => "update waynote; nothing was changed".into(),
            Self::ReadOnly { .. } => "make the file and its folder writable, or name another with `--store`".into(),
            Self::DiskFull { .. } => "free some space and try again; all that was acknowledged is still there".into(),
            Self::Busy { .. } => "end or resume the other process, then try again; nothing was written".into(),
            Self::File { .. } | Self::Engine { .. } => "mend that and try again".into(),
        }
    }

    /// Wraps a failure to read or write a file.
    pub(crate) fn file(
        path: impl Into<PathBuf>,
        action: &'static str,
        source: std::io::Error,
    ) -> Self {
        Self::File {
            path: path.into(),
            action,
            source,
        }
    }
}

/// The day, in universal time.
pub(crate) fn date(time: Timestamp) -> String {
    jiff::tz::Offset::UTC.to_datetime(time).date().to_string()
}

/// Day and minute, in universal time.
fn time(time: Timestamp) -> String {
    let time = jiff::tz::Offset::UTC.to_datetime(time);
    format!(
        "{} {:02}:{:02} UTC",
        time.date(),
        time.hour(),
        time.minute()
    )
}

fn seconds(duration: &Duration) -> String {
    if duration.is_zero() {
        return String::new();
    }
    format!(", for {} s now", duration.as_secs_f64())
}
