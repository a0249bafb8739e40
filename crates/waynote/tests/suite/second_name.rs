//! One file under two names: it is read and not written.

use std::fs;
use std::path::{Path, PathBuf};

use waynote::error::StorageError;
use waynote::{Error, Store};

use super::head::{add, beside, count, five, open};

/// The number of names that a refusal tells.
fn refused<T: std::fmt::Debug>(outcome: waynote::Result<T>) -> u64 {
    match outcome {
        Err(Error::Storage(StorageError::SecondName { links, .. })) => links,
        other => panic!("{other:?}"),
    }
}

/// A store of five notes, the last four in its WAL, and a second name of its file.
fn linked(folder: &Path) -> (PathBuf, PathBuf) {
    let (path, other) = (five(folder), folder.join("other.db"));
    fs::hard_link(&path, &other).unwrap();
    (path, other)
}

#[test]
fn a_linked_store_is_read_and_not_written_under_either_name() {
    let folder = tempfile::tempdir().unwrap();
    let (path, other) = linked(folder.path());
    let wal = fs::read(beside(&path, "-wal")).unwrap();
    let file = fs::read(&path).unwrap();
    // The WAL of one name cannot be seen under the other.
    for (name, notes) in [(&path, 5), (&other, 1), (&path, 5)] {
        let store = open(name);
        assert_eq!(refused(add(&store, "six")), 2);
        assert_eq!(count(&store), notes);
    }
    // Nor does anything move from the WAL into the file.
    assert!(open(&path).checkpoint().is_err());
    assert_eq!(fs::read(beside(&path, "-wal")).unwrap(), wal);
    assert_eq!(fs::read(&path).unwrap(), file);
}

#[test]
fn what_a_killed_restore_leaves_keeps_nobody_from_writing() {
    let folder = tempfile::tempdir().unwrap();
    let path = five(folder.path());
    let before = beside(&path, ".before-20260101T000000Z");
    fs::hard_link(&path, &before).unwrap();
    let store = open(&path);
    add(&store, "six").unwrap();
    assert_eq!(count(&store), 6);
    assert_eq!(refused(add(&open(&before), "six")), 2);
}
