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
    has(String::from_utf8(output.stderr).unwrap(), "out 4\n");
    let output = looping(&scratch, "--iterations 1 --logs logs", script).output();
    assert_eq!(output.stdout, b"");
    let log = std::fs::read_to_string(scratch.home().join("work/logs/s-0005.log")).unwrap();
    assert!(log.contains("out 5\n") && log.contains("err 5\n"), "{log}");
}

/// The check for an executable searches `PATH` as the system does when it starts the agent.
#[test]
fn one_that_is_not_executable_is_no_iteration() {
    let scratch = Scratch::new();
    let agent = "#!/bin/sh\ncat > /dev/null\n";
    let first = scratch.put("work/first/agent", agent);
    scratch.put("work/second/agent", agent);
    let first = first.parent().unwrap().display();
    let path = format!("{first}:second:{}", std::env::var("PATH").unwrap());
    let run = |agent: &str| {
        let words = format!("--session s loop --iterations 1 --retries 0 -- {agent}");
        scratch.run(&words).env("PATH", &path)
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
    scratch.script("work/second/agent", agent);
    run("agent").ok();
    // Without PATH the system has folders of its own.
    run("true").unset("PATH").ok();
}
