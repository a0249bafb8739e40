//! `waynote forget` of texts in a session's events, and of a text everywhere: no byte of it is left.

use insta::assert_snapshot;

use super::common::{Scratch, has};
use super::forget::holding;
use super::loop_stops::looping;

/// The mark of the texts to forget. No other text has it.
const MARK: &str = "zq7Kp";

/// The files of a home that hold the mark.
fn marked_files(scratch: &Scratch) -> Vec<String> {
    holding(&scratch.home(), &[MARK.as_bytes()])
}

/// A session with a question, an answer, an agent that failed and a summary, each with the mark.
fn said() -> Scratch {
    let scratch = Scratch::new();
    let ask = format!("\"$WAYNOTE\" log blocked 'Is {MARK}-question right?'");
    looping(&scratch, "--iterations 5", &ask).output();
    let answer = format!("--iterations 1 --retries 0 --answer {MARK}-answer");
    let fail = format!("echo {MARK}-failed >&2; exit 3");
    looping(&scratch, &answer, &fail).output();
    let complete = format!("\"$WAYNOTE\" log complete 'All of {MARK}-summary is done.'");
    looping(&scratch, "--iterations 2", &complete).ok();
    scratch
}

/// The events with the mark.
fn marked(scratch: &Scratch) -> Vec<String> {
    let shown = scratch.json("--session s log show --json");
    let events = shown["events"].as_array().unwrap().iter();
    let marked = events.filter(|event| event.to_string().contains(MARK));
    marked
        .map(|event| event["address"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn what_was_said_in_each_event_is_forgotten_by_its_address() {
    let scratch = said();
    let events = marked(&scratch);
    assert!(events.len() >= 4, "{events:?}");
    for event in &events {
        let said = scratch.ok(&format!("forget {event} --yes"));
        assert!(
            said.starts_with(&format!("forgot 1 event of {event}")),
            "{said}"
        );
        assert!(scratch.ok(&format!("show {event}")).contains("[forgotten]"));
    }
    assert_eq!(marked(&scratch), [""; 0]);
    // The answer was also kept as a note of the log.
    let entries = scratch.json("--session s log list --json");
    for entry in entries.as_array().unwrap() {
        let entry = entry["address"].as_str().unwrap();
        scratch.ok(&format!("forget {entry} --yes"));
    }
    assert_eq!(marked_files(&scratch), [""; 0]);
    has(scratch.ok("verify"), "is sound");
    assert_snapshot!(scratch.run(&format!("forget {} --yes", events[0])).said(), @"session:s#event-3 has no text left to forget");
    assert_snapshot!(scratch.run("forget session:s#event-99 --yes").said(), @"
    exit 1
    error: there is no session:s#event-99
      see `waynote place list`, `key list` or `log list`
    ");
    assert_snapshot!(scratch.run("forget session:s#event-1 --revision 1 --yes").said(), @"
    exit 2
    error: session:s#event-1 has no revisions
      leave out --revision
    ");
}

#[test]
fn a_whole_session_is_forgotten() {
    let scratch = said();
    scratch.ok(&format!("--session s log add --type tip {MARK}-tip"));
    scratch.ok("--session other log add --type tip stays");
    assert_snapshot!(scratch.ok("forget session:s --yes"), @"forgot 2 revisions and 4 events of session:s");
    assert_eq!(marked_files(&scratch), [""; 0]);
    has(scratch.ok("--session other log list"), "stays");
    has(scratch.ok("verify"), "is sound");
    assert_snapshot!(scratch.run("forget session:s --yes").said(), @"session:s has no text left to forget");
    assert_snapshot!(scratch.run("forget session:never --yes").said(), @"
    exit 1
    error: there is no session:never
      `waynote log sessions` lists the sessions
    ");
    // The loop goes on from where it was.
    looping(&scratch, "--iterations 1", "true").ok();
}

#[test]
fn a_text_is_forgotten_in_notes_and_events_alike() {
    let scratch = Scratch::new();
    let secret = format!("{MARK}-hunter2");
    scratch.ok(&format!("key save k {secret}"));
    scratch.ok(&format!("place write --at ~ {secret}"));
    let ask = format!("\"$WAYNOTE\" log blocked 'Does {secret} still work?'");
    looping(&scratch, "--iterations 5", &ask).output();
    assert_snapshot!(scratch.ok("forget agent:default#k --dry-run"), @"
    would forget 1 revision:
      agent:default#k@1
    these notes would be gone: agent:default#k
    the same text would remain in place:~@1, session:s#event-3; `--everywhere` forgets it there too
    ");
    assert_snapshot!(scratch.ok("forget agent:default#k --yes"), @"
    forgot 1 revision of agent:default#k; no text of it is left
    the same text remains in place:~@1, session:s#event-3; `waynote forget place:~@1 --everywhere` forgets it there too
    ");
    assert_ne!(marked_files(&scratch), [""; 0]);
    assert_snapshot!(scratch.ok("forget place:~ --everywhere --yes"), @"forgot 1 revision and 1 event of place:~; no text of it is left");
    assert_eq!(marked_files(&scratch), [""; 0]);
    has(scratch.ok("verify"), "is sound");
}

/// A client, a hook and a file kept in sync: nothing of theirs keeps a text.
#[test]
fn no_file_that_waynote_wrote_keeps_a_text() {
    let scratch = Scratch::new();
    let text = format!("{MARK} is the word");
    let synced = scratch.home().join("notes.json");
    let run = |words: &[&str]| {
        let run = scratch.waynote(words).cwd(scratch.home());
        run.env("ZRB_LLM_NOTE_FILE", &synced).ok()
    };
    run(&["install", "claude-code"]);
    run(&["place", "write", "--at", "~/work", &text]);
    let said = format!(
        r#"{{"session_id":"a","cwd":"{}/work","hook_event_name":"SessionStart","source":"startup"}}"#,
        scratch.home().display()
    );
    let hook = scratch.run("hook claude-code SessionStart").stdin(said);
    assert!(hook.env("ZRB_LLM_NOTE_FILE", &synced).ok().contains(MARK));
    run(&["search", MARK]);
    assert_eq!(marked_files(&scratch).len(), 2);
    run(&["forget", "place:~/work", "--yes"]);
    assert_eq!(marked_files(&scratch), [""; 0]);
}
