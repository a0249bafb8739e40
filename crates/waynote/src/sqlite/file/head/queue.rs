//! Writers queue in the kernel.
//!
//! SQLite's own retry polls, and lets one of four busy writers starve. Here a writer first takes an advisory lock on a
//! file beside the store, waiting in the kernel; only its holder begins a transaction. The wait has a deadline, so that
//! a stopped holder gives an error and not a hang. The kernel releases the lock of a process that dies.

use parking_lot::{Mutex, MutexGuard};
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::{Error, Result};
use crate::system::holder;
use waynote_files::lock;

use super::LockRecords;
use crate::sqlite::file::open::{FileId, side_files};

pub(in crate::sqlite) struct Queue {
    path: PathBuf,
    /// The store beside it.
    store: PathBuf,
    /// Kept open between turns.
    idle: Mutex<Vec<File>>,
}

/// The right to write, given back on drop.
pub(in crate::sqlite) struct Turn<'q> {
    held: Option<(&'q Queue, File)>,
}

impl<'q> Turn<'q> {
    fn new(queue: &'q Queue, file: File) -> Self {
        Self {
            held: Some((queue, file)),
        }
    }

    /// The records of earlier writers.
    pub(in crate::sqlite) fn noted(&self) -> LockRecords {
        self.file().map(LockRecords::in_file).unwrap_or_default()
    }

    /// The lock file, in which writers note how far the store is.
    pub(in crate::sqlite::file) fn file(&self) -> Option<&File> {
        self.held.as_ref().map(|(_, file)| file)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if let Some((queue, file)) = self.held.take()
            && file.unlock().is_ok()
        {
            queue.idle().push(file);
        }
    }
}

impl Queue {
    pub(in crate::sqlite) fn beside(store: &Path) -> Self {
        Self {
            path: side_files::beside(store, "-lock"),
            store: store.to_owned(),
            idle: Mutex::default(),
        }
    }

    /// Waits for the turn to write; threads of one process wait as processes do.
    pub(in crate::sqlite) fn turn(&self, store: &Path, wait: Duration) -> Result<Turn<'_>> {
        loop {
            let turn = self.locked(store, wait)?;
            // A lock file that somebody removed keeps nobody out.
            if turn.file().is_some_and(|file| is_at(file, &self.path)) {
                return Ok(turn);
            }
            drop(turn);
            self.idle().clear();
        }
    }

    /// The turn, if nobody else has it.
    pub(in crate::sqlite::file) fn turn_if_free(&self) -> Option<Turn<'_>> {
        let idle = self.idle().pop();
        let file = idle.or_else(|| self.open().ok())?;
        file.try_lock().ok()?;
        is_at(&file, &self.path).then(|| Turn::new(self, file))
    }

    /// The records of writers, for a caller without a turn.
    pub(in crate::sqlite::file) fn noted(&self) -> LockRecords {
        let lock = side_files::read_lock(&self.path);
        lock.map_or_else(
            |_| LockRecords::default(),
            |lock| LockRecords::in_file(&lock),
        )
    }

    fn locked(&self, store: &Path, wait: Duration) -> Result<Turn<'_>> {
        let idle = self.idle().pop();
        let file = match idle {
            Some(file) => file,
            None => self.open().map_err(|error| self.refused(store, &error))?,
        };
        let locked = match file.try_lock() {
            Ok(()) => file,
            Err(TryLockError::WouldBlock) => lock::within(wait, || self.open())
                .map_err(|error| self.refused(store, &error))?
                .ok_or_else(|| Error::Busy {
                    path: store.to_owned(),
                    waited: wait,
                    holder: holder(&file),
                })?,
            Err(TryLockError::Error(error)) => return Err(self.refused(store, &error)),
        };
        Ok(Turn::new(self, locked))
    }

    fn open(&self) -> io::Result<File> {
        side_files::open_lock(&self.path, &self.store)
    }

    fn refused(&self, store: &Path, error: &io::Error) -> Error {
        side_files::refused(store, &self.path, error)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<File>> {
        self.idle.lock()
    }
}

/// True if an open file is the one at that path.
fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(open), Ok(there)) => FileId::of(&open) == FileId::of(&there),
        _ => false,
    }
}

/// The process that holds the lock, where the system tells.
fn holder(file: &File) -> Option<String> {
    let process = holder::of(holder::Kind::File, &file.metadata().ok()?)?;
    Some(format!("process {process}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_has_the_turn_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("notes.db");
        let queue = Queue::beside(&store);
        let turn = queue.turn(&store, Duration::ZERO).unwrap();
        for other in [&queue, &Queue::beside(&store)] {
            let error = other.turn(&store, Duration::from_millis(20)).err().unwrap();
            let pid = std::process::id();
            assert!(error.to_string().ends_with(&format!(
                "is busy: another writer holds it, for 0.02 s now (process {pid})"
            )));
        }
        drop(turn);
        queue.turn(&store, Duration::from_secs(5)).unwrap();
    }

    #[test]
    fn a_wait_that_was_given_up_keeps_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("notes.db");
        let (one, other) = (Queue::beside(&store), Queue::beside(&store));
        for _ in 0..5 {
            let turn = one.turn(&store, Duration::from_secs(5)).unwrap();
            assert!(other.turn(&store, Duration::from_millis(1)).is_err());
            drop(turn);
            other.turn(&store, Duration::from_secs(5)).unwrap();
        }
    }
}
