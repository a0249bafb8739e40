//! The block over MCP: with the first reply, as a resource, and not where a hook has delivered it.

use serde_json::{Value, json};

use super::common::{Scratch, fields};
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

    ### `agent:default#fact`

    ```
    v
    ```

    27 of 2,000 tokens
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
    std::fs::write(named, "one").unwrap();
    std::fs::write(&ledger, r#"{"block":"hook"}"#).unwrap();
    let mut client = Client::start(&scratch, "mcp");
    let mut has_block = || {
        let reply = client.result("note_show", json!({ "key": "fact" }));
        fields(&reply, "content/0/text").contains(BLOCK)
    };
    assert!(!has_block());
    // A later call brings the block that the session has lost meanwhile, once.
    std::fs::write(ledger, r#"{"was_reset":true}"#).unwrap();
    assert!(has_block());
    assert!(!has_block());
}

#[test]
fn the_block_is_a_resource() {
    let scratch = Scratch::new();
    scratch.ok("key save fact v --pin");
    let mut client = Client::start(&scratch, "mcp");
    let listed = client.request("resources/list", json!({}));
    assert_eq!(fields(&listed["resources"], "0/uri"), "waynote://context");
    let mut read = |uri: &str| client.answer("resources/read", json!({ "uri": uri }));
    let block = read("waynote://context");
    let text = &block["result"]["contents"][0]["text"];
    assert_eq!(text, &*scratch.ok("context"));
    assert_eq!(read("file:///etc/passwd")["error"]["code"], -32002);
}
