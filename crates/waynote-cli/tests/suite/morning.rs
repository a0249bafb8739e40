//! `waynote` alone, in the morning: what waits, what ran, what is new, what applies here.

use super::common::{Scratch, fields, has, lacks};
use super::terminal::seen;

fn looping(scratch: &Scratch, session: &str, script: &str) {
    let words = format!("--session {session} loop --retries 0 --iterations 1 -- sh -c");
    scratch.command(&words).arg(script).output().unwrap();
}

#[test]
fn questions_come_first_then_loops_then_what_is_new_then_the_notes_here() {
    let scratch = Scratch::new();
    scratch.ok("place write 'A workspace.\nMore.'");
    scratch.ok("key save build 'make all' --pin");
    scratch.ok("key save flaky 'checkout fails about once'");
    scratch.ok("status");
    let asks = "\"$WAYNOTE\" log blocked 'Which colour?\nblue or green'";
    looping(&scratch, "asks", asks);
    looping(&scratch, "fails", "exit 1");
    looping(&scratch, "does", "\"$WAYNOTE\" log add a --type tip");
    scratch.ok("--author agent:mia key save more 'by an agent'");
    insta::assert_snapshot!(scratch.ok("status"), @"
    asks asks (#1): Which colour? blue or green
      waynote answer asks TEXT    then: waynote loop --continue asks
    fails  failed  #1, 2026-05-17 12:00  0  the agent failed in every attempt
      waynote loop --continue fails
    does   done    #1, 2026-05-17 12:00  1  all iterations ran
    Since 2026-05-17 12:00 UTC: 1 change by agent:mia, 1 change by agent:default

    Here, ~/work (4 notes, 87 tokens at a start):
      ~/work          A workspace.
      #build  pinned  make all
      #flaky          checkout fails about once
      #more           by an agent
      waynote context · waynote search WORDS · waynote --help
    ");
    // Once seen, it is not new.
    lacks(scratch.ok("status"), "Since ");
    let data = scratch.json("status --json");
    let parts = "waiting/0/continue notes_that_apply sessions/0/state sessions/1/state";
    let said = "waynote loop --continue asks 4 failed done";
    assert_eq!(fields(&data, parts), said);
}

#[test]
fn it_has_twenty_lines_at_most() {
    let scratch = Scratch::new();
    for number in 0..30 {
        scratch.ok(&format!("key save k{number} text"));
        if number < 6 {
            let asks = "\"$WAYNOTE\" log blocked why";
            looping(&scratch, &format!("asks{number}"), asks);
            looping(&scratch, &format!("does{number}"), "true");
        }
    }
    let shown = scratch.ok("status");
    assert_eq!(shown.lines().count(), 20, "{shown}");
    has(&shown, "3 more wait for an answer: waynote log sessions");
    has(&shown, " more: waynote log sessions\n");
}

#[test]
fn a_terminal_has_local_times_and_ages_and_rows_that_fit() {
    let scratch = Scratch::new();
    scratch.ok(&format!("key save build '{}'", "make all ".repeat(20)));
    looping(&scratch, "s", "true");
    let on_terminal = |words: &str, name: &str, value: &str| {
        let mut command = scratch.command(words);
        seen(command.env("TERM", "xterm").env(name, value), "")
    };
    let list = on_terminal("key list", "TZ", "JST-9");
    has(&list, "2026-05-17 21:00");
    has(&list, "agent:default#build");
    has(
        on_terminal("key list --utc", "TZ", "JST-9"),
        "2026-05-17T12:00:00Z",
    );
    let piped = scratch.run("key list").env("TZ", "JST-9").ok();
    has(piped, "2026-05-17T12:00:00Z");
    let sessions = on_terminal("log sessions", "WAYNOTE_NOW", "2026-05-17T15:30:00Z");
    has(&sessions, "3h ago");
    has(&sessions, "\u{1b}[32mdone\u{1b}[0m");
}

#[test]
fn times_are_read_as_people_write_them() {
    let scratch = Scratch::new();
    let first = scratch.run("key save k one");
    first.env("WAYNOTE_NOW", "2026-05-15T12:00:00Z").ok();
    scratch.ok("key save k two");
    for (time, text) in [("yesterday", "one"), ("1", "one"), ("now", "two")] {
        let then = format!("show agent:default#k --as-of {time}");
        assert_eq!(scratch.ok(&then), text, "{time}");
    }
    insta::assert_snapshot!(scratch.run("show agent:default#k --as-of soon").said(), @"
    exit 2
    error: `soon` is not a time
      write it as 2026-05-17, '2026-05-17 14:00', 2026-05-17T12:00:00Z, yesterday, 2h or '2 days ago'
    ");
}
