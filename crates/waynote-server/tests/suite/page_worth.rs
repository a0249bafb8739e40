//! What is worth a look: every act leads back to it, changes only what was shown, and asks before several notes are changed.

use super::page::{note, post, save};
use super::support::{RunningServer, start};
use waynote_testing::{has, lacks};

const LEFT: &str = "agent:builder#flaky";
const RIGHT: &str = "agent:builder#retries";

/// A server with two notes that say nearly the same.
fn tended() -> RunningServer {
    let server = start();
    let text = "the retries test fails once in forty runs because of the clock";
    save(&server, "flaky", text, "agent:builder");
    let more = format!("{text}\nrun it again first");
    save(&server, "retries", &more, "person");
    server
}

#[test]
fn two_notes_that_say_the_same_are_shown_side_by_side_and_one_is_kept() {
    let keep_left: &[(&str, &str)] = &[("note", RIGHT), ("base", "1"), ("show", "worth")];
    let keep_right: &[(&str, &str)] = &[("note", LEFT), ("base", "1"), ("show", "worth")];
    let join: &[(&str, &str)] = &[
        ("kept", LEFT),
        ("base", "1"),
        ("gone", RIGHT),
        ("gone_base", "1"),
    ];
    for (path, fields, kept, gone, back) in [
        (
            "notes/delete",
            keep_left,
            LEFT,
            RIGHT,
            "/s/notes/notes?in=&show=worth&",
        ),
        (
            "notes/delete",
            keep_right,
            RIGHT,
            LEFT,
            "/s/notes/notes?in=&show=worth&",
        ),
        ("notes/join", join, LEFT, RIGHT, "/s/notes/notes/edit?"),
    ] {
        let server = tended();
        let shown = server.get("/s/notes/notes?show=worth").body;
        for words in [
            "Said twice",
            "Keep the first",
            "once in forty runs",
            "run it again",
            "waynote ui",
        ] {
            has(&shown, words);
        }
        let done = post(&server, &format!("/s/notes/{path}"), fields);
        assert_eq!(done.status, 303, "{path}: {}", done.body);
        let to = done.header("location");
        assert!(to.starts_with(back), "{to}");
        has(
            &server.get(to).body,
            if path == "notes/join" {
                "run it again"
            } else {
                "Deleted"
            },
        );
        assert!(
            note(&server, kept).is_some() && note(&server, gone).is_none(),
            "{path}"
        );
        lacks(&server.get("/s/notes/notes?show=worth").body, "Said twice");
    }
}

#[test]
fn a_note_that_was_changed_meanwhile_is_left_as_it_is() {
    let server = tended();
    save(
        &server,
        "retries",
        "something quite different by now",
        "person",
    );
    let confirm: &[(&str, &str)] = &[("note", RIGHT), ("base", "1"), ("show", "worth")];
    let join: &[(&str, &str)] = &[
        ("kept", LEFT),
        ("base", "1"),
        ("gone", RIGHT),
        ("gone_base", "1"),
    ];
    let several: &[(&str, &str)] = &[
        ("chosen", "1 agent:builder#flaky"),
        ("chosen", "1 agent:builder#retries"),
        ("sure", "yes"),
    ];
    for (path, fields) in [
        ("notes/confirm", confirm),
        ("notes/join", join),
        ("notes/several", several),
    ] {
        let refused = post(&server, &format!("/s/notes/{path}"), fields);
        assert_eq!(refused.status, 409, "{path}: {}", refused.body);
        assert!(note(&server, LEFT).is_some(), "{path}");
        assert_eq!(note(&server, RIGHT).unwrap().revision, 2, "{path}");
    }
}

#[test]
fn several_notes_are_changed_after_their_texts_were_shown() {
    let server = tended();
    let fields = [
        ("chosen", "1 agent:builder#flaky"),
        ("chosen", "1 agent:builder#retries"),
    ];
    let asks = server
        .get("/s/notes/notes/several?do=delete&chosen=1+agent:builder%23flaky&chosen=1+agent:builder%23retries")
        .body;
    for words in ["Delete 2 notes", "once in forty runs", "run it again first"] {
        has(&asks, words);
    }
    let unsure = post(&server, "/s/notes/notes/several", &fields);
    assert_eq!(unsure.status, 422);
    assert!(note(&server, LEFT).is_some());
    let sure = [fields[0], fields[1], ("do", "delete"), ("sure", "yes")];
    let done = post(&server, "/s/notes/notes/several", &sure);
    assert_eq!(
        done.header("location"),
        "/s/notes/notes?in=&show=worth&done=deleted"
    );
    assert!(note(&server, LEFT).is_none() && note(&server, RIGHT).is_none());
    has(
        &server.get("/s/notes/notes/several").body,
        "Nothing is ticked.",
    );
}

#[test]
fn a_note_is_said_to_be_still_true() {
    let server = tended();
    let fields = [("note", LEFT), ("base", "1"), ("show", "worth")];
    let done = post(&server, "/s/notes/notes/confirm", &fields);
    assert_eq!(done.status, 303, "{}", done.body);
    has(
        &server.get(done.header("location")).body,
        "Noted: it is still true",
    );
    assert_eq!(note(&server, LEFT).unwrap().revision, 2);
}

#[test]
fn changes_are_listed_by_author() {
    let server = tended();
    for (path, shows, not) in [
        ("notes?show=changes&author=person", "#retries", "#flaky"),
        ("notes?show=changes&author=agent", "#flaky", "#retries"),
        (
            "notes?show=changes&author=nobody",
            "No change fits",
            "#flaky",
        ),
        (
            "notes?show=changes&in=agent:other",
            "No change fits",
            "#flaky",
        ),
    ] {
        let body = server.get(&format!("/s/notes/{path}")).body;
        let list = body.split("data-live=\"list\"").last().unwrap();
        let list = list.replace("</em><wbr>#", "#");
        has(&list, shows);
        lacks(&list, not);
    }
}
