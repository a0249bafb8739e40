//! The writing half of an import: notes are compared with the store and written, a few at a time.

use std::collections::{HashMap, HashSet};

use waynote::store::Ask;
use waynote::{Address, Change, Error, Result, Stamp, Store};

use crate::incoming_note::{IncomingEntry, IncomingNote, Mode, Precedence};
use crate::merge::ExistingNote;
use crate::own_keys::{fits, keepers, of_its_own};
use crate::report::{ImportReport, Renamed};

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
        entries: &[IncomingEntry],
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
        for some in parts(entries, |entry| entry.content.as_bytes().len(), |_| None) {
            self.entries(some, &mut imported)?;
            advance(some.len());
        }
        let keepers = keepers(notes);
        for some in parts(notes, |note| note.content.as_bytes().len(), kept) {
            let mut tries = 1;
            let before = (
                imported.unchanged,
                imported.skipped.len(),
                imported.renamed.len(),
            );
            loop {
                match self.notes(some, &keepers, &mut imported) {
                    Err(Error::Conflict { .. }) if tries < TRIES => tries += 1,
                    done => break done?,
                }
                imported.unchanged = before.0;
                imported.skipped.truncate(before.1);
                imported.renamed.truncate(before.2);
            }
            advance(some.len());
        }
        Ok(imported)
    }

    fn notes(
        &self,
        notes: &[IncomingNote],
        keepers: &HashMap<&Address, &IncomingNote>,
        imported: &mut ImportReport,
    ) -> Result<()> {
        let importer = &self.stamp.author;
        let is_keeper = |note: &IncomingNote| keepers.get(&note.address) == Some(&note);
        let own: Vec<_> = notes
            .iter()
            .map(|note| of_its_own(note, importer, is_keeper(note)))
            .collect();
        let wanted = notes.iter().map(|note| &note.address);
        let addresses: Vec<Address> = wanted.chain(own.iter().flatten()).cloned().collect();
        let answers = self.store.read(&Ask {
            notes: addresses.clone(),
            histories: addresses,
            ..Ask::default()
        })?;
        let existing = answers.notes.into_iter().zip(answers.histories);
        let existing = existing.map(|(current, history)| ExistingNote { current, history });
        let mut there: Vec<ExistingNote> = existing.collect();
        let mut there_of_own = there.split_off(notes.len()).into_iter();
        let mut planned = Vec::with_capacity(notes.len());
        for ((note, mut before), own) in notes.iter().zip(there).zip(own) {
            let mut note = note.clone();
            let instead_of = note.address.clone();
            if let Some(own) = own
                && let Some(before_of_own) = there_of_own.next()
                && (!is_keeper(&note) || !fits(&note, importer, &before, &before_of_own))
            {
                (note.address, before) = (own, before_of_own);
            }
            let address = note.address.clone();
            if let Some(note) = imported.merge(&before, note, self.precedence, &self.stamp) {
                planned.push(note);
                if address != instead_of {
                    imported.renamed.push(Renamed {
                        address,
                        instead_of,
                    });
                }
            }
        }
        imported.finish(self.store, planned, &self.stamp, self.mode)
    }

    /// Adds entries of session logs. One that is there already changes nothing.
    fn entries(&self, entries: &[IncomingEntry], imported: &mut ImportReport) -> Result<()> {
        if self.mode == Mode::Write {
            let changes: Vec<Change> = entries.iter().map(IncomingEntry::change).collect();
            let applied = self.store.apply(&changes, &self.stamp)?;
            applied.iter().for_each(|applied| imported.count(applied));
            return Ok(());
        }
        let address = |entry: &IncomingEntry| Address::Session(entry.session.clone(), entry.id);
        let addresses: Vec<Address> = entries.iter().map(address).collect();
        let stored = self.store.get_all(addresses.clone())?;
        for (address, stored) in addresses.into_iter().zip(stored) {
            match stored {
                Some(_) => imported.unchanged += 1,
                None => {
                    imported.added += 1;
                    imported.planned.push(address);
                }
            }
        }
        Ok(())
    }
}

/// The address of a note that keeps it.
fn kept(note: &IncomingNote) -> Option<&Address> {
    note.name.is_none().then_some(&note.address)
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
        let size = size(next);
        let is_full = at - start == MAX_NOTES || bytes + size > MAX_BYTES;
        let is_second = address(next).is_some_and(|address| seen.contains(address));
        if at > start && (is_full || is_second) {
            parts.push(&all[start..at]);
            (start, bytes) = (at, 0);
            seen.clear();
        }
        bytes += size;
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
