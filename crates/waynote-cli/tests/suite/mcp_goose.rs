//! Goose: the server's instructions hold the block, for its model reads them in the system prompt.

use serde_json::{Value, json};

use super::common::{Scratch, has, lacks};
use super::mcp_client::Client;

/// A server that Goose starts in a directory, and its first answer.
fn begin(scratch: &Scratch, directory: &str, capabilities: &Value) -> (Client, String) {
    let mut command = scratch.command("mcp");
    command.current_dir(scratch.home().join(directory));
    let mut client = Client::spawn(command);
    let params = json!({
        "protocolVersion": "2025-03-26", "capabilities": capabilities,
        "clientInfo": { "name": "goose-cli", "version": "1.34.0" },
    });
    let began = client.request("initialize", params);
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let instructions = began["instructions"].as_str().unwrap().to_owned();
    (client, instructions)
}

fn search(client: &mut Client) -> String {
    let found = client.result("note_search", json!({ "query": "nothing" }));
    found.to_string()
}

#[test]
fn the_instructions_hold_the_notes_of_the_project_and_the_first_reply_does_not_repeat_them() {
    let scratch = Scratch::new();
    scratch.ok("place write --at ~/other canary-of-other");
    // Notes that come later are in the next reply.
    let (mut client, instructions) = begin(&scratch, "work", &json!({}));
    lacks(instructions, "The notes that apply");
    scratch.ok("place write canary-of-work");
    has(search(&mut client), "canary-of-work");

    let (mut client, instructions) = begin(&scratch, "work", &json!({}));
    let block = instructions.split("\n\n").skip(1).collect::<Vec<_>>();
    insta::assert_snapshot!(block.join("\n\n"), @"
    The notes that apply here, as they were when this session began:

    ## Notes of this place

    ### `place:~/work`

    ```
    canary-of-work
    ```

    30 of 2,000 tokens
    ");
    lacks(search(&mut client), "canary");
}

/// One that is started at home names its directories only when it is asked, which must not be before the connection has
/// begun. Where it is started in a project, that is the project.
#[test]
fn a_client_with_roots_gets_the_notes_of_its_project_with_the_first_reply() {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.home().join("other")).unwrap();
    scratch.ok("place write --at ~/work canary-of-work");
    scratch.ok("place write --at ~/other canary-of-other");
    let has_roots = json!({ "roots": {} });
    let (_, instructions) = begin(&scratch, "other", &has_roots);
    has(&instructions, "canary-of-other");
    lacks(&instructions, "canary-of-work");
    let (mut client, instructions) = begin(&scratch, "", &has_roots);
    lacks(instructions, "canary");
    let params = json!({ "name": "note_search", "arguments": { "query": "nothing" } });
    client.ask("tools/call", params);
    let asked = client.receive();
    assert_eq!(asked["method"], "roots/list");
    let root = format!("file://{}", scratch.home().join("other").display());
    let roots = json!({ "roots": [{ "uri": root }] });
    client.send(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": roots }));
    let first = client.receive().to_string();
    has(&first, "canary-of-other");
    lacks(&first, "canary-of-work");
    lacks(search(&mut client), "canary");
}

/// Goose from 1.52 on begins without a handshake.
#[test]
fn a_connection_without_a_beginning_has_them_too() {
    let scratch = Scratch::new();
    scratch.ok("place write canary");
    let mut client = Client::spawn(scratch.command("mcp"));
    let meta = |name: &str| {
        json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": { "name": name, "version": "1" },
        })
    };
    let mut found = |name: &str| {
        let found = client.request("server/discover", json!({ "_meta": meta(name) }));
        found["instructions"].to_string()
    };
    lacks(found("another"), "canary");
    has(found("goose-cli"), "canary");
    // Asked again, it gets the same.
    has(found("goose-cli"), "canary");
    let call = json!({
        "name": "note_search", "arguments": { "query": "nothing" }, "_meta": meta("goose-cli"),
    });
    lacks(client.request("tools/call", call).to_string(), "canary");
}
