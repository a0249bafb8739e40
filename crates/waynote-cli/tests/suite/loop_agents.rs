//! Agents that do not behave.

use super::common::{Scratch, has};
use super::loop_stops::looping;

#[test]
fn their_output_goes_through_or_into_a_file_each() {
    let scratch = Scratch::new();
    let script = "echo out $WAYNOTE_ITERATION; echo err $WAYNOTE_ITERATION >&2";
    let output = looping(&scratch, "--iterations 2", script).output();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "out 1\nout 2\n");
    let said = String::from_utf8(output.stderr).unwrap();
    has(&said, "err 1\n");
    has(&said, "err 2\n");
    let output = looping(&scratch, "--iterations 2 --json", script).output();
    serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap();
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("out 4\n")
    );
    let output = looping(&scratch, "--iterations 1 --logs logs", script).output();
    assert_eq!(output.stdout, b"");
    let log = std::fs::read_to_string(scratch.home().join("work/logs/s-0005.log")).unwrap();
    assert!(log.contains("out 5\n") && log.contains("err 5\n"), "{log}");
}

#[test]
fn a_long_name_of_a_session_still_names_a_file() {
    let scratch = Scratch::new();
    let logs = scratch.home().join("work/logs");
    for session in ["ü".repeat(60), "ü".repeat(61)] {
        let words = "loop --iterations 1 --logs logs -- echo here".split(' ');
        let words = ["--session", &session].into_iter().chain(words);
        scratch.waynote(words.map(String::from)).ok();
    }
    assert_eq!(std::fs::read_dir(logs).unwrap().count(), 2);
}

/// The check for an executable searches `PATH` as the system does when it starts the agent.
#[test]
fn one_that_is_not_executable_is_no_iteration() {
    let scratch = Scratch::new();
    let work = scratch.home().join("work");
    let (first, second) = (work.join("first"), work.join("second"));
    for folder in [&first, &second] {
        std::fs::create_dir(folder).unwrap();
        std::fs::write(folder.join("agent"), "#!/bin/sh\ncat > /dev/null\n").unwrap();
    }
    let path = |folders: &str| format!("{folders}:{}", std::env::var("PATH").unwrap());
    let run = |agent: &str| {
        scratch
            .run(&format!(
                "--session s loop --iterations 1 --retries 0 -- {agent}"
            ))
            .env("PATH", path(&format!("{}:second", first.display())))
    };
    insta::assert_snapshot!(run("first/agent").said(), @"
    exit 1
    error: `first/agent` is not executable
      `chmod +x first/agent` makes it executable
    ");
    insta::assert_snapshot!(run("agent").said(), @"
    exit 1
    error: `HOME/work/first/agent` is not executable
      `chmod +x HOME/work/first/agent` makes it executable
    ");
    // One further down the path is found, in a folder that is named from the working directory too.
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(second.join("agent"), mode).unwrap();
    run("agent").ok();
    // Without PATH the system has folders of its own.
    scratch
        .run("--session s loop --iterations 2 -- true")
        .unset("PATH")
        .ok();
}
