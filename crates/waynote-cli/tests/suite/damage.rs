//! The output about a damaged store, for a person and for a model.

use insta::assert_snapshot;
use serde_json::json;

use super::common::{Scratch, has};
use super::mcp_client::Client;

/// A store with one damaged note: its text is no longer the one that was written.
fn damaged() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .waynote(["key", "save", "deploy", "run make ship"])
        .ok();
    scratch
        .waynote(["key", "save", "test", "run make check"])
        .ok();
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
    assert_snapshot!(said("key save deploy again"), @"
    exit 1
    error: agent:default#deploy is damaged: it is not as it was written
      the other notes can still be read; restore the store from a copy, or save what is whole into a new store; `waynote copy STORE NEW` does, and `waynote verify` lists all damage
    ");
    for words in [
        "key list",
        "search make",
        "context",
        "context --style faithful",
    ] {
        let said = said(words);
        assert!(!said.starts_with("exit "), "{words}: {said}");
        assert!(!said.contains("shop"), "{words}: {said}");
        assert!(said.contains("check"), "{words}: {said}");
        let warning = "warning: 1 note is damaged and left out\n  agent:default#deploy\n";
        assert!(said.contains(warning), "{words}: {said}");
    }
    let block = scratch.ok("context");
    let line = "1 note is damaged and left out: agent:default#deploy\n";
    assert!(block.contains(line), "{block}");
    assert_eq!(
        scratch.json("context --json")["receipt"]["damaged"][0],
        "agent:default#deploy"
    );
    assert!(scratch.ok("key save other text").contains("other"));
}

/// Reads of the past and a model's lists name the damage too.
#[test]
fn a_block_of_the_past_and_a_servers_lists_name_it() {
    let scratch = damaged();
    for words in ["context --as-of 2", "context --as-of 2 --style faithful"] {
        let said = scratch.run(words).said();
        assert!(
            said.contains("check") && !said.contains("shop"),
            "{words}: {said}"
        );
        let line = "1 note is damaged and left out: agent:default#deploy@1\n";
        assert!(said.contains(line), "{words}: {said}");
        let warning = "warning: 1 note is damaged and left out\n  agent:default#deploy@1\n";
        assert!(said.contains(warning), "{words}: {said}");
    }
    let past = scratch.json("context --as-of 2 --json");
    assert_eq!(past["receipt"]["damaged"][0], "agent:default#deploy@1");
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
    let (old, new) = (scratch.store(), scratch.path("new.db"));
    let run = || scratch.waynote(["copy".as_ref(), old.as_os_str(), new.as_os_str()]);
    let said = run().said().replace(&new.display().to_string(), "NEW");
    let said = said
        .lines()
        .filter(|line| !line.starts_with("store id"))
        .collect::<Vec<_>>();
    assert_snapshot!(said.join("\n"), @"
    exit 1
    copied to NEW: 1 note, 1 revision, 1 item up to position 2; verified
    warning: 2 damaged items left out
      agent:default#deploy
      agent:default#deploy@1
    ");
    let store = new.display().to_string();
    let verified = scratch.waynote(["verify", "--store", &store]).ok();
    has(&verified, "is sound: 1 note");
    let exported = scratch.run("export json -").output();
    assert_eq!(exported.status.code(), Some(1));
    let again = run().said();
    assert!(
        again.starts_with("exit 1") && again.contains("already"),
        "{again}"
    );
}

#[test]
fn the_index_is_built_again() {
    let scratch = Scratch::new();
    for key in ["a", "b"] {
        scratch.waynote(["key", "save", key, "some words"]).ok();
    }
    let conn = rusqlite::Connection::open(scratch.store()).unwrap();
    conn.execute_batch("INSERT INTO waynote_search_state VALUES (1, 1, 2, 0, 0)")
        .unwrap();
    assert!(scratch.run("verify").said().starts_with("exit 1"));
    let found = scratch.run("search words").said();
    let warning = "warning: the search index is damaged; the notes were searched without it\n";
    has(&found, "agent:default#a");
    has(&found, warning);
    assert!(scratch.ok("verify --repair-index").contains("is sound"));
    assert!(scratch.ok("verify").contains("is sound"));
}
