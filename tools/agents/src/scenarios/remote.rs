//! A client that has a server's MCP endpoint, and nothing of waynote on its machine but what `install` wrote.

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::super::clients::Turn;
use super::super::home::{Bench, CANARY};
use kit::served::Server;

/// The agent's note.
const SAVED: &str = "canary-9127: the clock must be frozen before the tests";

/// The client sends the token of its environment with each request, which is in none of its files. Its model reads and
/// writes notes of the server.
pub(crate) fn endpoint(bench: &Bench) -> Result<()> {
    let client = bench.agent.client;
    let server = Server::start(
        &bench.waynote_program()?,
        &bench.folder_of_its_own("server")?,
        &[],
    )?;
    server.waynote(&["key", "save", "prices", CANARY, "--pin"])?;
    let token = server.token("laptop", "--write")?;
    bench.sets("WAYNOTE_TOKEN", &token);
    bench.waynote(&["install", client, "--store", &server.store, "--remote-mcp"])?;

    let note = json!({ "key": "frozen-clock", "content": SAVED, "pin": true });
    bench.model.calls("note_save", note);
    let first = bench.turn(Turn::New("question-one"))?;
    ensure!(
        first[0].offered("note_context").is_some(),
        "the first request does not offer note_context, but {:?}",
        first[0].tools
    );
    let history = server.waynote(&["history", "agent:default#frozen-clock"])?;
    ensure!(
        history.contains("agent:default"),
        "the call of note_save saved nothing: {history}{}",
        bench.heard()
    );
    // Its model sees the whole instructions, which have the notes then; others are told to ask for them.
    match client {
        "goose" => bench.model.answers(),
        _ => bench.model.calls("note_context", json!({})),
    }
    let second = bench.turn(Turn::New("question-two"))?;
    for text in [CANARY, SAVED] {
        let last = second.last().context("no request")?;
        ensure!(
            last.count(text) == 1,
            "`{text}` is there {} times",
            last.count(text)
        );
    }
    for (path, text) in bench.files()? {
        let has_it = text
            .windows(token.len())
            .any(|part| part == token.as_bytes());
        ensure!(!has_it, "the token is in {}", path.display());
    }
    let (_, doctor) = bench.shell(&format!("waynote doctor {client}"))?;
    let answers = doctor.contains(&format!("the endpoint {}/mcp answers", server.store));
    ensure!(answers && !doctor.contains("WRONG"), "doctor: {doctor}");

    // A token that does not count keeps the client from the notes, and from nothing else.
    server.waynote(&["token", "revoke", "laptop"])?;
    bench.model.answers();
    let refused = bench.turn(Turn::New("question-three"))?;
    ensure!(
        // Copilot CLI goes on offering what it was told before; calls fail.
        client == "copilot"
            || refused
                .iter()
                .all(|request| request.offered("note_save").is_none()),
        "the tools are offered without a token that counts"
    );
    bench.waynote(&["uninstall", client])?;
    Ok(())
}
