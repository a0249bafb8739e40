//! The stores that the shared suites run on here: in a database, and in the same one through a pooler in transaction mode.

use std::path::Path;
use std::sync::OnceLock;

use waynote::engine::Engine;
use waynote::{EngineStore, Indexing, LocalStore};
use waynote_postgres::{Options, Postgres, open as opened, stores};
use waynote_test_postgres::{Bouncer, Server, has_pgbouncer, server, skipped, unused, with_store};
use waynote_testing::stores::{Engines, Shared, Stores};

/// The name of the tests that are skipped on a machine without PostgreSQL.
const TESTS: &str = "the tests of waynote-postgres";

/// The server of the tests; none on a machine without one.
pub(crate) fn its_server() -> Option<&'static Server> {
    server(std::env::var("WAYNOTE_TEST_POSTGRES").ok(), TESTS)
}

/// A store that was just made.
pub(crate) fn new_store(url: &str) -> EngineStore<Postgres> {
    let options = Options::of_url(url).unwrap();
    stores::create(options.clone()).unwrap();
    opened(options).unwrap()
}

/// PgBouncer before the cluster of this process, with few connections, so that they change hands.
pub(crate) fn bouncer(server: &'static Server) -> Option<&'static Bouncer> {
    static BOUNCER: OnceLock<Option<Bouncer>> = OnceLock::new();
    let bouncer = BOUNCER.get_or_init(|| {
        if !has_pgbouncer() {
            skipped("the tests of waynote-postgres behind PgBouncer");
        }
        let cluster = server.cluster().filter(|_| has_pgbouncer())?;
        Some(Bouncer::start(cluster, 4))
    });
    bouncer.as_ref()
}

/// The URLs by which the stores of the suites are reached.
fn urls() -> Vec<String> {
    let Some(server) = its_server() else {
        return Vec::new();
    };
    let mut urls = vec![server.store_url()];
    urls.extend(bouncer(server).map(|bouncer| with_store(&bouncer.url(), &unused("store"))));
    urls
}

/// The file that tells the processes of a test which store is theirs.
const URL: &str = "url";

/// The stores of the suites.
pub(super) struct PostgresStores;

impl Stores for PostgresStores {
    fn each_store(test: &dyn Fn(&dyn LocalStore)) {
        for url in urls() {
            test(&new_store(&url));
        }
    }

    fn each_indexed(indexing: Indexing, test: &dyn Fn(&dyn LocalStore)) {
        for url in urls() {
            test(&new_store(&url).with_indexing(indexing));
        }
    }
}

impl Engines for PostgresStores {
    fn each_engine(test: &dyn Fn(&dyn Engine)) {
        for url in urls() {
            test(new_store(&url).engine());
        }
    }

    fn each_shared(test: &dyn Fn(&(dyn Engine + Sync))) {
        for url in urls() {
            test(new_store(&url).engine());
        }
    }
}

impl Shared for PostgresStores {
    fn in_processes(test: &dyn Fn(&dyn Shared)) {
        test(&Self);
    }

    fn kill_rounds(&self) -> u32 {
        10
    }

    fn prepare(&self, folder: &Path) -> bool {
        let Some(server) = its_server() else {
            return false;
        };
        let url = server.store_url();
        stores::create(Options::of_url(&url).unwrap()).unwrap();
        std::fs::write(folder.join(URL), url).unwrap();
        true
    }

    fn open(&self, folder: &Path) -> Box<dyn LocalStore> {
        let url = std::fs::read_to_string(folder.join(URL)).unwrap();
        Box::new(opened(Options::of_url(&url).unwrap()).unwrap())
    }
}
