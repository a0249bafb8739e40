//! A store that more than one user opens: root, its owner, and one who may only read it. Needs root.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};

use super::bad_input::Mount;
use super::common::Scratch;

/// A user that owns nothing on this machine.
const SOMEBODY: u32 = 54_321;

/// A home that others may enter; none where this process is not root, or another user cannot run the binary.
fn open_home() -> Option<Scratch> {
    let scratch = Scratch::new();
    for folder in ["", "home", "home/work"] {
        fs::set_permissions(scratch.path(folder), Permissions::from_mode(0o755)).unwrap();
    }
    if rustix::process::geteuid().is_root() && said(&scratch, "--version", SOMEBODY).0 == Some(0) {
        return Some(scratch);
    }
    waynote_testing::not_checked(
        "the program as another user",
        "another user cannot run it here; root can start it as one, where others may read the target folder",
    );
    None
}

/// A command run by a user: its exit code, and both streams.
fn said(scratch: &Scratch, words: &str, user: u32) -> (Option<i32>, String) {
    let mut command = scratch.command(words);
    let Ok(output) = command.uid(user).gid(user).output() else {
        return (None, "it cannot be started".into());
    };
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    (
        output.status.code(),
        text.replace(scratch.home().to_str().unwrap(), "HOME"),
    )
}

/// A store of somebody in a folder of theirs.
fn of_somebody(scratch: &Scratch) -> PathBuf {
    let folder = scratch.home().join("theirs");
    fs::create_dir(&folder).unwrap();
    chown(&folder, Some(SOMEBODY), Some(SOMEBODY)).unwrap();
    let store = folder.join("notes.db");
    // The first write empties the WAL, because the tables are in it; the second one stays there.
    for text in ["old", "v"] {
        let words = format!("--store {} key save k {text}", store.display());
        assert_eq!(said(scratch, &words, SOMEBODY).0, Some(0));
    }
    store
}

fn beside(store: &Path, suffix: &str) -> PathBuf {
    format!("{}{suffix}", store.display()).into()
}

#[test]
fn a_first_write_by_root_leaves_a_lock_that_the_owner_can_open() {
    let Some(scratch) = open_home() else {
        return;
    };
    let store = of_somebody(&scratch);
    fs::remove_file(beside(&store, "-lock")).unwrap();
    let save = format!("--store {} key save k v", store.display());
    assert_eq!(said(&scratch, &save, 0).0, Some(0));
    let (code, text) = said(&scratch, &save, SOMEBODY);
    assert_eq!(code, Some(0), "{text}");
}

#[test]
fn a_file_beside_the_store_that_is_another_users_is_named_with_what_mends_it() {
    let Some(scratch) = open_home() else {
        return;
    };
    let store = of_somebody(&scratch);
    let mut seen = String::new();
    for suffix in ["-lock", "-shm", "-wal"] {
        chown(beside(&store, suffix), Some(0), Some(0)).unwrap();
        for words in ["key list", "key save k w"] {
            let words = format!("--store {} {words}", store.display());
            let (code, text) = said(&scratch, &words, SOMEBODY);
            seen += &format!("{suffix}: exit {}\n{text}", code.unwrap());
        }
        chown(beside(&store, suffix), Some(SOMEBODY), Some(SOMEBODY)).unwrap();
    }
    insta::assert_snapshot!(seen, @"
    -lock: exit 0
    NOTE             UPDATED               PINNED  PREVIEW
    agent:default#k  2026-05-17T12:00:00Z          v
    -lock: exit 1
    error: the store HOME/theirs/notes.db cannot be used: HOME/theirs/notes.db-lock belongs to user 0, and the store to user 54321
      give HOME/theirs/notes.db-lock the store's owner (user 54321, group 54321)
    -shm: exit 1
    error: the store HOME/theirs/notes.db cannot be used: HOME/theirs/notes.db-shm belongs to user 0, and the store to user 54321
      give HOME/theirs/notes.db-shm the store's owner (user 54321, group 54321)
    -shm: exit 1
    error: the store HOME/theirs/notes.db cannot be used: HOME/theirs/notes.db-shm belongs to user 0, and the store to user 54321
      give HOME/theirs/notes.db-shm the store's owner (user 54321, group 54321)
    -wal: exit 1
    error: the store HOME/theirs/notes.db cannot be used: HOME/theirs/notes.db-wal belongs to user 0, and the store to user 54321
      give HOME/theirs/notes.db-wal the store's owner (user 54321, group 54321)
    -wal: exit 1
    error: the store HOME/theirs/notes.db cannot be used: HOME/theirs/notes.db-wal belongs to user 0, and the store to user 54321
      give HOME/theirs/notes.db-wal the store's owner (user 54321, group 54321)
    ");
}

#[test]
fn who_may_only_read_a_store_reads_all_of_it() {
    let Some(scratch) = open_home() else {
        return;
    };
    let store = of_somebody(&scratch);
    for suffix in ["", "-wal", "-shm"] {
        fs::set_permissions(beside(&store, suffix), Permissions::from_mode(0o644)).unwrap();
    }
    const READER: u32 = SOMEBODY + 1;
    let run = |words: &str| {
        said(
            &scratch,
            &format!("--store {} {words}", store.display()),
            READER,
        )
    };
    assert_eq!(run("key show k"), (Some(0), "v".into()));
    insta::assert_snapshot!(run("key save k w").1, @"
    error: the store HOME/theirs/notes.db cannot be written: Permission denied (os error 13)
      make the file and its folder writable; inside a sandbox, use the tools of waynote's MCP server: note_save, note_add
    ");
    // A copy has no file in which readers share memory, and this one cannot make it.
    fs::remove_file(beside(&store, "-shm")).unwrap();
    assert_eq!(run("key show k"), (Some(0), "v".into()));
    assert!(run("verify").1.contains("is sound"));
    assert!(!beside(&store, "-shm").exists());
    insta::assert_snapshot!(run("key save k w").1, @"
    error: the store HOME/theirs/notes.db cannot be written: it is read-only
      make the file and its folder writable; inside a sandbox, use the tools of waynote's MCP server: note_save, note_add
    ");
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
    assert!(fs::metadata(beside(&store, "-wal")).unwrap().len() > 0);
    mount.remount("ro");
    assert_eq!(run("key show k").ok(), "v");
    mount.remount("rw");
    fs::remove_file(beside(&store, "-shm")).unwrap();
    mount.remount("ro");
    assert_eq!(run("key show k").ok(), "v");
    run("context --at / --agent default").ok();
}
