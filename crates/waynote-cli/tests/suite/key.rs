//! `waynote key` as its user meets it.

use serde_json::{Value, json};

use super::common::Scratch;

#[test]
fn a_day_with_a_notebook() {
    let scratch = Scratch::new();
    let mut seen = String::new();
    for words in [
        "key list",
        "key save deploy make-ship",
        "key save deploy make-ship-twice",
        "key save db read-only --pin",
        "key list",
        "key list --pinned",
        "key show deploy",
        "key show ghost",
        "key unpin db",
        "key pin ghost",
        "key count",
        "key delete deploy",
        "key delete deploy",
        "--agent other key list",
    ] {
        seen += &format!("$ waynote {words}\n{}\n", scratch.run(words).said());
    }
    insta::assert_snapshot!(seen, @"
    $ waynote key list
    exit 0
    no notes in agent:default

    $ waynote key save deploy make-ship
    exit 0
    saved agent:default#deploy (new key)

    $ waynote key save deploy make-ship-twice
    exit 0
    saved agent:default#deploy (overwrote revision 1; `waynote undo agent:default#deploy` brings it back)

    $ waynote key save db read-only --pin
    exit 0
    saved agent:default#db (new key) (pinned)

    $ waynote key list
    exit 0
    NOTE                  UPDATED               PINNED  PREVIEW
    agent:default#db      2026-05-17T12:00:00Z  pinned  read-only
    agent:default#deploy  2026-05-17T12:00:00Z          make-ship-twice

    $ waynote key list --pinned
    exit 0
    NOTE              UPDATED               PINNED  PREVIEW
    agent:default#db  2026-05-17T12:00:00Z  pinned  read-only

    $ waynote key show deploy
    exit 0
    make-ship-twice
    $ waynote key show ghost
    exit 1
    error: there is no agent:default#ghost
      there are: db, deploy

    $ waynote key unpin db
    exit 0
    unpinned agent:default#db

    $ waynote key pin ghost
    exit 1
    error: there is no agent:default#ghost
      there are: db, deploy

    $ waynote key count
    exit 0
    2

    $ waynote key delete deploy
    exit 0
    deleted agent:default#deploy

    $ waynote key delete deploy
    exit 1
    error: agent:default#deploy does not exist; nothing was deleted
      `waynote key list` shows the keys

    $ waynote --agent other key list
    exit 0
    no notes in agent:other
    ");
}

#[test]
fn a_key_is_trimmed_for_every_operation() {
    let scratch = Scratch::new();
    scratch.waynote(["key", "save", " k ", "v"]).ok();
    assert_eq!(scratch.waynote(["key", "show", "k\u{a0}"]).ok(), "v");
    scratch.waynote(["key", "pin", "\tk"]).ok();
    scratch.waynote(["key", "unpin", "k\n"]).ok();
    assert_eq!(
        scratch.waynote(["key", "delete", " k"]).ok(),
        "deleted agent:default#k\n"
    );
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
    insta::assert_snapshot!(scratch.run("key save k three --if-revision 1").said(), @"
    exit 1
    error: agent:default#k has changed: it is at revision 2, revision 1 was expected
      look at the current text, then write again with `--if-revision 2`
    the current text of agent:default#k@2:
    two
    ");
    insta::assert_snapshot!(scratch.run("key save k three --if-revision 0 --json").said(), @r#"
    exit 1
    {"error":{"current":{"address":"agent:default#k","author":"person","content":"two","created_at":"2026-05-17T12:00:00Z","iteration":null,"key":"k","pinned":false,"preview":"two","revision":2,"scope":"agent:default","type":null,"updated_at":"2026-05-17T12:00:00Z"},"hint":"look at the current text, then write again with `--if-revision 2`","kind":"conflict","message":"agent:default#k has changed: it is at revision 2, no such note was expected"}}
    "#);
    insta::assert_snapshot!(scratch.run("key save new three --if-revision 4").said(), @"
    exit 1
    error: agent:default#new has changed: it does not exist, revision 4 was expected
      `--if-revision 0` creates it
    ");
    for change in ["key delete", "key pin", "key unpin"] {
        let run = scratch.run(&format!("{change} k --if-revision 1"));
        assert_eq!(run.said().lines().next(), Some("exit 1"), "{change}");
    }
    insta::assert_snapshot!(scratch.run("key pin k --if-revision 1").said(), @"
    exit 1
    error: agent:default#k has changed: it is at revision 2, revision 1 was expected
      look at the current text, then write again with `--if-revision 2`
    the current text of agent:default#k@2:
    two
    ");
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
fn texts_that_look_like_options_are_texts() {
    let scratch = Scratch::new();
    scratch.ok("key save a -- -e");
    assert_eq!(scratch.ok("key show a"), "-e");
    scratch.ok("key save b -- --pinned-by-name");
    assert_eq!(scratch.ok("key show b"), "--pinned-by-name");
    scratch.ok("key save c -- --pin");
    assert_eq!(scratch.json("key show c --json")["pinned"], false);
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
            format!("saved {address} (unchanged: revision 3 has the same text)\n")
        );
    }
}
