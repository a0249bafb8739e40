//! A path that cannot hold a store, a full disk, and a lock that another process holds.

use std::fs;
use std::process::Command;

use super::common::{Scratch, has};

/// Names in a folder.
fn names(folder: &std::path::Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().flatten();
    let mut names: Vec<String> = names
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn what_is_no_file_is_no_store_and_nothing_is_made_beside_it() {
    let scratch = Scratch::new();
    let folder = scratch.path("odd");
    fs::create_dir(&folder).unwrap();
    let made = Command::new("mkfifo").arg(folder.join("pipe")).status();
    assert!(made.unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(folder.join("socket")).unwrap();
    // A device that every user may write; a lock beside it would be made by root alone.
    std::os::unix::fs::symlink("/dev/null", folder.join("null")).unwrap();
    let before = names(&folder);
    let mut seen = String::new();
    for name in &before {
        let store = folder.join(name);
        let said = ["key list", "key save k v", "verify"].map(|words| {
            let run = scratch.run(&format!("--store {} {words}", store.display()));
            run.said().replace(folder.to_str().unwrap(), "ODD")
        });
        assert!(said.iter().all(|other| *other == said[0]), "{said:?}");
        seen += &said[0];
    }
    assert_eq!(names(&folder), before);
    assert!(!std::path::Path::new("/dev/null-lock").exists());
    let run = scratch.run("config").env("WAYNOTE_CONFIG", "/dev/zero");
    has(run.said(), "cannot be read: it is no regular file");
    insta::assert_snapshot!(seen, @"
    exit 1
    error: ODD/null is not a waynote store: it is a device
      give another file with `--store`
    exit 1
    error: ODD/pipe is not a waynote store: it is a pipe
      give another file with `--store`
    exit 1
    error: ODD/socket is not a waynote store: it is a socket
      give another file with `--store`
    ");
}

#[test]
fn a_lock_is_not_opened_through_a_link() {
    let scratch = Scratch::new();
    scratch.ok("key save k v");
    let lock = scratch.store().with_file_name("notes.db-lock");
    let victim = scratch.path("victim");
    fs::remove_file(&lock).unwrap();
    std::os::unix::fs::symlink(&victim, &lock).unwrap();
    insta::assert_snapshot!(scratch.run("key save k w").said(), @"
    exit 1
    error: the store HOME/.local/share/waynote/notes.db cannot be used: HOME/.local/share/waynote/notes.db-lock is not a regular file
      remove HOME/.local/share/waynote/notes.db-lock; the next write makes it anew
    ");
    assert!(!victim.exists());
    // Reading needs no lock.
    assert_eq!(scratch.ok("key show k"), "v");
}

#[test]
fn a_limit_on_file_sizes_is_no_full_disk() {
    let scratch = Scratch::new();
    scratch.ok("key save k v");
    fs::write(scratch.path("long"), "word ".repeat(8_000)).unwrap();
    // The signal is ignored, so that the write fails instead.
    let script = "trap '' XFSZ; ulimit -f 1024; n=0
        while [ $n -lt 50 ]; do n=$((n+1)); { echo $n; cat long; } | \"$WAYNOTE\" key save k$n - --max-bytes 0 > /dev/null || exit 1; done";
    let output = scratch.shell(script);
    let said = String::from_utf8(output.stderr).unwrap();
    let said = said.replace(scratch.home().to_str().unwrap(), "HOME");
    insta::assert_snapshot!(said, @"
    error: the store HOME/.local/share/waynote/notes.db cannot be written: it would be larger than the file size limit of this process
      raise the limit (RLIMIT_FSIZE) for this process or its parent, then try again; everything acknowledged is still there
    ");
    assert_eq!(scratch.ok("key show k"), "v");
    assert!(scratch.ok("verify").contains("is sound"));
}

#[test]
#[cfg(target_os = "linux")]
fn a_process_that_stopped_inside_the_engine_is_named() {
    let scratch = Scratch::new();
    scratch.ok("key save k v");
    // As a process that recovers the WAL, and is stopped.
    let index = scratch.store().with_file_name("notes.db-shm");
    let index = fs::File::options()
        .read(true)
        .write(true)
        .open(index)
        .unwrap();
    rustix::fs::fcntl_lock(&index, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let holder = format!("(process {})", std::process::id());
    // SQLite itself tries for ten seconds.
    std::thread::scope(|scope| {
        for words in ["key show k", "key save k w"] {
            let run = scratch.run(words).env("WAYNOTE_LOCK_WAIT", "0.05");
            scope.spawn(|| has(run.said(), &holder));
        }
    });
    drop(index);
    assert_eq!(scratch.ok("key show k"), "v");
}

#[test]
fn an_export_that_holds_notes_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;

    let scratch = Scratch::new();
    scratch.ok("key save k v");
    let target = scratch.home().join("work/memory.db");
    let mode = || fs::metadata(&target).unwrap().permissions().mode() & 0o777;
    scratch.ok("export openotters memory.db");
    assert_eq!(mode(), 0o600);
    fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
    scratch.ok("key save k w");
    scratch.ok("export openotters memory.db");
    assert_eq!(mode(), 0o640);
}
