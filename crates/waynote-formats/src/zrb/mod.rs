//! Zrb's `notes.json`: notes by directory; and the journal that took its place, in [`journal`].
//!
//! [`synced`](crate::synced) keeps a store in sync with a `notes.json`.

pub(crate) mod exchange;
mod export;
mod import;
pub mod journal;
mod notes_file;
mod python_json;

pub use export::{export, export_to};
pub use import::{FORMAT, read};
pub use notes_file::NotesFile;
