//! Waiting for an advisory file lock, with a deadline.

use std::fs::{File, TryLockError};
use std::io;
use std::sync::mpsc;
use std::time::Duration;

/// Locks a file within this time; none after the time is over.
///
/// The kernel's wait has no deadline, so a thread with an open file of its own waits for a held lock. If it gets the
/// lock too late, the receiver is gone, and dropping the file releases the lock.
///
/// # Errors
/// The [`std::io::Error`] when the file cannot be opened or locked.
pub fn within(wait: Duration, open: impl FnOnce() -> io::Result<File>) -> io::Result<Option<File>> {
    let file = open()?;
    match file.try_lock() {
        Ok(()) => return Ok(Some(file)),
        Err(TryLockError::WouldBlock) => {}
        Err(TryLockError::Error(error)) => return Err(error),
    }
    let (sender, receiver) = mpsc::sync_channel(1);
    std::thread::Builder::new()
        .name("waynote-queue".into())
        .spawn(move || {
            let locked = file.lock().map(|()| file);
            // The receiver is gone after the deadline.
            let _ = sender.send(locked);
        })?;
    match receiver.recv_timeout(wait) {
        Ok(locked) => locked.map(Some),
        Err(_) => Ok(None),
    }
}
