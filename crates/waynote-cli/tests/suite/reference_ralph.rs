//! The behaviour of ralph.nu's functions with an xs store, case by case.

use std::fs;
use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::common::{Scratch, cases, reference, text};

/// Frames on which the original programs fail, and the reports about them. The rest of their sessions works.
const DAMAGED: [(&str, &str); 4] = [
    ("nohash", "it has no content"),
    ("striter", "its iteration is a string, not an integer"),
    ("strmeta", "its meta is not an object"),
    ("demo", "its iteration is another number, not an integer"),
];

/// The reference store's frames as a file, its contents as xs lays them out.
pub(crate) fn xs_store(scratch: &Scratch) -> PathBuf {
    let store = scratch.path("xs");
    for (hash, content) in cases("ralph/contents.json").as_object().unwrap() {
        let bytes = match content["utf8"].as_str() {
            Some(text) => text.as_bytes().to_vec(),
            None => STANDARD.decode(text(content, "base64")).unwrap(),
        };
        let hash = STANDARD
            .decode(hash.strip_prefix("sha256-").unwrap())
            .unwrap();
        let hex: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        let folder = store
            .join("cacache/content-v2/sha256")
            .join(&hex[..2])
            .join(&hex[2..4]);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(&hex[4..]), bytes).unwrap();
    }
    let frames = reference("ralph/frames.ndjson");
    fs::write(store.join("frames.ndjson"), frames).unwrap();
    store
}

fn imported() -> Scratch {
    let scratch = Scratch::new();
    xs_store(&scratch);
    let output = scratch.run("import xs ../../xs/frames.ndjson").output();
    assert!(output.status.success());
    let said = String::from_utf8(output.stdout).unwrap();
    let counts = "41 added, 0 updated, 0 unchanged, 4 skipped";
    assert_eq!(said.lines().last(), Some(counts));
    let skipped = String::from_utf8(output.stderr).unwrap();
    for (session, reason) in DAMAGED {
        let line = skipped
            .lines()
            .find(|line| line.contains(&format!("ralph.{session}.note")));
        assert!(line.is_some_and(|line| line.ends_with(reason)), "{skipped}");
    }
    scratch
}

/// Without the damaged frame's entry.
fn without_damaged(entries: &Value) -> Value {
    let entries = entries.as_array().unwrap().iter();
    let whole = entries.filter(|entry| entry["iteration"] != json!(2.5));
    whole.cloned().collect()
}

fn listed(scratch: &Scratch, session: &str, kind: Option<&str>) -> Value {
    let mut words = vec!["--session", session, "log", "list", "--json"];
    words.extend(kind.into_iter().flat_map(|kind| ["--type", kind]));
    let notes = scratch.waynote(words).json();
    let entry = |note: &Value| json!({ "id": note["key"], "type": note["type"], "iteration": note["iteration"], "content": note["content"] });
    notes.as_array().unwrap().iter().map(entry).collect()
}

#[test]
fn states_and_lists_are_as_recorded() {
    let (scratch, cases) = (imported(), cases("ralph/cases.json"));
    let mut met = 0;
    for group in ["states", "note_lists"] {
        for case in cases[group].as_array().unwrap() {
            if case["error"].is_null() {
                let session = text(case, "session");
                let got = listed(&scratch, session, case["type"].as_str());
                assert_eq!(got, without_damaged(&case["expected"]), "{session}");
                met += 1;
            }
        }
    }
    assert_eq!(met, 17);
    // The original fails here; ours lists the frames that are not damaged.
    assert_eq!(
        listed(&scratch, "nohash", None)[0]["content"],
        "good note before"
    );
}

/// Nothing shows the characters that turn the order of letters round.
fn without_hidden(text: &str) -> String {
    text.replace(['\u{202e}', '\u{202c}'], "")
}

#[test]
fn prompt_sections_are_as_recorded() {
    let scratch = imported();
    let cases = &cases("ralph/cases.json")["prompt_sections"];
    for case in cases.as_array().unwrap() {
        let words = format!(
            "--session '{}' --iteration {} context --only iterations --style faithful",
            text(case, "session"),
            case["current_iteration"]
        );
        let got = scratch.ok(&words);
        match case["expected"].as_str() {
            Some(expected) => {
                let expected = without_hidden(expected);
                let expected = expected.replace("\n  - [#2.5] iteration is 2.5", "");
                assert_eq!(got, expected, "{words}");
            }
            None => assert!(!got.contains("  - [#]"), "{got}"),
        }
    }
}

#[test]
fn the_display_is_as_recorded() {
    let scratch = imported();
    for case in cases("ralph/cases.json")["cli_display"].as_array().unwrap() {
        let Some(expected) = case["expected"].as_str() else {
            continue;
        };
        let expected = without_hidden(expected).replace("  [#2.5] iteration is 2.5\n", "");
        let session = text(case, "session");
        let coloured = scratch
            .waynote(["--session", session, "log", "show"])
            .env("CLICOLOR_FORCE", "1")
            .ok();
        assert_eq!(coloured, expected, "{session}");
        let plain = scratch.waynote(["--session", session, "log", "show"]).ok();
        let mut stripped = expected;
        for code in ["1;35", "31", "32", "33", "36"] {
            for name in ["SESSION NOTES", "STUCK", "LEARNING", "TIP", "DECISION"] {
                stripped = stripped.replace(&format!("\u{1b}[{code}m{name}\u{1b}[0m"), name);
            }
        }
        assert_eq!(plain, stripped, "{session}");
    }
    let absent = scratch.run("--session absent log show").said();
    assert!(absent.contains("there is no session:absent"), "{absent}");
}

#[test]
fn adding_replies_as_recorded() {
    for case in cases("ralph/cases.json")["note_add"].as_array().unwrap() {
        let scratch = Scratch::new();
        let iteration = case["iteration"].to_string();
        // As arguments where they can be: the source's shell took `-e` for its own.
        let words = format!(
            "--session s --iteration {iteration} log add --allow-empty --type {} --",
            text(case, "type")
        );
        let content = text(case, "content");
        let reply = scratch.waynote(words.split(' ').chain([content])).ok();
        assert_eq!(reply, format!("{}\n", text(case, "returned")), "{content}");
        let listed = scratch.json("--session s log list --json");
        assert_eq!(listed[0]["content"], content);
    }
}

#[test]
fn importing_again_adds_nothing() {
    let scratch = imported();
    let again = scratch.ok("import xs ../../xs/frames.ndjson");
    assert_eq!(again, "0 added, 0 updated, 41 unchanged, 4 skipped\n");
}
