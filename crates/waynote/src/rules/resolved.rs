//! Finds the entries that are resolved, and the time from which on they are.

use std::collections::HashMap;

use super::session_state::latest;
use crate::address::Address;
use crate::error::Result;
use crate::event::{RecordedEvent, SessionEvent};
use crate::key::EntryId;
use crate::note::{Note, Position, Revision};
use crate::store::{AsOf, Reader};

/// The position at which an entry was last resolved, or of the last change before that; none if it was never resolved.
pub(crate) fn last_resolved(log: &dyn Reader, address: &Address) -> Result<Option<Position>> {
    let Address::Session(session, id) = address else {
        return Ok(None);
    };
    for recorded in latest(log, session) {
        let recorded = recorded?;
        if matches!(&recorded.event, SessionEvent::Resolved { entry, .. } if entry == id) {
            return Ok(Some(recorded.position));
        }
    }
    Ok(None)
}

/// The entries of a log that were resolved at some point.
#[derive(Debug, Default)]
pub(crate) struct Resolutions(HashMap<EntryId, (Position, EntryId)>);

impl Resolutions {
    /// Adds an event; events come in the order of their numbers.
    pub(crate) fn add(&mut self, recorded: RecordedEvent, moment: AsOf) {
        let by_then = match moment {
            AsOf::Position(position) => recorded.position <= position,
            AsOf::Time(time) => recorded.recorded_at <= time,
        };
        if let (true, SessionEvent::Resolved { entry, by }) = (by_then, recorded.event) {
            self.0.insert(entry, (recorded.position, by));
        }
    }

    /// The entry that had resolved this one, from its history up to that point. An entry that was noted again later is
    /// open again.
    pub(crate) fn of(&self, note: &Note, history: &[Revision]) -> Option<EntryId> {
        let Address::Session(_, entry) = &note.address else {
            return None;
        };
        let (resolved, by) = self.0.get(entry)?;
        let noted = history.last().and_then(|last| last.position);
        (noted <= Some(*resolved)).then_some(*by)
    }
}
