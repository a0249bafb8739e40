//! A store whose places are kept in sync with a `notes.json` that people and other programs write too.
//!
//! **Readers** lay the file's texts over the store and write nothing.
//!
//! **A writer** first journals the texts of the file that the store does not know, then its own change, and commits.
//! Then it replaces the file and compares the old file with what it had read, so that a text written meanwhile becomes
//! a revision too.
//!
//! For each key the store remembers the hash of the text that the file was last known to hold, its *mark*. A text that
//! differs from its mark was written by another program. A key that is missing from the file deletes nothing.
//!
//! When the file is damaged or cannot be written, the store works on without it, and [`SyncedStore::notices`] says so.

mod forget;
mod overlay;
mod read;
mod store;
mod write;

pub use store::{SyncedStore, files_that_held};
