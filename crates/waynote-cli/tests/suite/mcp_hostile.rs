//! Input that no decent client sends: each message gets its error, the server lives, and takes up little memory.

use serde_json::{Value, json};

use super::common::{Scratch, fields};
use super::mcp_client::{Client, assert_calls};

/// How much memory a server may need for messages, in kilobytes: beside the pages of the program itself.
const MOST: u64 = 16 * 1024;

#[test]
fn every_bad_message_gets_an_error() {
    let scratch = Scratch::new();
    let mut client = Client::start(&scratch, "mcp");
    let mut said = Vec::new();
    for line in [
        "{not json",
        "\"a text\"",
        "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]",
        "{}",
        "{\"jsonrpc\":\"1.0\",\"id\":7,\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":8}",
        "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":10,\"method\":\"no/such\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":11,\"method\":\"tools/call\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":13,\"method\":\"tools/call\",\"params\":{\"name\":\"note_sav\"}}",
        "{\"jsonrpc\":\"2.0\",\"id\":14,\"method\":\"tools/call\",\"params\":{\"name\":\"note_save\",\"arguments\":[]}}",
        "{\"jsonrpc\":\"2.0\",\"id\":15,\"method\":\"tools/call\",\"params\":{\"name\":\"drop table\"}}",
        "{\"jsonrpc\":\"2.0\",\"id\":16,\"method\":\"resources/read\",\"params\":{}}",
    ] {
        client.send_bytes(format!("{line}\n").as_bytes());
        let answer = client.receive();
        let error = &answer["error"];
        said.push(format!(
            "{} {} {}",
            answer["id"],
            error["code"],
            error["message"].as_str().unwrap()
        ));
    }
    insta::assert_snapshot!(said.join("\n"), @r#"
    null -32700 this is not JSON: key must be a string at line 1 column 2
    null -32600 this is not a JSON-RPC message: it has no `method`
    null -32600 batches are not supported: send one message per line
    null -32600 this is not a JSON-RPC message: it has no `method`
    7 -32600 this is not a JSON-RPC request: `jsonrpc` is "2.0", `id` a text or a whole number, `params` an object
    8 -32600 this is not a JSON-RPC message: it has no `method`
    null -32600 this is not a JSON-RPC request: `jsonrpc` is "2.0", `id` a text or a whole number, `params` an object
    10 -32601 no/such
    11 -32602 the params of tools/call cannot be read: a field is missing or has the wrong type
    13 -32602 Unknown tool: note_sav; did you mean `note_save`?
    14 -32602 the params of tools/call cannot be read: a field is missing or has the wrong type
    15 -32602 Unknown tool: drop table; the tools are note_list, note_save, note_show, note_delete, note_pin, note_confirm, note_search
    16 -32602 the params of resources/read cannot be read: a field is missing or has the wrong type
    "#);
    // Messages that are no requests get no answer.
    client.send_bytes(b"\n   \n{\"jsonrpc\":\"2.0\",\"method\":\"no/such\"}\n{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}\n");
    // Bytes that are no text are mended inside one, as half an emoji is.
    client.send_bytes(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\\ud83d\"}\n");
    assert_eq!(client.receive()["error"]["code"], -32601);
    client.send_bytes(b"\x00\x01\x02\n");
    assert_eq!(client.receive()["error"]["code"], -32700);
    let deep = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\",\"params\":{}{}}}\n",
        "[".repeat(5000),
        "]".repeat(5000)
    );
    client.send_bytes(deep.as_bytes());
    let answer = client.receive();
    assert_eq!(fields(&answer, "id error/code"), "3 -32700");
    assert!(client.call("note_list", json!({})).contains("0 of 64"));
}

#[test]
fn what_comes_before_the_beginning_ends_nothing() {
    let scratch = Scratch::new();
    let mut client = Client::spawn(scratch.command("mcp"));
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    client.send(&json!({ "jsonrpc": "2.0", "id": 5, "result": {} }));
    client.send_bytes(b"{\n");
    assert_eq!(client.receive()["error"]["code"], -32700);
    assert_eq!(
        client.answer("tools/list", json!({}))["error"]["code"],
        -32602
    );
    assert!(client.answer("ping", json!({})).get("result").is_some());
    let params = json!({ "protocolVersion": 7 });
    assert!(client.answer("initialize", params).get("error").is_some());
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    client.initialize(json!({}));
    assert!(client.call("note_list", json!({})).contains("0 of 64"));
}

#[test]
fn huge_messages_are_refused_one_by_one() {
    let scratch = Scratch::new();
    let mut command = scratch.command("mcp");
    command.env("WAYNOTE_MAX_PLACE_BYTES", "0");
    let mut client = Client::spawn(command);
    client.initialize(json!({}));
    let before = cfg!(target_os = "linux").then(|| client.most_memory());
    let huge = |id: Value, bytes: usize| {
        json!({ "jsonrpc": "2.0", "method": "tools/call", "params": { "name": "note_save", "arguments": {
            "place": "/p", "content": "x".repeat(bytes) } }, "id": id })
    };
    // Here the id follows the text, as some clients send it.
    for id in [json!(41), json!("forty-two")] {
        client.send(&huge(id.clone(), 24 * 1024 * 1024));
        let answer = client.receive();
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&id, &json!(-32600))
        );
    }
    // Many values are refused where their text is not.
    let values = format!(
        "{{\"id\":43,\"method\":\"x\",\"params\":{{\"a\":[{}1]}}}}\n",
        "1,".repeat(900_000)
    );
    client.send_bytes(values.as_bytes());
    assert_eq!(client.receive()["error"]["code"], -32600);
    // A readable message with a note that is too large.
    client.send(&huge(json!(44), 1024 * 1024));
    assert_eq!(
        client.receive()["result"]["content"][0]["text"],
        "the note is too large: 1048576 bytes, the limit is 262144\nkeep what the next run needs; nothing was done"
    );
    // The largest note is taken and shown. A text without a place to split is the hardest to count.
    let text = "\u{1}".repeat(256 * 1024);
    let reply = client.call("note_save", json!({ "place": "~/work", "content": text }));
    assert_eq!(reply, "saved place:~/work (new)");
    assert!(client.call("note_show", json!({ "place": "." })) == text);
    client.request("resources/read", json!({ "uri": "waynote://context" }));
    // Many at once are worked on a few at a time. Without the input the server ends, so it is kept.
    let mut input = client.split_input();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..40 {
                let sent = huge(json!(100 + number), 1024 * 1024);
                let _ = std::io::Write::write_all(&mut input, format!("{sent}\n").as_bytes());
            }
        });
        for _ in 0..40 {
            assert_eq!(client.receive()["result"]["isError"], true);
        }
    });
    if let Some(before) = before {
        let took = client.most_memory().saturating_sub(before);
        assert!(took < MOST, "{took} kB");
    }
}

#[test]
fn half_a_message_waits_and_then_gets_an_error() {
    let scratch = Scratch::new();
    let mut client = Client::start(&scratch, "mcp");
    client.send_bytes(b"{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"to");
    let (rest, status) = client.end();
    let answer: Value = serde_json::from_str(&rest).unwrap();
    assert_eq!(fields(&answer, "id error/code"), "77 -32700");
    assert!(status.success());
    // A whole one without its line end is one.
    let mut client = Client::start(&scratch, "mcp");
    client.send_bytes(b"{\"jsonrpc\":\"2.0\",\"id\":78,\"method\":\"ping\"}");
    let (rest, _) = client.end();
    assert_eq!(rest, "{\"jsonrpc\":\"2.0\",\"id\":78,\"result\":{}}\n");
}

#[test]
fn a_text_of_nothing_is_no_note() {
    let scratch = Scratch::new();
    let mut client = Client::start(&scratch, "mcp");
    assert_calls!(client, @r#"
    $ note_save {"place":".","content":" \n\t"}
    error: `content` is empty
    send what the next run needs, or use note_delete to remove a note; nothing was done
    "#);
}
