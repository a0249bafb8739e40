//! Iteration notes of ralph.nu in an xs event store (source 001): topic `ralph.NAME.note`.
//!
//! A frame holds the type and the iteration; the text lies in the store's contents under its hash. This module
//! reads frames and contents; talking to a running xs is its caller's.

use std::collections::{BTreeMap, HashSet};
use std::io::BufRead;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Imported, Skipped};
use crate::change::Change;
use crate::content::{Content, ContentHash};
use crate::error::{Error, Result};
use crate::key::{EntryId, Name};
use crate::note::{EntryType, Note, Stamp};
use crate::store::Store;

/// The author of what is imported from here.
pub const AUTHOR: &str = "import:xs";

/// The type of a frame that names none (source 001).
const NO_TYPE: &str = "note";

/// The field of a frame's meta that holds the entry's id, in frames that an export appended: it makes
/// importing and exporting again add nothing.
const ID_FIELD: &str = "waynote";

/// Where the contents of frames are.
pub trait Contents {
    /// The bytes of a content; none when they are not there.
    ///
    /// # Errors
    /// [`Error::File`] when they cannot be read.
    fn content(&self, hash: &ContentHash) -> Result<Option<Vec<u8>>>;
}

/// The contents in the folder of an xs store, read as files.
pub struct ContentFolder {
    folder: PathBuf,
}

impl ContentFolder {
    /// The contents of the xs store in that folder.
    pub fn of_store(store: &Path) -> Self {
        Self {
            folder: store.join("cacache/content-v2/sha256"),
        }
    }
}

impl Contents for ContentFolder {
    fn content(&self, hash: &ContentHash) -> Result<Option<Vec<u8>>> {
        let hex = hash.to_string();
        let path = self.folder.join(&hex[..2]).join(&hex[2..4]).join(&hex[4..]);
        match std::fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::file(path, "read", error)),
        }
    }
}

/// A frame, as far as it is looked at.
#[derive(Debug, Deserialize)]
struct Frame {
    topic: String,
    id: String,
    #[serde(default)]
    hash: Option<String>,
    #[serde(default)]
    meta: Option<Value>,
}

/// The topic of a session's notes.
pub fn topic(session: &Name) -> String {
    format!("ralph.{session}.note")
}

/// Whether xs takes a topic, and takes it as it is in the path of a request: it decodes nothing there.
pub fn is_topic(topic: &str) -> bool {
    const LONGEST: usize = 255;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    topic.len() <= LONGEST
        && topic.bytes().all(is_plain)
        && topic.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && !topic.contains("..")
        && !topic.ends_with('.')
}

/// The name of the session whose notes a topic holds.
fn name_in(topic: &str) -> Option<&str> {
    topic.strip_prefix("ralph.")?.strip_suffix(".note")
}

/// What ralph.nu keeps beside notes, by the end of the topic, and where that is in waynote.
const NO_NOTES: [(&str, &str); 4] = [
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
fn no_note(topic: &str) -> Option<(&str, &'static str)> {
    let (name, end) = topic.strip_prefix("ralph.")?.rsplit_once('.')?;
    let (_, holds) = NO_NOTES.iter().find(|(known, _)| *known == end)?;
    Some((name, holds))
}

/// What importing frames came to.
#[derive(Debug)]
pub struct Read {
    /// The entries.
    changes: Vec<Change>,
    imported: Imported,
}

/// Reads frames, one JSON object a line as `xs cat` prints them, of one session or of all. A damaged frame is
/// skipped and reported; the rest counts.
///
/// # Errors
/// [`Error::File`] when the frames or the contents cannot be read at all.
pub fn read(frames: impl BufRead, contents: &dyn Contents, only: Option<&Name>) -> Result<Read> {
    let mut read = Read {
        changes: Vec::new(),
        imported: Imported::default(),
    };
    let mut others: BTreeMap<String, (u64, &str)> = BTreeMap::new();
    for (index, line) in frames.split(b'\n').enumerate() {
        let line = line.map_err(|error| Error::file("frames", "read", error))?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let frame: Frame = match serde_json::from_slice(&line) {
            Ok(frame) => frame,
            Err(error) => {
                // The parser's message for a wrong value would quote it.
                let why = if error.is_data() {
                    "it lacks a topic or an id".into()
                } else {
                    error.to_string()
                };
                read.imported.skip(
                    format!("line {}", index + 1),
                    format!("it is no frame: {why}"),
                );
                continue;
            }
        };
        let Some(name) = name_in(&frame.topic) else {
            if let Some((name, holds)) = no_note(&frame.topic)
                && only.is_none_or(|only| only.as_str() == name)
            {
                others.entry(frame.topic).or_insert((0, holds)).0 += 1;
            }
            continue;
        };
        let what = || format!("frame {} of {}", frame.id, frame.topic);
        let session: Name = match name.parse() {
            Ok(session) if topic(&session) == frame.topic => session,
            Ok(_) => {
                let reason = "its session's name begins or ends with a blank";
                read.imported.skip(what(), reason);
                continue;
            }
            Err(error) => {
                read.imported.skip(what(), error.to_string());
                continue;
            }
        };
        if only.is_some_and(|only| *only != session) {
            continue;
        }
        match entry(&frame, session, contents)? {
            Ok(change) => read.changes.push(change),
            Err(reason) => read.imported.skip(what(), reason),
        }
    }
    let others = others.into_iter().map(|(topic, (frames, holds))| {
        let frames = match frames {
            1 => "1 frame".into(),
            many => format!("{many} frames"),
        };
        Skipped {
            what: topic,
            reason: format!("{frames}, {holds}"),
        }
    });
    read.imported.not_imported = others.collect();
    Ok(read)
}

/// The ids of a session's entries among the frames of a topic, as [`read`] gives them, without looking at contents.
///
/// # Errors
/// [`Error::File`] when the frames cannot be read at all.
pub fn ids(frames: impl BufRead, topic: &str) -> Result<HashSet<EntryId>> {
    let mut ids = HashSet::new();
    for line in frames.split(b'\n') {
        let line = line.map_err(|error| Error::file("frames", "read", error))?;
        let Ok(frame) = serde_json::from_slice::<Frame>(&line) else {
            continue;
        };
        if frame.topic == topic
            && let Ok(frame_id) = frame.id.parse()
        {
            ids.insert(entry_id(frame.meta.as_ref(), frame_id));
        }
    }
    Ok(ids)
}

/// The id of the entry in a frame: the one that an export noted, else the frame's.
fn entry_id(meta: Option<&Value>, frame: EntryId) -> EntryId {
    let noted = meta
        .and_then(|meta| meta.get(ID_FIELD))
        .and_then(Value::as_str);
    noted.and_then(|id| id.parse().ok()).unwrap_or(frame)
}

/// The entry that a frame holds, or why it is damaged.
fn entry(
    frame: &Frame,
    session: Name,
    contents: &dyn Contents,
) -> Result<std::result::Result<Change, String>> {
    let Ok(frame_id) = frame.id.parse::<EntryId>() else {
        return Ok(Err("its id is no SCRU128".into()));
    };
    let nothing = Value::Object(serde_json::Map::new());
    let meta = match &frame.meta {
        None => &nothing,
        Some(meta @ Value::Object(_)) => meta,
        Some(_) => return Ok(Err("its meta is not an object".into())),
    };
    let iteration = match meta.get("iteration") {
        None | Some(Value::Null) => None,
        Some(value) => match value.as_i64() {
            Some(iteration) => Some(iteration),
            None => {
                return Ok(Err(format!(
                    "its iteration is {}, not an integer",
                    kind_of(value)
                )));
            }
        },
    };
    let kind = match meta.get("type") {
        None | Some(Value::Null) => EntryType::imported(NO_TYPE),
        Some(Value::String(word)) => EntryType::imported(word),
        Some(other) => EntryType::imported(&other.to_string()),
    };
    let Some(hash) = &frame.hash else {
        return Ok(Err("it has no content".into()));
    };
    let Some(hash) = parse_hash(hash) else {
        return Ok(Err(format!("its hash is not SHA-256: {hash}")));
    };
    let Some(bytes) = contents.content(&hash)? else {
        return Ok(Err("its content is not in the store".into()));
    };
    if Content::imported(bytes.as_slice()).hash() != hash {
        return Ok(Err("its content does not match its hash".into()));
    }
    let id = entry_id(Some(meta), frame_id);
    if id.is_last() {
        return Ok(Err("no id could follow its id".into()));
    }
    Ok(Ok(Change::Append {
        resolves: None,
        session,
        kind,
        iteration,
        content: text_of(bytes),
        id: Some(id),
        created_at: Some(id.time()),
    }))
}

/// The note in the bytes of a content: one line end is the appending shell's and comes off; bytes that are not
/// UTF-8 stay as they are (source 001's program).
fn text_of(mut bytes: Vec<u8>) -> Content {
    if std::str::from_utf8(&bytes).is_ok() && bytes.last() == Some(&b'\n') {
        bytes.pop();
        if bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
    }
    Content::imported(bytes)
}

/// A hash in the form of subresource integrity: `sha256-` and base64.
fn parse_hash(sri: &str) -> Option<ContentHash> {
    let bytes = STANDARD.decode(sri.strip_prefix("sha256-")?).ok()?;
    Some(ContentHash(bytes.try_into().ok()?))
}

impl Read {
    /// Brings the entries into the store. An entry that is there already changes nothing.
    ///
    /// # Errors
    /// [`Error::Busy`], [`Error::ReadOnly`], [`Error::DiskFull`], [`Error::DamagedStore`] or [`Error::Engine`] when the
    /// store cannot be written.
    pub fn import(mut self, store: &dyn Store, now: Timestamp) -> Result<Imported> {
        let stamp = Stamp::new(now, AUTHOR.parse()?);
        if self.changes.is_empty() {
            return Ok(self.imported);
        }
        for applied in store.apply(&self.changes, &stamp)? {
            self.imported.count(&applied);
        }
        Ok(self.imported)
    }
}

/// What a value is, without what it says.
fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "another number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Where an appended frame is, from the reply of xs: its topic and its id.
pub fn appended(reply: &[u8]) -> Option<(String, String)> {
    let frame: Frame = serde_json::from_slice(reply).ok()?;
    Some((frame.topic, frame.id))
}

/// What to append to a session's topic for an entry: the bytes, and the meta as JSON.
pub fn frame(note: &Note) -> (Vec<u8>, String) {
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
