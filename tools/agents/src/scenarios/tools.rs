//! Tools: the notes of a path stand in the request that follows the tool, once; a failure is followed by the note that
//! matches it.

use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Result, bail, ensure};
use serde_json::{Value, json};

use super::super::clients::Turn;
use super::super::home::Bench;
use super::super::model::{Reply, Request};
use super::{each_once, none_holds};

/// A note below the directory in which the session starts.
const PAY: &str = "canary-4471: amounts round half to even here";
/// The end of a note about a failure. An index of notes shows only beginnings.
const UNLOCK: &str = "canary-5512: run `sh unlock.sh` and wait a minute";

/// The model calls tools one after the other, then says a word.
fn calls(bench: &Bench, calls: Vec<(&'static str, Value)>) {
    let next = AtomicUsize::new(0);
    bench.model.does(move |_| {
        let call = calls.get(next.fetch_add(1, Ordering::SeqCst));
        call.map_or_else(
            || Reply::say("done"),
            |(tool, input)| Reply::Call(tool, input.clone()),
        )
    });
}

/// A file below the project is read twice: its directory's note comes with the first reading alone.
pub(super) fn action(bench: &Bench) -> Result<()> {
    let folder = bench.project()?.join("src/pay");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("round.rs"), "pub fn round() {}\n")?;
    bench.waynote(&["place", "write", "--at", "src/pay", PAY])?;
    let path = folder.join("round.rs");
    let read = match bench.agent.client {
        "claude-code" => ("Read", json!({ "file_path": path })),
        "codex" => ("exec_command", json!({ "cmd": "cat src/pay/round.rs" })),
        "gemini" | "qwen" => ("read_file", json!({ "file_path": path })),
        "opencode" => ("read", json!({ "filePath": path })),
        "copilot" => ("view", json!({ "path": path })),
        client => bail!("{client} has no such moment"),
    };
    let is_told_once = |prompt| {
        calls(bench, vec![read.clone(), read.clone()]);
        let requests = bench.turn(Turn::New(prompt))?;
        let (before, after) = around(bench, &requests)?;
        none_holds(before, PAY, &format!("{prompt}, before the tool"))?;
        each_once(after, PAY, &format!("{prompt}, after the tool"))
    };
    is_told_once("question-one")?;
    if matches!(bench.agent.client, "claude-code" | "codex") {
        // The same by the server that is connected anyway.
        bench.waynote(&["install", bench.agent.client, "--by-server"])?;
        is_told_once("question-two")?;
    }
    Ok(())
}

/// A command fails: the note that matches what it printed comes before the next decision.
pub(super) fn failure(bench: &Bench) -> Result<()> {
    let note = format!(
        "`sh ship.sh` fails with SHIP_E42 while the lock of staging is held by another deployment. This happened in \
         May, and again in June, each time for an hour. {UNLOCK}"
    );
    bench.waynote(&["key", "save", "ship-lock", &note])?;
    // Codex gives no exit code: only a word of failure tells.
    let script = "echo 'error: SHIP_E42: the lock of staging is held by deploy-bot' >&2\nexit 7\n";
    std::fs::write(bench.project()?.join("ship.sh"), script)?;
    let command = "sh ship.sh";
    let run = match bench.agent.client {
        "claude-code" => ("Bash", json!({ "command": command, "description": "ship" })),
        "codex" => ("exec_command", json!({ "cmd": command })),
        "gemini" => ("run_shell_command", json!({ "command": command })),
        "qwen" => (
            "run_shell_command",
            json!({ "command": command, "is_background": false }),
        ),
        "opencode" | "copilot" => ("bash", json!({ "command": command, "description": "ship" })),
        client => bail!("{client} has no such moment"),
    };
    calls(bench, vec![run]);
    let requests = bench.turn(Turn::New("question-one"))?;
    let (before, after) = around(bench, &requests)?;
    none_holds(before, UNLOCK, "before the command")?;
    each_once(after, UNLOCK, "after the command")
}

/// The first request, and those after the first tool.
fn around<'r>(bench: &Bench, requests: &'r [Request]) -> Result<(&'r [Request], &'r [Request])> {
    let first = requests.iter().position(Request::is_after_tool);
    let first = first.unwrap_or(requests.len());
    ensure!(
        first < requests.len(),
        "no tool ran; offered: {:?}; printed: {}",
        requests.first().map(|request| &request.tools),
        bench.heard()
    );
    Ok(requests.split_at(first))
}
