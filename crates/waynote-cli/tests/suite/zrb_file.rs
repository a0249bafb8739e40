//! Zrb's notes.json without a sync: it is named with a hint, and not too often.

use std::fs;

use super::common::Scratch;

fn with_file() -> Scratch {
    let scratch = Scratch::new();
    fs::create_dir(scratch.home().join(".zrb")).unwrap();
    scratch.put(".zrb/notes.json", r#"{"~": "home"}"#);
    scratch
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
    let place = scratch
        .run("place read --at ~")
        .env("ZRB_LLM_NOTE_FILE", "~/.zrb/notes.json");
    assert_eq!(place.said(), "home");
    fs::remove_file(scratch.home().join(".zrb/notes.json")).unwrap();
    assert!(!overview().said().contains("notes.json"));
    assert!(!scratch.run("place read").said().contains("notes.json"));
}
