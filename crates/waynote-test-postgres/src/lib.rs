//! Throw-away PostgreSQL clusters for tests.
//!
//! [`server`] gives the one of this process: a cluster that is made at the first call, on a Unix socket in a temporary
//! folder, or the server that is handed in. It is stopped and removed when the process ends, however it ends. A test
//! that needs a server of its own (to kill it, with TLS, with a standby) makes a [`Cluster`].

mod bouncer;
mod cluster;
mod daemon;
mod patroni;
mod programs;
mod proxy;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

pub use bouncer::Bouncer;
pub use cluster::{Cluster, Setup};
pub use patroni::{Failure, PatroniCluster, has_patroni};
pub use programs::{has_pgbouncer, has_postgres, programs};
pub use proxy::{Does, Proxy};

/// The server that the tests of a process share.
#[derive(Debug)]
pub struct Server {
    url: String,
    cluster: Option<Cluster>,
}

impl Server {
    /// The URL of a store that no other test uses. It does not exist yet.
    pub fn store_url(&self) -> String {
        with_store(&self.url, &unused("store"))
    }

    /// The cluster; none when the server was handed in.
    pub fn cluster(&self) -> Option<&Cluster> {
        self.cluster.as_ref()
    }
}

/// The URL with the name of a store.
pub fn with_store(url: &str, store: &str) -> String {
    let sign = if url.contains('?') { '&' } else { '?' };
    format!("{url}{sign}store={store}")
}

/// The URL of the store `s` at a loopback port, a proxy's for example.
pub fn store_at(user: &str, port: u16) -> String {
    format!("postgres://{user}@127.0.0.1:{port}/postgres?store=s&sslmode=disable")
}

/// A name that no other test of any process uses.
pub fn unused(what: &str) -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{what}-{}-{next}", std::process::id())
}

/// The server of this process. `given` is the URL of a server to use instead of a cluster: the value of
/// `WAYNOTE_TEST_POSTGRES`, which only tests may read. None, after a loud message that names the tests, when this
/// machine has no PostgreSQL.
///
/// # Panics
/// When the cluster cannot be made.
pub fn server(given: Option<String>, tests: &str) -> Option<&'static Server> {
    static SERVER: OnceLock<Option<Server>> = OnceLock::new();
    let given = given.filter(|given| given != LEFT_OUT);
    let server = SERVER.get_or_init(|| match given {
        Some(url) => Some(Server { url, cluster: None }),
        None => has_postgres().then(|| {
            let cluster = Cluster::start(&Setup::default());
            Server {
                url: cluster.url(),
                cluster: Some(cluster),
            }
        }),
    });
    if server.is_none() {
        skipped(tests);
    }
    server.as_ref()
}

/// Prints, past any capture of a test's output, that these tests did not run.
pub fn skipped(tests: &str) {
    let why = match is_left_out() {
        true => "`cargo xtask test rest` runs them",
        false => {
            "PostgreSQL or PgBouncer is missing: apt-get install postgresql pgbouncer, or WAYNOTE_TEST_POSTGRES=URL"
        }
    };
    waynote_testing::not_checked(tests, why);
}

/// The value of `WAYNOTE_TEST_POSTGRES` that leaves out all tests that need a server.
pub const LEFT_OUT: &str = "no";

/// True if the tests that need a server are left out.
pub(crate) fn is_left_out() -> bool {
    std::env::var_os("WAYNOTE_TEST_POSTGRES").is_some_and(|value| value == LEFT_OUT)
}
