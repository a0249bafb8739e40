//! PgBouncer in front of a server.

use std::ffi::OsStr;
use std::fs;
use std::time::{Duration, Instant};

use crate::cluster::{Cluster, folder, free_port};
use crate::daemon::Daemon;
use crate::programs::{hand_over, pgbouncer};

/// A running PgBouncer, in transaction mode. It stops when this is dropped, and when this process ends otherwise.
#[derive(Debug)]
pub struct Bouncer {
    port: u16,
    _daemon: Daemon,
}

impl Bouncer {
    /// Starts it in front of a cluster, with so many connections to it.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start(cluster: &Cluster, connections: u32) -> Self {
        let folder = folder("wpb");
        let port = free_port();
        let path = folder.path();
        fs::write(path.join("users.txt"), "\"waynote\" \"\"\n").unwrap();
        let settings = format!(
            // `any` logs everybody in as one user of the server.
            "[databases]\n* = host={} port={} user=waynote\n\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
             listen_port = {port}\nunix_socket_dir = {own}\nauth_type = any\nauth_file = {own}/users.txt\n\
             pool_mode = transaction\ndefault_pool_size = {connections}\nmax_client_conn = 500\n\
             server_reset_query =\n",
            cluster.folder().display(),
            cluster.port(),
            own = path.display(),
        );
        fs::write(path.join("pgbouncer.ini"), settings).unwrap();
        hand_over(path);
        let program = pgbouncer().expect("PgBouncer is not installed");
        let words = [program.as_os_str(), OsStr::new("pgbouncer.ini")];
        let daemon = Daemon::start(path, "pgbouncer", &words);
        let until = Instant::now() + Duration::from_secs(20);
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            let log = || fs::read_to_string(path.join("pgbouncer.log"));
            assert!(
                Instant::now() < until,
                "PgBouncer does not start: {:?}",
                log()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
        // The daemon removes the folder.
        let _ = folder.keep();
        Self {
            port,
            _daemon: daemon,
        }
    }

    /// The URL of the database `postgres`.
    pub fn url(&self) -> String {
        format!(
            "postgres://waynote@127.0.0.1:{}/postgres?sslmode=disable",
            self.port
        )
    }
}
