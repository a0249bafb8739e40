//! Migrations in separate processes: the duration of one, and the store after one is killed.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use waynote::{Content, Notebook, Options, SaveOptions, SqliteStore, Stamp, Store};

use crate::Dice;
use crate::values::value;

/// How a process is started that opens the store in a file, and so migrates it.
pub type Opens<'o> = &'o dyn Fn(&Path) -> Command;

/// How often the length of the WAL is looked at: looking all the time would take a processor from the migration.
const LOOK: Duration = Duration::from_millis(1);

/// The schema that a migration ends with.
const NEWEST: u32 = 9;

/// The duration and the size of a complete migration.
#[derive(Clone, Copy, Debug)]
pub struct Whole {
    /// The duration.
    pub took: Duration,
    /// The longest WAL that was seen.
    pub wal: u64,
}

/// Migrates a copy of a store of schema 5.
pub fn whole(old: &Path, folder: &Path, opens: Opens<'_>) -> Whole {
    let path = copied(old, folder, "whole.db");
    let begin = Instant::now();
    let mut child = start(opens, &path);
    let mut longest = 0;
    loop {
        longest = longest.max(wal(&path));
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success(), "{status}");
            break;
        }
        std::thread::park_timeout(LOOK);
    }
    let took = begin.elapsed();
    assert_eq!(schema(&path), NEWEST);
    Whole { took, wal: longest }
}

/// Kills migrations of copies of a store, each at another length of its WAL. Each copy is then complete, in the old
/// schema or in the new one, and migrates. Returns the number of copies in the old schema.
pub fn killed(old: &Path, folder: &Path, opens: Opens<'_>, rounds: u32) -> u32 {
    let Whole { took, wal: longest } = whole(old, folder, opens);
    println!("a whole migration: {took:?}, a WAL of {longest} bytes");
    let events = events(old);
    let mut dice = Dice::thrown("killed migrations");
    let mut of_old = 0;
    for round in 0..rounds {
        let random = dice.below(1 << 31);
        // One in five when the WAL has its full length and then some time later: before, in or after the commit.
        let length = longest.min(random % (longest + longest / 4 + 1));
        let later = match length == longest {
            true => took.mul_f64((random % 100) as f64 / 200.0),
            false => Duration::ZERO,
        };
        let path = copied(old, folder, "killed.db");
        let mut child = start(opens, &path);
        while wal(&path) < length && child.try_wait().unwrap().is_none() {
            std::thread::park_timeout(LOOK);
        }
        let begin = Instant::now();
        while begin.elapsed() < later && child.try_wait().unwrap().is_none() {
            std::thread::park_timeout(LOOK);
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let left = schema(&path);
        assert!([5, NEWEST].contains(&left), "round {round}: schema {left}");
        if left == 5 {
            of_old += 1;
            is_whole_old(&path, events);
        }
        goes_on(&path, round);
    }
    of_old
}

fn copied(old: &Path, folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    for suffix in ["-wal", "-shm", "-lock"] {
        let _ = std::fs::remove_file(beside(&path, suffix));
    }
    std::fs::copy(old, &path).unwrap();
    path
}

fn start(opens: Opens<'_>, path: &Path) -> Child {
    let mut command = opens(path);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    command.spawn().unwrap()
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut beside = path.as_os_str().to_owned();
    beside.push(suffix);
    beside.into()
}

fn wal(path: &Path) -> u64 {
    std::fs::metadata(beside(path, "-wal")).map_or(0, |wal| wal.len())
}

/// The number of the last migration of a store.
pub fn schema(path: &Path) -> u32 {
    let conn = Connection::open(path).unwrap();
    let sql = "SELECT max(number) FROM waynote_migration";
    value(&conn, sql)
}

fn events(path: &Path) -> u64 {
    let conn = Connection::open(path).unwrap();
    // A column of schema 5 alone.
    let sql = "SELECT count(after) FROM waynote_event";
    value::<i64>(&conn, sql) as u64
}

/// Checks that the tables are those of schema 5, with every row.
pub fn is_whole_old(path: &Path, known: u64) {
    assert_eq!(events(path), known);
    let conn = Connection::open(path).unwrap();
    let sql = "SELECT count(*) FROM sqlite_schema WHERE name IN ('waynote_store', 'waynote_side', 'waynote_event_new')";
    let new: i64 = value(&conn, sql);
    assert_eq!(new, 0);
    let sound: String = value(&conn, "PRAGMA integrity_check");
    assert_eq!(sound, "ok");
}

/// The store opens, is clean, and takes another note.
pub fn goes_on(path: &Path, round: u32) {
    let store = SqliteStore::open(path, &Options::default()).unwrap();
    let report = store.verify().unwrap();
    assert!(report.is_clean(), "round {round}: {report:?}");
    let stamp = Stamp::new(
        "2026-06-01T00:00:00Z".parse().unwrap(),
        "person".parse().unwrap(),
    );
    Notebook::of_agent(&store, "afterwards".parse().unwrap())
        .save(
            &"note".parse().unwrap(),
            Content::text("it goes on").unwrap(),
            SaveOptions::default(),
            &stamp,
        )
        .unwrap();
    assert_eq!(schema(path), 9);
}
