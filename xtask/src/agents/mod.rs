//! Real agents end to end: Claude Code, Codex, Gemini CLI and opencode from the npm registry, in a scratch home, talking to a scripted model on loopback.

mod home;
mod looping;
mod model;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::json;

use home::Home;
use model::{Model, Script};

/// The longest that fetching one agent may take.
const FETCHING: Duration = Duration::from_secs(150);

/// What a person noted before the agent starts.
const CANARY: &str = "canary-7361: prices are integers, in cents";

/// What the agent saves in its first session.
const SAVED: &str = "canary-9127: the clock must be frozen before the tests";

/// An agent of the registry.
struct Agent {
    /// waynote's word for it.
    client: &'static str,
    /// The package and the version that was tried.
    package: &'static str,
    version: &'static str,
    program: &'static str,
    /// Whether it is started by the package's script, not by itself.
    by_script: bool,
    /// Whether the gate waits for it.
    in_gate: bool,
    arguments: &'static [&'static str],
}

const AGENTS: [Agent; 4] = [
    Agent {
        client: "claude-code",
        package: "@anthropic-ai/claude-code",
        version: "2.1.330",
        program: "claude",
        by_script: false,
        in_gate: true,
        arguments: &["-p", "hello", "--allowedTools", "mcp__waynote__note_save"],
    },
    Agent {
        client: "codex",
        package: "@openai/codex",
        version: "0.169.0",
        program: "codex",
        by_script: false,
        in_gate: true,
        arguments: &[
            "exec",
            "--skip-git-repo-check",
            // What `/hooks` and its questions are for a person.
            "--dangerously-bypass-hook-trust",
            "--dangerously-bypass-approvals-and-sandbox",
            "hello",
        ],
    },
    Agent {
        client: "gemini",
        package: "@google/gemini-cli",
        version: "0.61.0",
        program: "gemini",
        by_script: true,
        in_gate: true,
        arguments: &["--approval-mode", "yolo", "-p", "hello"],
    },
    Agent {
        client: "opencode",
        package: "opencode-ai",
        version: "1.18.33",
        program: "opencode",
        by_script: false,
        in_gate: false,
        arguments: &["run", "hello"],
    },
];

/// Runs every agent that can be had; says loudly which could not.
pub(crate) fn run(all: bool) -> Result<()> {
    let waynote = std::env::var_os("WAYNOTE_PROGRAM").map_or_else(
        || Path::new("target/debug/waynote").to_owned(),
        PathBuf::from,
    );
    let waynote = waynote
        .canonicalize()
        .context("build waynote first: `cargo build`")?;
    for agent in AGENTS.iter().filter(|agent| all || agent.in_gate) {
        match installed(agent) {
            Ok(program) => {
                let named = || format!("{} {}", agent.package, agent.version);
                tried(agent, || check(agent, &program, &waynote)).with_context(named)?;
                if agent.client == "claude-code" {
                    tried(agent, || looping::check(&program, &waynote)).with_context(named)?;
                }
            }
            Err(error) => println!("NOT CHECKED: {}: {error:#}", agent.package),
        }
    }
    Ok(())
}

/// Checks an agent, up to three times: a hook that cannot answer at once adds nothing, and a machine that is busy for a
/// moment is no fault of what was installed.
fn tried(agent: &Agent, check: impl Fn() -> Result<()>) -> Result<()> {
    for _ in 0..2 {
        match check() {
            Ok(()) => return Ok(()),
            Err(error) => println!("{}: {error:#}; once more", agent.client),
        }
    }
    check()
}

fn check(agent: &Agent, program: &Path, waynote: &Path) -> Result<()> {
    // The first session: what a person noted is in the first request.
    let home = Home::new(waynote)?;
    let call = Script::Call {
        tool: "note_save",
        input: json!({ "key": "frozen-clock", "content": SAVED, "pin": true }),
    };
    let model = Model::start(call)?;
    home.waynote(&["place", "write", CANARY])?;
    home.prepare(agent.client, model.port)?;
    home.waynote(&["install", agent.client])?;
    home.agent(program, agent.arguments, model.port)?;
    let requests = model.requests();
    let first = requests
        .first()
        .context("the agent asked its model nothing")?;
    ensure!(
        first.to_string().contains(CANARY),
        "the first request does not hold the note: {}",
        home.heard()
    );
    let times = first.to_string().matches(CANARY).count();
    ensure!(times == 1, "the first request holds the note {times} times");
    println!(
        "{}: the first request of a session holds the block",
        agent.client
    );

    if home.waynote(&["mcp", "--help"]).is_err() {
        println!(
            "NOT CHECKED: {}: saving a note through the server; this build has no `waynote mcp`",
            agent.client
        );
    } else {
        let notes = home.waynote(&["key", "list"])?;
        ensure!(
            notes.contains("frozen-clock"),
            "the agent's call saved nothing: {notes}\n{}",
            requests.last().map(ToString::to_string).unwrap_or_default()
        );
        let model = Model::start(Script::Answer)?;
        home.prepare(agent.client, model.port)?;
        home.agent(program, agent.arguments, model.port)?;
        let requests = model.requests();
        let first = requests
            .first()
            .context("the agent asked its model nothing")?;
        ensure!(
            first.to_string().contains(SAVED),
            "the second session's first request does not hold what the first session saved"
        );
        println!(
            "{}: what one session saves through the server, the next begins with",
            agent.client
        );
        let doctor = home.waynote(&["doctor", agent.client])?;
        ensure!(!doctor.contains("WRONG"), "{doctor}");
    }
    home.waynote(&["uninstall", agent.client])?;
    home.is_as_prepared(agent.client)
}

/// The agent's own program, fetched once into the target folder.
fn installed(agent: &Agent) -> Result<PathBuf> {
    let folder = Path::new("target/agents").join(agent.client);
    let marker = folder.join(format!("fetched-{}", agent.version));
    if !marker.exists() {
        std::fs::create_dir_all(&folder)?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--ignore-scripts"])
            .arg("--prefix")
            .arg(&folder)
            .arg(format!("{}@{}", agent.package, agent.version));
        home::run(npm, FETCHING).context("npm could not fetch it")?;
        std::fs::write(&marker, "")?;
    }
    let modules = folder.join("node_modules");
    let found = match agent.by_script {
        true => Some(modules.join(".bin").join(agent.program)),
        false => find(&modules, agent.program, 0),
    };
    found
        .with_context(|| format!("no program `{}` in {}", agent.program, modules.display()))?
        .canonicalize()
        .context("the program is gone")
}

/// A large executable of that name: the program itself, not the script that starts it.
fn find(folder: &Path, program: &str, depth: usize) -> Option<PathBuf> {
    const LARGE: u64 = 1 << 20;
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .ok()?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    entries.sort();
    // Of two builds the last is the one for any processor.
    entries.into_iter().rev().find_map(|entry| {
        if entry.is_dir() && depth < 8 {
            return find(&entry, program, depth + 1);
        }
        let is_large = entry.metadata().is_ok_and(|file| file.len() > LARGE);
        (is_large && entry.file_name().is_some_and(|name| name == program)).then_some(entry)
    })
}
