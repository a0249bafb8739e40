//! A store of the last schema, as the program of that time wrote it (`tests/data`).

use std::path::PathBuf;

use rusqlite::Connection;
use waynote::{Options, SqliteStore};

#[path = "../data/scale.rs"]
mod scale;

/// A copy of the committed store in a folder of its own.
pub(super) struct Old {
    pub(super) folder: tempfile::TempDir,
}

impl Old {
    pub(super) fn new() -> Self {
        Self::with_notes(0)
    }

    pub(super) fn with_notes(notes: u32) -> Self {
        let folder = tempfile::tempdir().unwrap();
        scale::write_schema_5(&folder.path().join("notes.db"), notes).unwrap();
        Self { folder }
    }

    pub(super) fn path(&self) -> PathBuf {
        self.folder.path().join("notes.db")
    }

    pub(super) fn raw(&self) -> Connection {
        Connection::open(self.path()).unwrap()
    }

    pub(super) fn open(&self) -> SqliteStore {
        SqliteStore::open(self.path(), &Options::default()).unwrap()
    }
}
