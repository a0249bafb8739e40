//! The stores that the suites run on here.

use std::path::Path;

use waynote::engine::Engine;
use waynote::{AttachedStore, EngineStore, Indexing, LocalStore, Options, SqliteStore};
use waynote_testing::stores::{Engines, Shared, Stores};

use memory_engine::Memory;

/// The SQLite engines, and the one in memory.
pub(super) struct LocalStores;

impl Stores for LocalStores {
    fn each_store(test: &dyn Fn(&dyn LocalStore)) {
        let folder = tempfile::tempdir().unwrap();
        test(&SqliteStore::open(folder.path().join("notes.db"), &Options::default()).unwrap());
        let conn = rusqlite::Connection::open_in_memory().unwrap();
        test(&AttachedStore::attach(&conn).unwrap());
        test(&EngineStore::new(Memory::default()));
    }

    fn each_indexed(indexing: Indexing, test: &dyn Fn(&dyn LocalStore)) {
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
}

impl Engines for LocalStores {
    fn each_engine(test: &dyn Fn(&dyn Engine)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.db");
        test(
            SqliteStore::open(&path, &Options::default())
                .unwrap()
                .engine(),
        );
        test(&Memory::default());
    }

    fn each_shared(test: &dyn Fn(&(dyn Engine + Sync))) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.db");
        test(
            SqliteStore::open(&path, &Options::default())
                .unwrap()
                .engine(),
        );
    }
}

impl Shared for LocalStores {
    fn in_processes(test: &dyn Fn(&dyn Shared)) {
        test(&Self);
    }

    fn kill_rounds(&self) -> u32 {
        20
    }

    fn open(&self, folder: &Path) -> Box<dyn LocalStore> {
        Box::new(SqliteStore::open(folder.join("notes.db"), &Options::default()).unwrap())
    }
}
