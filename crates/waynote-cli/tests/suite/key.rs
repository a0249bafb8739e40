//! `waynote key` as its user meets it.

use serde_json::{Value, json};

use super::common::{Scratch, assert_transcript};

#[test]
fn a_day_with_a_notebook() {
    let scratch = Scratch::new();
    assert_transcript!(scratch, @"
    $ waynote key list
    no notes in agent:default

    $ waynote key save deploy make-ship
    saved agent:default#deploy (new key)

    $ waynote key save deploy make-ship-twice
    saved agent:default#deploy (overwrote revision 1; `waynote undo agent:default#deploy` brings it back)

    $ waynote key save db read-only --pin
    saved agent:default#db (new key, pinned)

    $ waynote key list
    NOTE                  UPDATED               PINNED  PREVIEW
    agent:default#db      2026-05-17T12:00:00Z  pinned  read-only
    agent:default#deploy  2026-05-17T12:00:00Z          make-ship-twice

    $ waynote key list --pinned
    NOTE              UPDATED               PINNED  PREVIEW
    agent:default#db  2026-05-17T12:00:00Z  pinned  read-only

    $ waynote key show deploy
    make-ship-twice

    $ waynote key show ghost
    exit 1
    error: there is no agent:default#ghost
      there are: db, deploy

    $ waynote key unpin db
    unpinned agent:default#db

    $ waynote key pin ghost
    exit 1
    error: there is no agent:default#ghost
      there are: db, deploy

    $ waynote key count
    2

    $ waynote key delete deploy
    deleted agent:default#deploy

    $ waynote key delete deploy
    exit 1
    error: there is no agent:default#deploy
      there are: db

    $ waynote --agent other key list
    no notes in agent:other; the agents with notes are: default
    ");
}

#[test]
fn caps_come_from_the_call_then_the_configuration() {
    let scratch = Scratch::new();
    let save = |key: &str, run: &dyn Fn(super::common::Run) -> super::common::Run| {
        run(scratch.waynote(["key", "save", key, "12345"]))
            .output()
            .status
            .code()
    };
    assert_eq!(save("a", &|run| run.env("WAYNOTE_MAX_BYTES", "4")), Some(1));
    assert_eq!(
        save("a", &|run| run.env("WAYNOTE_MAX_BYTES", "-1")),
        Some(0)
    );
    assert_eq!(save("b", &|run| run.env("WAYNOTE_MAX_NOTES", "1")), Some(1));
    assert_eq!(save("a", &|run| run.env("WAYNOTE_MAX_NOTES", "1")), Some(0));
    let call = scratch
        .run("key save b 12345 --max-notes -7 --max-bytes 5")
        .env("WAYNOTE_MAX_NOTES", "1");
    call.env("WAYNOTE_MAX_BYTES", "1").ok();
    assert_eq!(scratch.ok("key count"), "2\n");
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
      look at the current text, then write again with `--if-revision 2`
    the current text of agent:default#k@2:
    two

    $ waynote key save k three --if-revision 0 --json
    exit 1
    {"error":{"current":{"address":"agent:default#k","author":"person","content":"two","created_at":"2026-05-17T12:00:00Z","iteration":null,"key":"k","pinned":false,"preview":"two","revision":2,"scope":"agent:default","type":null,"updated_at":"2026-05-17T12:00:00Z"},"hint":"look at the current text, then write again with `--if-revision 2`","kind":"conflict","message":"agent:default#k has changed: it is at revision 2, no such note was expected"}}

    $ waynote key save new three --if-revision 4
    exit 1
    error: agent:default#new has changed: it does not exist, revision 4 was expected
      `--if-revision 0` creates it
    "#);
    for change in ["key delete", "key pin", "key unpin"] {
        let run = scratch.run(&format!("{change} k --if-revision 1"));
        assert_eq!(run.said().lines().next(), Some("exit 1"), "{change}");
    }
    scratch.ok("key pin k --if-revision 2");
    scratch.ok("key delete k --if-revision 3");
    insta::assert_snapshot!(scratch.run("key delete k --if-revision 3").said(), @"
    exit 1
    error: agent:default#k has changed: it does not exist, revision 3 was expected
      somebody deleted it; `waynote history ADDRESS` shows who
    ");
    scratch.ok("place write one");
    let refused = scratch.run("place delete --if-revision 2").said();
    assert_eq!(refused.lines().next(), Some("exit 1"));
    scratch.ok("place delete --if-revision 1");
}

#[test]
fn json_names_what_was_overwritten() {
    let scratch = Scratch::new();
    let overwrote = |words: &str| scratch.json(words)["overwrote"].clone();
    for (save, address) in [
        ("place write", "place:~/work"),
        ("key save k", "agent:default#k"),
    ] {
        assert_eq!(overwrote(&format!("{save} one --json")), Value::Null);
        let expected = |revision: u64, same_text: bool| json!({ "revision": revision, "same_text": same_text, "undo": format!("waynote undo {address}") });
        assert_eq!(overwrote(&format!("{save} two --json")), expected(1, false));
        assert_eq!(overwrote(&format!("{save} two --json")), expected(2, true));
        let said = scratch.ok(&format!("{save} two"));
        assert_eq!(
            said,
            format!("saved {address} (revision 4, with the text of revision 3)\n")
        );
    }
}
