//! The head record: the last acknowledged write, kept beside the store.
//!
//! A store cannot tell by itself that its newest notes are gone: one damaged bit in the WAL ends it early, and what is
//! left is a sound, older database. So each writer notes in the lock file, which it holds open anyway, how far the store
//! is. It does so after the commit and without a sync: a record that is absent, damaged, of another store or behind the
//! store means nothing. One that is ahead of the store proves that acknowledged writes are missing.
//!
//! There are two slots, each in a sector of its own. A writer replaces the older one, so a write that was torn leaves the
//! other.

pub(in crate::sqlite) mod queue;

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};

use crate::id::{OperationId, StoreId};

/// The first bytes of a slot; the number is that of the layout.
const MAGIC: &[u8; 8] = b"wn head1";

/// The bytes of a slot: magic, store, position, operation, size and time of the database file, checksum.
const SLOT: usize = 8 + 16 + 8 + 16 + 8 + 8 + 4;

/// From the begin of one slot to the next: no sector has parts of both.
const SECTOR: usize = 512;

/// The offset of the mark of a failed sync, and the mark.
const MARK_AT: usize = 2 * SECTOR;
const MARK: &[u8; 8] = b"unsynced";

/// How far a store is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sqlite) struct Head {
    pub(in crate::sqlite) store: StoreId,
    /// Of the last row.
    pub(super) position: i64,
    /// The call that wrote the last row, if it had an id.
    pub(super) operation: Option<OperationId>,
}

/// Size and time of change of the database file, which only a checkpoint changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sqlite) struct FileState {
    bytes: u64,
    nanoseconds: i64,
}

impl FileState {
    pub(in crate::sqlite) fn of(file: &Metadata) -> Self {
        const BILLION: i64 = 1_000_000_000;
        Self {
            bytes: file.len(),
            nanoseconds: file
                .mtime()
                .wrapping_mul(BILLION)
                .wrapping_add(file.mtime_nsec()),
        }
    }
}

/// A writer's record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sqlite) struct Record {
    pub(in crate::sqlite) head: Head,
    pub(super) file: FileState,
}

impl Record {
    fn bytes(&self) -> [u8; SLOT] {
        let mut bytes = Vec::with_capacity(SLOT);
        bytes.extend(MAGIC);
        bytes.extend(self.head.store.bytes());
        bytes.extend(self.head.position.to_le_bytes());
        bytes.extend(self.head.operation.map_or([0; 16], |of| *of.bytes()));
        bytes.extend(self.file.bytes.to_le_bytes());
        bytes.extend(self.file.nanoseconds.to_le_bytes());
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        let mut slot = [0; SLOT];
        slot.copy_from_slice(&bytes);
        slot
    }

    /// None when it is not whole.
    fn of(slot: &[u8]) -> Option<Self> {
        let (body, checksum) = slot.split_last_chunk::<4>()?;
        if crc32fast::hash(body) != u32::from_le_bytes(*checksum) {
            return None;
        }
        let rest = body.strip_prefix(MAGIC)?;
        let (store, rest) = rest.split_first_chunk::<16>()?;
        let (position, rest) = rest.split_first_chunk::<8>()?;
        let (operation, rest) = rest.split_first_chunk::<16>()?;
        let (bytes, rest) = rest.split_first_chunk::<8>()?;
        let (nanoseconds, _) = rest.split_first_chunk::<8>()?;
        Some(Self {
            head: Head {
                store: StoreId::new(*store),
                position: i64::from_le_bytes(*position),
                operation: (*operation != [0; 16]).then_some(OperationId::new(*operation)),
            },
            file: FileState {
                bytes: u64::from_le_bytes(*bytes),
                nanoseconds: i64::from_le_bytes(*nanoseconds),
            },
        })
    }
}

/// The contents of a lock file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::sqlite) struct LockRecords {
    slots: [Option<Record>; 2],
    /// True if a writer's sync failed, and nobody has emptied the WAL since.
    pub(in crate::sqlite) is_unsynced: bool,
}

impl LockRecords {
    /// Reads a lock file. A file or a slot that cannot be read counts as empty.
    pub(super) fn in_file(lock: &File) -> Self {
        let mut bytes = [0; MARK_AT + MARK.len()];
        let mut filled = 0;
        while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match lock.read_at(rest, filled as u64) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Self::default(),
            }
        }
        let slot = |at: usize| bytes.get(at..at + SLOT).and_then(Record::of);
        Self {
            slots: [slot(0), slot(SECTOR)],
            is_unsynced: bytes.ends_with(MARK),
        }
    }

    /// The last record of a store.
    pub(in crate::sqlite) fn of(&self, store: StoreId) -> Option<&Record> {
        let of_it = self.slots.iter().flatten();
        of_it
            .filter(|record| record.head.store == store)
            .max_by_key(|record| record.head.position)
    }

    /// True if the database file is as the last writer left it, or there is no record.
    pub(in crate::sqlite) fn leaves(&self, file: FileState) -> bool {
        let last = self.slots.iter().flatten();
        let last = last.max_by_key(|record| record.head.position);
        last.is_none_or(|last| last.file == file)
    }

    /// The highest position in a record of any store.
    pub(super) fn highest(&self) -> Option<i64> {
        let positions = self.slots.iter().flatten();
        positions
            .map(|record| record.head.position)
            .max()
            .filter(|position| *position > 0)
    }

    /// Writes a record over the older slot, unless it is there already. If that fails, an older record stays: one
    /// behind the store proves nothing.
    pub(super) fn note(&self, lock: &File, record: &Record) {
        let last = self.of(record.head.store);
        if last == Some(record) {
            return;
        }
        let is_first_last = last.is_some() && self.slots[0].as_ref() == last;
        let at = if is_first_last { SECTOR } else { 0 };
        let _ = lock.write_all_at(&record.bytes(), at as u64);
    }

    /// Replaces both slots by one record, even if they are ahead of it, or by none. On disk when it returns.
    pub(super) fn replace(lock: &File, record: Option<&Record>) -> io::Result<()> {
        let slot = record.map_or([0; SLOT], Record::bytes);
        for at in [0, SECTOR] {
            lock.write_all_at(&slot, at as u64)?;
        }
        lock.sync_data()
    }

    /// Sets or clears the mark of a failed sync. Clear it once the data is on disk.
    pub(super) fn mark_unsynced(lock: &File, is_unsynced: bool) -> io::Result<()> {
        let mark = if is_unsynced { *MARK } else { [0; MARK.len()] };
        lock.write_all_at(&mark, MARK_AT as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(store: u8, position: i64) -> Record {
        Record {
            head: Head {
                store: StoreId::new([store; 16]),
                position,
                operation: (position % 2 == 0).then(|| OperationId::of("call")),
            },
            file: FileState {
                bytes: 4096,
                nanoseconds: 1_700_000_000_123_456_789,
            },
        }
    }

    fn noted(lock: &File, record: &Record) -> LockRecords {
        LockRecords::in_file(lock).note(lock, record);
        LockRecords::in_file(lock)
    }

    #[test]
    fn the_newest_of_two_slots_counts_and_the_older_one_is_replaced() {
        let lock = tempfile::tempfile().unwrap();
        assert_eq!(LockRecords::in_file(&lock), LockRecords::default());
        for position in 1..=5 {
            let of = record(7, position);
            let after = noted(&lock, &of);
            assert_eq!(after.of(of.head.store), Some(&of));
            let others = after.slots.iter().flatten().filter(|other| **other != of);
            let others: Vec<i64> = others.map(|other| other.head.position).collect();
            assert_eq!(others, (1..position).rev().take(1).collect::<Vec<_>>());
        }
        let store = StoreId::new([7; 16]);
        let whole = LockRecords::in_file(&lock);
        // Position 5 is in the first slot.
        assert_eq!(whole.slots[0], Some(record(7, 5)));
        for bit in 0..SLOT * 8 {
            let (at, flip) = (bit / 8, 1 << (bit % 8));
            let mut byte = [0];
            lock.read_exact_at(&mut byte, at as u64).unwrap();
            lock.write_all_at(&[byte[0] ^ flip], at as u64).unwrap();
            assert_eq!(LockRecords::in_file(&lock).of(store), Some(&record(7, 4)));
            lock.write_all_at(&byte, at as u64).unwrap();
        }
        assert_eq!(LockRecords::in_file(&lock), whole);
    }

    #[test]
    fn another_store_has_another_record() {
        let lock = tempfile::tempfile().unwrap();
        noted(&lock, &record(1, 90));
        let both = noted(&lock, &record(2, 3));
        assert_eq!(both.of(StoreId::new([2; 16])), Some(&record(2, 3)));
        assert_eq!(both.of(StoreId::new([3; 16])), None);
        // The record of the other store in the replaced slot says nothing of this one.
        assert_eq!(both.highest(), Some(3));
    }

    #[test]
    fn what_is_replaced_is_gone_and_the_mark_is_apart() {
        let lock = tempfile::tempfile().unwrap();
        noted(&lock, &record(1, 8));
        noted(&lock, &record(1, 9));
        LockRecords::mark_unsynced(&lock, true).unwrap();
        LockRecords::replace(&lock, Some(&record(1, 4))).unwrap();
        let now = LockRecords::in_file(&lock);
        assert_eq!(now.of(StoreId::new([1; 16])), Some(&record(1, 4)));
        assert!(now.is_unsynced);
        LockRecords::mark_unsynced(&lock, false).unwrap();
        LockRecords::replace(&lock, None).unwrap();
        assert_eq!(LockRecords::in_file(&lock), LockRecords::default());
    }

    #[test]
    fn a_lock_file_that_cannot_be_read_means_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let lock = File::create(path).unwrap();
        LockRecords::default().note(&lock, &record(1, 8));
        assert_eq!(LockRecords::in_file(&lock), LockRecords::default());
    }
}
