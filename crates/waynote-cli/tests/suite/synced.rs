//! Places kept in sync with a notes.json that people and other programs write too.

use std::fs;
use std::path::PathBuf;

use super::common::{Run, Scratch, assert_transcript, fields};

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
fn what_somebody_writes_is_seen_at_the_next_read() {
    let kept = SyncedHome::new();
    kept.write(r#"{"~/work": "from zrb"}"#);
    assert_eq!(kept.ok("place read"), "from zrb");
    kept.write(r#"{"~/work": "changed by hand"}"#);
    assert_eq!(kept.ok("place read"), "changed by hand");
    let note = kept.run("place read --json").json();
    assert_eq!(fields(&note, "revision author"), "2 import:zrb");
}

#[test]
fn what_waynote_writes_is_there_at_once_beside_what_is_not_ours() {
    let kept = SyncedHome::new();
    kept.write(r#"{"~/work": "old", "~/work/": "odd key", "/opt": 3, "~/x": "theirs"}"#);
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
    2         save    person      2026-05-17T12:00:00Z  new
    1         sync    import:zrb  2026-05-17T12:00:00Z  old
    ");
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
    insta::assert_snapshot!(kept.text(), @r#"
    {
      "~/a": "in-the-store",
      "~/b": "in the file",
      "~/c": "both"
    }
    "#);
    kept.write("{}");
    assert_eq!(places(&kept), 3);
    kept.ok("place delete --at ~/c");
    insta::assert_snapshot!(kept.text(), @r#"
    {
      "~/a": "in-the-store",
      "~/b": "in the file"
    }
    "#);
    kept.ok("place delete --at ~/b");
    assert_eq!(places(&kept), 1);
}

#[test]
fn both_changed_and_the_later_one_is_current() {
    let kept = SyncedHome::new();
    kept.ok("place write base");
    // Written behind the file's back, at a time after the file's.
    kept.scratch
        .run("place write store")
        .env("WAYNOTE_NOW", "2100-01-01T00:00:00Z")
        .ok();
    kept.write(r#"{"~/work": "file"}"#);
    assert_eq!(kept.ok("place read"), "store");
    kept.ok("place write --at ~ touch");
    assert_eq!(kept.ok("place read"), "store");
    assert!(kept.text().contains(r#""~/work": "store""#));
    let history = kept.run("history place:~/work --json").json();
    let texts: Vec<&str> = history
        .as_array()
        .unwrap()
        .iter()
        .map(|revision| revision["note"]["content"].as_str().unwrap())
        .collect();
    assert_eq!(texts, ["store", "file", "store", "base"]);
    // The other way round: the file is the later one.
    kept.scratch
        .run("place write older")
        .env("WAYNOTE_NOW", "2001-01-01T00:00:00Z")
        .ok();
    kept.write(r#"{"~/work": "newer file"}"#);
    assert_eq!(kept.ok("place read"), "newer file");
}

#[test]
fn undo_reaches_the_file() {
    let kept = SyncedHome::new();
    kept.ok("place write one");
    kept.write(r#"{"~/work": "by hand"}"#);
    kept.ok("undo place:~/work");
    assert_eq!(kept.text(), "{\n  \"~/work\": \"one\"\n}");
    kept.ok("restore place:~/work@2");
    assert_eq!(kept.text(), "{\n  \"~/work\": \"by hand\"\n}");
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
      the store is used without it; mend it or move it away; nothing was written to it

    $ waynote place write after
    saved place:~/work (overwrote revision 1; `waynote undo place:~/work` brings it back)
    warning: FOLDER/notes.json is damaged: line 3: EOF while parsing a value
      the store is used without it; mend it or move it away; nothing was written to it

    $ waynote context
    ## Notes of this place

    ### `place:~/work` (2026-05-17, by a person)

    ```
    after
    ```

    39 of 2,000 tokens
    warning: FOLDER/notes.json is damaged: line 3: EOF while parsing a value
      the store is used without it; mend it or move it away; nothing was written to it
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
fn the_configuration_can_name_the_file() {
    let kept = SyncedHome::new();
    let folder = kept.scratch.home().join(".config/waynote");
    fs::create_dir_all(&folder).unwrap();
    fs::write(
        folder.join("config.toml"),
        "notes_file = \"~/.zrb/notes.json\"",
    )
    .unwrap();
    kept.scratch.ok("place write hello");
    let text = fs::read_to_string(kept.scratch.home().join(".zrb/notes.json")).unwrap();
    assert_eq!(text, "{\n  \"~/work\": \"hello\"\n}");
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
    assert_eq!(kept.ok("place read --at ~/lost"), "found");
    assert_eq!(kept.ok("place read --at ~"), "home");
    assert!(kept.ok("history place:~").contains("unknown"));
    assert!(kept.text().contains("found"));
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
fn a_file_half_written_is_not_removed() {
    let kept = SyncedHome::new();
    kept.ok("place write one");
    let left = kept.file.with_file_name(".notes.json.waynote-0");
    fs::write(&left, r#"{"~/work": "ha"#).unwrap();
    kept.ok("place write two");
    assert!(left.exists());
    fs::write(&left, r#"{"~/work": "half and half"}"#).unwrap();
    kept.ok("place write three");
    assert!(!left.exists());
    assert!(kept.ok("history place:~/work").contains("half and half"));
}

#[test]
fn what_is_no_regular_file_or_read_only_is_left_alone() {
    use std::os::unix::fs::PermissionsExt;
    let kept = SyncedHome::new();
    std::os::unix::net::UnixListener::bind(&kept.file).unwrap();
    let said = |words: &str| kept.said(words);
    insta::assert_snapshot!(said("place write text"), @"
    saved place:~/work (revision 1)
    warning: FOLDER/notes.json is damaged: it is no regular file
      the store is used without it; mend it or move it away; nothing was written to it
    ");
    let warned = said("--json place read");
    insta::assert_snapshot!(warned.lines().last().unwrap(), @r#"{"warning":{"hint":"the store is used without it; mend it or move it away; nothing was written to it","kind":"damaged_file","message":"FOLDER/notes.json is damaged: it is no regular file"}}"#);
    fs::remove_file(&kept.file).unwrap();
    kept.write("{}");
    fs::set_permissions(&kept.file, fs::Permissions::from_mode(0o444)).unwrap();
    insta::assert_snapshot!(said("place write more"), @"
    saved place:~/work (overwrote revision 1; `waynote undo place:~/work` brings it back)
    warning: FOLDER/notes.json cannot be written: it is read-only
      the store is used without it; fix the cause and try again
    ");
    assert_eq!(kept.text(), "{}");
    fs::set_permissions(&kept.file, fs::Permissions::from_mode(0o664)).unwrap();
    kept.ok("place write most");
    assert_eq!(
        fs::metadata(&kept.file).unwrap().permissions().mode() & 0o777,
        0o664
    );
}

#[test]
fn undo_without_an_address_takes_back_what_was_typed() {
    let kept = SyncedHome::new();
    kept.write(r#"{"~/a": "1", "~/b": "2"}"#);
    kept.ok("key save k v");
    kept.ok("place write one");
    kept.write(&kept.text().replace("one", "by hand"));
    // Nothing is guessed.
    insta::assert_snapshot!(kept.run("undo").said(), @"
    exit 1
    error: import:zrb has changed place:~/work since your last change of it
      look at `waynote history place:~/work`, then undo it by its address, or restore a revision
    ");
    kept.ok("place write --at ~ home");
    kept.ok("undo");
    assert_eq!(kept.run("undo").output().status.code(), Some(1));
    kept.ok("undo place:~/work");
    assert_eq!(kept.ok("place read"), "one");
    kept.ok("undo");
    assert_eq!(kept.ok("place read"), "");
    kept.ok("undo");
    assert_eq!(kept.ok("key count"), "0\n");
    assert!(kept.text().contains("~/a") && kept.text().contains("~/b"));
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
    assert!(kept.ok("history place:~/work").contains("left over"));
    // A name that only looks like ours is somebody's.
    let backup = kept.file.with_file_name(".notes.json.waynote-backup");
    fs::write(&backup, "{}").unwrap();
    kept.ok("place write mine3");
    assert!(backup.exists());
}

/// As Zrb does it, slowly: the file is truncated, and written while waynote exchanges it.
#[test]
fn a_key_that_another_program_is_writing_becomes_its_text() {
    use std::io::Write;
    let kept = SyncedHome::new();
    kept.ok("place write --at ~/theirs old");
    let mut writer = fs::File::create(&kept.file).unwrap();
    let ours = kept.run("place write --at ~/ours ours");
    let waiting = std::thread::spawn(move || ours.ok());
    // Written as soon as the exchange has happened: the name leads to another file then.
    let displaced = kept.file.with_file_name(".notes.json.waynote-0");
    while !displaced.exists() || fs::metadata(&displaced).is_ok_and(|file| file.len() > 0) {
        std::thread::yield_now();
    }
    writer.write_all(br#"{"~/theirs": "new"}"#).unwrap();
    drop(writer);
    waiting.join().unwrap();
    kept.ok("place write --at ~ home");
    assert_eq!(kept.ok("place read --at ~/ours"), "ours");
    let history = kept.ok("history place:~/theirs");
    assert!(history.contains("new"), "{history}");
}

#[test]
fn an_export_that_reached_no_file_is_an_error() {
    let kept = SyncedHome::new();
    kept.ok("place write text");
    kept.write("{ damaged");
    let said = kept.said("export zrb");
    insta::assert_snapshot!(said, @"
    exit 1
    error: FOLDER/notes.json is damaged: line 1: key must be a string
      mend it or move it away; nothing was written to it
    ");
    assert_eq!(
        kept.scratch.ok("export zrb out.json"),
        "wrote 1 note to out.json, 0 unchanged\n"
    );
    let link = kept.scratch.home().join("work/link.json");
    std::os::unix::fs::symlink("target.json", &link).unwrap();
    kept.scratch.ok("export zrb link.json");
    assert!(link.is_symlink() && kept.scratch.home().join("work/target.json").exists());
}

#[test]
fn an_export_to_the_file_brings_both_together() {
    let kept = SyncedHome::new();
    kept.scratch.ok("place write --at ~/a store");
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
    let history = kept.run("history place:~/ours --json").json();
    for number in 0..ours {
        let text = format!("our-{number}");
        assert!(
            history
                .as_array()
                .unwrap()
                .iter()
                .any(|revision| revision["note"]["content"] == text.as_str())
        );
    }
    assert!(kept.ok("verify").contains("is sound"));
    let litter = fs::read_dir(kept.file.parent().unwrap()).unwrap().flatten();
    assert_eq!(
        litter
            .filter(|file| file.file_name().to_string_lossy().contains("waynote-"))
            .count(),
        0
    );
}
