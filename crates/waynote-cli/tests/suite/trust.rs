//! `waynote trust`: a person says once that the shared notes of a checkout are read.

use serde_json::json;

use super::common::{Scratch, git, has, lacks};
use super::terminal::{seen, typed};

/// A checkout that shares two notes.
fn sharing() -> Scratch {
    let scratch = Scratch::new();
    git(&scratch.home().join("work"), "init -q");
    scratch.put("work/.waynote/README.md", "Prices are in cents.\n");
    scratch.put(
        "work/.waynote/src/pay/fees.md",
        "Fees are booked at night.\n",
    );
    scratch
}

/// The block of a session that begins in the checkout.
fn block(scratch: &Scratch, session: &str) -> String {
    let input = json!({
        "session_id": session, "cwd": scratch.home().join("work"), "hook_event_name": "SessionStart",
        "source": "startup",
    });
    let run = scratch.run("hook opencode SessionStart");
    run.stdin(input.to_string()).patient().ok()
}

const LINE: &str =
    "waynote: 2 shared notes of this checkout are not read; a person runs `waynote trust` here\n";

#[test]
fn a_person_is_asked_once() {
    let scratch = sharing();
    // Each block says it until then, and none has a text of the files.
    for session in ["a", "b"] {
        assert_eq!(block(&scratch, session), LINE);
    }
    has(
        scratch.ok("status"),
        "2 shared notes of this checkout are not read",
    );
    has(
        scratch.run("doctor").said(),
        "note  2 shared notes of this checkout are not read",
    );
    // So does each list, beside its text.
    for words in ["ls", "context", "search cents", "show build", "stale"] {
        has(
            scratch.run(words).said(),
            "warning: 2 shared notes of this checkout are not read\n  a person runs `waynote trust` here",
        );
    }
    let screen = typed(&scratch, "trust", "n\n");
    insta::assert_snapshot!(screen, @"
    exit 1
    n
    ~/work/.waynote has 2 shared notes; `find ~/work/.waynote -type f -exec less {} +` shows them.
    Agents that work here would get them in their prompts, also as later commits change them: whoever writes to this
    repository, or to a branch that you check out, can say something to them.
    Read the shared notes of this checkout from now on? [y/N] nothing was changed
    ");
    assert_eq!(block(&scratch, "c"), LINE);
    has(
        typed(&scratch, "trust", "y\n"),
        "the shared notes of ~/work are read; `waynote trust --remove` ends that",
    );
    lacks(block(&scratch, "d"), "are not read");
    lacks(scratch.ok("status"), "are not read");
    // It is said again without a question.
    has(
        scratch.ok("trust src"),
        "the shared notes of ~/work are read",
    );
    has(
        scratch.ok("trust --remove"),
        "the shared notes of ~/work are not read",
    );
    assert_eq!(block(&scratch, "e"), LINE);
    // By a pattern in the settings.
    let by_pattern = scratch.run("status").env("WAYNOTE_TRUST", "~/wo*");
    lacks(by_pattern.ok(), "are not read");
    scratch.ok("config set trust ~/work");
    lacks(block(&scratch, "f"), "are not read");
    has(
        scratch.ok("trust --remove"),
        "the setting `trust` still has ~/work read",
    );
    has(
        scratch.run("config set trust work").said(),
        "is not a pattern of whole paths",
    );
}

#[test]
fn an_agent_does_not_trust() {
    let scratch = sharing();
    has(
        scratch.run("trust").said(),
        "are read\n  a person runs `waynote trust ~/work` in a terminal",
    );
    for (variable, value) in [("CLAUDECODE", "1"), ("WAYNOTE_LOOP", "session:s#event-1")] {
        let mut command = scratch.command("trust");
        let screen = seen(command.env(variable, value), "y\n");
        let trusts = "only a person says whether shared notes are read";
        has(screen, trusts);
        let remove = scratch.run("trust --remove").env(variable, value);
        has(remove.said(), trusts);
        let mut command = scratch.command("start --no-install");
        let screen = seen(command.env(variable, value), "none\n");
        lacks(screen, "Read the shared notes");
        for (name, set) in [
            ("trust", "/**"),
            ("team.store", "https://notes.example/s/x"),
            ("team.repositories", "github.com/**"),
            ("token_command", "true"),
        ] {
            for words in [
                format!("config set {name} {set}"),
                format!("config unset {name}"),
                format!("--set {name}={set} ls"),
            ] {
                let screen = scratch.run(&words).env(variable, value).said();
                has(screen, format!("only a person sets `{name}"));
            }
        }
        for (words, set) in [
            ("config set token_file t", "token_file"),
            ("--token-file t ls", "token_file"),
            ("config unset team", "team"),
        ] {
            let said = scratch.run(words).env(variable, value).said();
            has(said, format!("only a person sets `{set}`"));
        }
    }
    assert_eq!(block(&scratch, "a"), LINE);
}

#[test]
fn start_asks_where_notes_are_shared() {
    let scratch = sharing();
    let screen = typed(&scratch, "start --no-install", "y\n");
    has(
        screen,
        "Read the shared notes of this checkout from now on? [y/N]",
    );
    assert_eq!(
        scratch.ok("trust"),
        "the shared notes of ~/work are read; `waynote trust --remove` ends that\n"
    );
    lacks(
        typed(&scratch, "start --no-install", ""),
        "Read the shared notes",
    );
    // Who has none is never asked.
    let elsewhere = Scratch::new();
    git(&elsewhere.home().join("work"), "init -q");
    lacks(typed(&elsewhere, "start --no-install", ""), "hared notes");
    assert_eq!(block(&elsewhere, "a"), "");
    lacks(elsewhere.ok("status"), "hared notes");
}

#[test]
fn notes_that_cannot_be_counted_are_asked_about_too() {
    let scratch = sharing();
    for number in 0..4096 {
        scratch.put(&format!("work/.waynote/note-{number}.md"), "of others");
    }
    has(
        scratch.ok("status"),
        "shared notes of this checkout are not read",
    );
    scratch.ok("note --key build 'make all'");
    has(
        scratch.run("share build").said(),
        "there is no terminal to ask a person whether the shared notes of this checkout are read",
    );
    // A question is asked of a person.
    has(
        typed(&scratch, "share build", "n\n"),
        "~/work/.waynote has shared notes; `find ~/work/.waynote",
    );
    lacks(scratch.run("share build").said(), "wrote");
}
