//! Migrations that are killed, run out of disk, or are begun twice.

use std::path::Path;
use std::process::{Command, Stdio};

use waynote::{Error, Options, SqliteStore};

use super::Old;
use waynote_testing::old_store::killed as migrations;

/// Enough for a WAL that grows while the migration runs; `cargo xtask prove` takes 100,000.
const NOTES: u32 = 10_000;

fn opens(path: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "suite::upgrade::open_in_a_process"])
        .env("WAYNOTE_TEST_OPEN", path);
    command
}

#[test]
fn a_killed_migration_leaves_the_old_store_or_the_new_one() {
    let old = Old::with_notes(NOTES);
    let folder = tempfile::tempdir().unwrap();
    let of_old = migrations::killed(&old.path(), folder.path(), &opens, 3);
    println!("{of_old} of 3 were of the old schema");
}

#[test]
fn two_processes_that_open_it_at_once_migrate_it_once() {
    let old = Old::with_notes(NOTES);
    let start = || opens(&old.path()).stdout(Stdio::null()).spawn().unwrap();
    let both = [start(), start()];
    for mut process in both {
        assert!(process.wait().unwrap().success());
    }
    assert_eq!(migrations::schema(&old.path()), 9);
    migrations::goes_on(&old.path(), 0);
}

/// A file system of a few megabytes.
struct SmallFileSystem(tempfile::TempDir);

impl SmallFileSystem {
    fn mount(bytes: u64) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={bytes}"), "tmpfs"])
            .arg(folder.path())
            .stderr(Stdio::null())
            .status();
        mounted
            .is_ok_and(|status| status.success())
            .then_some(Self(folder))
    }
}

impl Drop for SmallFileSystem {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

#[test]
fn a_full_disk_leaves_the_old_store() {
    let old = Old::with_notes(NOTES);
    let bytes = std::fs::metadata(old.path()).unwrap().len();
    // The disk has room for the store and half of the migration's writes.
    let Some(small) = SmallFileSystem::mount(bytes + bytes / 4) else {
        return waynote_testing::not_checked(
            "an upgrade on a full disk",
            "a small file system cannot be mounted here; root may",
        );
    };
    let path = small.0.path().join("notes.db");
    std::fs::copy(old.path(), &path).unwrap();
    let refused = SqliteStore::open(&path, &Options::default())
        .unwrap()
        .upgrade();
    assert!(matches!(refused, Err(Error::DiskFull { .. })));
    assert_eq!(migrations::schema(&path), 5);
    let events = 50 + u64::from(NOTES / 100);
    migrations::is_whole_old(&path, events);
    // With enough room the migration continues.
    let elsewhere = tempfile::tempdir().unwrap();
    let copy = elsewhere.path().join("notes.db");
    std::fs::copy(&path, &copy).unwrap();
    migrations::goes_on(&copy, 0);
}
