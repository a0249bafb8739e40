//! Events of a session by their addresses.

use insta::assert_snapshot;
use serde_json::json;

use super::common::{Scratch, assert_transcript};
use super::loop_stops::looping;
use super::mcp_client::Client;

/// A session in which a later note resolved a stuck one: that is an event.
fn resolved() -> Scratch {
    let scratch = Scratch::new();
    scratch.ok("--session s --iteration 1 log add --type stuck wall");
    scratch.ok("--session s --iteration 2 log add --type learning ladder --resolves wall");
    scratch
}

#[test]
fn show_and_history_take_the_address_of_an_event() {
    let scratch = resolved();
    assert_transcript!(scratch, @r#"
    $ waynote show session:s#event-1
    2026-05-17 12:00 (UTC), person
    entry 03g56gadhc9giz28czzxeif1v was resolved by 03g56gadhc9giz28d01wfmh0z

    $ waynote show session:s#event-1 --json
    {
      "address": "session:s#event-1",
      "author": "person",
      "by": "03g56gadhc9giz28d01wfmh0z",
      "entry": "03g56gadhc9giz28czzxeif1v",
      "event": "resolved",
      "position": 3,
      "recorded_at": "2026-05-17T12:00:00Z"
    }

    $ waynote history session:s#event-1
    session:s#event-1
    AUTHOR  RECORDED              EVENT
    person  2026-05-17T12:00:00Z  entry 03g56gadhc9giz28czzxeif1v was resolved by 03g56gadhc9giz28d01wfmh0z

    $ waynote show session:s#event-2
    exit 1
    error: there is no session:s#event-2
      `waynote --session s log show --json` lists the events of that session

    $ waynote show session:s#event-1 --as-of 2026-05-17T12:00:00Z
    exit 2
    error: an event is never changed, so it has one state only
      leave `--as-of` out

    $ waynote forget session:s#event-1 --yes
    session:s#event-1 has no text left to forget

    $ waynote undo session:s#event-1
    exit 2
    error: `session:s#event-1` is not an address: it is an event, and here a note is meant
      write `place:~/p`, `place:~/p#key`, `agent:name#key` or `session:name#id`, with `@REVISION` for an older one
    "#);
}

#[test]
fn log_show_lists_the_events_of_a_loop_with_their_addresses() {
    let scratch = Scratch::new();
    let script = "\"$WAYNOTE\" log complete 'all tests pass'";
    looping(&scratch, "--iterations 2", script).ok();
    let shown = scratch.json("--session s log show --json");
    let events = shown["events"].as_array().unwrap();
    let lines = events.iter().map(|event| {
        let address = event["address"].as_str().unwrap();
        let said = scratch.ok(&format!("show {address}"));
        let said = said.split_once('\n').unwrap().1.trim_end().to_owned();
        assert_eq!(scratch.json(&format!("show {address} --json")), *event);
        format!("{address} {}: {said}\n", event["event"].as_str().unwrap())
    });
    let lines: String = lines.collect();
    let (first, rest) = lines.split_once('\n').unwrap();
    assert!(first.starts_with("session:s#event-1 loop_started: a loop started: process "));
    // How long it took differs.
    let rest: Vec<&str> = rest
        .split(", ")
        .filter(|part| !part.starts_with("after "))
        .collect();
    assert_snapshot!(rest.join(", "), @"
    session:s#event-2 iteration_started: iteration 1 started: place ~/work, agent default, a budget of 2000 tokens, style stable
    session:s#event-3 completed: the agent said in iteration 1 that all is done:
    all tests pass
    session:s#event-4 iteration_ended: iteration 1 ended: done, 0 notes added
    session:s#event-5 loop_ended: the loop ended: completed
    ");
}

#[test]
fn the_server_reads_an_event_too() {
    let scratch = resolved();
    let mut client = Client::start(&scratch, "mcp");
    let event = json!({ "address": "session:s#event-1" });
    client.call("note_list", json!({}));
    let said = client.call("note_show", event.clone());
    let none = client.call("note_show", json!({ "address": "session:s#event-7" }));
    let deleted = client.call("note_delete", event);
    assert_snapshot!([said, none, deleted].join("\n\n"), @"
    entry 03g56gadhc9giz28czzxeif1v was resolved by 03g56gadhc9giz28d01wfmh0z

    error: there is no session:s#event-7
    the last event of session s is 1

    error: `session:s#event-1` is not an address: it is an event, and here a note is meant
    write `place:~/p`, `place:~/p#key`, `agent:name#key` or `session:name#id`, with `@REVISION` for an older one
    ");
}
