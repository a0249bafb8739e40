//! The examples do what they say.

use std::path::Path;
use std::process::Command;

fn run(program: &str, database: &Path) -> String {
    let output = Command::new(program)
        .arg(database)
        .current_dir(database.parent().unwrap())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_chat_agent_remembers() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("notes.db");
    let first = run(env!("CARGO_BIN_EXE_chat_agent"), &database);
    assert!(!first.contains("Ada"), "{first}");
    let second = run(env!("CARGO_BIN_EXE_chat_agent"), &database);
    for remembered in [
        "## Pinned notes",
        "The user is called Ada.",
        "This project is built with Bazel, not Make.",
        " of 500 tokens",
        "agent:assistant#deploy: Deploy with `make ship`.",
    ] {
        assert!(second.contains(remembered), "{second}");
    }
}

#[test]
fn tasks_of_a_service_share_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let said = run(
        env!("CARGO_BIN_EXE_service"),
        &folder.path().join("notes.db"),
    );
    assert_eq!(said, "32 entries\n");
}

#[test]
fn a_note_is_committed_with_the_message() {
    let folder = tempfile::tempdir().unwrap();
    let said = run(
        env!("CARGO_BIN_EXE_host_database"),
        &folder.path().join("app.db"),
    );
    insta::assert_snapshot!(said, @r"
    messages: 1
    ## Notes from previous iterations

    STUCK:
    - [#1] `the API answered: 429 Too Many Requests`

    31 of 500 tokens
    ");
}

#[test]
fn a_loop_of_its_own_stops_when_its_agent_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let said = run(
        env!("CARGO_BIN_EXE_own_loop"),
        &folder.path().join("notes.db"),
    );
    insta::assert_snapshot!(said, @"
    iteration 1
      working
    iteration 2
      ALL DONE
    stopped: until
    ");
}
