//! Who is told that a loop has ended: the command of `--notify`, and the terminal.

use serde_json::Value;

use super::common::{Scratch, has, lacks};
use super::loop_stops::looping;
use super::terminal::typed;

#[test]
fn the_users_command_is_told_how_a_loop_ended() {
    let scratch = Scratch::new();
    let file = scratch.home().join("told");
    let keeps = "(echo $WAYNOTE_SESSION: $WAYNOTE_STATE; cat) > ../told";
    scratch.waynote(["config", "set", "notify", keeps]).ok();
    let secret = &format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let (until, prints) = (format!("--until {secret}"), format!("echo {secret}"));
    let asks = "\"$WAYNOTE\" log blocked 'may I $(run) it?'";
    for (options, script, state, text) in [
        ("--iterations 1", "true", "done", "iterations"),
        ("", "true", "stalled", "3 iterations without a new note"),
        ("--retries 0", "exit 7", "failed", "every attempt"),
        ("--iterations 1 --logs /dev/null/x", "true", "", ""),
        (
            "--tasks gone",
            "ln -sf /dev/zero gone",
            "failed",
            "`--tasks gone` cannot be read",
        ),
        ("--iterations 1", "kill -INT $PPID; sleep 1000", "", ""),
        (&until, &prints, "done", "the agent printed `"),
        ("", asks, "waiting for an answer", "may I $(run) it?"),
    ] {
        let _ = std::fs::remove_file(&file);
        scratch.put("work/gone", "a task");
        looping(&scratch, options, script).output();
        let told = std::fs::read_to_string(&file).unwrap_or_default();
        let (said, summary) = told.split_once('\n').unwrap_or_default();
        if state.is_empty() {
            assert_eq!(told, "", "{options} {script}");
            continue;
        }
        assert_eq!(said, format!("s: {state}"), "{options} {script}");
        let summary: Value = serde_json::from_str(summary).unwrap();
        assert_eq!(summary["state"], state);
        has(summary.to_string(), text);
        assert!(!told.contains(secret), "{told}");
    }
    // A loop that did not start did not end.
    let _ = std::fs::remove_file(&file);
    looping(&scratch, "", "true").output();
    assert!(!file.exists());
}

#[test]
fn a_command_that_fails_is_one_line_and_changes_nothing() {
    let scratch = Scratch::new();
    scratch.ok("config set notify false");
    let run = scratch.run("--session s loop --stall 1 --notify 'echo offline >&2; exit 9' -- true");
    let said = run.said();
    has(&said, "exit 3\n");
    has(
        said,
        "\nwarning: the command of `--notify` failed: exit code 9: offline\n",
    );
}

#[test]
fn a_terminal_gets_a_title_and_a_bell() {
    let scratch = Scratch::new();
    let seen = typed(&scratch, "--session s loop --iterations 1 -- true", "");
    has(&seen, "\u{1b}]0;s #1\u{7}");
    has(&seen, "\u{1b}]0;s: done\u{7}\u{7}");
}

#[test]
fn a_session_that_goes_on_shows_its_iterations_and_notes() {
    let scratch = Scratch::new();
    let adds = "\"$WAYNOTE\" log add old --type tip";
    looping(&scratch, "--iterations 1", adds).said();
    let tip = scratch.run("--session s log add use-the-VPN --type tip");
    tip.env("WAYNOTE_NOW", "2026-05-17T13:00:00Z").ok();
    let said = looping(&scratch, "--iterations 1", "true").said();
    has(&said, "resuming after #1 (2 notes)\n\nITERATIONS\n\n");
    has(&said, "TIP\n  [#1] old\n  [#1] use-the-VPN\n\n");
    looping(&scratch, "", "\"$WAYNOTE\" log blocked 'which?'").said();
    scratch.ok("answer s this");
    let said = looping(&scratch, "--iterations 1", "true").said();
    has(said, "resuming after #3 (2 notes)\n");
}

/// The lines of the end, too.
#[test]
fn a_sessions_name_is_shown_and_not_acted_on() {
    let scratch = Scratch::new();
    let words = "--session 'a \u{202e}b' loop --iterations 1 -- true";
    let said = scratch.run(words).said();
    lacks(&said, "\u{202e}");
    has(said, "session 'a b': 1 iteration in ");
}
