//! Differences on a terminal: a line end after a note, and a question before something is destroyed.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Stdio};

use insta::assert_snapshot;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::common::{Scratch, has};

/// The screen of a person who types that into the running command, and its exit code.
pub(super) fn typed(scratch: &Scratch, words: &str, input: &str) -> String {
    seen(scratch.command(words).env("NO_COLOR", "1"), input)
}

/// The same of any command.
pub(super) fn seen(command: &mut Command, input: &str) -> String {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap();
    let name = std::ffi::OsStr::from_bytes(name.as_bytes());
    let open = || {
        let mut options = File::options();
        options.read(true).write(true).open(name).unwrap()
    };
    command
        .stdin(Stdio::from(open()))
        .stdout(Stdio::from(open()))
        .stderr(Stdio::from(open()));
    // Typed before it starts, so that the terminal's echo always comes first.
    let mut ours = File::from(ours);
    ours.write_all(input.as_bytes()).unwrap();
    let mut child = command.spawn().unwrap();
    // Else it is open here, too, and never ends.
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut seen = Vec::new();
    // The end is an error on Linux: nobody has the terminal open any more.
    let _ = ours.read_to_end(&mut seen);
    let code = child.wait().unwrap().code();
    let seen = String::from_utf8(seen).unwrap().replace("\r\n", "\n");
    match code {
        Some(0) => seen,
        Some(code) => format!("exit {code}\n{seen}"),
        None => format!("exit by a signal\n{seen}"),
    }
}

#[test]
fn a_note_ends_with_a_line_end_on_a_terminal_and_nowhere_else() {
    let scratch = Scratch::new();
    scratch.ok("key save k text");
    scratch.run("key save ends -").stdin("text\n").ok();
    scratch.ok("place write text");
    for words in ["key show k", "show agent:default#ends", "place read"] {
        assert_eq!(typed(&scratch, words, ""), "text\n", "{words}");
    }
    // An empty block is explained to a person.
    let elsewhere = Scratch::new();
    assert_eq!(typed(&elsewhere, "context", ""), "no notes apply here\n");
}

#[test]
fn forgetting_asks() {
    let scratch = Scratch::new();
    scratch.ok("key save k one");
    scratch.ok("key save k two");
    scratch.ok("key save other one");
    let forget = "forget agent:default#k";
    assert_snapshot!(typed(&scratch, forget, "n\n"), @"
    exit 1
    n
    would forget 2 revisions:
      agent:default#k@1
      agent:default#k@2
    these notes would be gone: agent:default#k
    the same text would remain in agent:default#other@1; `--everywhere` forgets it there too
    This cannot be undone. Forget it? [y/N] nothing was changed
    ");
    has(typed(&scratch, forget, "\n"), "[y/N] nothing was changed");
    assert_eq!(scratch.ok("key show k"), "two");
    // Without a terminal there is nobody to ask.
    assert_snapshot!(scratch.run(forget).said(), @"
    exit 1
    error: forgetting agent:default#k cannot be undone, and there is no terminal to confirm it
      add `--yes`
    ");
    assert_eq!(scratch.ok("key show k"), "two");
    let forgotten = "[y/N] forgot 2 revisions of agent:default#k; no text of it is left";
    has(typed(&scratch, forget, "y\n"), forgotten);
    assert_eq!(scratch.ok("key count"), "1\n");
}

/// A text that would colour, clear, turn around and hide.
const ACTS: &str =
    "begin \u{1b}[31mred\u{1b}]0;title\u{7} \u{9b}2J \u{202e}turned\u{200b}\u{e0041} end";

/// The text as it is saved.
const SAVED: &str = "begin \u{1b}[31mred\u{1b}]0;title\u{7} \u{9b}2J turned\u{200b} end";

/// A store with that text in every kind of note.
fn with_what_acts() -> Scratch {
    let scratch = Scratch::new();
    for words in [
        "key save k - --pin",
        "key save other -",
        "place write -",
        "--session s\u{202e}t --iteration 1 log add - --type stuck",
    ] {
        scratch.run(words).stdin(ACTS).ok();
    }
    scratch
}

const SHOWING: [&str; 14] = [
    "key save k x --if-revision 9",
    "log sessions",
    "show agent:default#k@1",
    "place read",
    "place all",
    "place list",
    "key list",
    "context",
    "context --style faithful",
    "search turned",
    "history agent:default#k",
    "--session s\u{202e}t log show",
    "--session s\u{202e}t log list",
    "--session s\u{202e}t context --style faithful",
];

#[test]
fn nothing_that_a_note_holds_acts_on_a_terminal() {
    let scratch = with_what_acts();
    let acts = ['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}', '\u{e0041}'];
    for words in SHOWING {
        let seen = typed(&scratch, words, "");
        assert!(!seen.contains(acts), "{words}: {seen:?}");
        let is_list = words == "log sessions";
        assert!(is_list || seen.contains("<U+001B>"), "{words}: {seen:?}");
        let seen = typed(&scratch, &format!("{words} --json"), "");
        assert!(!seen.contains(acts), "{words} --json: {seen:?}");
    }
    // A pipe gets the bytes.
    for words in ["key show k", "show agent:default#k", "place read"] {
        assert_eq!(scratch.run(words).bytes(), SAVED.as_bytes(), "{words}");
    }
    has(scratch.ok("context --style faithful"), SAVED);
    // JSON is the same text for every reader.
    let read = scratch.json("show agent:default#k --json");
    assert_eq!(read["content"], SAVED);
    let json = scratch.ok("show agent:default#k --json");
    has(&json, "\\u009b2J turned\\u200b end");
}

#[test]
fn our_own_colours_reach_a_terminal() {
    let scratch = with_what_acts();
    let coloured = |words: &str| {
        let mut command = scratch.command(words);
        command
            .env_remove("NO_COLOR")
            .env("TERM", "xterm")
            .env("CLICOLOR_FORCE", "1");
        seen(&mut command, "")
    };
    let found = coloured("search turned");
    has(&found, "\u{1b}[1mturned\u{200b}\u{1b}[0m");
    let log = coloured("--session s\u{202e}t log show");
    has(&log, "31mSTUCK\u{1b}[0m");
    for seen in [found, log] {
        has(seen, "<U+001B>[31mred");
    }
}
