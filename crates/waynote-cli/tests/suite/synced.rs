//! Places kept in sync with a notes.json that people and other programs write too.

use std::fs;
use std::path::PathBuf;

use super::common::{Run, Scratch, assert_transcript, fields, git, has, lacks};

/// A home, and a file that is in sync with it where a command is run by this.
pub(super) struct SyncedHome {
    pub(super) scratch: Scratch,
    pub(super) file: PathBuf,
}

impl SyncedHome {
    pub(super) fn new() -> Self {
        let scratch = Scratch::ticking();
        fs::create_dir(scratch.path("zrb")).unwrap();
        let file = scratch.path("zrb/notes.json");
        Self { scratch, file }
    }

    pub(super) fn run(&self, words: &str) -> Run {
        self.scratch.run(words).env("ZRB_LLM_NOTE_FILE", &self.file)
    }

    pub(super) fn ok(&self, words: &str) -> String {
        self.run(words).ok()
    }

    /// The output, the file's folder written as `FOLDER`.
    pub(super) fn said(&self, words: &str) -> String {
        let folder = self.scratch.path("zrb").to_string_lossy().into_owned();
        self.run(words).said().replace(&folder, "FOLDER")
    }

    pub(super) fn write(&self, text: &str) {
        fs::write(&self.file, text).unwrap();
    }

    pub(super) fn text(&self) -> String {
        fs::read_to_string(&self.file).unwrap()
    }

    /// The state after a process died between its exchange of files and the check of the displaced one, which is old.
    fn left_over(&self, text: &str) -> PathBuf {
        let left = self.file.with_file_name(".notes.json.waynote-0");
        fs::write(&left, text).unwrap();
        let file = fs::File::options().append(true).open(&left).unwrap();
        file.set_modified(std::time::SystemTime::UNIX_EPOCH)
            .unwrap();
        left
    }
}

#[test]
fn a_write_is_seen_at_once_on_the_other_side_and_so_is_an_undo() {
    let kept = SyncedHome::new();
    kept.write(r#"{"~/work": "from zrb"}"#);
    assert_eq!(kept.ok("place read"), "from zrb");
    kept.write(r#"{"~/work": "old", "~/work/": "odd key", "/opt": 3, "~/x": "theirs"}"#);
    let note = kept.run("place read --json").json();
    assert_eq!(fields(&note, "content revision author"), "old 2 import:zrb");
    kept.ok("place write new");
    insta::assert_snapshot!(kept.text(), @r#"
    {
      "/opt": 3,
      "~/work": "new",
      "~/work/": "odd key",
      "~/x": "theirs"
    }
    "#);
    insta::assert_snapshot!(kept.ok("history place:~/work"), @"
    place:~/work
    REVISION  ACTION  AUTHOR      RECORDED              PREVIEW
    3         save    person      2026-05-17T12:00:00Z  new
    2         sync    import:zrb  2026-05-17T12:00:00Z  old
    1         sync    import:zrb  2026-05-17T12:00:00Z  from zrb
    ");
    kept.ok("undo place:~/work");
    has(kept.text(), r#""~/work": "old""#);
    kept.ok("restore place:~/work@1");
    has(kept.text(), r#""~/work": "from zrb""#);
}

/// How many directories have notes.
fn places(kept: &SyncedHome) -> usize {
    let listed = kept.run("place list --json").json();
    listed.as_array().unwrap().len()
}

#[test]
fn first_contact_is_a_union_and_missing_keys_delete_nothing() {
    let kept = SyncedHome::new();
    kept.scratch.ok("place write --at ~/a in-the-store");
    kept.write(r#"{"~/b": "in the file"}"#);
    assert_eq!(places(&kept), 2);
    kept.ok("place write --at ~/c both");
    kept.write("{}");
    assert_eq!(places(&kept), 3);
    kept.ok("place delete --at ~/c");
    insta::assert_snapshot!(kept.text(), @r#"
    {
      "~/a": "in-the-store",
      "~/b": "in the file"
    }
    "#);
}

#[test]
fn both_changed_and_the_later_one_is_current() {
    let kept = SyncedHome::new();
    kept.ok("place write base");
    // Written behind the file's back, at a time after the file's.
    let behind = |text: &str, now: &str| {
        let run = kept.scratch.run(&format!("place write {text}"));
        run.env("WAYNOTE_NOW", now).ok()
    };
    behind("store", "2100-01-01T00:00:00Z");
    kept.write(r#"{"~/work": "file"}"#);
    assert_eq!(kept.ok("place read"), "store");
    kept.ok("place write --at ~ touch");
    assert_eq!(kept.ok("place read"), "store");
    has(kept.text(), r#""~/work": "store""#);
    let history = kept.run("history place:~/work --json").json();
    let texts = "0/note/content 1/note/content 2/note/content 3/note/content";
    assert_eq!(fields(&history, texts), "store file store base");
    // The other way round: the file is the later one.
    behind("older", "2001-01-01T00:00:00Z");
    kept.write(r#"{"~/work": "newer file"}"#);
    assert_eq!(kept.ok("place read"), "newer file");
}

#[test]
fn a_damaged_file_is_named_and_left_alone_and_the_store_works_on() {
    let kept = SyncedHome::new();
    kept.ok("place write before");
    let damaged = "{\n  \"~/work\": \"before\",\n  \"~\": ";
    kept.write(damaged);
    let said = |words: &str| kept.said(words);
    assert_transcript!(said, @"
    $ waynote place read
    beforewarning: FOLDER/notes.json is damaged: line 3: EOF while parsing a value
      the store is used without it; mend it or move it away

    $ waynote place write after
    saved place:~/work (overwrote revision 1; `waynote undo place:~/work` brings it back)
    warning: FOLDER/notes.json is damaged: line 3: EOF while parsing a value
      the store is used without it; mend it or move it away

    $ waynote export zrb
    exit 1
    error: FOLDER/notes.json is damaged: line 3: EOF while parsing a value
      mend it or move it away
    ");
    assert_eq!(kept.text(), damaged);
    // Once the file is repaired, it gets the notes written meanwhile.
    kept.write("{\n  \"~/work\": \"before\"\n}");
    assert_eq!(kept.ok("place read"), "after");
    kept.ok("place write --at ~ home");
    assert_eq!(
        kept.text(),
        "{\n  \"~\": \"home\",\n  \"~/work\": \"after\"\n}"
    );
}

#[test]
fn what_a_killed_process_left_beside_the_file_is_taken_in_as_history() {
    let kept = SyncedHome::new();
    kept.ok("place write one");
    kept.ok("place write two");
    let left = kept.left_over(r#"{"~/work": "one", "~/lost": "found", "~": "unknown"}"#);
    kept.ok("place write --at ~ home");
    assert!(!left.exists());
    assert_eq!(kept.ok("place read"), "two");
    assert_eq!(kept.ok("place read --at ~"), "home");
    has(kept.ok("history place:~"), "unknown");
    has(kept.text(), "found");
    // One that is half written is not removed, and a name that only looks like ours is somebody's.
    fs::write(&left, r#"{"~/work": "ha"#).unwrap();
    let backup = kept.file.with_file_name(".notes.json.waynote-backup");
    fs::write(&backup, "{}").unwrap();
    kept.ok("place write two");
    assert!(left.exists());
    fs::write(&left, r#"{"~/work": "half and half"}"#).unwrap();
    kept.ok("place write three");
    assert!(!left.exists() && backup.exists());
    has(kept.ok("history place:~/work"), "half and half");
}

#[test]
fn a_slow_writer_of_the_displaced_file_loses_nothing() {
    use std::io::Write;
    let kept = SyncedHome::new();
    kept.ok("place write one");
    // A shell that has the file open for writing and takes its time.
    let mut slow = fs::File::create(&kept.file).unwrap();
    kept.ok("place write two");
    slow.write_all(br#"{"~/work": "late", "~/other": "late too"}"#)
        .unwrap();
    drop(slow);
    kept.ok("place write --at ~ home");
    assert_eq!(kept.ok("place read"), "late");
    assert!(kept.ok("history place:~/work").contains("two"));
    assert_eq!(kept.ok("place read --at ~/other"), "late too");
}

#[test]
fn what_is_no_regular_file_or_read_only_is_left_alone() {
    use std::os::unix::fs::PermissionsExt;
    let kept = SyncedHome::new();
    std::os::unix::net::UnixListener::bind(&kept.file).unwrap();
    kept.ok("place write text");
    let warned = kept.said("--json place read");
    insta::assert_snapshot!(warned.lines().last().unwrap(), @r#"{"warning":{"hint":"the store is used without it; mend it or move it away","kind":"damaged_file","message":"FOLDER/notes.json is damaged: it is no regular file"}}"#);
    fs::remove_file(&kept.file).unwrap();
    kept.write("{}");
    fs::set_permissions(&kept.file, fs::Permissions::from_mode(0o444)).unwrap();
    has(
        kept.said("place write more"),
        "warning: FOLDER/notes.json cannot be written: it is read-only\n",
    );
    assert_eq!(kept.text(), "{}");
    fs::set_permissions(&kept.file, fs::Permissions::from_mode(0o664)).unwrap();
    kept.ok("place write most");
    let mode = fs::metadata(&kept.file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o664);
}

#[test]
fn undo_reaches_past_a_text_that_was_only_journaled() {
    let kept = SyncedHome::new();
    kept.ok("place write mine1");
    kept.ok("place write mine2");
    kept.left_over(r#"{"~/work": "left over"}"#);
    kept.ok("undo");
    assert_eq!(kept.ok("place read"), "mine1");
    assert_eq!(kept.text(), "{\n  \"~/work\": \"mine1\"\n}");
    has(kept.ok("history place:~/work"), "left over");
}

#[test]
fn an_export_to_the_file_brings_both_together() {
    let kept = SyncedHome::new();
    kept.scratch.ok("place write --at ~/a store");
    let of_repository = "place write --at repo:github.com/acme/lib 'has no path'";
    kept.scratch.ok(of_repository);
    kept.write(r#"{"~/b": "file", "~/c": {"keep": 1}}"#);
    kept.ok("export zrb");
    insta::assert_snapshot!(kept.text(), @r#"
    {
      "~/a": "store",
      "~/b": "file",
      "~/c": {"keep": 1}
    }
    "#);
    assert_eq!(kept.scratch.ok("place read --at ~/b"), "file");
    // The configuration can name the file.
    let file = kept.file.display();
    kept.scratch.ok(&format!("config set notes_file {file}"));
    kept.scratch.ok("place write --at ~/d both");
    has(kept.text(), r#""~/d": "both""#);
    lacks(kept.text(), "repo:");
    // In a repository with a name, a directory's own note stays on its path.
    let work = kept.scratch.home().join("work");
    git(&work, "init -q");
    git(&work, "remote add origin https://github.com/acme/shop");
    kept.scratch.ok("note 'by its path'");
    let editor = kept
        .scratch
        .script("editor", "#!/bin/sh\necho more >> \"$1\"\n");
    kept.scratch.run("edit .").env("EDITOR", editor).ok();
    has(kept.text(), r#""~/work": "by its path\nmore""#);
    // A link stays one.
    let link = kept.scratch.home().join("work/link.json");
    std::os::unix::fs::symlink("target.json", &link).unwrap();
    kept.scratch.ok("export zrb link.json");
    assert!(link.is_symlink() && kept.scratch.home().join("work/target.json").exists());
}

/// Another program that reads, changes and writes the file in place, as Zrb does, while waynote writes.
#[test]
fn texts_written_at_the_same_time_are_all_kept() {
    let kept = SyncedHome::new();
    kept.write("{}");
    let file = kept.file.clone();
    let other = std::thread::spawn(move || {
        for number in 0..150 {
            let text = fs::read_to_string(&file).unwrap();
            // Caught in the middle of an exchange by nobody: the file is whole whenever it is opened.
            let mut notes: serde_json::Map<String, serde_json::Value> =
                serde_json::from_str(&text).unwrap();
            notes.insert("~/theirs".into(), format!("text {number}").into());
            fs::write(&file, serde_json::to_string(&notes).unwrap()).unwrap();
        }
    });
    let mut ours = 0;
    while !other.is_finished() {
        kept.ok(&format!("place write --at ~/ours our-{ours}"));
        ours += 1;
    }
    other.join().unwrap();
    kept.ok("place write --at ~ end");
    assert_eq!(kept.ok("place read --at ~/theirs"), "text 149");
    let history = kept.ok("history place:~/ours --json");
    for number in 0..ours {
        has(&history, format!("\"our-{number}\""));
    }
    has(kept.ok("verify"), "is sound");
    let left = fs::read_dir(kept.file.parent().unwrap()).unwrap();
    assert_eq!(left.count(), 1);
}
