//! `waynote` alone, in the morning: what waits, what ran, what is new, what applies here.

use super::common::{Scratch, has, lacks};
use super::terminal::typed;

fn looping(scratch: &Scratch, session: &str, script: &str) {
    let words = [
        "--session",
        session,
        "loop",
        "--retries",
        "0",
        "--iterations",
        "1",
        "--",
        "sh",
        "-c",
        script,
    ];
    scratch.waynote(words).output();
}

#[test]
fn questions_come_first_then_loops_then_what_is_new_then_the_notes_here() {
    let scratch = Scratch::new();
    scratch.ok("place write 'A workspace.\nMore.'");
    scratch.ok("key save build 'make all' --pin");
    scratch.ok("key save flaky 'checkout fails about once'");
    let say = |words: &str| {
        scratch
            .run(words)
            .env("WAYNOTE_NOW", "2026-05-17T15:30:00Z")
            .ok()
    };
    insta::assert_snapshot!(scratch.ok("status"), @"
    Here, ~/work (3 notes, 105 tokens at a start):
      #build  pinned  make all
      ~/work          A workspace.
      #flaky          checkout fails about once
      waynote context · waynote search WORDS · waynote --help
    ");
    looping(
        &scratch,
        "asks",
        "\"$WAYNOTE\" log blocked 'Which colour?\nblue or green'",
    );
    looping(&scratch, "fails", "exit 1");
    looping(&scratch, "does", "\"$WAYNOTE\" log add a --type tip");
    scratch.ok("--author agent:mia key save more 'by an agent'");
    insta::assert_snapshot!(say("status"), @"
    asks asks (#1): Which colour? blue or green
      waynote answer asks TEXT    then: waynote loop --continue asks
    fails  failed  #1, 2026-05-17 12:00  0  the agent failed in every attempt
      waynote loop --continue fails
    does   done    #1, 2026-05-17 12:00  1  all iterations ran
    Since 2026-05-17 12:00 UTC: 1 change by agent:mia, 1 change by agent:default

    Here, ~/work (4 notes, 130 tokens at a start):
      #build  pinned  make all
      ~/work          A workspace.
      #flaky          checkout fails about once
      #more           by an agent
      waynote context · waynote search WORDS · waynote --help
    ");
    // Once seen, it is not new.
    lacks(scratch.ok("status"), "Since ");
    let data = scratch.json("status --json");
    assert_eq!(
        data["waiting"][0]["continue"],
        "waynote loop --continue asks"
    );
    assert_eq!(data["notes_that_apply"], 4);
    let states = data["sessions"].as_array().unwrap().iter();
    let states: Vec<_> = states.map(|of| of["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["failed", "done"]);
}

#[test]
fn loops_to_look_at_come_first_and_the_others_are_counted() {
    let scratch = Scratch::new();
    scratch.ok("place write Here.");
    looping(&scratch, "old", "exit 1");
    looping(&scratch, "asks", "\"$WAYNOTE\" log blocked why");
    for number in 0..5 {
        looping(&scratch, &format!("s{number}"), "true");
    }
    insta::assert_snapshot!(scratch.ok("status"), @"
    asks asks (#1): why
      waynote answer asks TEXT    then: waynote loop --continue asks
    old  failed  #1, 2026-05-17 12:00  0  the agent failed in every attempt
      waynote loop --continue old
    s4   done    #1, 2026-05-17 12:00  0  all iterations ran
    s3   done    #1, 2026-05-17 12:00  0  all iterations ran
    … 3 more: waynote log sessions

    Here, ~/work (1 note, 39 tokens at a start):
      ~/work    Here.
      waynote context · waynote search WORDS · waynote --help
    ");
    let tail = scratch.ok("--session asks log tail");
    has(&tail, "iteration 1 ended: ");
    let data = scratch.json("status --json");
    assert_eq!(data["more_sessions"], 3);
    assert_eq!(
        data["sessions"][0]["continue"],
        "waynote loop --continue old"
    );
    assert!(data["sessions"][1]["continue"].is_null());
}

#[test]
fn it_has_twenty_lines_at_most() {
    let scratch = Scratch::new();
    for number in 0..30 {
        scratch.ok(&format!("key save k{number} text"));
        if number < 6 {
            looping(
                &scratch,
                &format!("s{number}"),
                "\"$WAYNOTE\" log blocked why",
            );
        }
    }
    let shown = scratch.ok("status");
    assert_eq!(shown.lines().count(), 20, "{shown}");
    has(&shown, "3 more wait for an answer: waynote log sessions");
}

#[test]
fn a_terminal_has_local_times_and_ages_and_rows_that_fit() {
    let scratch = Scratch::new();
    scratch.ok(&format!("key save build '{}'", "make all ".repeat(20)));
    let on_terminal = |words: &str| {
        let mut command = scratch.command(words);
        command.env("NO_COLOR", "1").env("TZ", "JST-9");
        super::terminal::seen(&mut command, "")
    };
    has(on_terminal("key list"), "2026-05-17 21:00");
    has(on_terminal("key list --utc"), "2026-05-17T12:00:00Z");
    has(
        scratch.run("key list").env("TZ", "JST-9").ok(),
        "2026-05-17T12:00:00Z",
    );
    looping(&scratch, "s", "true");
    let later = |words: &str| {
        let mut command = scratch.command(words);
        command
            .env("NO_COLOR", "1")
            .env("WAYNOTE_NOW", "2026-05-17T15:30:00Z");
        super::terminal::seen(&mut command, "")
    };
    has(later("log sessions"), "3h ago");
    has(typed(&scratch, "key list", ""), "agent:default#build");
    let coloured = super::terminal::seen(scratch.command("log sessions").env("TERM", "xterm"), "");
    has(coloured, "\u{1b}[32mdone\u{1b}[0m");
}

#[test]
fn times_are_read_as_people_write_them() {
    let scratch = Scratch::new();
    scratch
        .run("key save k one")
        .env("WAYNOTE_NOW", "2026-05-15T12:00:00Z")
        .ok();
    scratch.ok("key save k two");
    for (time, text) in [
        ("yesterday", "one"),
        ("2h", "one"),
        ("'2 days ago'", "one"),
        ("2026-05-16", "one"),
        ("1", "one"),
        ("now", "two"),
    ] {
        assert_eq!(
            scratch.ok(&format!("show agent:default#k --as-of {time}")),
            text,
            "{time}"
        );
    }
    has(scratch.ok("context --as-of yesterday"), "one");
    insta::assert_snapshot!(scratch.run("show agent:default#k --as-of soon").said(), @"
    exit 2
    error: `soon` is not a time
      write it as 2026-05-17, '2026-05-17 14:00', 2026-05-17T12:00:00Z, yesterday, 2h or '2 days ago'
    ");
}

#[test]
fn quiet_says_errors_and_nothing_else() {
    let scratch = Scratch::new();
    let loops = [
        "--session",
        "s",
        "--quiet",
        "loop",
        "--iterations",
        "1",
        "--",
        "true",
    ];
    assert_eq!(scratch.waynote(loops).said(), "");
    has(
        scratch.run("--quiet show agent:default#none").said(),
        "error: ",
    );
}
