//! An import in steps. A large import takes a while, and other writers must not wait for all of it.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::time::Duration;

use waynote::store::Ask;
use waynote::{Address, Change, Error, Result, Stamp, Store};

use crate::incoming_note::{IncomingNote, Mode, Precedence};
use crate::merge::{ExistingNote, PlannedNote};
use crate::report::ImportReport;

/// The most notes of one step.
const MAX_NOTES: usize = 1000;

/// The most bytes of text of one step, unless one note has more.
const MAX_BYTES: usize = 8 << 20;

/// Pause between steps, so that a waiting writer gets the lock.
const PAUSE: Duration = Duration::from_millis(1);

/// How often a step is tried. It is tried again when another writer changed one of its notes between the comparison
/// and the write.
const TRIES: usize = 8;

/// The progress of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The notes that were compared and, unless in a dry run, written.
    pub done: u64,
    /// All notes.
    pub total: u64,
}

/// How the steps of one import are done.
pub(crate) struct Steps<'s> {
    pub(crate) store: &'s dyn Store,
    pub(crate) stamp: Stamp,
    pub(crate) mode: Mode,
    pub(crate) precedence: Precedence,
}

impl Steps<'_> {
    /// Does them all, unless `watch` breaks.
    pub(crate) fn run(
        &self,
        entries: Vec<Change>,
        notes: Vec<IncomingNote>,
        mut imported: ImportReport,
        watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<ImportReport> {
        let total = entries.len() + notes.len();
        if total == 0 {
            return Ok(imported);
        }
        let mut entries = entries.into_iter().peekable();
        let mut notes = notes.into_iter().peekable();
        loop {
            let left = entries.len() + notes.len();
            let progress = Progress {
                done: (total - left) as u64,
                total: total as u64,
            };
            let watched = watch(progress);
            if left == 0 {
                return Ok(imported);
            }
            if watched.is_break() {
                imported.left = left as u64;
                return Ok(imported);
            }
            if left < total && self.mode == Mode::Write {
                std::thread::sleep(PAUSE);
            }
            if entries.peek().is_some() {
                let step = next_step(&mut entries, size_of_entry, |_| None);
                imported.import_entries(self.store, &step, &self.stamp, self.mode)?;
            } else {
                let step = next_step(
                    &mut notes,
                    |note| note.content.as_bytes().len(),
                    |note| Some(&note.address),
                );
                imported.add(self.notes(&step)?);
            }
        }
    }

    /// One step of notes, and its report.
    fn notes(&self, step: &[IncomingNote]) -> Result<ImportReport> {
        let mut tries = 1;
        loop {
            match self.try_notes(step) {
                Err(Error::Conflict { .. }) if tries < TRIES => tries += 1,
                done => return done,
            }
        }
    }

    fn try_notes(&self, step: &[IncomingNote]) -> Result<ImportReport> {
        let mut imported = ImportReport::default();
        let addresses: Vec<Address> = step.iter().map(|note| note.address.clone()).collect();
        let answers = self.store.read(&Ask {
            notes: addresses.clone(),
            histories: addresses,
            ..Ask::default()
        })?;
        let before = answers.notes.into_iter().zip(answers.histories);
        let mut merged: Vec<PlannedNote> = Vec::with_capacity(step.len());
        for (note, (current, history)) in step.iter().zip(before) {
            let before = ExistingNote { current, history };
            merged.extend(imported.merge(before, note.clone(), self.precedence, &self.stamp));
        }
        imported.finish(self.store, merged, &self.stamp, self.mode)?;
        Ok(imported)
    }
}

fn size_of_entry(entry: &Change) -> usize {
    match entry {
        Change::Append { content, .. } => content.as_bytes().len(),
        _ => 0,
    }
}

/// The notes of one step. A second text of the same note waits for the next step, to be compared with the first as
/// stored.
fn next_step<T>(
    rest: &mut std::iter::Peekable<std::vec::IntoIter<T>>,
    size: impl Fn(&T) -> usize,
    address: impl Fn(&T) -> Option<&Address>,
) -> Vec<T> {
    let (mut step, mut bytes, mut in_step) = (Vec::new(), 0, HashSet::new());
    while let Some(next) = rest.next_if(|next| {
        let fits = step.is_empty() || bytes + size(next) <= MAX_BYTES;
        let is_new = address(next).is_none_or(|address| !in_step.contains(address));
        step.len() < MAX_NOTES && fits && is_new
    }) {
        bytes += size(&next);
        in_step.extend(address(&next).cloned());
        step.push(next);
    }
    step
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_limited_and_has_no_note_twice() {
        let steps = |sizes: Vec<usize>| {
            let mut rest = sizes.into_iter().peekable();
            let mut steps = Vec::new();
            while rest.peek().is_some() {
                steps.push(next_step(&mut rest, |size| *size, |_| None).len());
            }
            steps
        };
        assert_eq!(steps(vec![1; 2500]), [1000, 1000, 500]);
        assert_eq!(steps(vec![3 << 20; 5]), [2, 2, 1]);
        assert_eq!(steps(vec![9 << 20; 2]), [1, 1]);
        let addresses: Vec<Address> = ["agent:x#a", "agent:x#b", "agent:x#a"]
            .iter()
            .map(|address| address.parse().unwrap())
            .collect();
        let mut rest = addresses.into_iter().peekable();
        assert_eq!(
            next_step(&mut rest, |_| 1, |address| Some(address)).len(),
            2
        );
        assert_eq!(
            next_step(&mut rest, |_| 1, |address| Some(address)).len(),
            1
        );
    }
}
