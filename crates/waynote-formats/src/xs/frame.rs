//! A frame of xs and the topics of ralph.nu: how an entry stands in them.

use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
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
    #[serde(default)]
    meta: Option<Box<RawValue>>,
}

/// The fields of a frame's meta that are read, unparsed, so that they take no more memory.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Meta {
    #[serde(default)]
    pub(super) iteration: Option<Box<RawValue>>,
    #[serde(default, rename = "type")]
    pub(super) kind: Option<Box<RawValue>>,
    /// The entry's id, in frames that an export appended: it makes importing and exporting again add nothing.
    #[serde(default)]
    waynote: Option<Box<RawValue>>,
}

impl Frame {
    /// The frame's metadata; an error when it is not an object.
    pub(super) fn meta(&self) -> serde_json::Result<Meta> {
        match &self.meta {
            None => Ok(Meta::default()),
            // Serde would read a list as the fields in their order.
            Some(meta) if meta.get().starts_with('{') => serde_json::from_str(meta.get()),
            Some(_) => Err(serde::de::Error::custom("it is not an object")),
        }
    }
}

/// The text of a value that is a string.
pub(super) fn string_of(value: &RawValue) -> Option<String> {
    serde_json::from_str(value.get()).ok()
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

/// Topics of ralph.nu beside notes, by the end of the topic, each with its counterpart in waynote.
const OTHER_TOPICS: [(&str, &str); 4] = [
    (
        "iteration",
        "its iteration history; `waynote loop` records its own, and counts on from the last note",
    ),
    (
        "task",
        "its tasks; write those that are open to a file for `waynote loop --tasks FILE`",
    ),
    (
        "inbox",
        "its inbox; write what still matters to the spec or to a note",
    ),
    ("control", "its signals to end the loop"),
];

/// The session whose history, tasks or messages a topic holds, and what it holds.
pub(super) fn other_topic(topic: &str) -> Option<(&str, &'static str)> {
    let (name, end) = topic.strip_prefix("ralph.")?.rsplit_once('.')?;
    let (_, holds) = OTHER_TOPICS.iter().find(|(known, _)| *known == end)?;
    Some((name, holds))
}

/// The id of the entry in a frame: the one that an export wrote there, else the frame's.
pub(super) fn entry_id(meta: &Meta, frame: EntryId) -> EntryId {
    let noted = meta.waynote.as_deref().and_then(string_of);
    noted.and_then(|id| id.parse().ok()).unwrap_or(frame)
}

/// The topic and the id of an appended frame, from the reply of xs.
pub(super) fn appended(reply: &[u8]) -> Option<(String, String)> {
    let frame: Frame = serde_json::from_slice(reply).ok()?;
    Some((frame.topic, frame.id))
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
