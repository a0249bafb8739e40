//! Every session is listed, with how it stands: whether it has notes or not, and whatever became of its loop.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use super::common::{Scratch, until};

/// A loop in a session, whose agent is a shell script.
fn looping(scratch: &Scratch, session: &str, script: &str) -> Option<i32> {
    let words = [
        "--session",
        session,
        "loop",
        "--retries",
        "0",
        "--iterations",
        "1",
    ];
    let words = words.into_iter().chain(["--", "sh", "-c", script]);
    let run = scratch.waynote(words.map(String::from));
    run.env("WAYNOTE", env!("CARGO_BIN_EXE_waynote"))
        .output()
        .status
        .code()
}

#[test]
fn all_are_listed_with_how_they_stand() {
    let scratch = Scratch::new();
    assert_eq!(scratch.ok("log sessions"), "no sessions\n");
    scratch.ok("--session by-hand --iteration 4 log add here --type tip");
    let asks = "\"$WAYNOTE\" log blocked 'Which colour?\nblue or green'";
    assert_eq!(looping(&scratch, "asks", asks), Some(4));
    assert_eq!(looping(&scratch, "fails", "exit 1"), Some(5));
    assert_eq!(
        looping(&scratch, "does", "\"$WAYNOTE\" log add a --type tip"),
        Some(0)
    );
    let says = "\"$WAYNOTE\" log complete done";
    assert_eq!(looping(&scratch, "says", says), Some(0));
    let start = |session: &str| {
        let mut command = scratch.command(&format!("--session {session} loop -- sh -c"));
        command
            .arg("\"$WAYNOTE\" log add begun --type tip; echo here; cat > /dev/null; sleep 1000")
            .env("WAYNOTE", env!("CARGO_BIN_EXE_waynote"));
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap() == "here"));
        child
    };
    let (mut runs, mut killed) = (start("runs"), start("killed"));
    killed.kill().unwrap();
    killed.wait().unwrap();
    let sessions = scratch.ok("log sessions");
    insta::assert_snapshot!(sessions, @"");
    let one = |session: &str| {
        let said = scratch.ok(&format!("--session {session}"));
        said.lines().nth(3).unwrap().to_owned()
    };
    let lines = ["asks", "runs", "killed", "by-hand", "none"].map(one);
    insta::assert_snapshot!(lines.join("\n"), @"");
    let overview = scratch.json("--session asks --json");
    insta::assert_snapshot!(overview["session"], @"");
    let shown = scratch.ok("--session runs log show");
    assert!(shown.contains("running  1\n"), "{shown}");
    let shown = scratch.ok("--session killed log show");
    assert!(
        shown.contains("lost     1\n") || shown.contains("lost   1\n"),
        "{shown}"
    );
    let listed = scratch.json("log sessions --json");
    insta::assert_snapshot!(listed[0], @"");
    let kill = std::process::Command::new("kill")
        .arg(runs.id().to_string())
        .status();
    assert!(kill.unwrap().success());
    runs.wait().unwrap();
    until("its end", || {
        scratch.ok("log sessions").contains("interrupted")
    });
}
