//! Files that are deleted, replaced or overwritten while a store is open: an error says to start again, nothing is
//! written into files that are no longer the store, and nothing of ours gets into a restored backup.

use std::fs;
use std::path::{Path, PathBuf};

use waynote::{Error, Reader, SqliteStore, Store};

use super::head::{add, beside, count, five, lost, open};

/// The store's database file by itself, with everything in the store now.
fn backup(path: &Path) -> PathBuf {
    let copy = beside(path, "-backup");
    let _ = fs::remove_file(&copy);
    let database = waynote::rusqlite::Connection::open(path).unwrap();
    database
        .execute("VACUUM INTO ?1", [copy.to_str().unwrap()])
        .unwrap();
    copy
}

fn remove_wal(path: &Path) {
    for ending in ["-wal", "-shm"] {
        fs::remove_file(beside(path, ending)).unwrap();
    }
}

/// The store says to start again, whatever is asked of it.
fn says_to_start_again(store: &SqliteStore) {
    for refused in [add(store, "more"), store.version().map(drop)] {
        let error = refused.unwrap_err();
        assert!(matches!(error, Error::StoreLost { .. }), "{error}");
        assert!(error.advice().unwrap().contains("restart"), "{error}");
    }
}

#[test]
fn a_store_that_was_rebuilt_by_rename_is_opened_by_another_process() {
    let folder = tempfile::tempdir().unwrap();
    let path = five(folder.path());
    let store = open(&path);
    add(&store, "six").unwrap();
    let copy = backup(&path);
    fs::rename(&copy, &path).unwrap();
    remove_wal(&path);
    says_to_start_again(&store);
    drop(store);
    let store = open(&path);
    add(&store, "seven").unwrap();
    assert_eq!(count(&store), 7);
    assert!(store.verify().unwrap().is_clean());
}

#[test]
fn a_backup_put_over_the_file_with_a_wal_of_later_pages_is_not_written_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = five(folder.path());
    let copy = backup(&path);
    let whole = fs::read(&copy).unwrap();
    let store = open(&path);
    for number in 0..300 {
        add(&store, &format!("{} {number}", "much ".repeat(30))).unwrap();
    }
    assert!(store.checkpoint().unwrap());
    add(&store, "in the WAL").unwrap();
    fs::copy(&copy, &path).unwrap();
    for _ in 0..2 {
        let refused = add(&store, "more");
        assert!(
            matches!(
                refused,
                Err(Error::DamagedStore { .. } | Error::LostWrites { .. })
            ),
            "{refused:?}"
        );
    }
    assert!(!store.checkpoint().unwrap_or(false));
    drop(store);
    assert!(fs::read(&path).unwrap() == whole);
}

#[test]
fn a_wal_that_is_deleted_or_replaced_while_the_store_is_open_is_noticed() {
    for is_replaced in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let path = five(folder.path());
        let store = open(&path);
        assert!(store.checkpoint().unwrap());
        let wal = beside(&path, "-wal");
        let aside = beside(&path, "-aside");
        add(&store, "six").unwrap();
        fs::copy(&wal, &aside).unwrap();
        add(&store, "seven").unwrap();
        match is_replaced {
            true => fs::rename(&aside, &wal).unwrap(),
            false => fs::remove_file(&wal).unwrap(),
        }
        let found = if is_replaced { 6 } else { 5 };
        let refused = add(&store, "eight").unwrap_err();
        assert!(matches!(refused, Error::StoreLost { .. }), "{refused}");
        drop(store);
        assert_eq!(lost(add(&open(&path), "eight")), (7, found));
        assert_eq!(count(&open(&path)), found as u64);
        assert!(open(&path).accept_rollback().unwrap().is_some());
        add(&open(&path), "again").unwrap();
        assert!(open(&path).verify().unwrap().is_clean());
    }
}
