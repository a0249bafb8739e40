//! Forgetting: the one exception to "nothing is destroyed".
//!
//! The text of a note is removed from the journal, from the current notes, from everything derived from it, and from
//! the bytes of the store's files. A tombstone remains for each revision: it tells that a text was forgotten, when and
//! by whom. It holds no hash and no length, because they would help to guess the text.
//!
//! The texts of a session's event (a question, an answer, a summary) are forgotten in the same way: the event remains,
//! with [`FORGOTTEN`](crate::event::FORGOTTEN) in the place of the text.
//!
//! A text is stored once for all notes that have it, and is removed with the last of them. [`Forgotten::shared`] and
//! [`Forgotten::shared_events`] list where it remains; [`Forget::everywhere`] forgets it there too.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::address::{Address, AddressAt, encode};
use crate::error::Error;
use crate::event::EventAddress;
use crate::key::Name;
use crate::note::Position;
use crate::scope::Scope;

/// The target of a request to forget.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ForgetTarget {
    /// A note with all its revisions, or one revision of it. All revisions of a log entry have the same text (they are
    /// its repeats), so forgetting one of them forgets the entry.
    Note(AddressAt),
    /// The texts of an event of a session.
    Event(EventAddress),
    /// Everything in a session: the entries of its log, and the texts of its events.
    Session(Name),
}

impl fmt::Display for ForgetTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Note(note) => note.fmt(f),
            Self::Event(event) => event.fmt(f),
            Self::Session(session) => write!(f, "session:{}", encode(session.as_str())),
        }
    }
}

impl FromStr for ForgetTarget {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        if let Ok(event) = text.parse() {
            return Ok(Self::Event(event));
        }
        match (text.parse(), text.parse()) {
            (Ok(note), _) => Ok(Self::Note(note)),
            (Err(_), Ok(Scope::Session(session))) => Ok(Self::Session(session)),
            (Err(error), _) => Err(error),
        }
    }
}

/// A request to forget.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Forget {
    /// The target.
    pub target: ForgetTarget,
    /// True to forget the text in every other note, revision and event too.
    pub everywhere: bool,
    /// The last position of the store that was shown to whoever decided ([`Forgotten::up_to`]). A text that was written
    /// later is not forgotten: the request is refused. None: whatever is there.
    pub up_to: Option<Position>,
}

impl Forget {
    /// All revisions of a note.
    pub fn new(address: Address) -> Self {
        let revision = None;
        Self::of(ForgetTarget::Note(AddressAt { address, revision }))
    }

    /// The texts of an event.
    pub fn event(event: EventAddress) -> Self {
        Self::of(ForgetTarget::Event(event))
    }

    /// Everything in a session.
    pub fn session(session: Name) -> Self {
        Self::of(ForgetTarget::Session(session))
    }

    fn of(target: ForgetTarget) -> Self {
        Self {
            target,
            everywhere: false,
            up_to: None,
        }
    }

    /// Only one revision of the note; none: all of them.
    pub fn revision(mut self, revision: impl Into<Option<u64>>) -> Self {
        if let ForgetTarget::Note(note) = &mut self.target {
            note.revision = revision.into();
        }
        self
    }

    /// Sets whether to forget the text in every other note, revision and event too.
    pub fn everywhere(self, everywhere: bool) -> Self {
        Self { everywhere, ..self }
    }

    /// Refuses the request if it would forget a text that was written after this position.
    pub fn up_to(self, position: impl Into<Option<Position>>) -> Self {
        Self {
            up_to: position.into(),
            ..self
        }
    }

    /// The note of the request, with its revision if one was given; none if it is not about a note.
    pub fn note(&self) -> Option<&AddressAt> {
        match &self.target {
            ForgetTarget::Note(note) => Some(note),
            _ => None,
        }
    }

    /// The error when such a note, revision, event or session never existed.
    pub fn not_found(&self) -> Error {
        Error::not_found(self.target.to_string())
    }
}

/// What was forgotten, and what is left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Forgotten {
    /// What the request named.
    pub named: ForgetTarget,
    /// The revisions that this call forgot; empty if they were already forgotten.
    pub revisions: Vec<AddressAt>,
    /// The events of which this call forgot what was said in them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<EventAddress>,
    /// The notes that no longer exist as a result.
    pub gone: Vec<Address>,
    /// How many revisions of the note still have a text.
    pub kept: u64,
    /// Revisions of this and other notes that still have the same text.
    pub shared: Vec<AddressAt>,
    /// Events in which the same text was said, alone or with more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared_events: Vec<EventAddress>,
    /// The names of the [side data](crate::SideData) spaces that had a value about a text that is gone. The value was
    /// removed; what the program behind the space keeps outside the store was not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spaces: Vec<String>,
    /// The last position of the store when it was asked what would be forgotten: a request that goes
    /// [up to it](Forget::up_to) forgets nothing else. None in the result of a forgetting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up_to: Option<Position>,
    /// Why old bytes of the text may still be in the store's files; none if the files are clean.
    pub residue: Option<Residue>,
}

impl Forgotten {
    /// The result of a request that forgot nothing.
    pub fn nothing(request: &Forget) -> Self {
        Self {
            named: request.target.clone(),
            revisions: Vec::new(),
            events: Vec::new(),
            gone: Vec::new(),
            kept: 0,
            shared: Vec::new(),
            shared_events: Vec::new(),
            spaces: Vec::new(),
            up_to: None,
            residue: None,
        }
    }

    /// Adds the result of another call, which forgot a text that was restored in between.
    pub fn and(&mut self, other: Self) {
        self.revisions.extend(other.revisions);
        self.events.extend(other.events);
        self.spaces.extend(other.spaces);
        self.spaces.sort();
        self.spaces.dedup();
        self.residue = other.residue;
    }
}

/// Why old bytes of a forgotten text may still be in the store's files, although no note holds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Residue {
    /// The connection belongs to an application, which has to clean its free pages and its WAL itself.
    Lent,
    /// The database holds another program's tables, so waynote does not rebuild it.
    Foreign,
    /// Another process is still reading an older state of the store.
    Read,
    /// Rebuilding the file failed.
    Failed(String),
    /// The files are a database server's. What is left in them, and what its administrator can do.
    Database(String),
}

impl fmt::Display for Residue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lent => f.write_str("its free pages and its WAL are the application's to clean"),
            Self::Foreign => {
                f.write_str("it holds tables of another program, so it was not rebuilt")
            }
            Self::Read => f.write_str("another process still reads it as it was before"),
            Self::Failed(reason) | Self::Database(reason) => f.write_str(reason),
        }
    }
}
