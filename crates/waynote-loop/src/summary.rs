//! The result of a loop.

use std::time::Duration;

use waynote::session_state::Iteration;
use waynote::{EntryType, Name, Reader};

use crate::error::Result;
use crate::stop::Stop;

/// The result of a loop.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Summary {
    /// Its session.
    pub session: Name,
    /// Why it stopped.
    pub stop: Stop,
    /// Its iterations, oldest first.
    pub iterations: Vec<Iteration>,
    /// How long it took.
    pub duration: Duration,
    /// The rest of its run, if the run has a number of iterations.
    pub left: Option<RunRemainder>,
    /// New entries of the log by type: the four, then what else there is.
    pub notes: Vec<(EntryType, u64)>,
}

/// The rest of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunRemainder {
    /// Iterations that are left.
    pub iterations: u64,
    /// How many the run shall have.
    pub all: u64,
}

impl Summary {
    /// The agent's last output, if it failed in the last iteration.
    pub fn last_words(&self) -> Option<&str> {
        self.iterations.last()?.said.as_deref()
    }
}

/// The new entries of these iterations by type.
pub(crate) fn notes_by_type(
    store: &dyn Reader,
    session: &Name,
    first: i64,
    last: i64,
) -> Result<Vec<(EntryType, u64)>> {
    let mut counts = Vec::new();
    for kind in EntryType::in_order(store.kinds(session)?) {
        let before = |iteration| store.count_entries(session, Some(&kind), Some(iteration), false);
        let count = before(last.saturating_add(1))?.saturating_sub(before(first)?);
        counts.push((kind, count));
    }
    Ok(counts)
}
