//! Waiting for an advisory lock in the kernel, with a deadline.

use std::fs::{File, TryLockError};
use std::io;
use std::sync::mpsc;
use std::time::Duration;

/// Locks a file within that time; none when it was too long.
///
/// The kernel's wait has no deadline, so when the lock is held a thread waits, on an open file of its own: when it comes
/// too late, nobody takes the file from it, and dropping it gives the lock back.
///
/// # Errors
/// The system's, when the file cannot be opened or locked.
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
            // The receiver is gone when the wait was too long.
            let _ = sender.send(locked);
        })?;
    match receiver.recv_timeout(wait) {
        Ok(locked) => locked.map(Some),
        Err(_) => Ok(None),
    }
}
