//! What is worth a look: every act leads back to it, changes only what was shown, and asks before several notes are changed.

use super::page::{note, post, save};
use super::support::{RunningServer, start};
use waynote_testing::{has, lacks};

const LEFT: &str = "agent:builder#flaky";
const RIGHT: &str = "agent:builder#retries";
const WORTH: &str = "/s/notes/notes?show=worth";

/// A server with two notes that say nearly the same.
fn tended() -> RunningServer {
    let server = start();
    let text = "the retries test fails once in forty runs because of the clock";
    save(&server, "flaky", text, "agent:builder");
    let more = format!("{text}\nrun it again first");
    save(&server, "retries", &more, "person");
    server
}

const CONFIRM: &[(&str, &str)] = &[("note", LEFT), ("base", "1"), ("show", "worth")];
const KEEP_LEFT: &[(&str, &str)] = &[("note", RIGHT), ("base", "1"), ("show", "worth")];
const JOIN: &[(&str, &str)] = &[
    ("kept", LEFT),
    ("base", "1"),
    ("gone", RIGHT),
    ("gone_base", "1"),
];
const SEVERAL: &[(&str, &str)] = &[
    ("chosen", "1 agent:builder#flaky"),
    ("chosen", "1 agent:builder#retries"),
    ("do", "delete"),
    ("sure", "yes"),
];

#[test]
fn every_act_leads_back() {
    let list = "/s/notes/notes?in=&show=worth&";
    for (path, fields, to, says, revisions) in [
        (
            "notes/confirm",
            CONFIRM,
            list,
            "Noted: it is still true",
            [2, 1],
        ),
        ("notes/delete", KEEP_LEFT, list, "Deleted", [1, 0]),
        (
            "notes/join",
            JOIN,
            "/s/notes/notes/edit?",
            "run it again",
            [2, 0],
        ),
        ("notes/several", SEVERAL, list, "Deleted", [0, 0]),
    ] {
        let server = tended();
        let shown = server.get(WORTH).body;
        for words in ["Said twice", "once in forty runs", "waynote ui"] {
            has(&shown, words);
        }
        let done = post(&server, path, fields);
        assert_eq!(done.status, 303, "{path}: {}", done.body);
        assert!(done.header("location").starts_with(to), "{path}");
        has(&server.get(done.header("location")).body, says);
        let left = [LEFT, RIGHT].map(|of| note(&server, of).map_or(0, |note| note.revision));
        assert_eq!(left, revisions, "{path}");
    }
}

#[test]
fn a_note_that_was_changed_meanwhile_is_left_as_it_is() {
    let server = tended();
    for key in ["flaky", "retries"] {
        save(&server, key, "something quite different by now", "person");
    }
    for (path, fields) in [
        ("notes/confirm", CONFIRM),
        ("notes/join", JOIN),
        ("notes/several", SEVERAL),
    ] {
        let refused = post(&server, path, fields);
        assert_eq!(refused.status, 409, "{path}: {}", refused.body);
        let left = [LEFT, RIGHT].map(|of| note(&server, of).unwrap().revision);
        assert_eq!(left, [2, 2], "{path}");
    }
}

#[test]
fn several_notes_are_changed_after_their_texts_were_shown() {
    let server = tended();
    let asks = server
        .get("/s/notes/notes/several?do=delete&chosen=1+agent:builder%23flaky&chosen=1+agent:builder%23retries")
        .body;
    for words in ["Delete 2 notes", "once in forty runs", "run it again first"] {
        has(&asks, words);
    }
    let unsure = post(&server, "notes/several", &SEVERAL[..2]);
    assert_eq!(unsure.status, 422);
    assert!(note(&server, LEFT).is_some());
    let none = server.get("/s/notes/notes/several").body;
    has(&none, "Nothing is ticked.");
}

#[test]
fn changes_are_listed_by_author() {
    let server = tended();
    for (query, shows, not) in [
        ("author=person", "#retries", "#flaky"),
        ("author=agent", "#flaky", "#retries"),
        ("author=nobody", "No change fits", "#flaky"),
        ("in=agent:other", "No change fits", "#flaky"),
    ] {
        let body = server.get(&format!("/s/notes/notes?show=changes&{query}"));
        let list = body.body.split("data-live=\"list\"").last().unwrap();
        let list = list.replace("</em><wbr>#", "#");
        has(&list, shows);
        lacks(&list, not);
    }
}
