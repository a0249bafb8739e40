//! The store that the shared suites run on here: one that is kept in sync with a file.

use std::path::Path;

use jiff::Timestamp;
use waynote::{Base, Content, Indexing, LocalStore, Options, Places, SqliteStore, Stamp};
use waynote_formats::SyncedStore;
use waynote_testing::stores::{Shared, Stores};

/// A store in `notes.db` of a folder, kept in sync with `notes.json` there.
pub(super) fn synced(folder: &Path) -> SyncedStore<SqliteStore> {
    let store = SqliteStore::open(folder.join("notes.db"), &Options::default()).unwrap();
    synced_over(folder, store)
}

/// As [`synced`], over a store that is open.
pub(super) fn synced_over(folder: &Path, store: SqliteStore) -> SyncedStore<SqliteStore> {
    let base = Base::new("/home/u", "/home/u").unwrap();
    SyncedStore::new(store, &folder.join("notes.json"), base, Timestamp::now).unwrap()
}

fn in_file(folder: &Path) -> serde_json::Map<String, serde_json::Value> {
    let file = std::fs::read(folder.join("notes.json")).unwrap();
    serde_json::from_slice(&file).unwrap()
}

/// The synced store.
pub(super) struct SyncedStores;

impl Stores for SyncedStores {
    fn each_store(test: &dyn Fn(&dyn LocalStore)) {
        let folder = tempfile::tempdir().unwrap();
        test(&synced(folder.path()));
    }

    fn each_indexed(indexing: Indexing, test: &dyn Fn(&dyn LocalStore)) {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path().join("notes.db"), &Options::default()).unwrap();
        test(&synced_over(folder.path(), store.with_indexing(indexing)));
    }
}

impl Shared for SyncedStores {
    fn in_processes(test: &dyn Fn(&dyn Shared)) {
        test(&Self);
    }

    fn kill_rounds(&self) -> u32 {
        20
    }

    fn open(&self, folder: &Path) -> Box<dyn LocalStore> {
        Box::new(synced(folder))
    }

    fn check_written(&self, folder: &Path, places: usize) {
        assert_eq!(in_file(folder).len(), places);
        assert_eq!(
            std::fs::read_dir(folder).unwrap().count(),
            5,
            "db, wal, shm, lock, json"
        );
    }

    fn check_after_kills(&self, folder: &Path, store: &dyn LocalStore, places: &[&str]) {
        // The next write journals what the killed ones left, and removes it.
        let stamp = Stamp::new(Timestamp::now(), "person".parse().unwrap());
        Places::new(store)
            .write(&"~".parse().unwrap(), Content::text("end").unwrap(), &stamp)
            .unwrap();
        let file = in_file(folder);
        for place in places {
            assert!(file.contains_key(*place), "{place}");
        }
        // Only empty files may be left: a process may be about to write one.
        let left = std::fs::read_dir(folder).unwrap().flatten();
        let mut ours = left.filter(|file| file.file_name().to_string_lossy().contains(".waynote-"));
        assert!(ours.all(|file| {
            let bytes = std::fs::read(file.path()).unwrap();
            serde_json::from_slice::<serde_json::Value>(&bytes).is_err()
        }));
    }
}
