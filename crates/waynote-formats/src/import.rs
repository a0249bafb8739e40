//! The writing half of an import: notes are compared with the store and written, a few at a time.

use std::collections::HashSet;

use waynote::store::Ask;
use waynote::{Address, Change, Error, Result, Stamp, Store};

use crate::incoming_note::{IncomingNote, Mode, Precedence};
use crate::merge::{ExistingNote, PlannedNote};
use crate::own_keys::OwnKeys;
use crate::report::ImportReport;

/// The most notes that are compared and written at a time: a store elsewhere takes no request of any size.
const MAX_NOTES: usize = 1000;

/// The most bytes of text at a time, unless one note has more.
const MAX_BYTES: usize = 8 << 20;

/// How often notes are compared again when another writer changed one between the comparison and the write.
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

/// How one import is done.
pub(crate) struct Import<'s> {
    pub(crate) store: &'s dyn Store,
    pub(crate) stamp: Stamp,
    pub(crate) mode: Mode,
    pub(crate) precedence: Precedence,
}

impl Import<'_> {
    pub(crate) fn run(
        &self,
        entries: &[Change],
        notes: &[IncomingNote],
        mut imported: ImportReport,
        show: &mut dyn FnMut(Progress),
    ) -> Result<ImportReport> {
        let total = (entries.len() + notes.len()) as u64;
        let mut done = 0;
        let mut advance = |by: usize| {
            done += by as u64;
            show(Progress { done, total });
        };
        advance(0);
        for some in parts(entries, size_of_entry, |_| None) {
            imported.import_entries(self.store, some, &self.stamp, self.mode)?;
            advance(some.len());
        }
        let size = |note: &IncomingNote| note.content.as_bytes().len();
        let keeps = |note: &IncomingNote| note.name.is_none();
        let mut keys = OwnKeys::of(self.store, notes, &self.stamp.author)?;
        for some in parts(notes, size, |note| keeps(note).then_some(&note.address)) {
            let mut tries = 1;
            let part = loop {
                let keys_before = keys.clone();
                match self.notes(some, &mut keys) {
                    Err(Error::Conflict { .. }) if tries < TRIES => {
                        tries += 1;
                        keys = keys_before;
                    }
                    done => break done?,
                }
            };
            imported.add(part);
            advance(some.len());
        }
        Ok(imported)
    }

    fn notes(&self, notes: &[IncomingNote], keys: &mut OwnKeys<'_>) -> Result<ImportReport> {
        let mut imported = ImportReport::default();
        let choices: Vec<Vec<Address>> = notes.iter().map(|note| keys.choices(note)).collect();
        let addresses: Vec<Address> = choices.concat();
        let answers = self.store.read(&Ask {
            notes: addresses.clone(),
            histories: addresses,
            ..Ask::default()
        })?;
        let existing = answers.notes.into_iter().zip(answers.histories);
        let mut existing = existing.map(|(current, history)| ExistingNote { current, history });
        let mut merged: Vec<PlannedNote> = Vec::with_capacity(notes.len());
        for (note, choices) in notes.iter().zip(&choices) {
            let mut before: Vec<_> = existing.by_ref().take(choices.len()).collect();
            let chosen = keys.choose(note, choices, &before);
            let (before, wanted) = (before.swap_remove(chosen), &note.address);
            let note = IncomingNote {
                address: choices[chosen].clone(),
                ..note.clone()
            };
            let planned = imported.merge(before, note, self.precedence, &self.stamp);
            merged.extend(planned.map(|planned| planned.instead_of(wanted)));
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

/// The parts that are written at a time. A second text of the same note is in a later part, to be compared with the
/// first as stored.
fn parts<T>(
    all: &[T],
    size: impl Fn(&T) -> usize,
    address: impl Fn(&T) -> Option<&Address>,
) -> Vec<&[T]> {
    let (mut parts, mut start, mut bytes, mut seen) = (Vec::new(), 0, 0, HashSet::new());
    for (at, next) in all.iter().enumerate() {
        let is_full = at - start == MAX_NOTES || bytes + size(next) > MAX_BYTES;
        let is_second = address(next).is_some_and(|address| seen.contains(address));
        if at > start && (is_full || is_second) {
            parts.push(&all[start..at]);
            (start, bytes) = (at, 0);
            seen.clear();
        }
        bytes += size(next);
        seen.extend(address(next));
    }
    if start < all.len() {
        parts.push(&all[start..]);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_limited_and_has_no_note_twice() {
        let of = |sizes: Vec<usize>| -> Vec<usize> {
            let parts = parts(&sizes, |size| *size, |_| None);
            parts.iter().map(|part| part.len()).collect()
        };
        assert_eq!(of(vec![1; 2500]), [1000, 1000, 500]);
        assert_eq!(of(vec![3 << 20; 5]), [2, 2, 1]);
        assert_eq!(of(vec![9 << 20; 2]), [1, 1]);
        assert!(of(vec![]).is_empty());
        let addresses: Vec<Address> = ["agent:x#a", "agent:x#b", "agent:x#a"]
            .iter()
            .map(|address| address.parse().unwrap())
            .collect();
        let parts = parts(&addresses, |_| 1, |address| Some(address));
        assert_eq!(parts, [&addresses[..2], &addresses[2..]]);
    }
}
