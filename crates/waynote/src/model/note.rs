//! The note, its revisions, and what they are made of.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::de::value::{self, StrDeserializer};
use serde::{Deserialize, Serialize};

use crate::address::Address;
use crate::content::Content;
use crate::error::{Error, Result};
use crate::key::{EntryId, Name};
use crate::model::as_of::AsOf;
use crate::model::citation::Citation;
use crate::secrets;

pub use super::entry_type::{EntryType, OtherType};
pub use super::source::Source;
pub use super::stamp::{Replaces, Stamp};

/// The earlier of two iterations, if they are known.
pub(crate) fn earliest(one: Option<i64>, other: Option<i64>) -> Option<i64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

/// The time rounded to the microsecond, as stores keep it.
pub fn micros(time: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(time.as_microsecond()).unwrap_or(time)
}

/// A note, as it is now or as it was at some point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "NoteForm")]
pub struct Note {
    /// Its address.
    pub address: Address,
    /// Its text.
    pub content: Content,
    /// A one-line preview, made when the note was written.
    pub preview: String,
    /// The type of a log entry.
    #[serde(rename = "type")]
    pub kind: Option<EntryType>,
    /// The iteration of a log entry, if known.
    pub iteration: Option<i64>,
    /// The later entry that resolved this one (for a `stuck` entry). A resolved entry is not shown in prompts.
    pub resolved_by: Option<EntryId>,
    /// The code that it cites.
    #[serde(default)]
    pub cites: Vec<Citation>,
    /// True if it is pinned: shown whole in every prompt.
    pub pinned: bool,
    /// The number of its current revision: 1, 2, 3 ….
    pub revision: u64,
    /// The author of its text.
    pub author: Name,
    /// When the note was first written.
    pub created_at: Timestamp,
    /// When it was last written, pinned or unpinned.
    pub updated_at: Timestamp,
    /// The store that it is read from. An engine knows only its own notes.
    #[serde(default)]
    pub source: Source,
}

impl Note {
    /// How often a log entry was noted, repeats included; none for other notes. A log entry changes only by repeats, so
    /// this is its revision.
    pub fn seen(&self) -> Option<u64> {
        matches!(self.address, Address::Session(..)).then_some(self.revision)
    }

    /// The rules that find a credential in the text, in order of position, each once (see [`crate::secrets`]).
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

impl EntryType {
    /// The notes grouped by type, in the order of the types; types without notes are left out.
    pub fn grouped(
        kinds: impl IntoIterator<Item = Self>,
        notes: &[Note],
    ) -> Vec<(Self, Vec<&Note>)> {
        let group = |kind: Self| {
            let is_of = |note: &&Note| note.kind.as_ref() == Some(&kind);
            let group: Vec<&Note> = notes.iter().filter(is_of).collect();
            (!group.is_empty()).then_some((kind, group))
        };
        kinds.into_iter().filter_map(group).collect()
    }
}

/// A note. Its fields have the same names in the command line, MCP and HTTP.
#[derive(Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Note))]
pub(super) struct NoteForm {
    /// Its address: `place:~/p`, `place:~/p#key`, `agent:name#key` or `session:name#id`.
    address: Address,
    /// The scope that it belongs to: `place:~/p`, `agent:name` or `session:name`.
    #[serde(default)]
    scope: String,
    /// Its key, or the id of a log entry; none for a directory's own note.
    #[serde(default)]
    key: Option<String>,
    /// Its text.
    content: Content,
    /// Its first line, shortened, with credentials masked.
    preview: String,
    /// The type of a log entry.
    #[serde(rename = "type")]
    kind: Option<EntryType>,
    /// The iteration of a log entry.
    iteration: Option<i64>,
    /// Whether it is pinned.
    pinned: bool,
    /// The number of its revision: 1, 2, 3 ….
    revision: u64,
    /// How often a log entry was noted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seen: Option<u64>,
    /// The id of the entry that resolved this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    resolved_by: Option<EntryId>,
    /// The code that it cites.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    cites: Vec<Citation>,
    /// The author of its text.
    author: Name,
    /// When it was first written.
    created_at: Timestamp,
    /// When it was last written, pinned or unpinned.
    updated_at: Timestamp,
    /// The store that it is read from; left out for the store that was asked.
    #[serde(default, skip_serializing_if = "Source::is_default")]
    source: Source,
    /// The rules that find a credential in its text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    secrets: Vec<Cow<'static, str>>,
}

/// `scope`, `key`, `seen` and `secrets` follow from the other fields.
impl From<Note> for NoteForm {
    fn from(note: Note) -> Self {
        let secrets = note.secrets().into_iter().map(Cow::Borrowed);
        Self {
            scope: note.address.scope().to_string(),
            key: note.address.key(),
            seen: note.seen(),
            secrets: secrets.collect(),
            address: note.address,
            content: note.content,
            preview: note.preview,
            kind: note.kind,
            iteration: note.iteration,
            pinned: note.pinned,
            revision: note.revision,
            resolved_by: note.resolved_by,
            cites: note.cites,
            author: note.author,
            created_at: note.created_at,
            updated_at: note.updated_at,
            source: note.source,
        }
    }
}

/// The action that made a revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Action {
    /// Wrote a text.
    Save,
    /// Took in what another program wrote into a file that is kept in sync.
    Sync,
    /// Pinned.
    Pin,
    /// Unpinned.
    Unpin,
    /// Deleted.
    Delete,
    /// Restored an older revision.
    Restore,
    /// Undid a change.
    Undo,
    /// Redid a change: took back its undo.
    Redo,
    /// Repeated a log entry: the same text was noted again. The entry itself stays as it was.
    Repeat,
    /// Removed a current note because its text was forgotten (see [`crate::forget`]).
    Forget,
}

impl Action {
    /// The action's word.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The action with this word ([`Action::as_str`]), as an engine stores it.
    pub fn stored(word: &str) -> Option<Self> {
        Self::deserialize(StrDeserializer::<value::Error>::new(word)).ok()
    }
}

/// The position of a change in the whole store: 1, 2, 3 … in the order of the commits, without gaps. Changes of notes,
/// session events and forgettings share one order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position(pub(crate) i64);

impl Position {
    /// The position with this number, as an engine stores it.
    pub fn new(number: i64) -> Self {
        Self(number)
    }

    /// The number, as an engine stores it.
    pub fn number(self) -> i64 {
        self.0
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Parses a position as it is printed.
impl FromStr for Position {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        text.parse().map(Self)
    }
}

/// One change of one note, as recorded in the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "RevisionForm", into = "RevisionForm")]
pub struct Revision {
    /// Its position in the store's journal; none for a text that is so far only in a file kept in sync: the next write
    /// journals it.
    pub position: Option<Position>,
    /// The action.
    pub action: Action,
    /// The revision that an undo or a redo took back: an undo takes back a change, a redo takes back an undo.
    pub undoes: Option<u64>,
    /// When the store recorded it. As-of reads use this time.
    pub recorded_at: Timestamp,
    /// The holder of the token that wrote it, on a server with tokens. The author is what the writer said; this is known.
    pub token: Option<Name>,
    /// The note after the change. A deleted note has no content. A repeat has its own iteration, author and time; the
    /// entry keeps those of its first revision. A pin, a save of the same text, or what brings a text back has its own
    /// author; the note keeps that of its text (see [`NoteAsOf::note`]).
    pub state: State,
}

/// The state of a note after a revision.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum State {
    /// The note exists.
    Present(Note),
    /// The note was deleted.
    Deleted {
        /// Its address.
        address: Address,
        /// The revision that deleted it.
        revision: u64,
        /// The author of the deletion.
        author: Name,
    },
    /// The text was forgotten and is not known any more.
    Forgotten {
        /// Its address.
        address: Address,
        /// The revision that was forgotten.
        revision: u64,
        /// The author of that revision.
        author: Name,
        /// When it was forgotten.
        forgotten_at: Timestamp,
        /// The author of the forgetting.
        forgotten_by: Name,
    },
}

impl Revision {
    /// The number of the revision.
    pub fn number(&self) -> u64 {
        match &self.state {
            State::Present(note) => note.revision,
            State::Deleted { revision, .. } | State::Forgotten { revision, .. } => *revision,
        }
    }

    /// The note that it belongs to.
    pub fn address(&self) -> &Address {
        match &self.state {
            State::Present(note) => &note.address,
            State::Deleted { address, .. } | State::Forgotten { address, .. } => address,
        }
    }

    /// The author of the revision.
    pub fn author(&self) -> &Name {
        match &self.state {
            State::Present(note) => &note.author,
            State::Deleted { author, .. } | State::Forgotten { author, .. } => author,
        }
    }

    /// The note after the change, unless it was deleted or its text was forgotten.
    pub fn note(&self) -> Option<&Note> {
        match &self.state {
            State::Present(note) => Some(note),
            State::Deleted { .. } | State::Forgotten { .. } => None,
        }
    }

    /// The note after the change, with its history and the author of its text. A repeated log entry keeps its first text
    /// and author, and belongs to the earliest iteration in which it was noted.
    pub(crate) fn noted(&self, history: &[Self]) -> Option<Note> {
        let note = self.note()?.clone();
        let earlier = || history.iter().filter(|of| of.number() < self.number());
        match (self.action, history.first().and_then(Self::note)) {
            (Action::Repeat, Some(first)) => {
                let iterations = earlier().filter_map(Self::note).map(|of| of.iteration);
                Some(Note {
                    revision: note.revision,
                    cites: note.cites,
                    iteration: iterations.fold(note.iteration, earliest),
                    ..first.clone()
                })
            }
            _ => {
                let numbered = |number| {
                    let found = history.binary_search_by_key(&number, Self::number);
                    Ok(found.ok().map(|at| history[at].clone()))
                };
                let author = self.writer(numbered).ok()?;
                Some(Note { author, ..note })
            }
        }
    }

    /// The text after the change.
    pub(crate) fn content(&self) -> Option<&Content> {
        self.note().map(|note| &note.content)
    }

    /// The author of its text. Who pins a text, saves it again or brings it back has not written it.
    ///
    /// # Errors
    /// Those of `revision`, which returns a revision of the note by its number.
    pub(crate) fn writer(
        &self,
        mut revision: impl FnMut(u64) -> Result<Option<Self>>,
    ) -> Result<Name> {
        let mut author = self.author().clone();
        let mut earlier = self.earlier(&mut revision)?;
        while let Some(of) = earlier
            && of.content() == self.content()
        {
            author = of.author().clone();
            earlier = of.earlier(&mut revision)?;
        }
        Ok(author)
    }

    /// The revision on which this one was written, or whose text it brought back.
    ///
    /// # Errors
    /// As [`Self::writer`].
    pub(crate) fn earlier(
        &self,
        mut revision: impl FnMut(u64) -> Result<Option<Self>>,
    ) -> Result<Option<Self>> {
        let mut number = self.undoes.unwrap_or_else(|| self.number());
        while number > 1 {
            number -= 1;
            let earlier = revision(number)?;
            let is_it = |of: &Self| of.content() == self.content();
            if self.action != Action::Restore || earlier.as_ref().is_some_and(is_it) {
                return Ok(earlier);
            }
        }
        Ok(None)
    }

    /// The error for showing or restoring this revision, if its text was forgotten.
    pub fn forgotten(&self) -> Option<Error> {
        match &self.state {
            State::Forgotten {
                address,
                revision,
                forgotten_at,
                forgotten_by,
                ..
            } => Some(Error::Forgotten {
                what: format!("{address}@{revision}"),
                at: *forgotten_at,
                by: forgotten_by.clone(),
            }),
            _ => None,
        }
    }

    /// The revision before which an undo continues its search. There is one if this revision took back a change or an
    /// undo (the note is then as it was before that one), or only removed a forgotten note.
    pub(crate) fn passes_to(&self) -> Option<u64> {
        let is_forget = self.action == Action::Forget;
        self.undoes.or_else(|| is_forget.then(|| self.number()))
    }
}

/// A change of a note, as the journal has it.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Revision))]
pub(super) struct RevisionForm {
    /// The note.
    address: Address,
    /// The number of the revision.
    revision: u64,
    /// Its position in the whole store; none for a text that is so far only in a file kept in sync.
    position: Option<Position>,
    /// `save`, `sync`, `pin`, `unpin`, `delete`, `restore`, `undo`, `redo`, `repeat` or `forget`.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    action: Action,
    /// The revision that an undo or a redo took back.
    undoes: Option<u64>,
    /// Its author.
    author: Name,
    /// The holder of the token with which it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    token: Option<Name>,
    /// When the store recorded it.
    recorded_at: Timestamp,
    /// The note after the change; none if it was deleted or its text was forgotten.
    note: Option<Box<Note>>,
    /// When its text was forgotten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    forgotten_at: Option<Timestamp>,
    /// The person or program that forgot its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    forgotten_by: Option<Name>,
}

impl From<Revision> for RevisionForm {
    fn from(of: Revision) -> Self {
        let mut form = Self {
            address: of.address().clone(),
            revision: of.number(),
            position: of.position,
            action: of.action,
            undoes: of.undoes,
            author: of.author().clone(),
            token: of.token,
            recorded_at: of.recorded_at,
            note: None,
            forgotten_at: None,
            forgotten_by: None,
        };
        match of.state {
            State::Present(note) => form.note = Some(Box::new(note)),
            State::Deleted { .. } => {}
            State::Forgotten {
                forgotten_at,
                forgotten_by,
                ..
            } => (form.forgotten_at, form.forgotten_by) = (Some(forgotten_at), Some(forgotten_by)),
        }
        form
    }
}

impl From<RevisionForm> for Revision {
    fn from(form: RevisionForm) -> Self {
        let (address, revision, author) = (form.address, form.revision, form.author);
        let state = match (form.note, form.forgotten_at, form.forgotten_by) {
            (Some(note), ..) => State::Present(*note),
            (None, Some(forgotten_at), Some(forgotten_by)) => State::Forgotten {
                address,
                revision,
                author,
                forgotten_at,
                forgotten_by,
            },
            (None, ..) => State::Deleted {
                address,
                revision,
                author,
            },
        };
        Self {
            position: form.position,
            action: form.action,
            undoes: form.undoes,
            recorded_at: form.recorded_at,
            token: form.token,
            state,
        }
    }
}

/// A point in a note's history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoteAsOf {
    /// After this revision of the note.
    Revision(u64),
    /// At that time: see [`AsOf::Time`].
    Time(Timestamp),
}

impl NoteAsOf {
    /// The revision that was current at that point, from the note's history (oldest first).
    pub fn pick(self, history: &[Revision]) -> Option<&Revision> {
        match self {
            Self::Revision(number) => history.iter().find(|revision| revision.number() == number),
            Self::Time(time) => AsOf::Time(time).until(history).last(),
        }
    }

    /// The note at that point, from its history (oldest first); none if it did not exist. A repeated log entry keeps
    /// its first text and counts how often it had been noted.
    ///
    /// # Errors
    /// [`Error::Forgotten`] when the text of that time was forgotten.
    pub fn note(self, history: &[Revision]) -> Result<Option<Note>> {
        let Some(then) = self.pick(history) else {
            return Ok(None);
        };
        if let Some(error) = then.forgotten() {
            return Err(error);
        }
        Ok(then.noted(history))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_read_back_from_its_json() {
        let time = "2026-05-17T01:02:03.000004Z".parse().unwrap();
        for (address, kind) in [
            ("agent:a#deploy", None),
            ("place:~/p", None),
            (
                "session:s#0000000000000000000000000",
                Some(EntryType::imported("warning")),
            ),
        ] {
            let content = Content::text("run `make ship`").unwrap();
            let note = Note {
                address: address.parse().unwrap(),
                preview: content.preview(),
                content,
                iteration: kind.is_some().then_some(3),
                kind,
                resolved_by: None,
                cites: vec![Citation::new("src/pay.rs:40-60")],
                pinned: true,
                revision: 2,
                author: "agent:a".parse().unwrap(),
                created_at: time,
                updated_at: time,
                source: Source::Own,
            };
            let json = serde_json::to_string(&note).unwrap();
            assert_eq!(serde_json::from_str::<Note>(&json).unwrap(), note, "{json}");
        }
    }
}
