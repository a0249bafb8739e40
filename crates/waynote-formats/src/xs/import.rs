//! Frames read as entries of session logs.

use std::collections::BTreeMap;
use std::io::BufRead;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use waynote::json::mend;
use waynote::text::plural;
use waynote::{Content, ContentHash, EntryType, Error, Name, Result};

use super::contents::Contents;
use super::frame::{Frame, session_in, session_of, topic};
#[cfg(doc)]
use crate::error::FormatError;
use crate::format::{Format, SourceKind};
use crate::incoming::{ForeignNotes, Precedence};
use crate::incoming_note::IncomingEntry;
use crate::report::SkippedItem;
use crate::source::Lines;

/// The format, for a list of formats.
pub const FORMAT: Format = Format {
    ..Format::new(
        "xs",
        "ralph.nu's notes in an xs store: a session's log for every topic ralph.NAME.note",
        SourceKind::Own,
    )
};

/// The type of a frame that names none, as ralph.nu has it.
const NO_TYPE: &str = "note";

/// Reads frames, one JSON object a line as `xs cat` prints them, of one session or of all. A damaged frame is
/// skipped and reported; the rest counts.
///
/// # Errors
/// [`Error::File`] when the frames or the contents cannot be read at all; [`FormatError::NoXs`] when the contents are
/// those of a server that does not answer.
pub fn read(
    frames: impl BufRead,
    contents: &dyn Contents,
    only: Option<&Name>,
) -> Result<ForeignNotes> {
    // An entry is never changed, so that there is nothing to decide between.
    let mut incoming = ForeignNotes::of(FORMAT.name, Precedence::Imported)?;
    let mut others: BTreeMap<String, u64> = BTreeMap::new();
    let mut lines = Lines::of(frames);
    let unreadable = |error| Error::file("frames", "read", error);
    while let Some((number, line)) = lines.next(&mut incoming).map_err(unreadable)? {
        let frame: Frame = match serde_json::from_slice(&mend(line)) {
            Ok(frame) => frame,
            // The parser's message for a wrong value would quote it.
            Err(error) if error.is_data() => {
                incoming.skip(number, "it is no frame: it lacks a topic or an id");
                continue;
            }
            Err(error) => {
                incoming.skip(number, format!("it is no frame: {error}"));
                continue;
            }
        };
        let Some(name) = session_in(&frame.topic) else {
            let session = session_of(&frame.topic);
            if session.is_some_and(|name| only.is_none_or(|only| only.as_str() == name)) {
                *others.entry(frame.topic).or_default() += 1;
            }
            continue;
        };
        let what = || format!("frame {} of {}", frame.id, frame.topic);
        let session: Name = match name.parse() {
            Ok(session) => session,
            Err(error) => {
                incoming.skip(what(), error.to_string());
                continue;
            }
        };
        if topic(&session) != frame.topic {
            incoming.skip(what(), "its session's name begins or ends with a blank");
        } else if only.is_none_or(|only| *only == session) {
            match entry(&frame, session, contents)? {
                Ok(entry) => incoming.push_entry(what(), entry),
                Err(reason) => incoming.skip(what(), reason),
            }
        }
    }
    let others = others.into_iter().map(|(what, frames)| {
        let reason = format!("{}, no notes", plural(frames, "frame"));
        SkippedItem { what, reason }
    });
    incoming.set_not_imported(others.collect());
    Ok(incoming)
}

/// The entry that a frame holds, or why it is damaged.
fn entry(
    frame: &Frame,
    session: Name,
    contents: &dyn Contents,
) -> Result<std::result::Result<IncomingEntry, String>> {
    let (mut entry, hash) = match without_content(frame, session) {
        Ok(entry) => entry,
        Err(reason) => return Ok(Err(reason)),
    };
    let Some(bytes) = contents.content(&hash)? else {
        return Ok(Err("its content is not in the store".into()));
    };
    if Content::imported(bytes.as_slice()).hash() != hash {
        return Ok(Err("its content does not match its hash".into()));
    }
    entry.content = text_of(bytes);
    Ok(Ok(entry))
}

/// The entry of a frame without its text, and the hash of the text.
fn without_content(
    frame: &Frame,
    session: Name,
) -> std::result::Result<(IncomingEntry, ContentHash), String> {
    let id = frame.entry_id().ok_or("its id is no SCRU128")?;
    if !frame.meta.is_object() && !frame.meta.is_null() {
        return Err("its meta is not an object".into());
    }
    let iteration = match &frame.meta["iteration"] {
        Value::Null => None,
        value => Some(
            value
                .as_i64()
                .ok_or_else(|| format!("its iteration is {}, not an integer", kind_of(value)))?,
        ),
    };
    let kind = match &frame.meta["type"] {
        Value::Null => NO_TYPE.to_owned(),
        Value::String(word) => word.clone(),
        other => other.to_string(),
    };
    let hash = frame.hash.as_deref().ok_or("it has no content")?;
    let hash = parse_hash(hash).ok_or_else(|| format!("its hash is not SHA-256: {hash}"))?;
    if id.is_last() {
        return Err("no id could follow its id".into());
    }
    let entry = IncomingEntry {
        session,
        id,
        kind: EntryType::imported(&kind),
        iteration,
        content: Content::imported(""),
    };
    Ok((entry, hash))
}

/// The note in the bytes of a content: one line end is the appending shell's and comes off; bytes that are not
/// UTF-8 stay as they are, as ralph.nu has them.
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

/// The JSON type of a value, in words.
fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Bool(_) => "a truth value",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
        _ => "another number",
    }
}
