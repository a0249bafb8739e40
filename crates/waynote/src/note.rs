//! The note, its revisions, and what they are made of.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::address::Address;
use crate::content::Content;
use crate::error::{Error, Result};
use crate::key::Name;
use crate::secrets::{self, SecretPolicy};

/// The type of a log entry (source 001).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Where a run was blocked; what did not work.
    Stuck,
    /// What worked; an insight.
    Learning,
    /// A recommendation for later runs.
    Tip,
    /// A choice made, and why.
    Decision,
    /// A type that another program wrote. Kept and listed; none is added here.
    Other(String),
}

impl Kind {
    /// The four types, in the order in which prompts show them.
    pub const ALL: [Self; 4] = [Self::Stuck, Self::Learning, Self::Tip, Self::Decision];

    /// The type's word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Stuck => "stuck",
            Self::Learning => "learning",
            Self::Tip => "tip",
            Self::Decision => "decision",
            Self::Other(word) => word,
        }
    }

    /// The type of an entry that another program wrote: any word.
    pub fn imported(word: &str) -> Self {
        word.parse()
            .unwrap_or_else(|_| Self::Other(word.to_owned()))
    }
}

/// Only the four: an entry is added with no other.
impl FromStr for Kind {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self> {
        let known = Self::ALL.into_iter().find(|kind| kind.as_str() == word);
        known.ok_or_else(|| Error::UnknownType {
            kind: word.to_owned(),
        })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Who writes, and when: handed in with every change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The time of the change.
    pub now: Timestamp,
    /// The author: `person`, `agent:NAME`, `import:FORMAT`, or whatever the caller goes by.
    pub author: Name,
    /// Which credentials may stand in what is written.
    pub secrets: SecretPolicy,
}

impl Stamp {
    /// A stamp; the time is kept to the microsecond, as stores keep it. No credential may be written with it.
    pub fn new(now: Timestamp, author: Name) -> Self {
        Self {
            now: micros(now),
            author,
            secrets: SecretPolicy::default(),
        }
    }

    /// The stamp with another policy for credentials.
    pub fn allowing(self, secrets: SecretPolicy) -> Self {
        Self { secrets, ..self }
    }
}

/// The time as stores keep it.
pub(crate) fn micros(time: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(time.as_microsecond()).unwrap_or(time)
}

/// A note as it is now, or as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Where it lives.
    pub address: Address,
    /// What it says.
    pub content: Content,
    /// One line of it, made when it was written.
    pub preview: String,
    /// Its type, in a session's log.
    pub kind: Option<Kind>,
    /// The iteration in which it was added to a session's log, when one was known.
    pub iteration: Option<i64>,
    /// Whether it is shown whole in every prompt.
    pub pinned: bool,
    /// 1, 2, 3 … of this note.
    pub revision: u64,
    /// Who made this revision.
    pub author: Name,
    /// When the note was first written.
    pub created_at: Timestamp,
    /// When it was last written, pinned or unpinned.
    pub updated_at: Timestamp,
}

impl Note {
    /// The rules that find a credential in the content, in their order there, each once; see [`crate::secrets`].
    pub fn secrets(&self) -> Vec<&'static str> {
        let mut rules = Vec::new();
        for secret in secrets::scan(&self.content.shown()) {
            if !rules.contains(&secret.rule) {
                rules.push(secret.rule);
            }
        }
        rules
    }
}

/// The fields and their names are the same in the command line, MCP, HTTP and the docs.
impl Serialize for Note {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let secrets = self.secrets();
        let fields = 12 + usize::from(!secrets.is_empty());
        let mut note = serializer.serialize_struct("Note", fields)?;
        note.serialize_field("address", &self.address)?;
        note.serialize_field("scope", &self.address.scope())?;
        note.serialize_field("key", &self.address.key())?;
        note.serialize_field("content", &self.content)?;
        note.serialize_field("preview", &self.preview)?;
        note.serialize_field("type", &self.kind.as_ref().map(Kind::as_str))?;
        note.serialize_field("iteration", &self.iteration)?;
        note.serialize_field("pinned", &self.pinned)?;
        note.serialize_field("revision", &self.revision)?;
        note.serialize_field("author", self.author.as_str())?;
        note.serialize_field("created_at", &self.created_at.to_string())?;
        note.serialize_field("updated_at", &self.updated_at.to_string())?;
        if !secrets.is_empty() {
            note.serialize_field("secrets", &secrets)?;
        }
        note.end()
    }
}

/// What a revision did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Wrote a content.
    Save,
    /// Pinned.
    Pin,
    /// Unpinned.
    Unpin,
    /// Deleted.
    Delete,
    /// Brought back an older revision.
    Restore,
    /// Took back a change.
    Undo,
}

impl Action {
    const ALL: [Self; 6] = [
        Self::Save,
        Self::Pin,
        Self::Unpin,
        Self::Delete,
        Self::Restore,
        Self::Undo,
    ];

    /// The action's word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Save => "save",
            Self::Pin => "pin",
            Self::Unpin => "unpin",
            Self::Delete => "delete",
            Self::Restore => "restore",
            Self::Undo => "undo",
        }
    }

    /// Reads what a store wrote.
    pub(crate) fn stored(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.as_str() == word)
    }
}

/// Where a change stands in the whole store's journal: larger is later, and that is all that can be said.
/// Positions have gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position(pub(crate) i64);

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One change of one note, as the journal keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision {
    /// Where it stands in the store's journal; none for a text that lies in a kept-in-step file and is
    /// journaled by the next write.
    pub position: Option<Position>,
    /// What it did.
    pub action: Action,
    /// The revision whose change this one took back, when it is an undo.
    pub undoes: Option<u64>,
    /// When the store recorded it. Orders as-of reads.
    pub recorded_at: Timestamp,
    /// The note after it. A deleted note has no content.
    pub state: State,
}

/// The state of a note after a revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It is there.
    Present(Note),
    /// It was deleted.
    Deleted {
        /// Where it was.
        address: Address,
        /// The revision that deleted it.
        revision: u64,
        /// Who deleted it.
        author: Name,
    },
}

impl Revision {
    /// 1, 2, 3 … of the note.
    pub fn number(&self) -> u64 {
        match &self.state {
            State::Present(note) => note.revision,
            State::Deleted { revision, .. } => *revision,
        }
    }

    /// The note that it belongs to.
    pub fn address(&self) -> &Address {
        match &self.state {
            State::Present(note) => &note.address,
            State::Deleted { address, .. } => address,
        }
    }

    /// Who made it.
    pub fn author(&self) -> &Name {
        match &self.state {
            State::Present(note) => &note.author,
            State::Deleted { author, .. } => author,
        }
    }

    /// The note after it, unless it was deleted.
    pub fn note(&self) -> Option<&Note> {
        match &self.state {
            State::Present(note) => Some(note),
            State::Deleted { .. } => None,
        }
    }
}

/// The note's fields, with what the revision did beside them.
impl Serialize for Revision {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Revision", 8)?;
        out.serialize_field("address", self.address())?;
        out.serialize_field("revision", &self.number())?;
        out.serialize_field(
            "position",
            &self.position.map(|position| position.to_string()),
        )?;
        out.serialize_field("action", self.action.as_str())?;
        out.serialize_field("undoes", &self.undoes)?;
        out.serialize_field("author", self.author().as_str())?;
        out.serialize_field("recorded_at", &self.recorded_at.to_string())?;
        out.serialize_field("note", &self.note())?;
        out.end()
    }
}

/// A point in a note's history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AsOf {
    /// After that revision of the note.
    Revision(u64),
    /// After the last change recorded at or before that time.
    Time(Timestamp),
}

impl AsOf {
    /// The revision that was current then, from a note's history, oldest first.
    ///
    /// Clocks go backwards, so the last revision that qualifies counts, not the one with the latest time.
    pub fn pick(self, history: &[Revision]) -> Option<&Revision> {
        match self {
            Self::Revision(number) => history.iter().find(|revision| revision.number() == number),
            Self::Time(time) => history
                .iter()
                .rev()
                .find(|revision| revision.recorded_at <= time),
        }
    }
}
