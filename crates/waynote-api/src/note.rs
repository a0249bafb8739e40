//! Notes and their revisions.

use serde::{Deserialize, Serialize};
use waynote::note::{Action, EntryType, State};
use waynote::{Error, Result};

use crate::content::Content;
use crate::malformed::{malformed, no_form, position, printed_or_none, text_or_none, time};

/// A note. Its fields have the same names in the command line, MCP and HTTP.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Note {
    /// Its address: `place:~/p`, `place:~/p#key`, `agent:name#key` or `session:name#id`.
    pub address: String,
    /// The scope that it belongs to: `place:~/p`, `agent:name` or `session:name`.
    #[serde(default)]
    pub scope: String,
    /// Its key, or the id of a log entry; none for a directory's own note.
    #[serde(default)]
    pub key: Option<String>,
    /// Its text.
    pub content: Content,
    /// Its first line, shortened, with credentials masked.
    pub preview: String,
    /// The type of a log entry.
    #[serde(rename = "type", default)]
    pub kind: Option<String>,
    /// The iteration of a log entry.
    #[serde(default)]
    pub iteration: Option<i64>,
    /// Whether it is pinned.
    pub pinned: bool,
    /// The number of its revision: 1, 2, 3 ….
    pub revision: u64,
    /// How often a log entry was noted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<u64>,
    /// The id of the entry that resolved this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_by: Option<String>,
    /// Who made this revision.
    pub author: String,
    /// When it was first written.
    pub created_at: String,
    /// When it was last written, pinned or unpinned.
    pub updated_at: String,
    /// The rules that find a credential in its text. Answers to batches leave this out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<String>,
}

impl From<&waynote::Note> for Note {
    fn from(note: &waynote::Note) -> Self {
        Self {
            address: note.address.to_string(),
            scope: note.address.scope().to_string(),
            key: note.address.key(),
            content: Content::from(&note.content),
            preview: note.preview.clone(),
            kind: printed_or_none(note.kind.as_ref()),
            iteration: note.iteration,
            pinned: note.pinned,
            revision: note.revision,
            seen: note.seen(),
            resolved_by: printed_or_none(note.resolved_by.as_ref()),
            author: note.author.to_string(),
            created_at: note.created_at.to_string(),
            updated_at: note.updated_at.to_string(),
            secrets: Vec::new(),
        }
    }
}

impl Note {
    /// The note with the rules that find a credential in its text, which takes time: for an answer to a person or to a
    /// program that shows notes.
    pub fn scanned(note: &waynote::Note) -> Self {
        Self {
            secrets: note.secrets().into_iter().map(str::to_owned).collect(),
            ..Self::from(note)
        }
    }
}

impl TryFrom<Note> for waynote::Note {
    type Error = Error;

    fn try_from(note: Note) -> Result<Self> {
        Ok(Self {
            address: note.address.parse()?,
            content: note.content.into(),
            preview: note.preview,
            kind: note.kind.as_deref().map(EntryType::imported),
            iteration: note.iteration,
            resolved_by: text_or_none(note.resolved_by.as_ref())?,
            pinned: note.pinned,
            revision: note.revision,
            author: note.author.parse()?,
            created_at: time(&note.created_at)?,
            updated_at: time(&note.updated_at)?,
        })
    }
}

/// A change of a note, as the journal has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Revision {
    /// The note.
    pub address: String,
    /// The number of the revision.
    pub revision: u64,
    /// Its position in the whole store; none for a text that is so far only in a file kept in sync.
    #[serde(default)]
    pub position: Option<String>,
    /// `save`, `sync`, `pin`, `unpin`, `delete`, `restore`, `undo`, `redo`, `repeat` or `forget`.
    pub action: String,
    /// The revision that an undo or a redo took back.
    #[serde(default)]
    pub undoes: Option<u64>,
    /// Who made it.
    pub author: String,
    /// The name of the token that wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// When the store recorded it.
    pub recorded_at: String,
    /// The note after the change; none if it was deleted or its text was forgotten.
    #[serde(default)]
    pub note: Option<Box<Note>>,
    /// When its text was forgotten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forgotten_at: Option<String>,
    /// Who forgot its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forgotten_by: Option<String>,
}

impl From<&waynote::Revision> for Revision {
    fn from(revision: &waynote::Revision) -> Self {
        let (forgotten_at, forgotten_by) = match &revision.state {
            State::Forgotten {
                forgotten_at,
                forgotten_by,
                ..
            } => (
                Some(forgotten_at.to_string()),
                Some(forgotten_by.to_string()),
            ),
            _ => (None, None),
        };
        Self {
            address: revision.address().to_string(),
            revision: revision.number(),
            position: printed_or_none(revision.position.as_ref()),
            action: revision.action.as_str().to_owned(),
            undoes: revision.undoes,
            author: revision.author().to_string(),
            token: printed_or_none(revision.token.as_ref()),
            recorded_at: revision.recorded_at.to_string(),
            note: revision.note().map(|note| Box::new(Note::from(note))),
            forgotten_at,
            forgotten_by,
        }
    }
}

impl TryFrom<Revision> for waynote::Revision {
    type Error = Error;

    fn try_from(of: Revision) -> Result<Self> {
        let action = Action::stored(&of.action)
            .ok_or_else(|| malformed(&of.action, "an action", "use the versions of one release"))?;
        let state = match (of.note, of.forgotten_at, of.forgotten_by) {
            (Some(note), ..) => State::Present((*note).try_into()?),
            (None, Some(at), Some(by)) => State::Forgotten {
                address: of.address.parse()?,
                revision: of.revision,
                author: of.author.parse()?,
                forgotten_at: time(&at)?,
                forgotten_by: by.parse()?,
            },
            (None, ..) => State::Deleted {
                address: of.address.parse()?,
                revision: of.revision,
                author: of.author.parse()?,
            },
        };
        Ok(Self {
            position: of.position.as_deref().map(position).transpose()?,
            action,
            undoes: of.undoes,
            recorded_at: time(&of.recorded_at)?,
            token: text_or_none(of.token.as_ref())?,
            state,
        })
    }
}

/// Revisions whose texts were forgotten, and events of which what was said in them was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ForgottenRevisions {
    /// The revisions: `agent:name#key@3`.
    pub revisions: Vec<String>,
    /// The events: `session:name#event-3`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<String>,
    /// When.
    pub at: String,
    /// By whom.
    pub by: String,
}

/// The form of something that happened, which later versions may have more of.
pub(crate) fn no_form_of_happening() -> Error {
    no_form("this kind of happening over HTTP")
}
