//! Frames read as entries of session logs.

use std::collections::BTreeMap;
use std::io::BufRead;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::value::RawValue;
use waynote::json::mend;
use waynote::text::plural;
use waynote::{Change, Content, ContentHash, EntryId, EntryType, Error, Name, Result};

use super::contents::Contents;
use super::frame::{Frame, entry_id, other_topic, session_in, string_of, topic};
#[cfg(doc)]
use crate::error::FormatError;
use crate::format::{Format, SourceKind};
use crate::incoming::{ForeignNotes, Precedence};
use crate::report::SkippedItem;
use crate::source::Lines;

/// The format, for a list of formats.
pub const FORMAT: Format = Format {
    name: "xs",
    about: "ralph.nu's notes in an xs store: a session's log for every topic ralph.NAME.note",
    details: "SOURCE is the folder of a running xs store, or the output of `xs cat` in a file or on standard input \
              (`-`); then --contents names the store's folder, where the texts are. With --session, that session alone. \
              ralph.nu's iteration history, tasks and inbox are not imported; the reply counts them.",
    takes: SourceKind::Own,
    usual: &[],
    loaded_by: &[],
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
    let mut others: BTreeMap<String, (u64, &str)> = BTreeMap::new();
    let mut lines = Lines::of(frames);
    let unreadable = |error| Error::file("frames", "read", error);
    while let Some((number, line)) = lines.next(&mut incoming).map_err(unreadable)? {
        let line = mend(line);
        let frame: Frame = match serde_json::from_slice(&line) {
            Ok(frame) => frame,
            Err(error) => {
                // The parser's message for a wrong value would quote it.
                let why = if error.is_data() {
                    "it lacks a topic or an id".into()
                } else {
                    error.to_string()
                };
                incoming.skip(number, format!("it is no frame: {why}"));
                continue;
            }
        };
        let Some(name) = session_in(&frame.topic) else {
            if let Some((name, holds)) = other_topic(&frame.topic)
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
                incoming.skip(what(), reason);
                continue;
            }
            Err(error) => {
                incoming.skip(what(), error.to_string());
                continue;
            }
        };
        if only.is_some_and(|only| *only != session) {
            continue;
        }
        match entry(&frame, session, contents)? {
            Ok(change) => incoming.push_entry(what(), change),
            Err(reason) => incoming.skip(what(), reason),
        }
    }
    let others = others.into_iter().map(|(topic, (frames, holds))| {
        let reason = format!("{}, {holds}", plural(frames, "frame"));
        SkippedItem {
            what: topic,
            reason,
        }
    });
    incoming.set_not_imported(others.collect());
    Ok(incoming)
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
    let Ok(meta) = frame.meta() else {
        return Ok(Err("its meta is not an object".into()));
    };
    let iteration = match meta.iteration.as_deref() {
        None => None,
        Some(value) => match serde_json::from_str(value.get()) {
            Ok(iteration) => Some(iteration),
            Err(_) => {
                return Ok(Err(format!(
                    "its iteration is {}, not an integer",
                    kind_of(value)
                )));
            }
        },
    };
    let kind = match meta.kind.as_deref() {
        None => EntryType::imported(NO_TYPE),
        Some(value) => match string_of(value) {
            Some(word) => EntryType::imported(&word),
            None => EntryType::imported(value.get()),
        },
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
    let id = entry_id(&meta, frame_id);
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
fn kind_of(value: &RawValue) -> &'static str {
    match value.get().as_bytes().first() {
        Some(b't' | b'f') => "a truth value",
        Some(b'"') => "a string",
        Some(b'[') => "a list",
        Some(b'{') => "an object",
        _ => "another number",
    }
}
