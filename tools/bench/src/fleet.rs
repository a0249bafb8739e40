//! A server of two databases with thousands of stores: its memory, its queries while nobody asks, and the first request
//! to a store.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use waynote::Store as _;
use waynote_postgres::{Options, open, stores};
use waynote_test_postgres::{Cluster, Setup, has_postgres, with_store};
use waynote_testing::values::{key, save};

const DATABASES: [&str; 2] = ["one", "two"];

/// The stores of each.
const STORES: usize = 5000;

/// For so long nobody asks for anything.
const QUIET: Duration = Duration::from_secs(10);

/// Longer than a server process of the database keeps its figures to itself.
const FIGURES: Duration = Duration::from_secs(11);

pub(crate) fn run(program: &Path) -> Result<()> {
    ensure!(has_postgres(), "there is no PostgreSQL on this machine");
    let cluster = Cluster::start(&Setup {
        settings: "max_wal_size = 4GB\nautovacuum = off".into(),
        ..Setup::default()
    });
    let urls = DATABASES.map(|name| cluster.database(name));
    let began = Instant::now();
    for (url, name) in urls.iter().zip(DATABASES) {
        fill(&cluster, url, name)?;
    }
    let size = cluster.sql(
        "SELECT pg_size_pretty(sum(pg_database_size(datname))) FROM pg_database WHERE datname IN ('one', 'two')",
    );
    println!(
        "{} stores made in {:.0?}: {size}",
        2 * STORES,
        began.elapsed()
    );
    let home = tempfile::tempdir()?;
    let program = &program.canonicalize()?;
    let server = Server::start(program, home.path(), &urls)?;
    let state = |when: &str| -> Result<()> {
        thread::sleep(FIGURES);
        let before = transactions(&cluster)?;
        thread::sleep(QUIET);
        let each = (transactions(&cluster)? - before) / QUIET.as_secs_f64();
        let connections = cluster.sql(
            "SELECT count(*) FROM pg_stat_activity WHERE datname IN ('one', 'two') AND application_name = 'waynote'",
        );
        let memory = server.memory()?;
        println!(
            "{when}: {memory:.1} MB, {connections} connections, {each:.2} transactions a second"
        );
        Ok(())
    };
    state("started")?;
    let mut times = BTreeMap::<&str, Vec<f64>>::new();
    for number in 0..300 {
        let database = DATABASES[number % 2];
        let store = format!("{database}-{}", number * 13);
        for what in ["first", "second"] {
            times.entry(what).or_default().push(server.ask(&store)?);
        }
    }
    for (what, mut all) in times {
        all.sort_by(f64::total_cmp);
        let (median, late) = (all[all.len() / 2], all[all.len() * 99 / 100]);
        println!("{what} request to a store: median {median:.1} ms, 99 % {late:.1} ms");
    }
    state("300 stores open")?;
    for number in 0..1000 {
        for database in DATABASES {
            server.ask(&format!("{database}-{number}"))?;
        }
    }
    state("2,200 stores open")?;
    // An address may have 64.
    for count in [1, 60] {
        let feeds: Vec<TcpStream> = (0..count)
            .map(|number| server.feed(&format!("{}-{number}", DATABASES[number % 2])))
            .collect::<Result<_>>()?;
        state(&format!("{count} feeds"))?;
        drop(feeds);
    }
    Ok(())
}

/// Makes the stores, each with a note: the first one as usual, the others as copies of its rows.
fn fill(cluster: &Cluster, url: &str, name: &str) -> Result<()> {
    let options = Options::of_url(&with_store(url, &format!("{name}-0")))?;
    stores::create(options.clone())?;
    let stamp = waynote::Stamp::new(jiff::Timestamp::now(), "person".parse()?);
    open(options)?.apply(&[save(key("deploy"), "run `make ship`")], &stamp)?;
    // The key of a store is the beginning of its name's hash.
    let each = format!(
        "(SELECT '{name}-' || i AS named, ('x' || encode(substr(sha256(('{name}-' || i)::bytea), 1, 8), 'hex'))::bit(64)::bigint
          AS its_key FROM generate_series(1, {}) i) g",
        STORES - 1
    );
    for table in [
        "store", "scope", "content", "journal", "note", "event", "segment", "block",
    ] {
        let (of, to, skipped) = match table {
            "store" => ("name, ", "named, ", "name"),
            _ => ("", "", ""),
        };
        let columns = cluster.sql_in(name, &format!(
            "SELECT string_agg(quote_ident(column_name), ', ') FROM information_schema.columns
             WHERE table_schema = 'waynote' AND table_name = '{table}' AND column_name NOT IN ('store', '{skipped}')"
        ));
        cluster.sql_in(name, &format!(
            "INSERT INTO waynote.{table} (store, {of}{columns}) SELECT g.its_key, {to}{columns} FROM waynote.{table}, {each}"
        ));
    }
    cluster.sql_in(name, "VACUUM ANALYZE");
    Ok(())
}

/// The transactions of both databases until now.
fn transactions(cluster: &Cluster) -> Result<f64> {
    let sql = "SELECT sum(xact_commit + xact_rollback) FROM pg_stat_database WHERE datname IN ('one', 'two')";
    Ok(cluster.sql(sql).parse()?)
}

/// A server, until it is dropped.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(program: &Path, home: &Path, urls: &[String; 2]) -> Result<Self> {
        let mut child = Command::new(program)
            .args(["serve", "--listen", "127.0.0.1:0", "--rate", "0"])
            .args([
                "--database",
                &with_store(&urls[0], "one-0"),
                "--database",
                &urls[1],
            ])
            .env_clear()
            .env("HOME", home)
            .current_dir(home)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let out = child.stdout.take().context("no output")?;
        let line = BufReader::new(out)
            .lines()
            .next()
            .context("the server does not start")??;
        let (_, address) = line.split_once("http://").context("no address")?;
        let address = address.to_owned();
        Ok(Self { child, address })
    }

    fn connected(&self, path: &str) -> Result<TcpStream> {
        let mut stream = TcpStream::connect(&self.address)?;
        let address = &self.address;
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
        )?;
        Ok(stream)
    }

    /// How long a list of a store's notes takes, in milliseconds.
    fn ask(&self, store: &str) -> Result<f64> {
        let began = Instant::now();
        let mut said = String::new();
        self.connected(&format!("/s/{store}/api/v1/notes"))?
            .read_to_string(&mut said)?;
        ensure!(said.contains("make ship"), "{said}");
        Ok(began.elapsed().as_secs_f64() * 1e3)
    }

    /// A feed that has begun.
    fn feed(&self, store: &str) -> Result<TcpStream> {
        let stream = self.connected(&format!("/s/{store}/api/v1/changes"))?;
        let mut lines = BufReader::new(stream.try_clone()?).lines();
        lines
            .find(|line| line.as_ref().is_ok_and(|line| line.starts_with("retry:")))
            .context("no feed")??;
        Ok(stream)
    }

    /// The memory of its process, in MB.
    fn memory(&self) -> Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .context("no VmRSS")?;
        let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse()?;
        Ok(kilobytes / 1e3)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
