//! The stores of a database as a server holds them open.

use std::sync::Arc;
use std::time::Instant;

use waynote::{Options as StoreOptions, Reader as _, SqliteStore, Version};
use waynote_server::{Catalog, Database, InDatabase, Limits, PoolState, ServableStore};

use super::support::{PATIENCE, options, start_over};

/// A database whose stores are files of a folder.
struct Folder(tempfile::TempDir);

struct Store(Arc<SqliteStore>);

impl Database for Store {
    fn pool(&self) -> Option<PoolState> {
        None
    }

    fn polled(&self) -> waynote::Result<Version> {
        self.0.version()
    }

    fn reading(&self) -> Option<Arc<dyn ServableStore>> {
        None
    }
}

impl Catalog for Folder {
    fn label(&self) -> String {
        "folder".into()
    }

    fn open(&self, name: &str) -> waynote::Result<Option<InDatabase>> {
        let store = SqliteStore::open(self.0.path().join(name), &StoreOptions::default())?;
        let store = Arc::new(store);
        Ok(Some((store.clone(), Arc::new(Store(store)))))
    }

    fn names(&self, _: &str, _: usize) -> waynote::Result<Vec<String>> {
        Ok(Vec::new())
    }

    fn admin(&self) -> Option<Arc<dyn ServableStore>> {
        None
    }

    fn pool(&self) -> PoolState {
        [0; 4]
    }
}

#[test]
fn few_stores_of_a_database_are_open_and_those_that_nobody_uses_are_closed() {
    let folder = Arc::new(Folder(tempfile::tempdir().unwrap()));
    let limits = |store_idle| Limits {
        open_stores: 2,
        store_idle,
        ..Limits::default()
    };
    for (store_idle, expected) in [(PATIENCE, 2), (std::time::Duration::from_millis(20), 0)] {
        let server = start_over(folder.clone(), options().limits(limits(store_idle)));
        for name in ["a", "b", "c", "a"] {
            assert_eq!(server.get(&format!("/s/{name}/api/v1/scopes")).status, 200);
        }
        let open = || {
            let figures = server.get("/metrics").body;
            let line = figures
                .lines()
                .find_map(|line| line.strip_prefix("waynote_stores_open "));
            line.unwrap().parse::<usize>().unwrap()
        };
        let until = Instant::now() + PATIENCE;
        while open() != expected {
            assert!(Instant::now() < until, "{} are open", open());
        }
    }
}
