//! `waynote forget` with places in sync with a notes.json: the text is removed from that file, and from the files
//! beside it.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;

use insta::assert_snapshot;

use super::common::has;
use super::forget::holding;
use super::synced::SyncedHome;

/// Only the text to be forgotten has it.
const SECRET: &str = "zq7Kp-secret";

impl SyncedHome {
    /// The files that hold the text or its hash.
    fn holding(&self) -> Vec<String> {
        let hash = waynote::Content::text(SECRET).unwrap().hash();
        let hex = hash.to_string();
        let needles = [SECRET.as_bytes(), &hash.0, hex.as_bytes()];
        holding(&self.scratch.path(""), &needles)
    }

    fn is_gone(&self) {
        assert_eq!(self.holding(), [""; 0]);
        has(self.ok("verify"), "is sound");
        // Nothing brings it back.
        self.ok("place write --at ~/last end");
        assert_eq!(self.holding(), [""; 0]);
    }
}

#[test]
fn a_note_goes_from_store_and_file() {
    let kept = SyncedHome::new();
    kept.write(r#"{"~/x": "theirs", "other": [1]}"#);
    kept.ok("place write first");
    kept.ok(&format!("place write {SECRET}"));
    assert_eq!(kept.holding(), ["notes.db-wal", "notes.json"]);
    assert_snapshot!(kept.said("forget --yes place:~/work"), @"forgot 2 revisions of place:~/work; no text of it is left");
    has(kept.text(), "\"~/x\": \"theirs\"");
    assert_eq!(kept.ok("place read"), "");
    kept.is_gone();
    // A revision goes, and the file keeps the note that is current.
    kept.ok(&format!("place write {SECRET}"));
    kept.ok("place write now");
    kept.ok("forget --yes place:~/work@4");
    has(kept.text(), "\"~/work\": \"now\"");
    kept.is_gone();
}

#[test]
fn a_text_that_lies_only_in_the_file_can_be_forgotten() {
    let kept = SyncedHome::new();
    kept.write(&format!(r#"{{"~/work": "{SECRET}", "~/x": "theirs"}}"#));
    assert_snapshot!(kept.said("forget --yes place:~/work"), @"forgot 1 revision of place:~/work; no text of it is left");
    assert_eq!(kept.text(), "{\n  \"~/x\": \"theirs\"\n}");
    kept.is_gone();
    // Its revision is the one that history shows.
    kept.ok("place write ours");
    kept.write(&kept.text().replace("ours", SECRET));
    has(kept.ok("history place:~/work"), "\n4         sync");
    assert_snapshot!(kept.said("forget --yes place:~/work@4"), @"forgot 1 revision of place:~/work@4; the note is gone until `waynote restore place:~/work@N` (1 revision left)");
    kept.is_gone();
}

#[test]
fn a_text_in_a_left_over_file_goes_too() {
    let kept = SyncedHome::new();
    kept.ok("place write one");
    let left = kept.file.with_file_name(".notes.json.waynote-0");
    fs::write(&left, format!(r#"{{"~/work": "{SECRET}", "~/y": "kept"}}"#)).unwrap();
    kept.ok("forget --yes place:~/work");
    kept.is_gone();
    assert!(!left.exists());
    assert_eq!(kept.ok("place read --at ~/y"), "kept");
    // One that somebody may still be writing may hold it: that is no silent matter.
    kept.ok(&format!("place write {SECRET}"));
    fs::write(&left, format!(r#"{{"~/work": "{SECRET}"#)).unwrap();
    assert_snapshot!(kept.said("forget --yes place:~/work"), @"
    exit 1
    error: FOLDER/.notes.json.waynote-0 cannot be cleared: it cannot be read, and may hold what was forgotten
      fix the cause and try again
    ");
    fs::remove_file(&left).unwrap();
    kept.ok("forget --yes place:~/work");
    kept.is_gone();
}

#[test]
fn everywhere_is_in_the_file_too() {
    let kept = SyncedHome::new();
    kept.write(&format!(r#"{{"~/x": "{SECRET}", "~/y": "kept"}}"#));
    kept.ok(&format!("key save k {SECRET}"));
    assert_snapshot!(kept.said("forget --yes agent:default#k --everywhere"), @"forgot 2 revisions of agent:default#k; no text of it is left");
    assert_eq!(kept.text(), "{\n  \"~/y\": \"kept\"\n}");
    kept.is_gone();
}

#[test]
fn a_file_that_cannot_be_changed_is_an_error() {
    let kept = SyncedHome::new();
    kept.ok(&format!("place write {SECRET}"));
    let text = kept.text();
    kept.write(&format!("{text} damaged"));
    assert_snapshot!(kept.said("forget --yes place:~/work"), @"
    exit 1
    error: FOLDER/notes.json is damaged: line 3: trailing characters
      mend it or move it away
    ");
    assert_eq!(kept.scratch.ok("place read"), SECRET, "nothing was done");
    kept.write(&text);
    fs::set_permissions(&kept.file, fs::Permissions::from_mode(0o400)).unwrap();
    assert_snapshot!(kept.said("forget --yes place:~/work"), @"
    exit 1
    error: FOLDER/notes.json cannot be written: it is read-only
      fix the cause and try again
    ");
    fs::set_permissions(&kept.file, fs::Permissions::from_mode(0o600)).unwrap();
    kept.ok("forget --yes place:~/work");
    kept.is_gone();
}

#[test]
fn a_file_that_is_not_kept_now_is_named() {
    let kept = SyncedHome::new();
    kept.ok(&format!("place write {SECRET}"));
    let said = kept.scratch.run("forget --yes place:~/work").said();
    let folder = kept.scratch.path("zrb").to_string_lossy().into_owned();
    assert_snapshot!(said.replace(&folder, "FOLDER"), @"
    forgot 1 revision of place:~/work; no text of it is left
    the text may still be in FOLDER/notes.json; run this again with ZRB_LLM_NOTE_FILE=FOLDER/notes.json
    ");
    kept.ok("forget --yes place:~/work");
    kept.is_gone();
}

/// As Zrb does it, slowly: it has read the file, truncates it, and writes the text back while it is being forgotten.
#[test]
fn a_text_written_back_meanwhile_does_not_come_back() {
    let kept = SyncedHome::new();
    kept.ok("place write --at ~/other other");
    kept.ok(&format!("place write {SECRET}"));
    let stale = kept.text();
    let mut writer = fs::File::create(&kept.file).unwrap();
    let forgets = kept.run("forget --yes place:~/work");
    let waiting = std::thread::spawn(move || forgets.ok());
    // Written as soon as the exchange has happened: the name leads to another file then.
    let displaced = kept.file.with_file_name(".notes.json.waynote-0");
    while !displaced.exists() || fs::metadata(&displaced).is_ok_and(|file| file.len() > 0) {
        std::thread::yield_now();
    }
    writer.write_all(stale.as_bytes()).unwrap();
    drop(writer);
    assert_snapshot!(waiting.join().unwrap(), @"forgot 1 revision of place:~/work; no text of it is left");
    assert_eq!(kept.text(), "{\n  \"~/other\": \"other\"\n}");
    kept.is_gone();
}
