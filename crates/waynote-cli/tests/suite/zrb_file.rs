//! Zrb's notes.json without a sync: it is named with a hint, and not too often.

use std::fs;

use super::common::{Scratch, assert_transcript, lacks};

fn with_file() -> Scratch {
    let scratch = Scratch::new();
    fs::create_dir(scratch.home().join(".zrb")).unwrap();
    scratch.put(".zrb/notes.json", r#"{"~": "home"}"#);
    scratch
}

#[test]
fn the_first_place_command_names_it_on_standard_error() {
    let scratch = with_file();
    // A command that fails does not use it up.
    let refused = scratch.run("place write -").stdin(b"\xff".as_slice());
    lacks(refused.said(), "notes.json");
    assert_transcript!(scratch, @"
    $ waynote place read
    place:~/work has no note of its own; `waynote place all` prints what applies there
    note: Zrb's notes in ~/.zrb/notes.json are not read
      keep both in sync with `waynote config set notes_file ~/.zrb/notes.json`; this is said once

    $ waynote place read
    place:~/work has no note of its own; `waynote place all` prints what applies there
    ");
    let json = with_file();
    insta::assert_snapshot!(json.run("place list --json").said(), @r#"
    []
    {"notice":{"hint":"keep both in sync with `waynote config set notes_file ~/.zrb/notes.json`; this is said once","kind":"zrb_notes_file","message":"Zrb's notes in ~/.zrb/notes.json are not read"}}
    "#);
}

#[test]
fn the_overview_names_it_until_it_is_kept_in_sync() {
    let scratch = with_file();
    let overview = || scratch.waynote::<[&str; 0], &str>([]);
    let said = overview().said();
    let lines: Vec<&str> = said.lines().filter(|of| of.contains("Zrb")).collect();
    insta::assert_snapshot!(lines.join("\n"), @"Zrb's notes in ~/.zrb/notes.json are not read. To keep both in sync: waynote config set notes_file ~/.zrb/notes.json");
    let named = scratch.home().join(".zrb/notes.json");
    let named = named.to_str().unwrap();
    assert_eq!(scratch.json("--json")["notes_file_not_in_sync"], named);
    let in_sync = overview()
        .env("ZRB_LLM_NOTE_FILE", "~/.zrb/notes.json")
        .said();
    assert!(!in_sync.contains("notes.json"), "{in_sync}");
    fs::remove_file(scratch.home().join(".zrb/notes.json")).unwrap();
    assert!(!overview().said().contains("notes.json"));
    assert!(!scratch.run("place read").said().contains("notes.json"));
}
