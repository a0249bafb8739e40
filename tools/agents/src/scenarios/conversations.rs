//! Conversations: the block is in the request that follows, exactly once, and a tool's reply does not repeat it.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use super::super::clients::{Agent, Turn};
use super::super::home::{Bench, CANARY};
use super::super::model::{Reply, Request, SUMMARY, is_summary};
use super::{asked, each_once, none_holds};

/// The agent's note of its first session.
const SAVED: &str = "canary-9127: the clock must be frozen before the tests";
/// A person's note between two sessions.
const FRESH: &str = "canary-2218: the staging server is read-only";
/// A note of the other project.
const OTHER: &str = "canary-8830: this project is written in Pascal";

/// Two sessions: the first saves a note through the server, the second begins with it.
pub(crate) fn start(bench: &Bench) -> Result<()> {
    let note = json!({ "key": "frozen-clock", "content": SAVED, "pin": true });
    bench.model.calls("note_save", note);
    let first = bench.turn(Turn::New("question-one"))?;
    each_once(&first, CANARY, "first session")?;
    ensure!(
        first[0].offered("note_save").is_some(),
        "the first request does not offer note_save, but {:?}",
        first[0].tools
    );
    let notes = bench.waynote(&["key", "list"])?;
    ensure!(
        notes.contains("frozen-clock"),
        "the call of note_save saved nothing: {}",
        bench.heard()
    );
    bench.model.answers();
    let second = bench.turn(Turn::New("question-two"))?;
    each_once(&second, CANARY, "second session")?;
    each_once(&second, SAVED, "second session")
}

/// More notes than a hook may hand over, in letters of three bytes: what it does hand over arrives as it is.
pub(crate) fn long(bench: &Bench) -> Result<()> {
    bench.sets("WAYNOTE_BUDGET", "20000");
    for number in 0..20 {
        let text = format!("<b>{number}</b> {}", "価格は整数です。".repeat(40));
        bench.waynote(&["key", "save", &format!("long-{number}"), &text, "--pin"])?;
    }
    let client = bench.agent.client;
    let event = match client {
        "gemini" => "BeforeAgent",
        _ => "SessionStart",
    };
    let (_, answer) = bench.shell(&format!(
        "echo '{{\"session_id\":\"long\"}}' | waynote hook {client} {event}"
    ))?;
    let answer: Value = serde_json::from_str(&answer)?;
    let text = &answer["hookSpecificOutput"]["additionalContext"];
    let mut text = text.as_str().context("the hook adds nothing")?.to_owned();
    if matches!(client, "gemini" | "qwen") {
        text = text.replace('<', "&lt;").replace('>', "&gt;");
    }
    each_once(&bench.turn(Turn::New("question-one"))?, text.trim(), "long")
}

/// A session is resumed twice; in between a person pins a note.
pub(crate) fn resume(bench: &Bench) -> Result<()> {
    each_once(&bench.turn(Turn::New("question-one"))?, CANARY, "started")?;
    bench.waynote(&["key", "save", "staging", FRESH, "--pin"])?;
    for prompt in ["question-two", "question-three"] {
        let resumed = bench.turn(Turn::Resume(prompt))?;
        let request = asked(&resumed, prompt)?;
        ensure!(
            request.contains("question-one"),
            "{prompt}: the client did not resume its session"
        );
        each_once(&resumed, CANARY, prompt)?;
        each_once(&resumed, FRESH, prompt)?;
    }
    Ok(())
}

/// The client compacts its conversation by its own means; the next request holds the block again.
pub(crate) fn compaction(bench: &Bench) -> Result<()> {
    compacted_between(bench, "question-one", "question-two")?;
    if bench.agent.client != "gemini" {
        bench.turn(Turn::Resume("question-three"))?;
    }
    let before = bench.model.requests();
    let before = before.iter().filter(|request| !request.contains(SUMMARY));
    let before: Vec<Request> = before
        .filter(|request| !is_summary(request))
        .cloned()
        .collect();
    each_once(&before, CANARY, "before the compaction")?;
    after_compaction(bench)
}

/// Asks, lets the client compact its conversation, and asks again.
pub(crate) fn compacted_between(
    bench: &Bench,
    first: &'static str,
    last: &'static str,
) -> Result<()> {
    match bench.agent.client {
        client @ ("claude-code" | "qwen") => {
            let (command, tokens) = match client {
                // It discards a summary that is longer than the text it replaces.
                "qwen" => ("/compress", 30_000),
                _ => ("/compact", 100),
            };
            bench.model.reports_tokens(tokens);
            bench.turn(Turn::New(first))?;
            let compacted = bench.started(&["-p", command, "--continue"], "", &bench.project()?)?;
            let (code, said) = compacted.wait(Duration::from_secs(60))?;
            ensure!(code == 0, "{command}: exit code {code}: {said}");
        }
        "gemini" => {
            // Gemini CLI discards a summary that is longer than the text it replaces.
            bench.model.reports_tokens(50_000);
            return typed(bench, first, "/compress", last);
        }
        client => {
            // Compaction goes by the tokens that the model reports.
            match client {
                "codex" => bench.configures(
                    "model_auto_compact_token_limit = 20000\nmodel_context_window = 60000",
                )?,
                "goose" => {
                    bench.sets("GOOSE_CONTEXT_LIMIT", "60000");
                    bench.sets("GOOSE_AUTO_COMPACT_THRESHOLD", "0.8");
                }
                _ => {}
            }
            bench.turn(Turn::New(first))?;
            bench.model.reports_tokens(58_000);
            bench.turn(Turn::Resume("question-between"))?;
        }
    }
    bench.turn(Turn::Resume(last))?;
    Ok(())
}

/// Checks the requests that hold the summary: the block once, each.
fn after_compaction(bench: &Bench) -> Result<()> {
    let mut after = bench.model.requests();
    after.retain(|request| request.contains(SUMMARY) && !is_summary(request));
    ensure!(
        !after.is_empty(),
        "nothing was compacted: {}",
        bench.heard()
    );
    each_once(&after, CANARY, "after the compaction")
}

/// The conversation is cleared in mid-process.
pub(crate) fn clear(bench: &Bench) -> Result<()> {
    match bench.agent.client {
        "claude-code" => {
            let said = |text: &str| {
                json!({ "type": "user", "message": { "role": "user", "content": text } })
                    .to_string()
            };
            let turns = [said("question-one"), said("/clear"), said("question-two")].join("\n");
            let words = [
                "-p",
                "--input-format",
                "stream-json",
                "--output-format",
                "stream-json",
                "--verbose",
            ];
            let running = bench.started(&words, &format!("{turns}\n"), &bench.project()?)?;
            let (code, said) = running.wait(Duration::from_secs(60))?;
            ensure!(code == 0, "exit code {code}: {said}");
            cleared(&bench.fresh())
        }
        "gemini" => {
            typed(bench, "question-one", "/clear", "question-two")?;
            cleared(&bench.fresh())
        }
        "codex" => fed(bench, "clear"),
        "goose" => {
            let lines = "question-one\n/clear\nquestion-two\n/exit\n";
            let running = bench.started(&["session"], lines, &bench.project()?)?;
            running.wait(Duration::from_secs(60))?;
            cleared(&bench.fresh())
        }
        client => bail!("{client} has no such moment"),
    }
}

fn cleared(requests: &[Request]) -> Result<()> {
    let first = asked(requests, "question-one")?;
    each_once(std::slice::from_ref(first), CANARY, "before clearing")?;
    let second = asked(requests, "question-two")?;
    ensure!(!second.contains("question-one"), "nothing was cleared");
    each_once(std::slice::from_ref(second), CANARY, "after clearing")
}

/// The installed hook, with what Codex sends at the start and then from a conversation that follows within the process.
fn fed(bench: &Bench, source: &str) -> Result<()> {
    let hooks = std::fs::read_to_string(bench.home()?.join(".codex/hooks.json"))?;
    let hooks: Value = serde_json::from_str(&hooks)?;
    let hook = &hooks["hooks"]["SessionStart"][0]["hooks"][0]["command"];
    let command = hook
        .as_str()
        .context("no hook of SessionStart is installed")?;
    for (session, source) in [("01a203c7-one", "startup"), ("01a203c7-two", source)] {
        let input = json!({
            "session_id": session, "transcript_path": null, "cwd": bench.project()?, "hook_event_name": "SessionStart",
            "model": "scripted", "permission_mode": "default", "source": source,
        });
        let (code, said) = bench.shell(&format!("echo '{input}' | {command}"))?;
        ensure!(code == 0, "{source}: exit code {code}: {said}");
        let times = said.matches(CANARY).count();
        ensure!(
            times == 1,
            "{source}: the hook's answer holds the note {times} times: {said}"
        );
    }
    Ok(())
}

/// At Gemini's terminal: a question, a command that ends the conversation, a question.
fn typed(bench: &Bench, first: &'static str, command: &str, last: &'static str) -> Result<()> {
    const LISTENS: &str = "Type your message";
    let asks = |text: &'static str| move || bench.model.has_ended(text);
    let mut terminal = bench.typed("--approval-mode yolo")?;
    terminal.types(first, LISTENS, asks(first))?;
    match command {
        "/compress" => {
            let summary = || {
                bench
                    .model
                    .beside()
                    .iter()
                    .filter(|beside| is_summary(beside))
                    .count()
                    > 1
            };
            terminal.types(command, LISTENS, summary)?;
        }
        // Only the next request shows that it is done.
        _ => terminal.types(command, LISTENS, || true)?,
    }
    terminal.types(last, LISTENS, asks(last))
}

/// A subagent does a part of the work; its own conversation begins with the block.
pub(crate) fn subagent(bench: &Bench) -> Result<()> {
    let (main, sub) = with_subagent(bench, None, |_| Reply::say("done"))?;
    each_once(&main, CANARY, "the session")?;
    each_once(&sub, CANARY, "the subagent")
}

/// A session that calls a tool, if one is given, and then starts a subagent with a script of its own. The requests of
/// both.
pub(crate) fn with_subagent(
    bench: &Bench,
    first: impl Into<Option<(&'static str, Value)>>,
    script: impl Fn(&Request) -> Reply + Send + Sync + 'static,
) -> Result<(Vec<Request>, Vec<Request>)> {
    const TASK: &str = "small-task: count the files";
    let (tool, input): (&'static str, Value) = match bench.agent.client {
        "claude-code" => (
            "Agent",
            json!({ "description": "count", "prompt": TASK, "subagent_type": "general-purpose" }),
        ),
        "codex" => ("spawn_agent", json!({ "message": TASK })),
        "gemini" => (
            "invoke_agent",
            json!({ "agent_name": "generalist", "prompt": TASK }),
        ),
        "opencode" => (
            "task",
            json!({ "description": "count", "prompt": TASK, "subagent_type": "general" }),
        ),
        "copilot" => (
            "task",
            json!({ "name": "counter", "description": "count", "prompt": TASK, "agent_type": "explore", "mode": "sync" }),
        ),
        _ => ("delegate", json!({ "instructions": TASK })),
    };
    let has_waited = AtomicBool::new(false);
    let calls = Mutex::new(VecDeque::from_iter(
        first.into().into_iter().chain([(tool, input)]),
    ));
    bench.model.does(move |request| {
        if !request.contains("question-one") {
            return script(request);
        }
        let next = calls.lock().ok().and_then(|mut calls| calls.pop_front());
        if let Some((tool, input)) = next {
            Reply::Call(tool, input)
        } else if let Some(started) =
            started(request).filter(|_| !has_waited.swap(true, Ordering::SeqCst))
        {
            // Codex goes on beside its subagent, and would end before it.
            Reply::Call("wait_agent", json!({ "targets": [started] }))
        } else {
            Reply::say("done")
        }
    });
    let requests = bench.turn(Turn::New("question-one"))?;
    let (main, sub): (Vec<Request>, Vec<Request>) = requests
        .into_iter()
        .partition(|request| request.contains("question-one"));
    ensure!(
        !sub.is_empty(),
        "no subagent started; offered: {:?}",
        main[0].tools
    );
    Ok((main, sub))
}

/// The id of the subagent that Codex started.
fn started(request: &Request) -> Option<String> {
    let said = request.parts.iter().map(|part| part.text.as_str());
    let mut ids = said.filter_map(|text| Some(text.split_once("\"agent_id\":\"")?.1));
    Some(ids.next()?.split_once('"')?.0.to_owned())
}

/// Two projects of one home, each with a client at the same time.
pub(crate) fn two_at_once(bench: &Bench) -> Result<()> {
    let note = json!({ "key": "once", "content": SAVED });
    bench.model.calls("note_save", note);
    let other = bench.home()?.join("other");
    std::fs::create_dir_all(&other)?;
    if bench.agent.client == "goose" {
        // Its first two processes in a home race for their database.
        bench.turn(Turn::New("question-zero"))?;
    }
    bench.waynote_in(&other, &["place", "write", OTHER])?;
    let words = |prompt| bench.agent.words(Turn::New(prompt));
    let sessions = vec![
        (bench.agent, words("question-one"), bench.project()?),
        (bench.agent, words("question-two"), other),
    ];
    at_once(bench, sessions)?;
    let requests = bench.fresh();
    let (one, two): (Vec<Request>, Vec<Request>) = requests
        .into_iter()
        .partition(|request| request.contains("question-one"));
    each_once(&one, CANARY, "first project")?;
    none_holds(&one, OTHER, "first project")?;
    each_once(&two, OTHER, "second project")?;
    none_holds(&two, CANARY, "second project")
}

/// Sessions at the same time: of which client, with which arguments, in which folder.
pub(crate) fn at_once(bench: &Bench, sessions: Vec<(Agent, Vec<&str>, PathBuf)>) -> Result<()> {
    let mut running = Vec::new();
    for (agent, mut words, folder) in sessions {
        if agent.client == "codex" {
            words.insert(1, "--skip-git-repo-check");
        }
        running.push(bench.starts(&agent, &words, "", &folder)?);
    }
    for running in running {
        let (code, said) = running.wait(Duration::from_secs(120))?;
        ensure!(code == 0, "exit code {code}: {said}");
    }
    Ok(())
}

/// Sessions that start while others take the processor.
pub(crate) fn load(bench: &Bench) -> Result<()> {
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let mut numbers = 1..=4;
        let held = numbers.try_for_each(|number| {
            let session = bench.turn(Turn::New("question-one"))?;
            each_once(&session, CANARY, &format!("session {number} under load"))
        });
        is_over.store(true, Ordering::Relaxed);
        held
    })
}
