//! A cluster of its own folder.

use std::ffi::OsStr;
use std::fs;
use std::hash::{BuildHasher as _, RandomState};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::daemon::Daemon;
use crate::programs::{command, hand_over, programs, run};

/// How a cluster is made: by default on its socket alone, without waiting for the disk.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// Settings for `postgresql.conf`, one a line.
    pub settings: String,
    /// True if it listens on a loopback port too, beside its socket.
    pub tcp: bool,
    /// The key and the certificate with which it speaks TLS on that port, in PEM.
    pub tls: Option<(String, String)>,
    /// Lines for the front of `pg_hba.conf`; everything else is trusted.
    pub access: String,
    /// The URL of the primary of which it is a standby, and the name by which it asks.
    pub standby_of: Option<(PathBuf, u16, String)>,
    /// Flush acknowledged writes to disk. Only tests of machine crashes need it; a killed server loses nothing without.
    pub fsync: bool,
}

/// A running cluster. It stops, and its folder goes, when this is dropped, and also when this process ends otherwise.
#[derive(Debug)]
pub struct Cluster {
    /// Ends before its folder goes.
    daemon: Option<Daemon>,
    folder: TempDir,
    port: u16,
    tcp: bool,
    program: PathBuf,
}

/// How long a server may take to start.
const PATIENCE: Duration = Duration::from_secs(60);

/// A folder that the user of the servers may read. Its name is short: the path of a socket has 107 bytes at most.
pub(crate) fn folder(prefix: &str) -> TempDir {
    tempfile::Builder::new()
        .prefix(prefix)
        .permissions(fs::Permissions::from_mode(0o700))
        .tempdir_in("/tmp")
        .unwrap()
}

impl Cluster {
    /// A cluster that is reached by its loopback port too.
    pub fn tcp() -> Self {
        let tcp = true;
        let setup = Setup::default();
        Self::start(&Setup { tcp, ..setup })
    }

    /// A cluster with a loopback port that is a standby of this one, by the name `standby`.
    ///
    /// # Panics
    /// When it does not start.
    pub fn standby_of(primary: &Self) -> Self {
        let (folder, port) = (primary.folder().to_owned(), primary.port());
        Self::start(&Setup {
            tcp: true,
            standby_of: Some((folder, port, "standby".into())),
            settings: "hot_standby = on".into(),
            ..Setup::default()
        })
    }

    /// Makes a cluster and starts it.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start(setup: &Setup) -> Self {
        let program = programs().expect("PostgreSQL is not installed");
        let folder = folder("wpg");
        hand_over(folder.path());
        let mut cluster = Self {
            port: free_port(),
            tcp: setup.tcp || setup.tls.is_some(),
            daemon: None,
            program,
            folder,
        };
        cluster.init(setup);
        cluster.run();
        cluster
    }

    fn init(&self, setup: &Setup) {
        let data = self.data();
        match &setup.standby_of {
            None => {
                run(command(&self.program.join("initdb"))
                    .args(["--auth=trust", "--username=waynote", "--encoding=UTF8"])
                    .args(["--no-locale", "--no-sync", "-D"])
                    .arg(&data));
            }
            Some((socket, port, _)) => {
                run(command(&self.program.join("pg_basebackup"))
                    .args(["--checkpoint=fast", "--no-sync", "--username=waynote", "-h"])
                    .arg(socket)
                    .args(["-p", &port.to_string(), "-D"])
                    .arg(&data));
            }
        }
        let listens = if self.tcp { "127.0.0.1" } else { "" };
        let mut settings = format!(
            "unix_socket_directories = '{}'\nport = {}\nlisten_addresses = '{listens}'\nfsync = {}\n\
             max_connections = 100\nshared_buffers = 64MB\nautovacuum_naptime = 10s\nmax_wal_senders = 5\n\
             wal_keep_size = 64MB\nrestart_after_crash = off\n{}\n",
            self.folder.path().display(),
            self.port,
            if setup.fsync { "on" } else { "off" },
            setup.settings,
        );
        if let Some((socket, port, name)) = &setup.standby_of {
            fs::write(data.join("standby.signal"), "").unwrap();
            settings.push_str(&format!(
                "primary_conninfo = 'host={} port={port} user=waynote application_name={name}'\n",
                socket.display()
            ));
        }
        if let Some((key, certificate)) = &setup.tls {
            fs::write(data.join("server.key"), key).unwrap();
            fs::write(data.join("server.crt"), certificate).unwrap();
            let private = fs::Permissions::from_mode(0o600);
            fs::set_permissions(data.join("server.key"), private).unwrap();
            settings
                .push_str("ssl = on\nssl_key_file = 'server.key'\nssl_cert_file = 'server.crt'\n");
        }
        fs::write(data.join("waynote.conf"), settings).unwrap();
        // A standby has the line of its primary.
        if setup.standby_of.is_none() {
            let main = data.join("postgresql.conf");
            let usual = fs::read_to_string(&main).unwrap();
            fs::write(&main, usual + "\ninclude 'waynote.conf'\n").unwrap();
        }
        let access = format!(
            "{}\nlocal all all trust\nlocal replication all trust\nhost all all 127.0.0.1/32 trust\n",
            setup.access
        );
        fs::write(data.join("pg_hba.conf"), access).unwrap();
        hand_over(&data);
    }

    /// Starts the server (again).
    ///
    /// # Panics
    /// When it does not start.
    pub fn run(&mut self) {
        let until = Instant::now() + PATIENCE;
        while !self.begins(until) {
            // Sessions of a killed server may take a while to go, and so may another user of its port.
            self.kill();
            assert!(
                Instant::now() < until,
                "the server does not start:\n{}",
                self.log()
            );
        }
    }

    /// Starts the server; false if it has ended.
    fn begins(&mut self, until: Instant) -> bool {
        let said_before = self.log().len();
        match &mut self.daemon {
            Some(daemon) => daemon.signal("RUN"),
            None => {
                let program = self.program.join("postgres");
                let words = [program.as_os_str(), OsStr::new("-D"), OsStr::new("data")];
                self.daemon = Some(Daemon::start(self.folder.path(), "data", &words));
            }
        }
        loop {
            let mut ready = Command::new(self.program.join("pg_isready"));
            ready
                .arg("-q")
                .arg("-h")
                .arg(self.folder.path())
                .args(["-p", &self.port.to_string()]);
            if ready.status().unwrap().success() {
                return true;
            }
            let log = self.log();
            let said = log.get(said_before..).unwrap_or_default();
            if said.contains("database system is shut down") {
                return false;
            }
            assert!(Instant::now() < until, "the server does not start:\n{log}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Kills the server as `kill -9` does: postmaster and backends. Its folder stays.
    pub fn kill(&mut self) {
        if let Some(daemon) = &mut self.daemon {
            daemon.signal("KILL");
        }
    }

    /// Makes a standby the primary.
    pub fn promote(&self) {
        run(command(&self.program.join("pg_ctl"))
            .args(["promote", "--wait", "-D"])
            .arg(self.data()));
    }

    /// The output of `psql` for some SQL, without headings.
    pub fn sql(&self, sql: &str) -> String {
        self.sql_in("postgres", sql)
    }

    /// As [`Cluster::sql`], in another database.
    pub fn sql_in(&self, database: &str, sql: &str) -> String {
        let mut psql = Command::new(self.program.join("psql"));
        psql.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"])
            .args(["-U", "waynote", "-d", database, "-h"])
            .arg(self.folder.path())
            .args(["-p", &self.port.to_string(), "-c", sql]);
        run(&mut psql).trim_end().to_owned()
    }

    /// Makes a database, and returns its URL.
    pub fn database(&self, name: &str) -> String {
        self.sql(&format!("CREATE DATABASE \"{name}\""));
        self.url_of(name)
    }

    /// The URL of the database `postgres`, by the socket.
    pub fn url(&self) -> String {
        self.url_of("postgres")
    }

    fn url_of(&self, database: &str) -> String {
        let socket = self.folder.path().display().to_string().replace('/', "%2F");
        format!("postgres://waynote@{socket}:{}/{database}", self.port)
    }

    /// The folder with its socket.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Its port, which is also a part of the socket's name.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The text of its log.
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("data.log")).unwrap_or_default()
    }

    /// The folder of PostgreSQL's programs, `pgbench` among them.
    pub fn programs(&self) -> &Path {
        &self.program
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }
}

/// A free port, below those that the kernel hands out: a connection of another test does not get it before the
/// server has it, or while the server is down.
pub(crate) fn free_port() -> u16 {
    const FIRST: u16 = 15_000;
    const LAST: u16 = 32_000;
    loop {
        let random = RandomState::new().hash_one(std::process::id());
        let offset = u16::try_from(random % u64::from(LAST - FIRST)).unwrap();
        if TcpListener::bind(("127.0.0.1", FIRST + offset)).is_ok() {
            return FIRST + offset;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{has_postgres, skipped};

    #[test]
    fn a_server_whose_port_is_taken_for_a_while_starts_when_it_is_free() {
        if !has_postgres() {
            return skipped("the test of a server whose port is taken");
        }
        let mut cluster = Cluster::tcp();
        cluster.sql("CREATE TABLE t (n integer); INSERT INTO t VALUES (7)");
        cluster.kill();
        let taken = TcpListener::bind(("127.0.0.1", cluster.port())).unwrap();
        let log = cluster.folder.path().join("data.log");
        let lets_go = std::thread::spawn(move || {
            let until = Instant::now() + PATIENCE;
            let says = || fs::read_to_string(&log).unwrap_or_default();
            while !says().contains("Address already in use") {
                assert!(Instant::now() < until, "{}", says());
                std::thread::sleep(Duration::from_millis(20));
            }
            drop(taken);
        });
        cluster.run();
        lets_go.join().unwrap();
        assert_eq!(cluster.sql("SELECT n FROM t"), "7");
        let folder = cluster.folder().to_owned();
        drop(cluster);
        assert!(!folder.exists());
    }
}
