//! Hooks at tools, replayed: calls on the paths of this repository's history, over stores with ever more notes. Which
//! notes belong in an answer is worked out here again, from paths alone.

use std::collections::{BTreeSet, HashSet};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use kit::measure::{below, percent};
use kit::random::Random;
use kit::release;
use serde_json::{Value, json};
use waynote::Address;
use waynote_testing::values::save;

use crate::contexts::filled;

const CALLS: usize = 600;

/// How many calls a session has.
const SESSION: usize = 100;

/// As many names of the history are the files of a session.
const FILES: usize = 40;

/// Notes on directories, and further notes of an agent.
const STORES: [(usize, usize); 4] = [(0, 100), (50, 100), (5_000, 100), (5_000, 95_000)];

/// A call, the path that it touches, and whether that is read from a command.
struct Call {
    input: Value,
    path: Option<PathBuf>,
}

pub(crate) fn run() -> Result<()> {
    let program = release::program();
    let top = Path::new(".").canonicalize()?;
    let calls = calls(&top)?;
    println!("actions: {} calls in sessions of {SESSION}", calls.len());
    for (places, others) in STORES {
        let folder = tempfile::tempdir_in("target")?;
        let folder = folder.path().canonicalize()?;
        let noted = fill(&folder.join("notes.db"), &top, places, others)?;
        for by in [Way::Process, Way::Server] {
            replay(&program, by, &folder, &top, &noted, &calls)
                .with_context(|| format!("{places} places, {others} others, {by:?}"))?;
        }
    }
    Ok(())
}

/// How a client asks.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Way {
    /// It starts the program.
    Process,
    /// It calls the server that is connected.
    Server,
}

/// A connected server.
struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Server {
    fn start(mut command: Command) -> Result<Self> {
        let mut child = command.arg("mcp").spawn()?;
        let mut server = Self {
            input: child.stdin.take().context("no input")?,
            output: BufReader::new(child.stdout.take().context("no output")?),
            child,
        };
        server.request(
            "initialize",
            &json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": { "name": "bench", "version": "1" },
            }),
        )?;
        Ok(server)
    }

    fn request(&mut self, method: &str, params: &Value) -> Result<Value> {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        self.input.write_all(format!("{message}\n").as_bytes())?;
        let mut reply = String::new();
        self.output.read_line(&mut reply)?;
        Ok(serde_json::from_str(&reply)?)
    }

    /// Calls the tool as the hooks of Claude Code with `--by-server` do.
    fn hook(&mut self, input: &Value) -> Result<String> {
        let mut arguments = json!({ "client": "claude-code", "event": "PreToolUse" });
        for name in ["session_id", "cwd", "tool_name"] {
            arguments[name] = input[name].clone();
        }
        for name in ["file_path", "command"] {
            arguments[name] = input["tool_input"][name]
                .as_str()
                .unwrap_or_default()
                .into();
        }
        let reply = self.request(
            "tools/call",
            &json!({ "name": "hook", "arguments": arguments }),
        )?;
        let text = &reply["result"]["content"][0]["text"];
        let text = text.as_str().with_context(|| reply.to_string())?;
        Ok(text.to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts the program for a hook's input.
fn process(mut command: Command, input: &Value) -> Result<String> {
    let mut child = command
        .args(["hook", "claude-code", "PreToolUse"])
        .spawn()?;
    let mut written = child.stdin.take().context("no input")?;
    written.write_all(input.to_string().as_bytes())?;
    drop(written);
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "{}", output.status);
    Ok(String::from_utf8(output.stdout)?)
}

/// Calls as agents make them: reads, edits and commands, on files that the history names and that are there.
fn calls(top: &Path) -> Result<Vec<Call>> {
    let log = Command::new("git")
        .args(["log", "--name-only", "--format=", "-n", "400"])
        .output()?;
    let mut random = Random(7);
    let log = String::from_utf8(log.stdout)?;
    let files: Vec<&str> = log
        .lines()
        .filter(|line| top.join(line).is_file())
        .collect();
    ensure!(!files.is_empty(), "git log names no file that is there");
    let call = |number: usize| {
        // A session works on the files of some commits in a row.
        let file = files[(number / SESSION * FILES + random.below(FILES)) % files.len()];
        let whole = top.join(file);
        let (folder, name) = file.rsplit_once('/').unwrap_or((".", file));
        let tool = |name: &str| {
            let input = json!({ "tool_name": name, "tool_input": { "file_path": whole } });
            (input, true)
        };
        let bash =
            |command: &str| json!({ "tool_name": "Bash", "tool_input": { "command": command } });
        let runs = |command: String| (bash(&command), true);
        let quiet = |command| (bash(command), false);
        let (input, touches) = match random.below(12) {
            0..=2 => tool("Read"),
            3..=4 => tool("Edit"),
            5 => runs(format!("sed -n '1,40p' {file}")),
            6 => runs(format!("cat {file} | head -20 && git diff -- {file}")),
            7 => runs(format!("cd {folder} && wc -l {name}")),
            8 => runs(format!("rg -n 'fn main' {file} > /dev/null 2>&1")),
            9 => quiet("git status --short && cargo check 2>&1 | tail -5"),
            10 => quiet("echo 'see https://example.com/a/b' | sed 's/a/b/' | sort"),
            _ => quiet("cat > /dev/null <<'EOF'\nsome text about other things\nEOF"),
        };
        Call {
            input,
            path: touches.then_some(whole),
        }
    };
    Ok((0..CALLS).map(call).collect())
}

/// Notes on directories of the repository, then on others below and outside it. Returns the directories.
fn fill(store: &Path, top: &Path, places: usize, others: usize) -> Result<HashSet<PathBuf>> {
    let listed = Command::new("git").args(["ls-files"]).output()?;
    let listed = String::from_utf8(listed.stdout)?;
    let above = |line| {
        top.join(line)
            .ancestors()
            .skip(1)
            .map(Path::to_owned)
            .collect::<Vec<_>>()
    };
    let folders = listed.lines().flat_map(above);
    let folders: BTreeSet<PathBuf> = folders.filter(|folder| folder.starts_with(top)).collect();
    let mut random = Random(11);
    let mut folders: Vec<PathBuf> = folders.into_iter().collect();
    folders.sort_by_cached_key(|_| random.number());
    folders.extend((0..places).map(|number| match number % 2 {
        0 => top.join(format!("none/{number}")),
        _ => PathBuf::from(format!("/srv/other/{number}")),
    }));
    folders.truncate(places);
    let on_folders = folders.iter().map(|folder| {
        let place = folder.to_str().context("not UTF-8")?;
        let text =
            format!("what to know about {place}: its tests need the database, run them one by one");
        Ok(save(Address::Place(place.parse()?), &text))
    });
    let others = (0..others).map(|number| {
        let address = format!("agent:bench#key-{number}").parse()?;
        let text = format!("note {number} of the notebook, about entry {}", number * 7);
        Ok(save(address, &text))
    });
    filled(store, on_folders.chain(others))?;
    Ok(folders.into_iter().collect())
}

fn replay(
    program: &Path,
    by: Way,
    folder: &Path,
    top: &Path,
    noted: &HashSet<PathBuf>,
    calls: &[Call],
) -> Result<()> {
    let command = || {
        let mut command = Command::new(program);
        command
            .current_dir(top)
            .env_clear()
            .envs([("HOME", "/home/bench"), ("WAYNOTE_HOOK_WAIT", "10")])
            .env("XDG_STATE_HOME", folder.join(format!("{by:?}")))
            .env("WAYNOTE_STORE", folder.join("notes.db"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        command
    };
    let mut server = match by {
        Way::Process => None,
        Way::Server => Some(Server::start(command())?),
    };
    let (mut times, mut given) = (Vec::new(), HashSet::new());
    let (mut due, mut told, mut wrong, mut none, mut tokens) = (0, 0, 0, 0, Vec::new());
    for (number, call) in calls.iter().enumerate() {
        if number % SESSION == 0 {
            given.clear();
            tokens.push(0);
        }
        let mut input = call.input.clone();
        input["session_id"] = format!("s{}", number / SESSION).into();
        input["cwd"] = top.to_string_lossy().into();
        let begin = Instant::now();
        let said = match &mut server {
            None => process(command(), &input)?,
            Some(server) => server.hook(&input)?,
        };
        times.push(begin.elapsed().as_secs_f64() * 1e3);
        if let Some(sum) = tokens.last_mut() {
            let answer: Value = serde_json::from_str(&said).unwrap_or_default();
            let text = answer["hookSpecificOutput"]["additionalContext"].as_str();
            *sum += waynote_tokens::count(text.unwrap_or_default());
        }
        let above = call.path.iter().flat_map(|path| path.ancestors());
        let applies: Vec<&Path> = above
            .take_while(|place| *place != top)
            .filter(|place| noted.contains(*place) && !given.contains(*place))
            .collect();
        let is_said = |place: &&&Path| said.contains(&format!("place:{}`", place.display()));
        if applies.is_empty() {
            none += 1;
            wrong += usize::from(!said.is_empty());
        } else {
            due += applies.len();
            told += applies.iter().filter(is_said).count();
        }
        given.extend(applies.into_iter().map(Path::to_owned));
    }
    let wanted = match by {
        Way::Process => "a process each (wanted 10, 20)",
        Way::Server => "by the connected server (wanted 0.5, 2)",
    };
    let at = |share| below(times.iter().copied(), share);
    println!(
        "  {} places: told {told} of {due} notes that apply ({:.1} %, wanted 95), spoke at {wrong} of {none} calls where none applies ({:.1} %, wanted at most 2); at most {} tokens in a session (wanted 1,500); median {:.2} ms, p99 {:.2} ms, {wanted}",
        noted.len(),
        percent(told, due),
        percent(wrong, none),
        tokens.iter().max().unwrap_or(&0),
        at(0.5),
        at(0.99),
    );
    Ok(())
}
