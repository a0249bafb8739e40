//! Entries of a session's log appended to a running xs.

use std::collections::HashSet;
use std::io::BufRead;

use waynote::{Address, EntryId, Error, Name, Result, SessionLog, Store};

use super::frame::{Frame, entry_id, frame_of, is_topic, topic};
use super::server::Server;
use crate::error::FormatError;
use crate::report::ExportReport;

/// Appends the entries of a session that xs does not have yet: neither as a frame of its own nor as one of an earlier
/// export.
///
/// # Errors
/// [`FormatError::NoTopic`] for a session whose name cannot be part of a topic; [`FormatError::NoXs`] when xs does not
/// answer; [`FormatError::WrongTopic`] when it files a frame elsewhere; [`Error::Busy`], [`Error::DamagedStore`] or
/// [`Error::Engine`] when the store cannot be read.
pub fn export(store: &dyn Store, server: &Server, session: &Name) -> Result<ExportReport> {
    let topic = topic(session);
    if !is_topic(&topic) {
        return Err(FormatError::NoTopic { topic }.into());
    }
    let routes = server.routes()?;
    let there = ids(server.frames(Some(&topic))?.as_slice(), &topic)?;
    let mut exported = ExportReport::default();
    for note in SessionLog::new(store, session.clone()).list(None)? {
        let Address::Session(_, id) = &note.address else {
            continue;
        };
        if there.contains(id) {
            exported.unchanged += 1;
            continue;
        }
        let (content, meta) = frame_of(&note);
        server.append(routes, &topic, &content, &meta)?;
        exported.written += 1;
    }
    Ok(exported)
}

/// The ids of a session's entries among the frames of a topic, as [`read`](super::read) gives them, without looking at
/// contents.
///
/// # Errors
/// [`Error::File`] when the frames cannot be read at all.
pub(super) fn ids(frames: impl BufRead, topic: &str) -> Result<HashSet<EntryId>> {
    let mut ids = HashSet::new();
    for line in frames.split(b'\n') {
        let line = line.map_err(|error| Error::file("frames", "read", error))?;
        let Ok(frame) = serde_json::from_slice::<Frame>(&line) else {
            continue;
        };
        if frame.topic == topic
            && let Ok(frame_id) = frame.id.parse()
        {
            ids.insert(entry_id(&frame.meta().unwrap_or_default(), frame_id));
        }
    }
    Ok(ids)
}
