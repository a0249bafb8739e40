//! Writers queue in the kernel.
//!
//! SQLite's own retry polls, and lets one of four busy writers starve. Here a writer first takes an advisory
//! lock on a file beside the store, waiting in the kernel; only its holder begins a transaction. The wait has
//! a deadline, so that a holder which was stopped gives an error and not a hang. A process that dies gives
//! its lock back, whatever happened to it.

use std::cell::RefCell;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::{Error, Result};
use crate::lock;

use super::Sqlite;

pub(super) struct Queue {
    path: PathBuf,
    /// How many turns are held here, and the open file that holds the lock.
    held: RefCell<Held>,
}

#[derive(Default)]
struct Held {
    turns: usize,
    locked: Option<File>,
    /// Kept open between turns.
    idle: Option<File>,
}

/// The right to write, given back on drop. Taking a second one inside the first is free.
pub(super) struct Turn<'q> {
    queue: Option<&'q Queue>,
}

impl Sqlite<'_> {
    /// Waits for this store's turn to write.
    pub(super) fn turn(&self) -> Result<Turn<'_>> {
        if let Some(queue) = &self.queue {
            queue.enter(&self.path, self.wait)?;
        }
        Ok(Turn {
            queue: self.queue.as_ref(),
        })
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if let Some(queue) = self.queue {
            queue.leave();
        }
    }
}

impl Queue {
    pub(super) fn beside(store: &Path) -> Self {
        let mut path = store.as_os_str().to_owned();
        path.push("-lock");
        Self {
            path: path.into(),
            held: RefCell::default(),
        }
    }

    fn enter(&self, store: &Path, wait: Duration) -> Result<()> {
        let mut held = self.held.borrow_mut();
        if held.turns == 0 {
            let file = match held.idle.take() {
                Some(file) => file,
                None => open(&self.path).map_err(|error| unwritable(store, &error))?,
            };
            let locked = match file.try_lock() {
                Ok(()) => file,
                Err(TryLockError::WouldBlock) => lock::within(wait, || open(&self.path))
                    .map_err(|error| unwritable(store, &error))?
                    .ok_or_else(|| Error::Busy {
                        path: store.to_owned(),
                        waited: wait,
                        holder: holder(&file),
                    })?,
                Err(TryLockError::Error(error)) => return Err(unwritable(store, &error)),
            };
            held.locked = Some(locked);
        }
        held.turns += 1;
        Ok(())
    }

    fn leave(&self) {
        let mut held = self.held.borrow_mut();
        held.turns -= 1;
        if held.turns == 0
            && let Some(file) = held.locked.take()
            && file.unlock().is_ok()
        {
            held.idle = Some(file);
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)
}

/// The process that holds the lock, where the system tells: Linux lists locks by inode.
fn holder(file: &File) -> Option<u32> {
    let inode = file.metadata().ok()?.ino().to_string();
    let locks = std::fs::read_to_string("/proc/locks").ok()?;
    // `1: FLOCK  ADVISORY  WRITE 4711 fd:00:2054 0 EOF`; a line with an arrow is one that waits.
    locks
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .find_map(|line| match line[..] {
            [_, "FLOCK", _, _, pid, place, ..] if place.rsplit(':').next() == Some(&inode) => {
                pid.parse().ok()
            }
            _ => None,
        })
}

fn unwritable(store: &Path, error: &io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::StorageFull => Error::DiskFull {
            path: store.to_owned(),
        },
        _ => Error::ReadOnly {
            path: store.to_owned(),
            reason: error.to_string(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_inside_a_turn_is_the_same_turn() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("notes.db");
        let (one, other) = (Queue::beside(&store), Queue::beside(&store));
        one.enter(&store, Duration::ZERO).unwrap();
        one.enter(&store, Duration::ZERO).unwrap();
        one.leave();
        let error = other.enter(&store, Duration::from_millis(20)).unwrap_err();
        let pid = std::process::id();
        assert!(error.to_string().ends_with(&format!(
            "is busy: another writer holds it, for 0.02 s now (process {pid})"
        )));
        one.leave();
        other.enter(&store, Duration::from_secs(5)).unwrap();
        other.leave();
    }

    #[test]
    fn a_wait_that_was_given_up_keeps_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("notes.db");
        let (one, other) = (Queue::beside(&store), Queue::beside(&store));
        for _ in 0..5 {
            one.enter(&store, Duration::from_secs(5)).unwrap();
            other.enter(&store, Duration::from_millis(1)).unwrap_err();
            one.leave();
            other.enter(&store, Duration::from_secs(5)).unwrap();
            other.leave();
        }
    }
}
