//! Stalls: whether an iteration made progress, or only noted the same `stuck` entries again.

use std::collections::BTreeSet;

use crate::address::Address;
use crate::error::Result;
use crate::key::Name;
use crate::note::{Action, EntryType, Note, Position, Revision};
use crate::store::Store;

/// What an iteration left in the store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// New entries of the session's log, and notes by place and key that the agent wrote. A text that was already there
    /// is not new.
    pub new_notes: u64,
    /// Open `stuck` entries that it noted again.
    pub walls: Vec<RecurringProblem>,
}

/// A `stuck` entry that several iterations noted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecurringProblem {
    /// The `stuck` entry.
    pub note: Note,
    /// The iterations that noted it since it was last resolved, in order, each once.
    pub iterations: Vec<i64>,
}

/// What was written after a position of the journal: in a session, or by an agent anywhere except in other sessions,
/// which belong to other loops.
///
/// # Errors
/// [`crate::Error::Busy`], [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be read.
pub fn since(
    store: &dyn Store,
    session: &Name,
    author: &Name,
    position: Option<Position>,
) -> Result<Progress> {
    let mut progress = Progress::default();
    let mut repeated: BTreeSet<String> = BTreeSet::new();
    for revision in written_since(store, position)? {
        let is_of_session = matches!(revision.address(), Address::Session(of, _) if of == session);
        match revision.action {
            Action::Save | Action::Sync if is_of_session => progress.new_notes += 1,
            Action::Save | Action::Sync
                if revision.author() == author && is_news(store, &revision)? =>
            {
                progress.new_notes += 1;
            }
            Action::Repeat if is_of_session => {
                let address = revision.address();
                if repeated.insert(address.to_string()) {
                    progress.walls.extend(wall(store, address)?);
                }
            }
            _ => {}
        }
    }
    Ok(progress)
}

/// Whether the text of a note by place or key differs from that of its previous revision.
fn is_news(store: &dyn Store, revision: &Revision) -> Result<bool> {
    let address = revision.address();
    let Some(note) = revision.note() else {
        return Ok(false);
    };
    if matches!(address, Address::Session(..)) {
        return Ok(false);
    }
    if note.revision == 1 {
        return Ok(true);
    }
    let history = store.history(address)?;
    let mut before = history.iter().filter_map(Revision::note);
    let before = before.find(|before| before.revision + 1 == note.revision);
    Ok(before.is_none_or(|before| before.content != note.content))
}

/// The journal after a position, latest first.
fn written_since(store: &dyn Store, position: Option<Position>) -> Result<Vec<Revision>> {
    const PAGE: usize = 64;
    let mut written: Vec<Revision> = Vec::new();
    loop {
        let before = written.last().and_then(|last| last.position);
        let page = store.journal(before, PAGE)?;
        let is_last = page.len() < PAGE;
        let since = page.into_iter().take_while(|of| of.position > position);
        let known = written.len();
        written.extend(since);
        if is_last || written.len() < known + PAGE {
            return Ok(written);
        }
    }
}

/// An entry that was noted again, if it is an open `stuck` entry.
fn wall(store: &dyn Store, address: &Address) -> Result<Option<RecurringProblem>> {
    let is_open = |note: &Note| note.kind == Some(EntryType::Stuck) && note.resolved_by.is_none();
    let Some(note) = store.get(address)?.filter(is_open) else {
        return Ok(None);
    };
    let history = store.history(address)?;
    let resolved = super::resolved::last_resolved(store, address)?;
    let noted = history.iter().filter(|of| of.position > resolved);
    let noted = noted.filter_map(Revision::note);
    let iterations: BTreeSet<i64> = noted.filter_map(|note| note.iteration).collect();
    Ok(Some(RecurringProblem {
        note,
        iterations: iterations.into_iter().collect(),
    }))
}
