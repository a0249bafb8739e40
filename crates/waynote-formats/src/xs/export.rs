//! Entries of a session's log appended to a running xs.

use std::collections::HashSet;

#[cfg(doc)]
use waynote::Error;
use waynote::{Address, Name, Result, SessionLog, Store};

use super::frame::{Frame, frame_of, is_topic, topic};
use super::server::Server;
use crate::error::FormatError;
use crate::report::ExportReport;

/// Appends the entries of a session that xs does not have yet: neither as a frame of its own nor as one of an earlier
/// export.
///
/// # Errors
/// [`FormatError::WrongTopic`] for a session whose name cannot be part of a topic, and when xs files a frame elsewhere;
/// [`FormatError::NoXs`] when xs does not answer; [`Error::Busy`], [`Error::DamagedStore`] or
/// [`Error::Engine`] when the store cannot be read.
pub fn export(store: &dyn Store, server: &Server, session: &Name) -> Result<ExportReport> {
    let topic = topic(session);
    if !is_topic(&topic) {
        let reason = format!("xs takes no topic `{topic}`");
        return Err(FormatError::WrongTopic { reason }.into());
    }
    let routes = server.routes()?;
    let frames = server.frames(Some(&topic))?;
    let lines = frames.split(|byte| *byte == b'\n');
    let frames = lines.filter_map(|line| serde_json::from_slice::<Frame>(line).ok());
    let frames = frames.filter(|frame| frame.topic == topic);
    let there: HashSet<_> = frames.filter_map(|frame| frame.entry_id()).collect();
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
