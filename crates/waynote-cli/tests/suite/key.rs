//! `waynote key` as its user meets it.

use serde_json::{Value, json};

use super::common::{Scratch, assert_transcript, has, rows};

/// The guide shows the rest.
#[test]
fn pinned_notes_are_listed_and_all_are_counted() {
    let scratch = Scratch::new();
    scratch.ok("key save deploy make-ship");
    assert_transcript!(scratch, @"
    $ waynote key save db read-only --pin
    saved agent:default#db (new, in every project, pinned)

    $ waynote key list --pinned
    NOTE              UPDATED               PINNED  PREVIEW
    agent:default#db  2026-05-17T12:00:00Z  pinned  read-only

    $ waynote key unpin db
    unpinned agent:default#db

    $ waynote key count
    2
    ");
}

#[test]
fn caps_come_from_the_call_then_the_configuration() {
    let scratch = Scratch::new();
    let cases = "
        key save a 12345 | WAYNOTE_MAX_BYTES | 4 | 1
        key save a 12345 | WAYNOTE_MAX_BYTES | -1 | 0
        key save b 12345 | WAYNOTE_MAX_NOTES | 1 | 1
        key save a 12345 | WAYNOTE_MAX_NOTES | 1 | 0
        key save b 12345 --max-notes -7 | WAYNOTE_MAX_NOTES | 1 | 0
        key save b 12345 --max-bytes 5 | WAYNOTE_MAX_BYTES | 1 | 0";
    for [words, name, value, code] in rows(cases) {
        let status = scratch.run(words).env(name, value).output().status;
        assert_eq!(status.code(), code.parse().ok(), "{name}={value} {words}");
    }
}

#[test]
fn an_expected_revision_guards_a_write() {
    let scratch = Scratch::new();
    scratch.ok("key save k one --if-revision 0");
    scratch.ok("key save k two --if-revision 1");
    assert_transcript!(scratch, @r#"
    $ waynote key save k three --if-revision 1
    exit 1
    error: agent:default#k has changed: it is at revision 2, revision 1 was expected
      look at the current text, then write again expecting revision 2; that is `--if-revision 2`
    the current text of agent:default#k@2:
    two

    $ waynote key save k three --if-revision 0 --json
    exit 1
    {"error":{"current":{"address":"agent:default#k","author":"person","content":"two","created_at":"2026-05-17T12:00:00Z","iteration":null,"key":"k","pinned":false,"preview":"two","revision":2,"scope":"agent:default","type":null,"updated_at":"2026-05-17T12:00:00Z"},"hint":"look at the current text, then write again expecting revision 2; that is `--if-revision 2`","kind":"conflict","message":"agent:default#k has changed: it is at revision 2, no such note was expected"}}

    $ waynote key save new three --if-revision 4
    exit 1
    error: agent:default#new has changed: it does not exist, revision 4 was expected
      expect revision 0 to create it; that is `--if-revision 0`
    "#);
    scratch.ok("place write one");
    for change in ["key delete k", "key pin k", "key unpin k", "place delete"] {
        let run = scratch.run(&format!("{change} --if-revision 9"));
        assert_eq!(run.said().lines().next(), Some("exit 1"), "{change}");
    }
    scratch.ok("place delete --if-revision 1");
    scratch.ok("key pin k --if-revision 2");
    scratch.ok("key delete k --if-revision 3");
    has(
        scratch.run("key delete k --if-revision 3").said(),
        "  it was deleted; `waynote history ADDRESS` shows by whom",
    );
}

#[test]
fn json_names_what_was_overwritten() {
    let scratch = Scratch::new();
    for (save, address) in [
        ("place write", "place:~/work"),
        ("key save k", "agent:default#k"),
    ] {
        let overwrote =
            |text: &str| scratch.json(&format!("{save} {text} --json"))["overwrote"].clone();
        assert_eq!(overwrote("one"), Value::Null);
        for (revision, is_same) in [(1, false), (2, true)] {
            let undo = format!("waynote undo {address}");
            let expected = json!({ "revision": revision, "same_text": is_same, "undo": undo });
            assert_eq!(overwrote("two"), expected);
        }
        let said = scratch.ok(&format!("{save} two"));
        has(
            said,
            format!("saved {address} (revision 4, with the text of revision 3)\n"),
        );
    }
}
