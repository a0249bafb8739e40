//! Every bad input has its message: the problem, the reason, and a hint.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Stdio};

use waynote_testing::not_checked;

use super::common::{Scratch, assert_transcript, has, lacks};

#[test]
fn words() {
    let scratch = Scratch::new();
    assert_transcript!(scratch, @r#"
    $ waynote --session s log add --type idea x --json
    exit 2
    {"error":{"hint":"the types are stuck, learning, tip, decision","kind":"unknown_type","message":"`idea` is not an entry type"}}

    $ waynote key save My.Key x
    exit 2
    error: `My.Key` is not a valid key
      a key has 1 to 64 characters (a-z, 0-9, `_`, `-`) and begins with a letter or a digit; for example `my-key`

    $ waynote key save k 12345 --max-bytes 4
    exit 1
    error: the note is too large: 5 bytes, the limit is 4
      shorten it, or split it over several keys; raise the setting `max_bytes` (zero or less: no limit)

    $ waynote key save k x
    saved agent:default#k (new, in every project)

    $ waynote key save l x --max-notes 1
    exit 1
    error: agent:default is full: 1 note, the limit is 1
      save under a key that exists, or add the text to another note; raise the setting `max_notes` (zero or less: no limit)

    $ waynote --iteration two context
    exit 2
    error: invalid value 'two' for '--iteration <N>': invalid digit found in string

    $ waynote key sav k x --json
    exit 2
    {"error":{"hint":"try `waynote --help`","kind":"usage","message":"unrecognized subcommand 'sav'"}}

    $ waynote --store http://x key list
    exit 2
    error: `http://x` is not the address of a store on a server: http:// is not encrypted: use https://
      write it as https://HOST/s/NAME
    "#);
    scratch.run("key list").env("WAYNOTE_NOW", "noon").ok();
    insta::assert_snapshot!(scratch.run("key save k x").env("WAYNOTE_NOW", "noon").said(), @"
    exit 2
    error: WAYNOTE_NOW is not a time: `noon`
      write it as 2026-05-17T12:00:00Z, or unset it
    ");
}

#[test]
fn texts() {
    let scratch = Scratch::new();
    insta::assert_snapshot!(scratch.run("place write -").stdin(b"caf\xe9".as_slice()).said(), @"
    exit 1
    error: the text is not plain text: byte 0xE9 at offset 3 is not UTF-8
      a note is UTF-8 text without NUL; convert the text first, or encode other data, for example as base64
    ");
    let latin = std::ffi::OsStr::from_bytes(b"\xff");
    let at = ["place".as_ref(), "read".as_ref(), "--at".as_ref(), latin];
    insta::assert_snapshot!(scratch.waynote::<_, &std::ffi::OsStr>(at).said(), @"
    exit 2
    error: `�` is not a place: it is not UTF-8
      a place is `~`, `~/x`, an absolute path, or `repo:github.com/acme/shop//src`
    ");
}

#[test]
fn a_working_directory_that_is_gone() {
    let scratch = Scratch::new();
    scratch.ok("place write --at ~ home");
    let shell = |words: &str| {
        scratch.shell(&format!(
            "mkdir gone; cd gone; rmdir ../gone; exec \"$WAYNOTE\" {words}"
        ))
    };
    assert_eq!(shell("place read --at '~'").stdout, b"home");
    assert_eq!(shell("show place:~").stdout, b"home");
    assert_eq!(shell("place read").status.code(), Some(1));
}

#[test]
fn stores_that_are_none() {
    let scratch = Scratch::new();
    let work = scratch.home().join("work");
    let text = "just some text, and a good deal more of it than a header".repeat(40);
    fs::write(work.join("text"), text).unwrap();
    let other = rusqlite::Connection::open(work.join("other.db")).unwrap();
    other.execute_batch("CREATE TABLE theirs (x)").unwrap();
    scratch.ok("--store other-version.db key save k v");
    let other = rusqlite::Connection::open(work.join("other-version.db")).unwrap();
    other
        .execute_batch("UPDATE waynote_schema SET version = 999")
        .unwrap();
    let said = ["text", "other.db", "other-version.db"].map(|store| {
        let said = |words: &str| scratch.run(&format!("--store {store} {words}")).said();
        assert_eq!(said("key list"), said("key save k v"), "{store}");
        said("key list")
    });
    insta::assert_snapshot!(said.concat(), @"
    exit 1
    error: text is not a waynote store: it is not a SQLite database
      give another file with `--store`
    exit 1
    error: other.db is the SQLite database of another program
      add `--attach` once to keep notes in it, in tables of their own; or give another file with `--store`
    exit 1
    error: the store other-version.db has tables of version 999, and this program has version 1
      export its notes as JSON with the program that wrote it, and import them with this one; that is `waynote export json FILE`, and `waynote import json FILE --store NEW`
    ");
    let missing = scratch.run("--store missing/notes.db key count").said();
    assert!(
        missing.contains("there is no store missing/notes.db"),
        "{missing}"
    );
    assert!(!work.join("missing").exists());
}

/// A small file system of its own; none where this process may not mount one.
pub(super) struct Mount(std::path::PathBuf);

impl Mount {
    pub(super) fn tmpfs(folder: &Path, options: &str) -> Option<Self> {
        fs::create_dir_all(folder).unwrap();
        let mut mount = Command::new("mount");
        mount
            .args(["-t", "tmpfs", "-o", options, "tmpfs"])
            .arg(folder);
        let mounted = mount.stderr(Stdio::null()).status();
        if mounted.is_ok_and(|status| status.success()) {
            return Some(Self(folder.to_owned()));
        }
        not_checked(
            "full and read-only disks, with the program",
            "a small file system cannot be mounted here; root may",
        );
        None
    }

    pub(super) fn remount(&self, options: &str) {
        let status = Command::new("mount")
            .args(["-o", &format!("remount,{options}")])
            .arg(&self.0)
            .status();
        assert!(status.unwrap().success());
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_loses_nothing_acknowledged() {
    let scratch = Scratch::new();
    let folder = scratch.path("small");
    let Some(_mount) = Mount::tmpfs(&folder, "size=512k") else {
        return;
    };
    let store = folder.join("notes.db").to_string_lossy().into_owned();
    let mut acknowledged = 0;
    let refused = loop {
        let words =
            format!("--store {store} key save k{acknowledged} - --max-bytes 0 --max-notes 0");
        let output = scratch.run(&words).stdin("word ".repeat(4_000)).output();
        if !output.status.success() {
            break String::from_utf8(output.stderr).unwrap();
        }
        acknowledged += 1;
        assert!(acknowledged < 1000);
    };
    let refused = refused.replace(&folder.to_string_lossy().into_owned(), "FOLDER");
    insta::assert_snapshot!(refused, @"
    error: the store FOLDER/notes.db cannot be written: the disk is full
      free some space and try again; everything acknowledged is still there
    ");
    assert!(acknowledged > 3);
    let run = |words: &str| scratch.run(&format!("--store {store} {words}"));
    assert_eq!(run("key count").ok(), format!("{acknowledged}\n"));
    assert!(run("verify").ok().contains("is sound"));
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let scratch = Scratch::new();
    scratch
        .run("place write - --max-bytes 0")
        .stdin("x\n".repeat(200_000))
        .ok();
    let mut child = scratch.run("place read").piped();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (output.status.code(), output.stderr.as_slice()),
        (Some(0), b"".as_slice())
    );
}

#[test]
fn a_stopped_writer_gives_a_clear_error() {
    let scratch = Scratch::new();
    scratch.ok("key save k v");
    // Any holder of the lock has this effect, such as a stopped process.
    let lock = fs::File::open(format!("{}-lock", scratch.store().display())).unwrap();
    lock.lock().unwrap();
    let said = scratch
        .run("key save k w")
        .env("WAYNOTE_LOCK_WAIT", "0.05")
        .said();
    insta::assert_snapshot!(without_number(&said), @"
    exit 1
    error: the store HOME/.local/share/waynote/notes.db is busy: another writer holds it, for 0.05 s now (process N)
      end or resume the other process, then try again; nothing was written
    ");
    // Reading does not wait for writers.
    assert_eq!(scratch.ok("key show k"), "v");
}

/// The message with the process's number taken out.
fn without_number(said: &str) -> String {
    let (before, after) = said.split_once("(process ").unwrap();
    let (_, after) = after.split_once(')').unwrap();
    format!("{before}(process N){after}")
}

#[test]
fn no_error_shows_a_credential_that_was_typed_or_set() {
    let scratch = Scratch::new();
    // Assembled at run time, so that no file of ours holds a text like a token.
    let token = format!("gh{}_{}", 'p', "aZ3kQ9xW7m".repeat(4).split_at(36).0);
    scratch.put(".config/waynote/config.toml", format!("{token} = 1\n"));
    // A key is suggested in lower case.
    let body = token[4..20].to_lowercase();
    for command in [
        "config",
        "config --json",
        "doctor",
        "doctor --json",
        "key save TOKEN x --allow-secret",
        "key save TOKEN x --json",
        "show agent:default#TOKEN",
        "show TOKEN --json",
        "history agent:default#TOKEN",
        "undo agent:default#TOKEN",
        "place write x --at place:~#TOKEN",
        "--session TOKEN log complete x",
        "--session s log add x --type TOKEN",
        "--session s log add x --type tip --resolves TOKEN",
        "context --style TOKEN",
        "import xs /nowhere/TOKEN",
        "import zrb /nowhere/TOKEN",
    ] {
        let said = scratch.run(&command.replace("TOKEN", &token)).said();
        has(&said, "[masked: ");
        lacks(said.to_lowercase(), &body);
    }
}
