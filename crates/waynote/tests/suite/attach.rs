//! A store in a database that an application has open, beside its own tables.

use rusqlite::Connection;
use waynote::{AttachedStore, Content, Error, LocalStore, Notebook, Reader, Store};

use super::head::open;
use waynote_testing::values::{self, at, key, save_limited, value};

fn application() -> Connection {
    let conn = Connection::open_in_memory().unwrap();
    conn.execute_batch(
        "CREATE TABLE notes (x); INSERT INTO notes VALUES ('theirs'); PRAGMA user_version = 7",
    )
    .unwrap();
    conn
}

fn save(store: &dyn LocalStore, of: &str) -> waynote::Result<()> {
    store.apply(&[values::save(key(of), "v")], &at(1)).map(drop)
}

fn count(store: &dyn LocalStore) -> u64 {
    Notebook::of_agent(store, "a".parse().unwrap())
        .count()
        .unwrap()
}

#[test]
fn the_applications_tables_and_settings_stay() {
    let conn = application();
    let before: String = value(&conn, "PRAGMA journal_mode");
    {
        let store = AttachedStore::attach(&conn).unwrap();
        save(&store, "k").unwrap();
    }
    // Opening it again is safe and changes nothing.
    assert_eq!(count(&AttachedStore::attach(&conn).unwrap()), 1);
    let theirs: String = value(&conn, "SELECT x FROM notes");
    let version: i64 = value(&conn, "PRAGMA user_version");
    let after: String = value(&conn, "PRAGMA journal_mode");
    assert_eq!((theirs.as_str(), version, before), ("theirs", 7, after));
    let foreign: i64 = value(
        &conn,
        "SELECT count(*) FROM sqlite_schema WHERE tbl_name NOT LIKE 'waynote\\_%' ESCAPE '\\'",
    );
    assert_eq!(foreign, 1);
}

#[test]
fn a_write_is_a_savepoint_in_the_applications_transaction() {
    let conn = application();
    let store = AttachedStore::attach(&conn).unwrap();
    conn.execute_batch("BEGIN; INSERT INTO notes VALUES ('more')")
        .unwrap();
    save(&store, "k").unwrap();
    let refused = store.apply(&[save_limited(key("l"), "v", 1)], &at(1));
    assert!(matches!(
        refused,
        Err(Error::TooManyNotes {
            notes: 1,
            max_notes: 1,
            ..
        })
    ));
    // The refusal took back only itself.
    assert!(!conn.is_autocommit());
    assert_eq!(count(&store), 1);
    conn.execute_batch("ROLLBACK").unwrap();
    assert_eq!(count(&store), 0);
    let theirs: i64 = value(&conn, "SELECT count(*) FROM notes");
    assert_eq!(theirs, 1);
    assert!(store.verify().unwrap().is_clean());
}

#[test]
fn a_database_that_another_holds_is_a_typed_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.db");
    let (conn, other) = (
        Connection::open(&path).unwrap(),
        Connection::open(&path).unwrap(),
    );
    let store = AttachedStore::attach(&conn).unwrap();
    conn.busy_timeout(std::time::Duration::ZERO).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert!(matches!(save(&store, "k"), Err(Error::Busy { .. })));
    other.execute_batch("COMMIT").unwrap();
    save(&store, "k").unwrap();
}

#[test]
fn a_file_with_both_opens_as_a_store_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.db");
    let conn = Connection::open(&path).unwrap();
    conn.execute_batch("CREATE TABLE theirs (x)").unwrap();
    save(&AttachedStore::attach(&conn).unwrap(), "k").unwrap();
    drop(conn);
    let store = open(&path);
    save(&store, "l").unwrap();
    assert_eq!(count(&store), 2);
}

/// Closing any descriptor of a file takes all of the process's locks on it away, and then another program takes
/// itself for the last one to have the database open.
#[cfg(target_os = "linux")]
#[test]
fn opening_a_store_again_keeps_the_locks_of_the_first() {
    use std::os::unix::fs::MetadataExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.db");
    let first = open(&path);
    save(&first, "k").unwrap();
    let inodes = ["notes.db", "notes.db-shm"].map(|file| {
        format!(
            ":{} ",
            std::fs::metadata(folder.path().join(file)).unwrap().ino()
        )
    });
    let look = || {
        let locks = std::fs::read_to_string("/proc/locks").unwrap();
        let ours = |line: &&str| {
            line.contains("POSIX") && inodes.iter().any(|inode| line.contains(inode.as_str()))
        };
        locks.lines().filter(ours).count()
    };
    // The list changes under the reader's eyes while other processes lock and unlock.
    let locks = || {
        let mut looks = [(); 9].map(|()| look());
        looks.sort_unstable();
        looks[looks.len() / 2]
    };
    let held = locks();
    assert!(held > 0);
    let second = open(&path);
    let third = open(&path);
    assert!(locks() >= held);
    drop((second, third));
    save(&first, "l").unwrap();
    assert_eq!(count(&open(&path)), 2);
}

#[test]
fn a_store_that_was_copied_into_another_mode_is_put_back_when_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let (path, copy) = (
        folder.path().join("notes.db"),
        folder.path().join("copy.db"),
    );
    save(&open(&path), "k").unwrap();
    let conn = Connection::open(&path).unwrap();
    conn.execute("VACUUM INTO ?1", [copy.to_str().unwrap()])
        .unwrap();
    let store = open(&copy);
    save(&store, "l").unwrap();
    let conn = Connection::open(&copy).unwrap();
    let mode: String = value(&conn, "PRAGMA journal_mode");
    assert_eq!((mode.as_str(), count(&store)), ("wal", 2));
}

/// Everything of the text but what free pages and the WAL may hold, which are the application's.
#[test]
fn forgetting_is_part_of_the_applications_transaction() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.db");
    let conn = Connection::open(&path).unwrap();
    conn.execute_batch(
        "PRAGMA foreign_keys = ON; PRAGMA secure_delete = OFF; CREATE TABLE theirs (x)",
    )
    .unwrap();
    let store = AttachedStore::attach(&conn).unwrap();
    let secret = "zq7Kp ".repeat(650);
    let write = |of: &str, text: &str| {
        store.apply(&[values::save(key(of), text)], &at(1)).unwrap();
    };
    // Others around it, so that their pages are not simply emptied.
    for number in 0..20 {
        write(&format!("other-{number}"), &number.to_string());
    }
    write("k", &secret);
    write("last", "last");
    let request = waynote::Forget::new("agent:a#k".parse().unwrap());
    conn.execute_batch("BEGIN; INSERT INTO theirs VALUES (1)")
        .unwrap();
    let forgotten = store.forget(&request, &at(1)).unwrap();
    assert_eq!(forgotten.residue, Some(waynote::forget::Residue::Lent));
    assert!(!conn.is_autocommit());
    conn.execute_batch("ROLLBACK").unwrap();
    assert_eq!(count(&store), 22);
    conn.execute_batch("BEGIN").unwrap();
    store.forget(&request, &at(1)).unwrap();
    conn.execute_batch("COMMIT").unwrap();
    assert_eq!(count(&store), 21);
    assert!(store.verify().unwrap().is_clean());
    let setting: i64 = value(&conn, "PRAGMA secure_delete");
    assert_eq!(setting, 0);
    drop(store);
    let bytes = std::fs::read(&path).unwrap();
    let hash = Content::text(&secret).unwrap().hash();
    for trace in [b"zq7Kp".as_slice(), &hash.0[..8]] {
        assert!(!bytes.windows(trace.len()).any(|window| window == trace));
    }
}

#[test]
fn another_programs_tables_are_not_rebuilt() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.db");
    Connection::open(&path)
        .unwrap()
        .execute_batch("CREATE TABLE theirs (x); INSERT INTO theirs (rowid, x) VALUES (7, 'x')")
        .unwrap();
    AttachedStore::attach(&Connection::open(&path).unwrap()).unwrap();
    let store = open(&path);
    save(&store, "k").unwrap();
    let request = waynote::Forget::new("agent:a#k".parse().unwrap());
    let forgotten = store.forget(&request, &at(1)).unwrap();
    assert_eq!(forgotten.residue, Some(waynote::forget::Residue::Foreign));
    let rowid: i64 = Connection::open(&path)
        .unwrap()
        .query_row("SELECT rowid FROM theirs", [], |row| row.get(0))
        .unwrap();
    assert_eq!((rowid, count(&store)), (7, 0));
}

#[test]
fn what_is_written_while_one_state_is_read_stays() {
    let conn = Connection::open_in_memory().unwrap();
    let store = AttachedStore::attach(&conn).unwrap();
    store.one_state(&mut |_| save(&store, "k")).unwrap();
    assert_eq!(count(&store), 1);
}

#[test]
fn a_panic_leaves_nothing_in_the_applications_transaction() {
    use waynote::engine::{Engine, Writing};

    let mut db = Connection::open_in_memory().unwrap();
    let notes = waynote::Attachment::prepare(&db).unwrap();
    let transaction = db.transaction().unwrap();
    let store = notes.on(&transaction);
    save(&store, "before").unwrap();
    let panics = || {
        store
            .engine()
            .write(Writing::Durable, &mut |tx| {
                tx.put_side(
                    "s",
                    &[waynote::store::SideValue {
                        key: "k".into(),
                        value: Vec::new(),
                        about: None,
                    }],
                    &[],
                )?;
                panic!("within a write")
            })
            .unwrap();
    };
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(panics)).unwrap_err();
    save(&store, "after").unwrap();
    assert!(
        waynote::SideData::side_values(&store, "s")
            .unwrap()
            .is_empty()
    );
    transaction.commit().unwrap();
    assert_eq!(count(&notes.on(&db)), 2);
}
