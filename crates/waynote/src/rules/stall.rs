//! Stalls: tells if an iteration made progress or only noted the same `stuck` entries again, and when a loop stalls.

use std::collections::BTreeSet;

use crate::address::Address;
use crate::error::Result;
use crate::key::Name;
use crate::note::{Action, EntryType, Note, Position, Revision};
use crate::store::Store;

use super::person::recorded;

/// The traces of an iteration in the store.
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

/// Decides when a loop stalls: a number of iterations in a row brought nothing new, or that many noted the same `stuck`
/// entry.
#[derive(Clone, Debug)]
pub struct StallRule {
    limit: usize,
    idle: usize,
}

/// The evidence of a stall.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StallEvidence {
    /// The `stuck` entries that at least `limit` iterations noted.
    pub walls: Vec<RecurringProblem>,
    /// How many iterations in a row brought nothing new; 0 if fewer than the limit.
    pub idle: usize,
}

impl StallRule {
    /// `limit` is the number of iterations at which a loop stalls; 0: it never does.
    pub fn new(limit: usize) -> Self {
        Self { limit, idle: 0 }
    }

    /// Adds the traces of an iteration in the store, and whether it changed the work tree. Returns the evidence if the
    /// loop stalls.
    pub fn after(&mut self, progress: &Progress, is_tree_changed: bool) -> Option<StallEvidence> {
        if self.limit == 0 {
            return None;
        }
        self.idle = match progress.new_notes == 0 && !is_tree_changed {
            true => self.idle + 1,
            false => 0,
        };
        let walls = progress.walls.iter();
        let stalled = StallEvidence {
            walls: walls
                .filter(|wall| wall.iterations.len() >= self.limit)
                .cloned()
                .collect(),
            idle: match self.idle >= self.limit {
                true => self.idle,
                false => 0,
            },
        };
        (stalled.idle > 0 || !stalled.walls.is_empty()).then_some(stalled)
    }
}

impl StallEvidence {
    /// How many iterations the evidence is about.
    pub fn iterations(&self) -> usize {
        let walls = self.walls.iter().map(|wall| wall.iterations.len());
        walls.chain([self.idle]).max().unwrap_or_default()
    }
}

/// The notes written after a position of the journal: in a session, or by an agent anywhere except in other sessions,
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
    let author = &recorded(store, author)?;
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

/// True if the text of a note by place or key differs from that of its previous revision.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_stalls_after_so_many_iterations_in_a_row_without_anything_new() {
        let note = Progress {
            new_notes: 1,
            walls: Vec::new(),
        };
        let nothing = Progress::default();
        let mut rule = StallRule::new(2);
        assert_eq!(rule.after(&nothing, false), None);
        assert_eq!(rule.after(&nothing, true), None, "the tree changed");
        assert_eq!(rule.after(&nothing, false), None);
        assert_eq!(rule.after(&note, false), None, "a note is new");
        assert_eq!(rule.after(&nothing, false), None);
        let stalled = rule.after(&nothing, false).unwrap();
        assert_eq!((stalled.idle, stalled.iterations()), (2, 2));
        let mut never = StallRule::new(0);
        assert!((0..9).all(|_| never.after(&nothing, false).is_none()));
    }
}
