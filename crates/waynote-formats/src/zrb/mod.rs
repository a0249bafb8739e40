//! Zrb's `notes.json`: notes by directory.
//!
//! [`synced`](crate::synced) keeps a store in sync with such a file.

pub(crate) mod exchange;
mod export;
mod import;
mod notes_file;
mod python_json;

pub(crate) use export::exported;
pub use export::{export, export_to};
pub use import::{FORMAT, read};
pub use notes_file::NotesFile;
