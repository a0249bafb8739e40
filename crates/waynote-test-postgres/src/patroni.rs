//! Three nodes of PostgreSQL under Patroni, three of etcd, and HAProxy in front, from the files that a page shows.

use std::ffi::OsStr;
use std::fs;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::cluster::folder;
use crate::daemon::Daemon;
use crate::programs::{command, hand_over, has_postgres, programs, run};
use crate::proxy::{Does, Proxy};

const NODES: u8 = 3;
/// Ports of PostgreSQL and of Patroni's HTTP.
const PORTS: [u16; 2] = [5432, 8008];
const ETCD: u16 = 2379;
const PROGRAMS: [&str; 4] = [
    "/usr/bin/patroni",
    "/usr/bin/patronictl",
    "/usr/bin/etcd",
    "/usr/sbin/haproxy",
];

/// True if such a cluster can be started.
pub fn has_patroni() -> bool {
    has_postgres() && PROGRAMS.iter().all(|program| Path::new(program).is_file())
}

/// The kind of a cluster's failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The leader's Patroni and PostgreSQL are killed, as by `kill -9`, and started again later.
    LeaderKilled,
    /// The leader's Patroni and PostgreSQL reach nobody, and nobody reaches them; later the network is back.
    LeaderCutOff,
    /// An operator makes the synchronous standby the leader.
    Switchover,
}

impl Failure {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::LeaderKilled, Self::LeaderCutOff, Self::Switchover];
}

/// A running cluster. Its parts find each other, and clients find it, only through proxies.
#[derive(Debug)]
pub struct PatroniCluster {
    nodes: Vec<Node>,
    _etcd: Vec<Daemon>,
    _balancer: Daemon,
    network: Network,
    folder: TempDir,
}

#[derive(Debug)]
struct Node {
    daemon: Daemon,
    /// Before its PostgreSQL, before its HTTP, and between it and etcd.
    proxies: [Proxy; 3],
}

/// Loopback addresses of one cluster, 127.A.B.x, so that the ports are those of the page.
#[derive(Clone, Copy, Debug)]
struct Network(u8, u8);

impl Network {
    fn free() -> Self {
        loop {
            let [first, second, ..] = RandomState::new().hash_one(0).to_le_bytes();
            let network = Self(first | 64, second);
            let port = PORTS[0];
            if TcpListener::bind(SocketAddr::from((network.node(1), port))).is_ok() {
                return network;
            }
        }
    }

    fn address(self, last: u8) -> Ipv4Addr {
        Ipv4Addr::new(127, self.0, self.1, last)
    }

    /// A node's own address.
    fn node(self, number: u8) -> Ipv4Addr {
        self.address(number)
    }

    /// The proxies before a node, and between it and etcd.
    fn before(self, number: u8) -> Ipv4Addr {
        self.address(10 + number)
    }

    fn balancer(self) -> Ipv4Addr {
        self.address(100)
    }
}

impl PatroniCluster {
    /// Makes a cluster from the files of a page, with a database `notes` of the user `waynote`.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start(page: &str) -> Self {
        let folder = folder("wpp");
        let path = folder.path();
        let network = Network::free();
        hand_over(path);
        make_certificate(path, network);
        for number in 1..=NODES {
            let patroni = patroni_file(page, network, path, number);
            fs::write(path.join(format!("db{number}.yml")), patroni).unwrap();
        }
        fs::write(path.join("haproxy.cfg"), haproxy_file(page, network)).unwrap();
        hand_over(path);
        let etcd = (1..=NODES).map(|number| start_etcd(page, network, path, number));
        let etcd = etcd.collect();
        let nodes = (1..=NODES).map(|number| start_node(network, path, number));
        let nodes = nodes.collect();
        let haproxy = [PROGRAMS[3], "-f", "haproxy.cfg"].map(OsStr::new);
        let mut cluster = Self {
            nodes,
            _etcd: etcd,
            _balancer: Daemon::start(path, "haproxy", &haproxy),
            network,
            folder,
        };
        cluster.wait("starts", |cluster| cluster.is_sound());
        let leader = cluster.leader().unwrap();
        for sql in [
            "CREATE ROLE waynote LOGIN PASSWORD 'of-waynote'",
            "CREATE DATABASE notes OWNER waynote",
        ] {
            cluster.sql(leader, sql).expect(sql);
        }
        cluster
    }

    /// The URL of the database, through HAProxy.
    pub fn balanced_url(&self) -> String {
        self.url(&format!("{}:5000", self.network.balancer()))
    }

    /// The URL of the database with each node's address.
    pub fn hosts_url(&self) -> String {
        let hosts =
            (1..=NODES).map(|number| format!("{}:{}", self.network.before(number), PORTS[0]));
        self.url(&hosts.collect::<Vec<_>>().join(","))
    }

    fn url(&self, hosts: &str) -> String {
        let certificate = self.folder.path().join("db1.notes.pem");
        format!(
            "postgres://waynote@{hosts}/notes?sslrootcert={}",
            certificate.display()
        )
    }

    /// Lets it fail, waits until the rest has taken that in, and returns the number of the leader that was.
    ///
    /// # Panics
    /// When nobody takes over.
    pub fn fail(&mut self, failure: Failure) -> usize {
        let leader = self.leader().expect("a cluster with a leader");
        match failure {
            Failure::LeaderKilled => self.nodes[leader].daemon.signal("KILL"),
            Failure::LeaderCutOff => self.cut_off(leader, &Does::Nothing),
            Failure::Switchover => self.switch_over(leader),
        }
        self.wait("is taken over", |cluster| {
            (0..cluster.nodes.len()).any(|node| node != leader && cluster.is(node, "/primary"))
        });
        leader
    }

    /// Ends the failure, and waits until every node is in its place.
    ///
    /// # Panics
    /// When that does not happen.
    pub fn heal(&mut self, failure: Failure, leader: usize) {
        match failure {
            Failure::LeaderKilled => self.nodes[leader].daemon.signal("RUN"),
            Failure::LeaderCutOff => self.cut_off(leader, &Does::Forward),
            Failure::Switchover => {}
        }
        self.wait("heals", |cluster| cluster.is_sound());
    }

    fn cut_off(&self, node: usize, does: &Does) {
        for proxy in &self.nodes[node].proxies {
            proxy.does(does.clone());
        }
    }

    fn switch_over(&self, leader: usize) {
        let standby = (0..self.nodes.len()).find(|node| self.is(*node, "/synchronous"));
        let name = |node: usize| format!("db{}", node + 1);
        let standby = name(standby.expect("a cluster with a synchronous standby"));
        run(command(Path::new(PROGRAMS[1]))
            .arg("-c")
            .arg(self.folder.path().join("db1.yml"))
            .args(["switchover", "--force", "--leader", &name(leader)])
            .args(["--candidate", &standby]));
    }

    fn leader(&self) -> Option<usize> {
        (0..self.nodes.len()).find(|node| self.is(*node, "/primary"))
    }

    /// True if one node leads, one follows synchronously, and the third follows. Patroni calls a node a replica that it
    /// has yet to rewind, so the leader is asked as well.
    fn is_sound(&self) -> bool {
        let all = 0..self.nodes.len();
        let count = |path| all.clone().filter(|node| self.is(*node, path)).count();
        let follow = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'";
        [count("/primary"), count("/synchronous"), count("/replica")] == [1, 1, 2]
            && self
                .leader()
                .is_some_and(|leader| self.sql(leader, follow).as_deref() == Some("2"))
    }

    /// Asks a node's Patroni, past all proxies.
    fn is(&self, node: usize, path: &str) -> bool {
        let ask = || -> std::io::Result<bool> {
            let number = u8::try_from(node + 1).unwrap();
            let address = SocketAddr::from((self.network.node(number), PORTS[1]));
            let patience = Duration::from_secs(2);
            let mut stream = TcpStream::connect_timeout(&address, patience)?;
            stream.set_read_timeout(Some(patience))?;
            write!(stream, "GET {path} HTTP/1.0\r\n\r\n")?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer)?;
            Ok(answer.split(' ').nth(1) == Some("200"))
        };
        ask().unwrap_or(false)
    }

    fn wait(&mut self, what: &str, is_so: impl Fn(&Self) -> bool) {
        let begin = Instant::now();
        while !is_so(self) {
            assert!(
                begin.elapsed() < Duration::from_secs(240),
                "no cluster that {what}:\n{}",
                self.logs()
            );
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// The ends of all logs.
    fn logs(&self) -> String {
        let mut logs = String::new();
        for name in ["etcd1", "db1", "db2", "db3", "haproxy"] {
            let path = self.folder.path().join(format!("{name}.log"));
            let log = fs::read(path).unwrap_or_default();
            let end = &log[log.len().saturating_sub(3_000)..];
            logs.push_str(&format!("== {name}\n{}\n", String::from_utf8_lossy(end)));
        }
        logs
    }

    /// The output of `psql` at a node; none if it fails.
    fn sql(&self, node: usize, sql: &str) -> Option<String> {
        let number = u8::try_from(node + 1).unwrap();
        let done = Command::new(bin().join("psql"))
            .env("PGPASSWORD", "of-postgres")
            .env("PGCONNECT_TIMEOUT", "5")
            .args(["-X", "-q", "-A", "-t", "-U", "postgres"])
            .args(["-d", "postgres", "-h"])
            .arg(self.network.node(number).to_string())
            .args(["-c", sql])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&done.stdout).trim().to_owned();
        done.status.success().then_some(said)
    }
}

fn bin() -> PathBuf {
    programs().expect("PostgreSQL is not installed")
}

/// As the page makes it: one for the addresses of all machines, here with that of HAProxy.
fn make_certificate(folder: &Path, network: Network) {
    let addresses = (1..=NODES).map(|number| network.before(number));
    let addresses = addresses.chain([network.balancer()]);
    let names: Vec<String> = addresses.map(|address| format!("IP:{address}")).collect();
    let words = "req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=notes -addext basicConstraints=critical,CA:FALSE";
    let [key, certificate] = ["key", "pem"].map(|end| folder.join(format!("notes.{end}")));
    run(command(Path::new("/usr/bin/openssl"))
        .args(words.split(' '))
        .args(["-addext", &format!("subjectAltName={}", names.join(","))])
        .arg("-keyout")
        .arg(&key)
        .arg("-out")
        .arg(&certificate));
    for number in 1..=NODES {
        for (file, end) in [(&key, "key"), (&certificate, "pem")] {
            fs::copy(file, folder.join(format!("db{number}.notes.{end}"))).unwrap();
        }
    }
}

fn start_etcd(page: &str, network: Network, folder: &Path, number: u8) -> Daemon {
    let name = format!("etcd{number}");
    let file = file_of(page, "/etc/default/etcd").replace("HERE", &number.to_string());
    let file = at(&file, |other| network.node(other));
    let file = file.replace("/var/lib/etcd", &folder.join(&name).display().to_string());
    let words = std::iter::once("/usr/bin/env")
        .chain(file.lines())
        .chain([PROGRAMS[2]]);
    let words: Vec<&OsStr> = words.map(OsStr::new).collect();
    Daemon::start(folder, &name, &words)
}

fn start_node(network: Network, folder: &Path, number: u8) -> Node {
    let address = |at: Ipv4Addr, port: u16| SocketAddr::from((at, port));
    let before = |port| {
        Proxy::between(
            address(network.before(number), port),
            &[address(network.node(number), port)],
        )
    };
    let etcd: Vec<SocketAddr> = (1..=NODES)
        .map(|node| address(network.node(node), ETCD))
        .collect();
    let proxies = [
        before(PORTS[0]),
        before(PORTS[1]),
        Proxy::between(address(network.before(number), ETCD), &etcd),
    ];
    let name = format!("db{number}");
    let file = format!("{name}.yml");
    let words = [PROGRAMS[0], &file].map(OsStr::new);
    Node {
        daemon: Daemon::start(folder, &name, &words),
        proxies,
    }
}

fn patroni_file(page: &str, network: Network, folder: &Path, number: u8) -> String {
    let etcd = "[10.0.0.1:2379, 10.0.0.2:2379, 10.0.0.3:2379]";
    let file = file_of(page, "/etc/patroni/config.yml");
    assert!(file.contains(etcd), "{file}");
    let own = folder.display();
    let seen = format!("connect_address: {}", network.before(number));
    let file = file
        // Without it, Patroni asks etcd for the addresses of its members, and goes past the proxy.
        .replace(
            etcd,
            &format!("[{}:{ETCD}]\n  use_proxies: true", network.before(number)),
        )
        .replace("connect_address: 10.0.0.HERE", &seen)
        .replace("10.0.0.0/24", "127.0.0.0/8")
        .replace("HERE", &number.to_string())
        .replace("SECRET-1", "of-postgres")
        .replace("SECRET-2", "of-replicator")
        .replace("/usr/lib/postgresql/15/bin", &bin().display().to_string())
        .replace("/var/lib/postgresql/15/notes", &format!("{own}/db{number}"))
        .replace("/var/lib/postgresql/", &format!("{own}/db{number}."))
        .replace("/run/postgresql", &format!("{own}/run{number}"));
    fs::create_dir(folder.join(format!("run{number}"))).unwrap();
    at(&file, |other| network.node(other))
}

fn haproxy_file(page: &str, network: Network) -> String {
    let file = file_of(page, "/etc/haproxy/haproxy.cfg");
    let file = at(&file, |number| network.before(number));
    file.replace("*:5000", &format!("{}:5000", network.balancer()))
}

/// A file with other addresses of its machines.
fn at(file: &str, address: impl Fn(u8) -> Ipv4Addr) -> String {
    (1..=NODES).fold(file.to_owned(), |file, number| {
        file.replace(
            &format!("10.0.0.{number}:"),
            &format!("{}:", address(number)),
        )
    })
}

/// The block of a page whose first line, a comment, is this path.
fn file_of(page: &str, path: &str) -> String {
    let start = format!("\n# {path}\n");
    let (_, from) = page
        .split_once(&start)
        .unwrap_or_else(|| panic!("the page has no {path}"));
    let (file, _) = from.split_once("\n```").unwrap();
    format!("{file}\n")
}
