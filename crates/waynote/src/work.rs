//! Counts the work that a block takes, for tests: bytes are the same on every machine, unlike time.

use std::cell::Cell;

thread_local! {
    static COUNTED: Cell<usize> = const { Cell::new(0) };
    static SCANNED: Cell<usize> = const { Cell::new(0) };
}

/// So many bytes were handed to the token counter.
pub(crate) fn counted(bytes: usize) {
    COUNTED.set(COUNTED.get() + bytes);
}

/// So many bytes were searched for credentials.
pub(crate) fn scanned(bytes: usize) {
    SCANNED.set(SCANNED.get() + bytes);
}

#[cfg(feature = "sqlite")]
/// The bytes that this thread has counted and scanned since it asked last.
pub(crate) fn taken() -> (usize, usize) {
    (COUNTED.take(), SCANNED.take())
}
