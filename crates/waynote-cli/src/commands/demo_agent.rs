//! The agent of `waynote demo`: no model, but all else is real. It gets a prompt from the loop, decides by nothing but
//! the notes in it, and speaks MCP to the server.

use std::io::Read;
use std::process::Command;

use serde_json::{Value, json};
use waynote_clients::probe::Conversation;

use crate::error::{Failure, Outcome};
use crate::output::Output;
use crate::program;

const WALL: &str =
    "The orders API refuses more than 100 requests a minute: 429 at order 101, the import died";
const WAY: &str = "Import in batches of 100 with a minute between them: all 250 orders arrive";
const PRICES: &str =
    "Prices stay integers, in cents: the API's decimals lose a cent in 1 of 40 orders";

pub(super) fn run(output: &mut Output) -> Outcome {
    let mut prompt = String::new();
    std::io::stdin()
        .read_to_string(&mut prompt)
        .map_err(|error| Failure::file("the prompt", "read", error))?;
    let notes = notes(&prompt);
    output.line("  the notes in its prompt:")?;
    match notes.is_empty() {
        true => output.line("  | (none)")?,
        false => notes
            .lines()
            .try_for_each(|line| output.line(format!("  | {line}").trim_end()))?,
    }
    let exe = program::own()?;
    let mut server = Command::new(exe);
    server.arg("mcp");
    let (mut server, _) = Conversation::start(server, "waynote-demo").map_err(refused)?;
    let mut call = |output: &mut Output, tool: &str, arguments: Value| -> Outcome {
        let reply = server.ask(
            "tools/call",
            &json!({ "name": tool, "arguments": arguments }),
        );
        let reply = reply.map_err(refused)?;
        let said = reply["content"][0]["text"].as_str().unwrap_or_default();
        output.line(format!("  {tool}: {said}"))
    };

    if notes.contains(WAY) {
        output.line("  it only has to check the result:")?;
        output.line("    250 orders, the totals agree")?;
        let prices = json!({ "content": PRICES, "type": "decision" });
        call(output, "note_add", prices)?;
        let summary = json!({ "summary": "250 orders imported and checked" });
        call(output, "session_complete", summary)
    } else if notes.contains(WALL) {
        output.line("  it avoids what stopped an earlier iteration:")?;
        for orders in ["1 to 100", "101 to 200", "201 to 250"] {
            output.line(format!("    orders {orders} … imported; a minute's pause"))?;
        }
        let arguments = json!({
            "content": WAY, "type": "learning", "resolves": "100 requests a minute",
        });
        call(output, "note_add", arguments)
    } else {
        output.line("  it imports as fast as it can:")?;
        output.line("    orders 1 to 100 … imported; order 101 … 429 Too Many Requests")?;
        call(
            output,
            "note_add",
            json!({ "content": WALL, "type": "stuck" }),
        )
    }
}

fn refused(why: impl std::fmt::Display) -> Failure {
    let hint = "report this as a bug";
    Failure::refused("demo", format!("the demo's server failed: {why}"), hint)
}

/// The block in the prompt: from its first heading to its last line, which has the count of tokens.
fn notes(prompt: &str) -> &str {
    let Some(start) = prompt.find("## Notes from previous iterations") else {
        return "";
    };
    let rest = &prompt[start..];
    let end = rest
        .find(" tokens\n")
        .map_or(rest.len(), |end| end + " tokens".len());
    &rest[..end]
}
