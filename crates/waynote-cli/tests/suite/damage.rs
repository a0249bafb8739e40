//! The output about a damaged store, for a person and for a model.

use insta::assert_snapshot;
use serde_json::json;

use super::common::{Scratch, has, lacks};
use super::mcp_client::Client;

fn damaged() -> Scratch {
    let scratch = Scratch::new();
    scratch.ok("key save deploy 'run make ship'");
    scratch.ok("key save test 'run make check'");
    let conn = rusqlite::Connection::open(scratch.store()).unwrap();
    let sql = "UPDATE waynote_content SET body = CAST('run make shop' AS BLOB) WHERE body = CAST('run make ship' AS BLOB)";
    assert_eq!(conn.execute(sql, []).unwrap(), 1);
    scratch
}

#[test]
fn a_damaged_note_is_left_out_and_named() {
    let scratch = damaged();
    let said = |words: &str| scratch.run(words).said();
    assert_snapshot!(said("key show deploy"), @"
    exit 1
    error: agent:default#deploy is damaged: it is not as it was written
      the other notes can still be read; restore the store from a copy, or save what is whole into a new store; `waynote copy STORE NEW` does, and `waynote verify` lists all damage
    ");
    assert_eq!(said("key save deploy again"), said("key show deploy"));
    for (words, note) in [
        ("key list", "agent:default#deploy"),
        ("search make", "agent:default#deploy"),
        ("context", "agent:default#deploy"),
        ("context --style faithful", "agent:default#deploy"),
        ("context --as-of 2", "agent:default#deploy@1"),
    ] {
        let said = said(words);
        assert!(!said.starts_with("exit "), "{words}: {said}");
        lacks(&said, "shop");
        has(&said, "check");
        has(
            &said,
            format!("warning: 1 note is damaged and left out\n  {note}\n"),
        );
    }
    has(
        scratch.ok("context"),
        "1 note is damaged and left out: agent:default#deploy\n",
    );
    let json = scratch.json("context --json");
    assert_eq!(json["receipt"]["damaged"][0], "agent:default#deploy");
    has(scratch.ok("key save other text"), "other");
    assert_snapshot!(said("verify"), @"
    exit 1
    damaged: the content of agent:default#deploy@1 does not match its hash
    damaged: agent:default#deploy has a wrong preview
    HOME/.local/share/waynote/notes.db has 2 problems: 2 notes, 3 revisions, 2 distinct texts
    store id ID
    ");
}

#[test]
fn a_servers_lists_name_it() {
    let scratch = damaged();
    let mut client = Client::start(&scratch, "mcp");
    // The block that comes with the first reply names it itself.
    client.call("note_show", json!({ "key": "test" }));
    let list = client.call("note_list", json!({}));
    assert_snapshot!(list, @"
    agent:default (2 of 64 notes)
    - test: run make check
    - and 1 more; note_search finds them
    1 note is damaged and left out: agent:default#deploy
    ");
    let found = client.call("note_search", json!({ "query": "make" }));
    assert_snapshot!(found, @"
    - agent:default#test: run make check
    1 note is damaged and left out: agent:default#deploy
    ");
    let shown = client.call("note_show", json!({ "key": "test" }));
    assert_eq!(shown, "run make check");
}

#[test]
fn a_copy_has_what_is_whole() {
    let scratch = damaged();
    let copy = format!("copy {} new.db", scratch.store().display());
    assert_snapshot!(scratch.run(&copy).said(), @"
    exit 1
    copied to new.db: 1 note, 1 revision, 1 item up to position 2; verified
    store id ID
    warning: 2 damaged items left out
      agent:default#deploy
      agent:default#deploy@1
    ");
    has(scratch.ok("--store new.db verify"), "is sound: 1 note");
    let exported = scratch.run("export json -").output();
    assert_eq!(exported.status.code(), Some(1));
}

#[test]
fn the_index_is_built_again() {
    let scratch = Scratch::new();
    scratch.ok("key save a 'some words'");
    let conn = rusqlite::Connection::open(scratch.store()).unwrap();
    conn.execute_batch("INSERT INTO waynote_search_state VALUES (1, 1, 2, 0, 0)")
        .unwrap();
    has(scratch.run("verify").said(), "exit 1");
    let found = scratch.run("search words").said();
    has(&found, "agent:default#a");
    has(
        found,
        "warning: the search index is damaged; the notes were searched without it\n",
    );
    has(scratch.ok("verify --repair-index"), "is sound");
    has(scratch.ok("verify"), "is sound");
}
