//! PgBouncer in front of a server.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::cluster::{Cluster, free_port};
use crate::programs::{command, hand_over, pgbouncer};

/// A running PgBouncer, in transaction mode. It stops when this is dropped, and when this process ends otherwise.
#[derive(Debug)]
pub struct Bouncer {
    folder: TempDir,
    port: u16,
    watched: Child,
}

/// Runs the program until the writer of standard input is gone.
const WATCH: &str = r#"
"$1" "$2/pgbouncer.ini" >>"$2/log" 2>&1 </dev/null &
server=$!
read -r word
kill -INT "$server"; wait "$server"
rm -rf "$2"
"#;

impl Bouncer {
    /// Starts it in front of a cluster, with so many connections to it.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start(cluster: &Cluster, connections: u32) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("wpb")
            .permissions(fs::Permissions::from_mode(0o700))
            .tempdir_in("/tmp")
            .unwrap();
        let port = free_port();
        let path = folder.path();
        fs::write(path.join("users.txt"), "\"waynote\" \"\"\n").unwrap();
        fs::write(
            path.join("pgbouncer.ini"),
            format!(
                "[databases]\n* = host={} port={}\n\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n\
                 unix_socket_dir = {}\nauth_type = any\nauth_file = {}\npool_mode = transaction\n\
                 default_pool_size = {connections}\nmax_client_conn = 500\nserver_reset_query =\n\
                 logfile = {}\npidfile = {}\n",
                cluster.folder().display(),
                cluster.port(),
                path.display(),
                path.join("users.txt").display(),
                path.join("log").display(),
                path.join("pid").display(),
            )
            // `any` logs everybody in as one user of the server.
            .replace(&format!("port={}\n", cluster.port()), &format!("port={} user=waynote\n", cluster.port())),
        )
        .unwrap();
        hand_over(path);
        let watched = command(Path::new("/bin/sh"))
            .args(["-c", WATCH, "sh"])
            .arg(pgbouncer().expect("PgBouncer is not installed"))
            .arg(path)
            // In a group of its own, so that it survives to clear up when this group is killed.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let bouncer = Self {
            folder,
            port,
            watched,
        };
        let until = Instant::now() + Duration::from_secs(20);
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(
                Instant::now() < until,
                "PgBouncer does not start:\n{}",
                bouncer.log()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
        bouncer
    }

    /// The URL of the database `postgres`.
    pub fn url(&self) -> String {
        format!(
            "postgres://waynote@127.0.0.1:{}/postgres?sslmode=disable",
            self.port
        )
    }

    /// The text of its log.
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }
}

impl Drop for Bouncer {
    fn drop(&mut self) {
        drop(self.watched.stdin.take());
        let _ = self.watched.wait();
    }
}
