//! Tools: the notes of a path stand in the request that follows the tool, once; a failure is followed by the note that
//! matches it.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Result, bail, ensure};
use serde_json::{Value, json};

use super::super::clients::{AGENTS, Turn};
use super::super::home::{Bench, CANARY};
use super::super::model::{Reply, Request, SUMMARY, is_summary};
use super::conversations::{self, at_once};
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

/// The file that is read, in a checkout, and a word that stands only in it.
const FILE: &str = "src/pay/round.rs";
const INSIDE: &str = "canary_round_4471";

/// A file below the project, and a note on its directory.
pub(crate) fn with_file(bench: &Bench) -> Result<()> {
    let file = bench.project()?.join(FILE);
    std::fs::create_dir_all(file.with_file_name(""))?;
    std::fs::write(file, format!("pub fn {INSIDE}() {{}}\n"))?;
    bench.waynote(&["place", "write", "--at", "src/pay", PAY])?;
    Ok(())
}

/// A client's own tool that reads the file of a checkout.
fn reading(client: &str, checkout: &Path) -> Result<(&'static str, Value)> {
    let path = checkout.join(FILE);
    Ok(match client {
        "claude-code" => ("Read", json!({ "file_path": path })),
        "codex" => ("exec_command", json!({ "cmd": format!("cat {FILE}") })),
        "gemini" | "qwen" => ("read_file", json!({ "file_path": path })),
        "opencode" => ("read", json!({ "filePath": path })),
        "copilot" => ("view", json!({ "path": path })),
        client => bail!("{client} has no such moment"),
    })
}

/// A file below the project is read twice: its directory's note comes with the first reading alone.
pub(crate) fn action(bench: &Bench) -> Result<()> {
    with_file(bench)?;
    is_told_once(bench, "question-one")?;
    if matches!(bench.agent.client, "claude-code" | "codex") {
        // The same by the server that is connected anyway.
        bench.waynote(&["install", bench.agent.client, "--by-server"])?;
        is_told_once(bench, "question-two")?;
    }
    Ok(())
}

/// A session reads the file twice, and gets the note once, after the first reading; its requests.
pub(crate) fn is_told_once(bench: &Bench, prompt: &str) -> Result<Vec<Request>> {
    let read = reading(bench.agent.client, &bench.project()?)?;
    calls(bench, vec![read.clone(), read]);
    let requests = bench.turn(Turn::New(prompt))?;
    let (before, after) = around(bench, &requests)?;
    none_holds(before, PAY, &format!("{prompt}, before the tool"))?;
    each_once(after, PAY, &format!("{prompt}, after the tool"))?;
    Ok(requests)
}

/// The file is read in each turn of a person, once.
fn reads_in_each_turn(bench: &Bench) -> Result<()> {
    let (tool, input) = reading(bench.agent.client, &bench.project()?)?;
    bench.model.calls(tool, input);
    Ok(())
}

/// The conversation is compacted between two readings: the note comes with the first reading after it again.
pub(crate) fn compacted(bench: &Bench) -> Result<()> {
    with_file(bench)?;
    reads_in_each_turn(bench)?;
    conversations::compacted_between(bench, "question-one", "question-three")?;
    let requests = bench.model.requests();
    let (before, after): (Vec<Request>, Vec<Request>) = requests
        .into_iter()
        .filter(|request| !is_summary(request))
        .partition(|request| !request.contains(SUMMARY));
    for (requests, when) in [(before, "before the compaction"), (after, "after it")] {
        let (untold, told) = around(bench, &requests)?;
        none_holds(untold, PAY, &format!("{when}, before the tool"))?;
        each_once(told, PAY, &format!("{when}, after the tool"))?;
    }
    Ok(())
}

/// A session and its subagent read the same file, the subagent twice: each conversation has the note once.
pub(crate) fn by_subagent(bench: &Bench) -> Result<()> {
    with_file(bench)?;
    let read = reading(bench.agent.client, &bench.project()?)?;
    let own = read.clone();
    let (main, sub) =
        conversations::with_subagent(bench, own, move |request| match request.count(INSIDE) {
            0 | 1 => Reply::Call(read.0, read.1.clone()),
            _ => Reply::say("done"),
        })?;
    for (requests, who) in [(main, "the session"), (sub, "the subagent")] {
        let (before, after) = around(bench, &requests)?;
        none_holds(before, PAY, &format!("{who}, before the tool"))?;
        each_once(after, PAY, &format!("{who}, after the tool"))?;
    }
    Ok(())
}

/// Two sessions at once, in two worktrees of one repository, read a file twice each: each is told once, and each has the
/// block.
pub(crate) fn worktrees(bench: &Bench) -> Result<()> {
    with_file(bench)?;
    bench.git(&["add", "."])?;
    let person = ["-c", "user.name=p", "-c", "user.email=p@example.com"];
    bench.git(&[&person[..], &["commit", "--quiet", "-m", "begin"]].concat())?;
    bench.git(&["worktree", "add", "--quiet", "../other"])?;
    let (one, two) = (bench.project()?, bench.home()?.join("other"));
    let client = bench.agent.client;
    let reads = [reading(client, &one)?, reading(client, &two)?];
    reads_twice(bench, reads.clone());
    let words = bench.agent.words(Turn::New("question-one"));
    let others = bench.agent.words(Turn::New("question-two"));
    at_once(
        bench,
        vec![(bench.agent, words, one), (bench.agent, others, two)],
    )?;
    each_is_told_once(bench)
}

/// Two clients at once in one project read the same file twice each.
pub(crate) fn two_clients(bench: &Bench) -> Result<()> {
    with_file(bench)?;
    let other = AGENTS[0];
    bench.joins(other)?;
    let project = bench.project()?;
    let reads = [
        reading(bench.agent.client, &project)?,
        reading(other.client, &project)?,
    ];
    reads_twice(bench, reads);
    let words = bench.agent.words(Turn::New("question-one"));
    let others = other.words(Turn::New("question-two"));
    at_once(
        bench,
        vec![
            (bench.agent, words, project.clone()),
            (other, others, project),
        ],
    )?;
    each_is_told_once(bench)
}

/// The session of the first question reads its file twice, and that of the second one its own.
fn reads_twice(bench: &Bench, reads: [(&'static str, Value); 2]) {
    bench.model.does(move |request| {
        let (tool, input) = &reads[usize::from(!request.contains("question-one"))];
        match request.count(INSIDE) {
            0 | 1 => Reply::Call(tool, input.clone()),
            _ => Reply::say("done"),
        }
    });
}

fn each_is_told_once(bench: &Bench) -> Result<()> {
    let (one, two): (Vec<Request>, Vec<Request>) = bench
        .fresh()
        .into_iter()
        .partition(|request| request.contains("question-one"));
    for (requests, which) in [(one, "first session"), (two, "second session")] {
        each_once(&requests, CANARY, which)?;
        let (before, after) = around(bench, &requests)?;
        none_holds(before, PAY, &format!("{which}, before the tool"))?;
        each_once(after, PAY, &format!("{which}, after the tool"))?;
        ensure!(after.len() >= 2, "{which}: the file was not read twice");
    }
    Ok(())
}

/// A command fails: the note that matches what it printed comes before the next decision.
pub(crate) fn failure(bench: &Bench) -> Result<()> {
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
