//! Backups: whole while eight processes write, refused where they would harm, and restored in one step.

use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use jiff::Timestamp;
use waynote::{Address, Error, Options, Reader, SqliteStore, Store};

use waynote_testing::suites::Job;
use waynote_testing::values::{self, at};

fn open(path: &Path) -> SqliteStore {
    SqliteStore::open(path, &Options::default()).unwrap()
}

fn save(store: &SqliteStore, key: &str, text: &str) -> waynote::Result<()> {
    let change = values::save(address(key), text);
    store.apply(&[change], &at(0)).map(drop)
}

fn address(key: &str) -> Address {
    Address::Agent("a".parse().unwrap(), key.parse().unwrap())
}

fn text(store: &SqliteStore, key: &str) -> Option<String> {
    let note = store.get(&address(key)).unwrap();
    note.map(|note| note.content.shown().into_owned())
}

fn restore(
    backup: &Path,
    store: &Path,
    replace: bool,
) -> waynote::Result<waynote::sqlite::RestoreReport> {
    let at = replace.then_some(Timestamp::UNIX_EPOCH);
    SqliteStore::restore(backup, store, &Options::default(), at)
}

fn kind(error: &Error) -> ErrorKind {
    match error {
        Error::File { source, .. } => source.kind(),
        other => panic!("{other:?}"),
    }
}

/// The names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// A store with a note that is only in its WAL.
fn store_in(folder: &Path) -> (PathBuf, SqliteStore) {
    let path = folder.join("notes.db");
    let store = open(&path);
    save(&store, "k", "old").unwrap();
    (path, store)
}

#[test]
fn a_backup_taken_under_eight_writers_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let acknowledged: Arc<Mutex<Vec<String>>> = Arc::default();
    let (began, first) = mpsc::channel();
    let mut workers = Vec::new();
    for number in 0..8 {
        let job = Job {
            folder: folder.path().to_owned(),
            name: format!("w{number}"),
            adds: 150,
        };
        let mut child = job.start();
        child.stdin.take().unwrap().write_all(b"go\n").unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (acknowledged, began) = (Arc::clone(&acknowledged), began.clone());
        workers.push(std::thread::spawn(move || {
            for line in out.lines().map(Result::unwrap) {
                if let Some(address) = line.strip_prefix("ack ") {
                    acknowledged.lock().unwrap().push(address.to_owned());
                    let _ = began.send(());
                }
            }
            assert!(child.wait().unwrap().success());
        }));
    }
    first.recv_timeout(Duration::from_secs(300)).unwrap();
    let (mut round, mut under_way) = (0, 0);
    while under_way < 3 || workers.iter().any(|worker| !worker.is_finished()) {
        let before = acknowledged.lock().unwrap().clone();
        let is_under_way = workers.iter().any(|worker| !worker.is_finished());
        let file = folder.path().join(format!("backup-{round}.db"));
        let backup = open(&folder.path().join("notes.db"))
            .backup(&file, false)
            .unwrap();
        round += 1;
        under_way += u32::from(is_under_way);
        assert!(is_under_way || under_way >= 3, "the writers were too quick");
        let copy = open(&file);
        assert!(copy.verify().unwrap().is_clean());
        assert_eq!(copy.version().unwrap().position, backup.position);
        for address in before {
            let note = copy.get(&address.parse().unwrap()).unwrap();
            assert!(
                note.is_some(),
                "{address} was acknowledged before the backup began"
            );
        }
        drop(copy);
        for suffix in ["", "-wal", "-shm"] {
            let _ = fs::remove_file(format!("{}{suffix}", file.display()));
        }
    }
    for worker in workers {
        worker.join().unwrap();
    }
}

#[test]
fn a_backup_has_what_is_in_the_wal_and_a_copy_of_the_file_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let (path, store) = store_in(folder.path());
    let (file, copied) = (
        folder.path().join("backup.db"),
        folder.path().join("copied.db"),
    );
    let backup = store.backup(&file, false).unwrap();
    fs::copy(&path, &copied).unwrap();
    let mode = fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(backup.bytes, fs::metadata(&file).unwrap().len());
    assert_eq!(backup.store_id, store.store_id().unwrap());
    assert_eq!((backup.report.notes, backup.report.revisions), (1, 1));
    assert_eq!(
        names(folder.path()),
        [
            "backup.db",
            "copied.db",
            "notes.db",
            "notes.db-lock",
            "notes.db-shm",
            "notes.db-wal"
        ]
    );
    assert_eq!(text(&open(&file), "k").as_deref(), Some("old"));
    assert_eq!(text(&open(&copied), "k"), None);
}

#[test]
fn a_backup_replaces_nothing_that_it_should_not() {
    let folder = tempfile::tempdir().unwrap();
    let (path, store) = store_in(folder.path());
    let file = folder.path().join("backup.db");
    store.backup(&file, false).unwrap();
    assert_eq!(
        kind(&store.backup(&file, false).unwrap_err()),
        ErrorKind::AlreadyExists
    );
    save(&store, "k", "new").unwrap();
    store.backup(&file, true).unwrap();
    // Another store, open and with a WAL.
    let other = open(&file);
    save(&other, "k", "newer").unwrap();
    for target in [
        &file,
        &path,
        &folder.path().join("notes.db-wal"),
        &folder.path().join("notes.db-lock"),
    ] {
        let refused = store.backup(target, true).unwrap_err();
        assert_eq!(
            kind(&refused),
            ErrorKind::ResourceBusy,
            "{}",
            target.display()
        );
    }
    assert_eq!(text(&store, "k").as_deref(), Some("new"));
    assert_eq!(text(&other, "k").as_deref(), Some("newer"));
    let nothing = open(&folder.path().join("none.db"));
    let refused = nothing.backup(&folder.path().join("of-none.db"), false);
    assert!(
        matches!(refused, Err(Error::NotFound { .. })),
        "{refused:?}"
    );
    assert!(
        !names(folder.path())
            .iter()
            .any(|name| name.contains("none"))
    );
}

#[test]
fn a_damaged_store_gives_no_backup() {
    let folder = tempfile::tempdir().unwrap();
    let (path, store) = store_in(folder.path());
    drop(store);
    let conn = rusqlite::Connection::open(&path).unwrap();
    conn.execute("UPDATE waynote_content SET body = 'other'", [])
        .unwrap();
    drop(conn);
    let file = folder.path().join("backup.db");
    let refused = open(&path).backup(&file, false).unwrap_err();
    assert!(
        matches!(&refused, Error::DamagedStore { path: named, .. } if *named == path),
        "{refused:?}"
    );
    assert!(
        !names(folder.path())
            .iter()
            .any(|name| name.contains("backup"))
    );
}

#[test]
fn a_restore_replaces_the_store_and_keeps_the_old_one() {
    let folder = tempfile::tempdir().unwrap();
    let (path, store) = store_in(folder.path());
    let file = folder.path().join("backup.db");
    let backup = store.backup(&file, false).unwrap();
    save(&store, "k", "new").unwrap();
    save(&store, "l", "another").unwrap();
    assert_eq!(
        kind(&restore(&file, &path, false).unwrap_err()),
        ErrorKind::AlreadyExists
    );
    assert_eq!(text(&store, "k").as_deref(), Some("new"));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let restored = restore(&file, &path, true).unwrap();
    let before = restored.before.unwrap();
    assert!(
        before.ends_with("notes.db.before-19700101T000000Z"),
        "{}",
        before.display()
    );
    assert_ne!(restored.now.store_id, backup.store_id);
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o640);
    // Whoever has the old store open does not write into it, and not into the new one as if it were the old one.
    let late = save(&store, "late", "x");
    drop(store);
    let now = open(&path);
    assert_eq!(text(&now, "k").as_deref(), Some("old"));
    assert_eq!(text(&now, "l"), None);
    assert_eq!(text(&now, "late").is_some(), late.is_ok());
    let old = open(&before);
    assert_eq!(text(&old, "k").as_deref(), Some("new"));
    assert_eq!(text(&old, "l").as_deref(), Some("another"));
    assert_eq!(text(&old, "late"), None);
    for store in [&now, &old] {
        assert!(store.verify().unwrap().is_clean());
    }
    save(&now, "k", "after").unwrap();
    // A second one keeps both.
    let again = restore(&file, &path, true).unwrap().before.unwrap();
    assert!(
        again.ends_with("notes.db.before-19700101T000000Z-2"),
        "{}",
        again.display()
    );
    assert_eq!(text(&open(&again), "k").as_deref(), Some("after"));
}

#[test]
fn a_wal_that_was_left_behind_is_not_taken_for_that_of_the_backup() {
    let folder = tempfile::tempdir().unwrap();
    let (path, store) = store_in(folder.path());
    let file = folder.path().join("backup.db");
    store.backup(&file, false).unwrap();
    save(&store, "k", "in the WAL").unwrap();
    let wal = folder.path().join("notes.db-wal");
    let left = fs::read(&wal).unwrap();
    drop(store);
    fs::remove_file(&path).unwrap();
    // As a process that was killed leaves it.
    fs::write(&wal, left).unwrap();
    // It may hold the newest notes.
    assert_eq!(
        kind(&restore(&file, &path, false).unwrap_err()),
        ErrorKind::AlreadyExists
    );
    let before = restore(&file, &path, true).unwrap().before.unwrap();
    assert_eq!(text(&open(&path), "k").as_deref(), Some("old"));
    let kept = format!("{}-wal", before.display());
    assert!(fs::metadata(kept).unwrap().len() > 0);
}

#[test]
fn what_is_no_sound_backup_is_refused_and_the_store_stays() {
    let folder = tempfile::tempdir().unwrap();
    let (path, store) = store_in(folder.path());
    let file = |name: &str| folder.path().join(name);
    let backup = file("backup.db");
    store.backup(&backup, false).unwrap();
    fs::copy(&backup, file("damaged.db")).unwrap();
    rusqlite::Connection::open(file("damaged.db"))
        .unwrap()
        .execute("UPDATE waynote_content SET body = 'other'", [])
        .unwrap();
    fs::write(file("text.db"), "x".repeat(4096)).unwrap();
    fs::write(file("empty.db"), "").unwrap();
    rusqlite::Connection::open(file("foreign.db"))
        .unwrap()
        .execute_batch("CREATE TABLE t (a)")
        .unwrap();
    let error = |name: &str| restore(&file(name), &path, true).unwrap_err();
    assert!(matches!(error("damaged.db"), Error::DamagedStore { .. }));
    for name in ["text.db", "empty.db", "foreign.db"] {
        assert!(matches!(error(name), Error::NotAStore { .. }), "{name}");
    }
    assert_eq!(kind(&error("missing.db")), ErrorKind::NotFound);
    // The store itself, and another one that is in use.
    assert_eq!(kind(&error("notes.db")), ErrorKind::ResourceBusy);
    let other = open(&file("other.db"));
    save(&other, "k", "x").unwrap();
    assert_eq!(kind(&error("other.db")), ErrorKind::ResourceBusy);
    assert_eq!(text(&store, "k").as_deref(), Some("old"));
    assert!(
        !names(folder.path())
            .iter()
            .any(|name| name.contains("before") || name.contains("part"))
    );
}
