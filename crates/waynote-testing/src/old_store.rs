//! A store of the last schema, as the program of that time wrote it (`data`).

use std::path::PathBuf;

use rusqlite::Connection;
use waynote::{Options, SqliteStore};

pub mod killed;
pub mod scale;

/// A copy of the committed store in a folder of its own.
pub struct Old {
    /// Its folder.
    pub folder: tempfile::TempDir,
}

impl Default for Old {
    fn default() -> Self {
        Self::new()
    }
}

impl Old {
    /// The committed store.
    pub fn new() -> Self {
        Self::with_notes(0)
    }

    /// The committed store and that many more notes.
    pub fn with_notes(notes: u32) -> Self {
        let folder = tempfile::tempdir().unwrap();
        scale::write_schema_5(&folder.path().join("notes.db"), notes).unwrap();
        Self { folder }
    }

    /// Its file.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("notes.db")
    }

    /// A connection to the file, which is not migrated.
    pub fn raw(&self) -> Connection {
        Connection::open(self.path()).unwrap()
    }

    /// Opens it, and migrates it.
    pub fn open(&self) -> SqliteStore {
        let store = self.open_to_read();
        store.upgrade().unwrap();
        store
    }

    /// Opens it as it is.
    pub fn open_to_read(&self) -> SqliteStore {
        SqliteStore::open(self.path(), &Options::default()).unwrap()
    }
}
