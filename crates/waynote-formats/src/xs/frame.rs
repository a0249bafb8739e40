//! A frame of xs and the topics of ralph.nu: how an entry stands in them.

use serde::Deserialize;
use serde_json::{Value, json};
use waynote::{EntryId, EntryType, Name, Note};

/// The field of a frame's meta that holds the entry's id.
const ID_FIELD: &str = "waynote";

/// A frame, as far as it is looked at.
#[derive(Debug, Deserialize)]
pub(super) struct Frame {
    pub(super) topic: String,
    pub(super) id: String,
    #[serde(default)]
    pub(super) hash: Option<String>,
    /// What an object has: the iteration and the type of a note; the entry's id, in frames that an export appended, so
    /// that importing and exporting again add nothing.
    #[serde(default)]
    pub(super) meta: Value,
}

impl Frame {
    /// The id of the entry in the frame: the one that an export wrote there, else the frame's. None if that is no
    /// SCRU128.
    pub(super) fn entry_id(&self) -> Option<EntryId> {
        let frame = self.id.parse().ok()?;
        let noted = self.meta[ID_FIELD].as_str().and_then(|id| id.parse().ok());
        Some(noted.unwrap_or(frame))
    }
}

/// The topic of a session's notes.
pub fn topic(session: &Name) -> String {
    format!("ralph.{session}.note")
}

/// True if xs takes a topic, unchanged in the path of a request: it decodes nothing there.
pub(super) fn is_topic(topic: &str) -> bool {
    const LONGEST: usize = 255;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    topic.len() <= LONGEST
        && topic.bytes().all(is_plain)
        && topic.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && !topic.contains("..")
        && !topic.ends_with('.')
}

/// The name of the session whose notes a topic holds.
pub(super) fn session_in(topic: &str) -> Option<&str> {
    topic.strip_prefix("ralph.")?.strip_suffix(".note")
}

/// The session of a topic of ralph.nu.
pub(super) fn session_of(topic: &str) -> Option<&str> {
    Some(topic.strip_prefix("ralph.")?.rsplit_once('.')?.0)
}

/// The frame of an entry, for a session's topic: the bytes, and the meta as JSON.
pub(super) fn frame_of(note: &Note) -> (Vec<u8>, String) {
    let mut bytes = note.content.as_bytes().to_vec();
    if note.content.as_text().is_some() {
        bytes.push(b'\n');
    }
    let meta = json!({
        "action": "add",
        "type": note.kind.as_ref().map(EntryType::as_str),
        "iteration": note.iteration,
        ID_FIELD: note.address.key(),
    });
    (bytes, meta.to_string())
}
