//! A store that more than one user opens: root, its owner, and one who may only read it. Needs root.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;

use super::bad_input::Mount;
use super::common::{Scratch, has};

/// A user that owns nothing on this machine.
const SOMEBODY: u32 = 54_321;

/// A command run by a user: its exit code, and both streams.
fn said(scratch: &Scratch, words: &str, user: u32) -> (Option<i32>, String) {
    let mut command = scratch.command(words);
    let Ok(output) = command.uid(user).gid(user).output() else {
        return (None, "it cannot be started".into());
    };
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    let home = scratch.home().display().to_string();
    (output.status.code(), text.replace(&home, "HOME"))
}

/// A store of somebody in a folder of theirs, in a home that others may enter.
struct Theirs {
    scratch: Scratch,
    store: PathBuf,
}

impl Theirs {
    /// None where this process is not root, or another user cannot run the binary.
    fn new() -> Option<Self> {
        let scratch = Scratch::new();
        for folder in ["", "home", "home/work"] {
            fs::set_permissions(scratch.path(folder), Permissions::from_mode(0o755)).unwrap();
        }
        let is_root = rustix::process::geteuid().is_root();
        if !is_root || said(&scratch, "--version", SOMEBODY).0 != Some(0) {
            waynote_testing::not_checked(
                "the program as another user",
                "another user cannot run it here; root can start it as one, where others may read the target folder",
            );
            return None;
        }
        let folder = scratch.home().join("theirs");
        fs::create_dir(&folder).unwrap();
        chown(&folder, Some(SOMEBODY), Some(SOMEBODY)).unwrap();
        let store = folder.join("notes.db");
        let theirs = Self { scratch, store };
        // The first write empties the WAL, because the tables are in it; the second one stays there.
        for text in ["old", "v"] {
            theirs.ok(&format!("key save k {text}"), SOMEBODY);
        }
        Some(theirs)
    }

    fn said(&self, words: &str, user: u32) -> (Option<i32>, String) {
        let words = format!("--store {} {words}", self.store.display());
        said(&self.scratch, &words, user)
    }

    fn ok(&self, words: &str, user: u32) {
        let (code, text) = self.said(words, user);
        assert_eq!(code, Some(0), "{text}");
    }

    fn beside(&self, suffix: &str) -> PathBuf {
        format!("{}{suffix}", self.store.display()).into()
    }
}

#[test]
fn a_first_write_by_root_leaves_a_lock_that_the_owner_can_open() {
    let Some(theirs) = Theirs::new() else { return };
    fs::remove_file(theirs.beside("-lock")).unwrap();
    theirs.ok("key save k v", 0);
    theirs.ok("key save k v", SOMEBODY);
}

#[test]
fn a_file_beside_the_store_that_is_another_users_is_named_with_what_mends_it() {
    let Some(theirs) = Theirs::new() else { return };
    for suffix in ["-lock", "-shm", "-wal"] {
        chown(theirs.beside(suffix), Some(0), Some(0)).unwrap();
        let named = format!(
            "error: the store HOME/theirs/notes.db cannot be used: HOME/theirs/notes.db{suffix} belongs to user 0, and the store to user 54321\n  \
             give HOME/theirs/notes.db{suffix} the store's owner (user 54321, group 54321)\n"
        );
        has(theirs.said("key save k w", SOMEBODY).1, &named);
        // Reading needs no lock.
        match suffix {
            "-lock" => theirs.ok("key list", SOMEBODY),
            _ => has(theirs.said("key list", SOMEBODY).1, &named),
        }
        chown(theirs.beside(suffix), Some(SOMEBODY), Some(SOMEBODY)).unwrap();
    }
}

#[test]
fn who_may_only_read_a_store_reads_all_of_it() {
    let Some(theirs) = Theirs::new() else { return };
    for suffix in ["", "-wal", "-shm"] {
        fs::set_permissions(theirs.beside(suffix), Permissions::from_mode(0o644)).unwrap();
    }
    let run = |words: &str| theirs.said(words, SOMEBODY + 1);
    assert_eq!(run("key show k"), (Some(0), "v".into()));
    insta::assert_snapshot!(run("key save k w").1, @"
    error: the store HOME/theirs/notes.db cannot be written: Permission denied (os error 13)
      make the file and its folder writable; inside a sandbox, use the tools of waynote's MCP server: note_save, note_add
    ");
    // A copy has no file in which readers share memory, and this one cannot make it.
    fs::remove_file(theirs.beside("-shm")).unwrap();
    assert_eq!(run("key show k"), (Some(0), "v".into()));
    has(run("verify").1, "is sound");
    assert!(!theirs.beside("-shm").exists());
    has(
        run("key save k w").1,
        "cannot be written: it is read-only\n",
    );
}

#[test]
fn a_read_only_medium_is_read_with_its_wal() {
    let scratch = Scratch::new();
    let folder = scratch.path("medium");
    let Some(mount) = Mount::tmpfs(&folder, "size=8m") else {
        return;
    };
    let store = folder.join("notes.db");
    let run = |words: &str| scratch.run(&format!("--store {} {words}", store.display()));
    run("key save k old").ok();
    // The first write empties the WAL, because the tables are in it.
    run("key save k v").ok();
    let wal = fs::metadata(folder.join("notes.db-wal"));
    assert!(wal.unwrap().len() > 0);
    mount.remount("ro");
    assert_eq!(run("key show k").ok(), "v");
    mount.remount("rw");
    fs::remove_file(folder.join("notes.db-shm")).unwrap();
    mount.remount("ro");
    assert_eq!(run("key show k").ok(), "v");
    run("context --at / --agent default").ok();
}
