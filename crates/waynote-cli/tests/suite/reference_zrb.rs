//! The behaviour of Zrb 2.3.5 with its notes, case by case.
//!
//! Each case runs twice: by importing the file, and with places kept in sync with it.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::common::{Scratch, cases, text};

/// Cases with a different outcome on purpose; `docs/sources.md` has the reasons.
const DIFFERENT: [&str; 11] = [
    // Both spellings are one directory.
    "unicode-not-normalised",
    // "Inside home" is a whole-component test, and home is normalized.
    "home-prefix-sibling-dash",
    "home-unnormalised",
    // A damaged file is an error, not an empty store.
    "trailing-garbage",
    "note-file-is-directory",
    "invalid-utf8",
    "top-level-list-with-home",
    "top-level-number",
    "top-level-string-with-tilde",
    // A value that is no text is no note; it is kept as it is.
    "value-null",
    "value-object",
];

fn with_home(value: &str, home: &Path) -> String {
    let base = home.file_name().unwrap().to_string_lossy();
    value
        .replace("@HOMEBASE@", &base)
        .replace("@HOME@", &home.to_string_lossy())
}

/// The case's file, if it has one.
fn prepare(case: &Value, scratch: &Scratch) -> Option<Vec<u8>> {
    let home = scratch.home();
    for folder in ["p/q/r", "z"] {
        fs::create_dir_all(home.join(folder)).unwrap();
    }
    for (link, target) in case["symlinks"].as_object().into_iter().flatten() {
        let target = with_home(target.as_str().unwrap(), &home);
        std::os::unix::fs::symlink(target, with_home(link, &home)).unwrap();
    }
    if let Some(raw) = case["notes_raw"].as_str() {
        return Some(raw.as_bytes().to_vec());
    }
    if let Some(hex) = case["notes_raw_hex"].as_str() {
        let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
        return Some((0..hex.len()).step_by(2).map(byte).collect());
    }
    if case["notes_missing"] == json!(true) || case["notes_is_dir"] == json!(true) {
        return None;
    }
    Some(with_home(&case["notes_json"].to_string(), &home).into_bytes())
}

fn all(
    scratch: &Scratch,
    case: &Value,
    synced: Option<&Path>,
    words: &[&str],
) -> super::common::Run {
    let home = scratch.home();
    let at = with_home(text(case, "cwd"), &home);
    let mut arguments = words.to_vec();
    // Zrb takes an empty path for the working directory; an empty `--at` is refused here.
    arguments.extend(["--at", if at.is_empty() { "." } else { &at }]);
    let cwd = case["process_cwd"]
        .as_str()
        .map_or(home.clone(), |cwd| with_home(cwd, &home).into());
    let mut run = scratch
        .waynote(arguments)
        .cwd(cwd)
        .env("HOME", with_home(text(case, "home"), &home));
    if let Some(file) = synced {
        run = run.env("ZRB_LLM_NOTE_FILE", file);
    }
    run
}

/// The recorded prompt as the source's text has it: `###`, no blank lines before it, from the home downwards.
fn as_the_text_has_it(prompt: &str, order: &[String]) -> String {
    let Some(body) = prompt.strip_prefix("\n\n# Notes & Context\n") else {
        return prompt.to_owned();
    };
    let notes = body.trim_end_matches('\n').split("\n\n**");
    let mut notes: Vec<&str> = notes.map(|note| note.trim_start_matches("**")).collect();
    notes.sort_by_key(|note| {
        let key = note.split("**:").next().unwrap();
        order.iter().position(|known| known == key).unwrap()
    });
    format!("### Notes & Context\n**{}\n", notes.join("\n\n**"))
}

#[test]
fn reads_are_as_recorded() {
    let mut met = 0;
    for case in cases("zrb/cases.json")["cases"].as_array().unwrap() {
        let id = text(case, "id");
        if DIFFERENT.contains(&id) {
            continue;
        }
        for synced in [false, true] {
            let scratch = Scratch::new();
            let file = scratch.path("notes.json");
            fs::write(&file, prepare(case, &scratch).unwrap()).unwrap();
            if !synced {
                let home = with_home(text(case, "home"), &scratch.home());
                scratch
                    .waynote(["import", "zrb"])
                    .env("HOME", home)
                    .env("ZRB_LLM_NOTE_FILE", &file)
                    .ok();
                fs::remove_file(&file).unwrap();
            }
            let file = synced.then_some(file.as_path());
            let read = all(&scratch, case, file, &["place", "all", "--json"]).json();
            let read = read.as_array().unwrap().iter();
            let (order, got): (Vec<String>, Vec<Value>) = read
                .map(|note| {
                    let place = text(note, "scope").trim_start_matches("place:");
                    (place.to_owned(), json!([place, note["content"]]))
                })
                .unzip();
            let expected = &case["expected_read_all"];
            assert_eq!(json!(got), *expected, "{id}, synced: {synced}");
            let words = ["context", "--only", "places", "--style", "faithful"];
            let prompt = all(&scratch, case, file, &words).ok();
            let expected = as_the_text_has_it(text(case, "expected_prompt"), &order);
            assert_eq!(prompt, expected, "{id}");
            met += 1;
        }
    }
    assert_eq!(met, 2 * (41 - DIFFERENT.len()));
}

#[test]
fn different_reads_are_as_documented() {
    for case in cases("zrb/cases.json")["cases"].as_array().unwrap() {
        let id = text(case, "id");
        let scratch = Scratch::new();
        let file = scratch.path("notes.json");
        match prepare(case, &scratch) {
            Some(bytes) => fs::write(&file, bytes).unwrap(),
            None => fs::create_dir(&file).unwrap(),
        }
        let folder = scratch.path("").to_string_lossy().into_owned();
        let said = || {
            all(&scratch, case, Some(&file), &["place", "all"])
                .said()
                .replace(&folder, "")
        };
        match id {
            "home-prefix-sibling-dash" => {
                // The absolute key, which is this directory's, and not the defect's.
                assert!(said().contains("absolute key") && !said().contains("bug leaf"));
            }
            "unicode-not-normalised" => assert_eq!(said().matches("place:").count(), 1),
            "home-unnormalised" => assert!(said().contains("place:~/p\ntilde")),
            "value-null" => assert_eq!(said(), "place:~\nhome note\n"),
            "value-object" => assert_eq!(said(), "no notes apply here\n"),
            _ if DIFFERENT.contains(&id) => {
                let damaged = "no notes apply here\nwarning: notes.json is damaged: ";
                assert!(said().starts_with(damaged), "{id}");
            }
            _ => {}
        }
    }
}

#[test]
fn writes_are_as_recorded() {
    for case in cases("zrb/cases.json")["write_cases"].as_array().unwrap() {
        let id = text(case, "id");
        let scratch = Scratch::new();
        let home = scratch.home();
        let given = |field: &str| Some(with_home(case[field].as_str()?, &home));
        let usual = || scratch.path("notes.json").to_string_lossy().into_owned();
        let named = given("note_file").unwrap_or_else(usual);
        let place_of_file = given("file_at").unwrap_or_else(|| named.clone());
        let before = prepare(case, &scratch);
        if let Some(bytes) = &before {
            fs::write(&place_of_file, bytes).unwrap();
        }
        let run = |words: &[&str]| {
            scratch
                .waynote(words)
                .cwd(&home)
                .env("ZRB_LLM_NOTE_FILE", &named)
        };
        let mut damaged = false;
        for (op, want) in case["ops"]
            .as_array()
            .unwrap()
            .iter()
            .zip(case["expected_results"].as_array().unwrap())
        {
            let word = |index: usize| op[index].as_str();
            let argument = |name: &str| op[2][name].as_str().unwrap();
            let (what, path, content) = match (word(0).unwrap(), word(1).unwrap()) {
                ("write", path) => match word(2) {
                    Some(content) => ("write", path, content),
                    None => continue,
                },
                ("read", path) => ("read", path, ""),
                ("read_all", path) => ("all", path, ""),
                ("tool", "ReadLongTermNote") => ("read", "~", ""),
                ("tool", "WriteLongTermNote") => ("write", "~", argument("content")),
                ("tool", "ReadContextualNote") => ("read", argument("path"), ""),
                ("tool", "WriteContextualNote") => ("write", argument("path"), argument("content")),
                _ => continue,
            };
            let mut words = vec!["place", what, "--at", path];
            words.extend(match what {
                "write" => Some("-"),
                "all" => Some("--json"),
                _ => None,
            });
            let said = run(&words).stdin(content).output();
            // A write is stored whatever the state of the file; then the problem of the file is reported.
            assert!(said.status.success(), "{id}");
            damaged |= String::from_utf8_lossy(&said.stderr).contains("is damaged");
            match (word(0).unwrap(), &want["ok"]) {
                ("read" | "tool", Value::String(text)) if !text.starts_with("@REPLY") => {
                    assert_eq!(String::from_utf8(said.stdout).unwrap(), *text, "{id}");
                }
                ("read_all", list) => {
                    let said: Value = serde_json::from_slice(&said.stdout).unwrap();
                    assert_eq!(said, *list, "{id}");
                }
                _ => {}
            }
        }
        let after = fs::read(&place_of_file).ok();
        match id {
            // The defects that lose notes: the file stays as it was, and the note is in the store.
            "write-over-corrupt-loses-rest" | "write-over-list" | "write-over-invalid-utf8" => {
                assert!(damaged, "{id}");
                assert_eq!(after, before, "{id}");
                assert_eq!(run(&["place", "read", "--at", "~/p"]).ok(), "new", "{id}");
            }
            // A note is text: there is no null to write.
            "write-null-content" => {}
            // Reading leaves the file as it is.
            id if id.starts_with("tool-read-") => assert_eq!(after, before, "{id}"),
            _ => {
                assert!(!damaged, "{id}");
                let after = after.map(|bytes| String::from_utf8(bytes).unwrap());
                assert_eq!(after, given("expected_file_text"), "{id}");
            }
        }
        let is_link = Path::new(&place_of_file).is_symlink();
        assert!(
            is_link || case["expected_still_symlink"] != json!(true),
            "{id}"
        );
    }
}
