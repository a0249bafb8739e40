//! A store of the last schema answers as the program of that time did.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::common::Scratch;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../waynote-testing/data")
        .join(name)
}

/// The words of a command as a shell prints them: blanks and signs have a backslash before them.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut signs = command.chars();
    while let Some(sign) = signs.next() {
        match sign {
            '\\' => words.last_mut().unwrap().extend(signs.next()),
            ' ' => words.push(String::new()),
            sign => words.last_mut().unwrap().push(sign),
        }
    }
    words
}

/// Rewrites the last program's answers: a save of text from a file that was written earlier is now called a sync.
/// Returns the number of revisions that changed their action.
fn as_synced(answer: &mut Value) -> usize {
    let mut synced = 0;
    for revision in answer.as_array_mut().into_iter().flatten() {
        let written = revision["note"]["updated_at"].as_str();
        let is_earlier = written < revision["recorded_at"].as_str();
        if revision["action"] == "save" && revision["author"] == "import:zrb" && is_earlier {
            revision["action"] = "sync".into();
            synced += 1;
        }
    }
    synced
}

/// Removes the state of sessions, which has other words now, and their order by it.
fn without_state(answer: &mut Value) {
    match answer {
        Value::Object(fields) => {
            for of_state in ["state", "detail", "question", "answer", "waiting"] {
                fields.remove(of_state);
            }
            fields.values_mut().for_each(without_state);
        }
        Value::Array(items) => {
            items.sort_by_key(|item| item["session"].as_str().map(str::to_owned));
            items.iter_mut().for_each(without_state);
        }
        _ => {}
    }
}

#[test]
fn every_answer_is_that_of_the_last_program() {
    let scratch = Scratch::new();
    let store = scratch.path("notes.db");
    std::fs::copy(data("schema-5.db"), &store).unwrap();
    // The answers are from this directory, and the program looks for a main checkout up to it.
    std::fs::create_dir_all(scratch.home().join("work/.git")).unwrap();
    let answers = std::fs::read_to_string(data("schema-5.answers.txt")).unwrap();
    let lines: Vec<&str> = answers.lines().collect();
    assert!(lines.len() > 150 && lines.len().is_multiple_of(2));
    let mut synced = 0;
    for pair in lines.chunks(2) {
        let command = pair[0].strip_prefix("$ waynote ").unwrap();
        let run = scratch
            .waynote(words(command))
            .env("WAYNOTE_STORE", &store)
            .env("WAYNOTE_NOW", "2026-05-17T14:00:00Z");
        let output = run.output();
        let said = match output.stdout.is_empty() {
            true => output.stderr,
            false => output.stdout,
        };
        let said = String::from_utf8(said).unwrap();
        let said = said.replace(store.to_str().unwrap(), "STORE");
        let mut said: Value =
            serde_json::from_str(&said).unwrap_or_else(|_| panic!("{command}: {said}"));
        // Newer versions say more.
        if let Value::Object(fields) = &mut said {
            for new in ["store_id", "events"] {
                fields.remove(new);
            }
        }
        let claims = said
            .pointer_mut("/receipt/claims")
            .and_then(Value::as_array_mut);
        for claim in claims
            .into_iter()
            .flatten()
            .filter_map(Value::as_object_mut)
        {
            claim.remove("revision");
        }
        let mut before: Value = serde_json::from_str(pair[1]).unwrap();
        without_state(&mut said);
        without_state(&mut before);
        synced += as_synced(&mut before);
        assert_eq!(said, before, "{command}");
    }
    assert_eq!(synced, 2);
}
