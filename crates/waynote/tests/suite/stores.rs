//! The stores that the shared suites run on. Another crate with a store of its own runs the same suites: it has a file of
//! this name with its stores, and includes the suites by their paths.

use std::path::Path;

use waynote::engine::Engine;
use waynote::{AttachedStore, EngineStore, Indexing, LocalStore, Options, SqliteStore};

use super::memory::Memory;

/// Runs a test on every store.
pub(super) fn each_store(test: impl Fn(&dyn LocalStore)) {
    let folder = tempfile::tempdir().unwrap();
    test(&SqliteStore::open(folder.path().join("notes.db"), &Options::default()).unwrap());
    let conn = rusqlite::Connection::open_in_memory().unwrap();
    test(&AttachedStore::attach(&conn).unwrap());
    test(&EngineStore::new(Memory::default()));
}

/// Runs a test on every store that can be searched.
pub(super) fn each_indexed(indexing: Indexing, test: &dyn Fn(&dyn LocalStore)) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.db");
    let store = SqliteStore::open(&path, &Options::default()).unwrap();
    test(&store.with_indexing(indexing));
    let conn = rusqlite::Connection::open_in_memory().unwrap();
    test(
        &AttachedStore::attach(&conn)
            .unwrap()
            .with_indexing(indexing),
    );
}

/// Runs a test on every engine that several can use at once.
pub(super) fn each_engine(test: &dyn Fn(&dyn Engine)) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.db");
    test(
        SqliteStore::open(&path, &Options::default())
            .unwrap()
            .engine(),
    );
    test(&Memory::default());
}

/// Runs a test on every engine that several threads can use at once.
pub(super) fn each_shared(test: &dyn Fn(&(dyn Engine + Sync))) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.db");
    test(
        SqliteStore::open(&path, &Options::default())
            .unwrap()
            .engine(),
    );
}

/// Makes that store ready before the processes start. Whether there can be one on this machine.
pub(super) fn prepare(_folder: &Path) -> bool {
    true
}

/// The store that several processes write at once, in that folder.
pub(super) fn open(folder: &Path) -> Box<dyn LocalStore> {
    Box::new(SqliteStore::open(folder.join("notes.db"), &Options::default()).unwrap())
}

/// How many notes each of eight processes adds.
pub(super) const ADDS: u32 = 1000;

/// How often processes are killed.
pub(super) const KILL_ROUNDS: u32 = 50;

/// Further checks of the folder, after processes have written that many places.
pub(super) fn check_written(_folder: &Path, _places: usize) {}

/// Further checks of the folder, after processes that had written these places were killed.
pub(super) fn check_after_kills(_folder: &Path, _store: &dyn LocalStore, _places: &[&str]) {}
