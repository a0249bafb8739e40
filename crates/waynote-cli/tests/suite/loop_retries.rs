//! A failed agent is tried again, its last words are printed, and a run that was cut short is continued.

use std::io::{BufRead, BufReader};

use super::common::{Scratch, fields, has, signal};
use super::loop_stops::{looping, reached, seconds_gone, summary};

#[test]
fn what_an_agent_said_when_it_failed_is_told_at_once_and_kept() {
    let scratch = Scratch::new();
    let script = "echo working; test -e tried && exit 0; touch tried; \
        printf '\\033[31mError:\\033[0m overloaded_error (529)\\n  at x.js\\n' >&2; exit 1";
    let said = looping(&scratch, "--iterations 1 --logs logs", script).said();
    has(
        seconds_gone(&said),
        "12:00:00 iteration 1: failed (exit code 1); attempt 2 of 9 in N.Ns\n\
         12:00:00 failed with: Error: overloaded_error (529)\n",
    );
    let fails = "echo 'the network is down' >&2; exit 7";
    let said = looping(&scratch, "--retries 1 --logs logs", fails).said();
    assert!(said.starts_with("exit 5\n"), "{said}");
    let end = said.split("failed: ").last().unwrap();
    insta::assert_snapshot!(end, @"
    the agent failed (exit code 7) in every attempt
      failed with: the network is down
    see `waynote --session s log show`; when the cause is fixed, go on: `waynote loop --continue s`
    ");
    insta::assert_snapshot!(seconds_gone(&scratch.ok("--session s log show")), @"

    ITERATIONS

    ITERATION  STARTED (UTC)     TOOK  ENDED                             NOTES
    #1         2026-05-17 12:00  N.Ns  done, 2 attempts                  0
    #2         2026-05-17 12:00  N.Ns  failed (exit code 7), 2 attempts  0
    #1 at first failed with: Error: overloaded_error (529)
    #2 failed with: the network is down

    state: failed
      the agent failed in every attempt
    to go on: `waynote loop --continue s`
    ");
    let shown = scratch.json("--session s log show --json");
    assert_eq!(shown["iterations"][1]["said"], "the network is down");
}

/// A command that does not work is no outage.
#[test]
fn a_command_that_fails_at_once_is_given_up_soon() {
    let scratch = Scratch::new();
    let said = looping(&scratch, "--logs logs", "exit 7").said();
    let end = said.split("attempt 5 of 9").last().unwrap();
    insta::assert_snapshot!(seconds_gone(end), @"
     in N.Ns
    12:00:00 session s: 1 iteration in N.Ns, 0 notes added
    failed: the agent failed (exit code 7) at once, 5 times in a row
    see `waynote --session s log show`; when the cause is fixed, go on: `waynote loop --continue s`
    ");
    has(
        scratch.ok("log sessions"),
        "it failed at once 5 times in a row",
    );
}

#[test]
fn a_wait_ends_with_a_signal_and_with_the_time() {
    let scratch = Scratch::new();
    let words = "--session s loop --retry-wait 1h -- sh -c 'exit 1'";
    let mut child = scratch.run(words).piped();
    let said = BufReader::new(child.stderr.take().unwrap());
    let mut lines = said.lines().map(Result::unwrap);
    let waits = "iteration 1: failed (exit code 1); attempt 2 of 9 in 5m 00s";
    assert!(lines.any(|line| line.ends_with(waits)));
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let run = scratch.run("--session t loop --retry-wait 1h --time 1s --json -- false");
    assert_eq!(summary(run).1["reason"], "time");
}

/// Goose prints its error and exits with code 0.
#[test]
fn a_client_that_says_only_in_words_that_it_failed_is_tried_again() {
    let scratch = Scratch::new();
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", scratch.home().join("bin").display());
    let fails = "echo '     L L     goose is ready'\n\
        echo 'Ran into this error: Server error: Server error (503 Service Unavailable): overloaded.'\n\
        echo\necho 'Please retry if you think this is a transient or recoverable error.'";
    let script = format!("#!/bin/sh\ncat > /dev/null\n{fails}\n");
    scratch.script("bin/goose", &script);
    let words =
        "--session goose loop --retry-wait 0s --iterations 1 --retries 2 --json --with goose";
    let (code, of) = summary(scratch.run(words).env("PATH", path));
    assert_eq!((code, &of["reason"]), (5, &"failed".into()));
    let iteration = &of["iterations"][0];
    assert_eq!(fields(iteration, "outcome/how attempts"), "reported 3");
    assert_eq!(
        iteration["said"],
        "Ran into this error: Server error: Server error (503 Service Unavailable): overloaded."
    );
    let shown = scratch.ok("--session goose log show");
    has(
        &shown,
        "failed (exit code 0, but its output says so), 3 attempts",
    );
}

#[test]
fn the_same_command_goes_on_with_a_run_that_was_cut_short() {
    let scratch = Scratch::new();
    let script = "test $WAYNOTE_ITERATION = 2 && kill -INT $PPID && sleep 1000; true";
    let run = |options: &str| seconds_gone(&looping(&scratch, options, script).said());
    has(
        run("--stall 0 --iterations 3"),
        "interrupted: SIGINT\ngo on: `waynote loop --continue s` (2 of 3 iterations left)\n",
    );
    insta::assert_snapshot!(run("--stall 0 --iterations 3"), @"
    12:00:00 session s, 2026-05-17 12:00 UTC: sh as agent default; at most 3 iterations; output below
    12:00:00 resuming after #2 (0 notes)

    ITERATIONS

    ITERATION  STARTED (UTC)     TOOK  ENDED        NOTES
    #1         2026-05-17 12:00  N.Ns  done         0
    #2         2026-05-17 12:00  N.Ns  interrupted  0

    12:00:00 continuing: 1 of 3 iterations are done
    12:00:00 ── iteration 3 ──
    12:00:00 ── iteration 4 ──
    12:00:00 session s: 2 iterations in N.Ns, 0 notes added
    done: the 3 requested iterations are done
    ");
    // That run is over, and the next one has as many.
    let reached = |options: &str| reached(&scratch, options, script);
    assert_eq!(reached("--stall 0 --iterations 3"), "0 iterations 3");
    // After a stall, another number is another run.
    assert_eq!(reached("--stall 2 --iterations 9"), "3 stalled 2");
    assert_eq!(reached("--stall 0 --iterations 2"), "0 iterations 2");
}
