//! Events of a session by their addresses.

use serde_json::json;

use super::common::{Scratch, assert_transcript, has};
use super::mcp_client::Client;

/// A session in which a later note resolved a stuck one: that is an event.
fn resolved() -> Scratch {
    let scratch = Scratch::new();
    scratch.ok("--session s --iteration 1 log add --type stuck wall");
    scratch.ok("--session s --iteration 2 log add --type learning ladder --resolves wall");
    scratch
}

#[test]
fn an_event_is_shown_by_its_address() {
    let scratch = resolved();
    assert_transcript!(scratch, @"
    $ waynote show session:s#event-1
    2026-05-17 12:00 (UTC), person
    entry 03g56gadhc9giz28czzxeif1v was resolved by 03g56gadhc9giz28d01wfmh0z

    $ waynote show session:s#event-2
    exit 1
    error: there is no session:s#event-2
      `waynote --session s log show --json` lists the events of that session

    $ waynote show session:s#event-1 --as-of 2026-05-17T12:00:00Z
    2026-05-17 12:00 (UTC), person
    entry 03g56gadhc9giz28czzxeif1v was resolved by 03g56gadhc9giz28d01wfmh0z

    $ waynote undo session:s#event-1
    exit 2
    error: `session:s#event-1` is not an address: it is an event, and here a note is meant
      write `place:~/p`, `place:~/p#key`, `repo:host/name//dir#key`, `agent:name#key` or `session:name#id`, with `@REVISION` for an older one
    ");
}

#[test]
fn the_server_reads_an_event_too() {
    let scratch = resolved();
    let mut client = Client::start(&scratch, "mcp");
    let event = json!({ "address": "session:s#event-1" });
    let said = client.call("note_show", event.clone());
    has(said, "was resolved by 03g56gadhc9giz28d01wfmh0z");
    let deleted = client.call("note_delete", event);
    has(
        deleted,
        "is not an address: it is an event, and here a note is meant",
    );
}
