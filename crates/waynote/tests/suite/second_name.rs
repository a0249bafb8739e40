//! One file under two names: it is read and not written, and each way out of it works.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use jiff::Timestamp;
use waynote::copy::copy;
use waynote::error::{SecondName, StorageError};
use waynote::{Error, Options, SqliteStore, Store};

use super::head::{add, beside, count, five, open};

fn refused<T: std::fmt::Debug>(outcome: waynote::Result<T>) -> SecondName {
    match outcome {
        Err(Error::Storage(StorageError::SecondName { name, .. })) => name,
        other => panic!("{other:?}"),
    }
}

fn link(other: &Path) -> SecondName {
    SecondName::Link {
        links: 2,
        other: Some(other.to_owned()),
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
    for _ in 0..2 {
        let (here, there) = (open(&path), open(&other));
        assert_eq!(refused(add(&here, "six")), link(&other));
        assert_eq!(refused(add(&there, "six")), link(&path));
        // The WAL of one name cannot be seen under the other.
        assert_eq!((count(&here), count(&there)), (5, 1));
    }
    // Nor does anything move from the WAL into the file.
    assert!(open(&path).checkpoint().is_err());
    assert_eq!(fs::read(beside(&path, "-wal")).unwrap(), wal);
    assert_eq!(fs::read(&path).unwrap(), file);
    assert!(!beside(&other, "-wal").exists());
}

#[test]
fn a_link_that_comes_and_goes_while_a_store_is_open_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = five(folder.path());
    let store = open(&path);
    add(&store, "six").unwrap();
    let other = folder.path().join("other.db");
    fs::hard_link(&path, &other).unwrap();
    assert_eq!(refused(add(&store, "seven")), link(&other));
    assert_eq!(count(&store), 6);
    let there = open(&other);
    assert_eq!(refused(add(&there, "seven")), link(&path));
    drop(there);
    fs::remove_file(&other).unwrap();
    add(&store, "seven").unwrap();
    assert_eq!((count(&store), count(&open(&path))), (7, 7));
    assert!(open(&path).verify().unwrap().is_clean());
}

#[test]
fn each_way_out_of_a_linked_store_works() {
    let folder = tempfile::tempdir().unwrap();
    let (path, other) = linked(folder.path());
    let options = Options::default();
    let file = |name: &str| folder.path().join(name);
    let backup = file("backup.db");
    open(&path).backup(&backup, false).unwrap();
    copy(
        open(&path).engine(),
        open(&file("copy.db")).engine(),
        &mut |_| Ok(()),
    )
    .unwrap();
    let at = Some(Timestamp::UNIX_EPOCH);
    SqliteStore::restore(&backup, &path, &options, at).unwrap();
    for name in ["copy.db", "notes.db"] {
        let store = open(&file(name));
        assert_eq!(count(&store), 5, "{name}");
        add(&store, "six").unwrap();
        assert_eq!(count(&store), 6, "{name}");
    }
    // The old file is kept under its other name and under the one that the restore gave it.
    assert!(matches!(
        refused(add(&open(&other), "six")),
        SecondName::Link { links: 2, .. }
    ));
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
    assert_eq!(refused(add(&open(&before), "six")), link(&path));
}

/// A mount that is gone when the test ends, however it ends.
struct MountGuard(PathBuf);

impl MountGuard {
    fn of(file: &Path, at: &Path) -> Option<Self> {
        let mounted = Command::new("mount")
            .arg("--bind")
            .args([file, at])
            .stderr(Stdio::null())
            .status();
        mounted
            .is_ok_and(|status| status.success())
            .then(|| Self(at.to_owned()))
    }
}

impl Drop for MountGuard {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn a_file_that_is_mounted_by_itself_is_written_where_it_lies_and_read_at_the_mount() {
    let folder = tempfile::tempdir().unwrap();
    let path = five(folder.path());
    let inside = folder.path().join("data");
    fs::create_dir(&inside).unwrap();
    let mount = inside.join("notes.db");
    fs::write(&mount, "").unwrap();
    let Some(mounted) = MountGuard::of(&path, &mount) else {
        eprintln!("SKIPPED: this test mounts a file, which needs root");
        return;
    };
    let (here, there) = (open(&path), open(&mount));
    assert_eq!(refused(add(&there, "six")), SecondName::Mount);
    assert_eq!(count(&there), 1);
    add(&here, "six").unwrap();
    assert_eq!(count(&here), 6);
    // Once it is in the file it is seen at the mount too.
    assert!(here.checkpoint().unwrap());
    assert_eq!(count(&there), 6);
    assert_eq!(refused(add(&there, "seven")), SecondName::Mount);
    let (backup, options) = (folder.path().join("backup.db"), Options::default());
    there.backup(&backup, false).unwrap();
    assert_eq!(count(&open(&backup)), 6);
    let at = Some(Timestamp::UNIX_EPOCH);
    let restored = SqliteStore::restore(&backup, &mount, &options, at);
    assert_eq!(refused(restored), SecondName::Mount);
    assert!(!beside(&mount, "-wal").exists());
    drop((here, there, mounted));
    assert!(open(&path).verify().unwrap().is_clean());
}
