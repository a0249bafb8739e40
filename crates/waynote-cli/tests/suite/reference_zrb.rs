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
    if let Some(links) = case["symlinks"].as_object() {
        for (link, target) in links {
            let (link, target) = (
                with_home(link, &home),
                with_home(target.as_str().unwrap(), &home),
            );
            std::os::unix::fs::symlink(target, link).unwrap();
        }
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
    let mut notes: Vec<(usize, &str)> = Vec::new();
    for part in body.trim_end_matches('\n').split("\n\n**") {
        let key = part.trim_start_matches("**").split("**:").next().unwrap();
        notes.push((
            order.iter().position(|known| known == key).unwrap(),
            part.trim_start_matches("**"),
        ));
    }
    notes.sort_by_key(|(place, _)| *place);
    let notes: Vec<String> = notes.iter().map(|(_, note)| format!("**{note}")).collect();
    format!("### Notes & Context\n{}\n", notes.join("\n\n"))
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
            let got: Vec<Value> = read
                .as_array()
                .unwrap()
                .iter()
                .map(|note| {
                    json!([
                        text(note, "scope").trim_start_matches("place:"),
                        note["content"]
                    ])
                })
                .collect();
            assert_eq!(
                json!(got),
                case["expected_read_all"],
                "{id}, synced: {synced}"
            );
            let order: Vec<String> = got
                .iter()
                .map(|pair| pair[0].as_str().unwrap().to_owned())
                .collect();
            let words = ["context", "--only", "places", "--style", "faithful"];
            let prompt = all(&scratch, case, file, &words).ok();
            assert_eq!(
                prompt,
                as_the_text_has_it(text(case, "expected_prompt"), &order),
                "{id}"
            );
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
            "value-null" | "value-object" => {
                let only = if id == "value-null" {
                    "place:~\nhome note\n"
                } else {
                    "no notes apply here\n"
                };
                assert_eq!(said(), only);
            }
            _ if DIFFERENT.contains(&id) => {
                let said = said();
                assert!(
                    said.starts_with("no notes apply here\nwarning: notes.json is damaged: "),
                    "{id}: {said}"
                );
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
        let named = case["note_file"]
            .as_str()
            .map(|file| with_home(file, &home));
        let named =
            named.unwrap_or_else(|| scratch.path("notes.json").to_string_lossy().into_owned());
        let place_of_file: std::path::PathBuf = case["file_at"]
            .as_str()
            .map_or(named.clone().into(), |at| with_home(at, &home).into());
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
            let last = match what {
                "write" => "-",
                _ => "--json",
            };
            let mut words = vec!["place", what, "--at", path];
            words.extend((what != "read").then_some(last));
            let said = run(&words).stdin(content).output();
            // A write is stored whatever the state of the file; then the problem of the file is reported.
            assert!(said.status.success(), "{id}");
            damaged |= String::from_utf8_lossy(&said.stderr).contains("is damaged");
            match (word(0).unwrap(), &want["ok"]) {
                ("read" | "tool", Value::String(text)) if !text.starts_with("@REPLY") => {
                    assert_eq!(String::from_utf8(said.stdout).unwrap(), *text, "{id}");
                }
                ("read_all", list) => {
                    assert_eq!(
                        serde_json::from_slice::<Value>(&said.stdout).unwrap(),
                        *list,
                        "{id}"
                    );
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
                let expected = case["expected_file_text"]
                    .as_str()
                    .map(|text| with_home(text, &home).into_bytes());
                let after = after.map(|bytes| String::from_utf8(bytes).unwrap());
                assert_eq!(
                    after,
                    expected.map(|bytes| String::from_utf8(bytes).unwrap()),
                    "{id}"
                );
            }
        }
        if case["expected_still_symlink"] == json!(true) {
            assert!(
                fs::symlink_metadata(&place_of_file).unwrap().is_symlink(),
                "{id}"
            );
        }
    }
}
