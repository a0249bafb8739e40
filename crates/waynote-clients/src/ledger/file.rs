//! The files of the ledger: read without a lock, changed under one, and replaced as a whole.

use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

use waynote_files::replace_private;
use waynote_system::plain;

use super::delivered::Deliveries;

/// How long the lock of a ledger is waited for. It is held for the time of one write.
const LOCK_WAIT: Duration = Duration::from_millis(100);

/// As much of a ledger as is read: tens of thousands of notes.
const MAX_BYTES: u64 = 4 << 20;

/// The deliveries in a ledger; none from one that cannot be read.
pub(super) fn read(path: &Path) -> Deliveries {
    let text = plain::open(path).and_then(|file| plain::read(file, MAX_BYTES));
    let (text, _) = text.unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

/// A ledger, locked until this goes.
pub(super) struct Ledger<'p> {
    path: &'p Path,
    _locked: File,
    /// True if it was not there before.
    pub(super) is_new: bool,
    /// Its deliveries.
    pub(super) given: Deliveries,
}

impl<'p> Ledger<'p> {
    /// Locks a ledger, and makes it where there is none; none where that cannot be.
    pub(super) fn locked(path: &'p Path) -> Option<Self> {
        let begin = Instant::now();
        let mut file = plain::open_or_make(path).ok()?;
        loop {
            match file.try_lock() {
                Ok(()) if is_at(&file, path) => break,
                // The last holder of the lock has replaced the file.
                Ok(()) => file = plain::open_or_make(path).ok()?,
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
                Err(TryLockError::Error(_)) => return None,
            }
            if begin.elapsed() >= LOCK_WAIT {
                return None;
            }
        }
        Some(Self {
            path,
            is_new: file.metadata().is_ok_and(|found| found.len() == 0),
            _locked: file,
            given: read(path),
        })
    }

    /// Puts its deliveries in the place of the file.
    pub(super) fn write(&mut self) -> io::Result<()> {
        let mut text = serde_json::to_vec(&self.given)?;
        if text.len() as u64 > MAX_BYTES {
            self.given.notes.clear();
            text = serde_json::to_vec(&self.given)?;
        }
        replace_private(self.path, &text, None)
    }
}

/// True if a path still leads to an open file.
fn is_at(file: &File, path: &Path) -> bool {
    let of_path = path.symlink_metadata();
    let ends = file.metadata().ok().zip(of_path.ok());
    ends.is_some_and(|(one, other)| (one.dev(), one.ino()) == (other.dev(), other.ino()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_is_no_file_is_no_ledger_and_makes_nobody_wait() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session s");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        assert_eq!(read(&path), Deliveries::default());
        assert!(Ledger::locked(&path).is_none());
        fs::remove_file(&path).unwrap();
        let other = folder.path().join("other");
        fs::write(&other, "{\"was_asked\": true}").unwrap();
        std::os::unix::fs::symlink(&other, &path).unwrap();
        assert_eq!(read(&path), Deliveries::default());
        assert!(Ledger::locked(&path).is_none());
    }
}
