//! Names in hints: a command copied from a hint works, for any name of a session or a key.

use std::process::Command;

use super::common::Scratch;
use super::loop_stops::looping;

const SESSION: &str = "x; touch pwned; `touch pwned` $(touch pwned)";

/// Runs the texts in backticks of a hint that begin with `waynote`, as a person would.
fn run_hints(scratch: &Scratch, said: &str) -> usize {
    let mut run = 0;
    for (begin, _) in said.match_indices("`waynote ") {
        let rest = &said[begin + "`waynote ".len()..];
        // The name has backticks of its own: the command ends with its quotes, or at the next one.
        let quoted_end = rest.find('\'').map(|first| {
            let last = rest[first + 1..].find('\'').expect("a closing quote");
            first + last + 2
        });
        let end = quoted_end.unwrap_or_default();
        let end = end + rest[end..].find('`').expect("the end of the command");
        let words = rest[..end].replace("@N", "@1");
        let program = env!("CARGO_BIN_EXE_waynote");
        let status = Command::new("sh")
            .args(["-c", &format!("{program} {words}")])
            .env_clear()
            .env("HOME", scratch.home())
            .current_dir(scratch.home())
            .output()
            .unwrap();
        assert!(!scratch.home().join("pwned").exists(), "{words}");
        let err = String::from_utf8_lossy(&status.stderr).into_owned();
        assert!(!err.contains("not found"), "{words}: {err}");
        run += 1;
    }
    run
}

#[test]
fn a_session_called_like_a_command_stays_a_name() {
    let scratch = Scratch::new();
    let run = |words: &[&str]| {
        let own = ["--session", SESSION];
        scratch.waynote(own.iter().chain(words)).said()
    };
    run(&["log", "add", "--type", "tip", "text"]);
    let blocked = "\"$WAYNOTE\" log blocked 'Which port?'";
    looping(&scratch, "--iterations 5", blocked)
        .env("WAYNOTE_SESSION", SESSION)
        .output();
    let address = format!("session:{SESSION}#event-99");
    let mut hints = run_hints(&scratch, &run(&["show", &address]));
    hints += run_hints(&scratch, &run(&["log", "show"]));
    assert!(hints >= 1);
}

#[test]
fn a_path_called_like_a_command_stays_a_path() {
    let scratch = Scratch::new();
    let place = "~/a; touch pwned";
    let write = |text: &str| scratch.ok(&format!("place write --at '{place}' {text}"));
    write("one");
    let said = write("two");
    assert_eq!(run_hints(&scratch, &said), 1, "{said}");
    scratch.waynote(["place", "write", "--at", "~", "two"]).ok();
    let address = format!("place:{place}");
    let said = scratch.waynote(["forget", "--yes", &address]).ok();
    assert_eq!(run_hints(&scratch, &said), 1, "{said}");
    let said = scratch.waynote(["undo", "place:~"]).ok();
    assert!(run_hints(&scratch, &said) >= 1, "{said}");
}
