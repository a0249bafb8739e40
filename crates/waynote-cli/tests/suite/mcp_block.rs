//! The block over MCP: with the first reply, as a resource, and not where a hook has delivered it.

use serde_json::{Value, json};

use super::common::{Scratch, has, own_start};
use super::mcp_client::{BLOCK, Client};

#[test]
fn the_first_reply_carries_the_block_once() {
    let scratch = Scratch::new();
    scratch.ok("key save fact v --pin");
    let mut client = Client::start(&scratch, "mcp");
    let text = |result: Value| fields(&result, "content/0/text");
    let first = client.result("note_show", json!({ "key": "fact" }));
    insta::assert_snapshot!(text(first), @"
    v

    The notes that apply here, as they were before this call:

    ## Pinned notes

    ### `agent:default#fact` (2026-05-17, by a person)

    ```
    v
    ```

    39 of 2,000 tokens
    ");
    let second = client.result("note_show", json!({ "key": "fact" }));
    assert_eq!(text(second), "v");
    // Nor with the tools of programs that expect their own replies.
    let mut client = Client::start(&scratch, "mcp --tools openotters");
    let first = client.result("note_show", json!({ "key": "fact" }));
    assert_eq!(text(first), "v");
    // A client that never sends `initialize`, as Claude Code, is no less there; a refusal carries it, too.
    let mut client = Client::spawn(scratch.command("mcp"));
    client.stateless();
    let first = text(client.result("note_show", json!({ "key": "none" })));
    assert!(first.starts_with("there is no agent:default#none\n"));
    assert!(first.contains(BLOCK), "{first}");
}

/// As a hook of the same client leaves it; this test is the client.
#[test]
#[cfg(target_os = "linux")]
fn no_reply_carries_what_a_hook_has_delivered() {
    let scratch = Scratch::new();
    scratch.ok("key save fact v --pin");
    let start = waynote_loop::identity::current().start;
    let folder = scratch.home().join(".local/state/waynote/delivered");
    std::fs::create_dir_all(&folder).unwrap();
    let named = folder.join(format!("client {} {start}", std::process::id()));
    let ledger = folder.join("session one");
    const GIVEN: &str = r#"{"block":"hook"}"#;
    for was_given in [false, true] {
        std::fs::write(&named, "one").unwrap();
        std::fs::write(&ledger, if was_given { GIVEN } else { "" }).unwrap();
        let mut client = Client::start(&scratch, "mcp");
        let has_block = |reply: Value| {
            let text = reply["content"][0]["text"].as_str();
            text.is_some_and(|text| text.contains(BLOCK))
        };
        let first = client.result("note_show", json!({ "key": "fact" }));
        assert_eq!(has_block(first), !was_given);
        let given = std::fs::read_to_string(&ledger).unwrap();
        has(
            &given,
            if was_given {
                GIVEN
            } else {
                r#""block":"server""#
            },
        );
        // A later call brings the block that the session has lost meanwhile, once.
        std::fs::write(&ledger, r#"{"was_reset":true}"#).unwrap();
        for brings in [true, false] {
            let later = client.result("note_show", json!({ "key": "fact" }));
            assert_eq!(has_block(later), brings);
        }
    }
}

#[test]
fn the_block_is_a_resource() {
    let scratch = Scratch::new();
    scratch.ok("key save fact v --pin");
    let mut client = Client::start(&scratch, "mcp");
    let listed = client.request("resources/list", json!({}));
    assert_eq!(listed["resources"][0]["uri"], "waynote://context");
    let mut read = |uri: &str| client.answer("resources/read", json!({ "uri": uri }));
    for uri in ["waynote://context", "waynote://context/"] {
        let block = read(uri);
        assert_eq!(
            block["result"]["contents"][0]["text"],
            scratch.ok("context")
        );
    }
    assert_eq!(read("file:///etc/passwd")["error"]["code"], -32002);
}
