//! `cargo xtask order`: writes which functions servers and hooks run, so that the linker puts them side by side.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::steps::{cargo, step};

const SCRIPT: &str = "crates/waynote-cli/used.ld";

/// More than the search index takes in one piece.
const NOTES: usize = 300;

pub(crate) fn run() -> Result<()> {
    // The profile's own `strip` would take the names away, and is part of what names are made from.
    let build = "rustc --release --quiet -p waynote-cli --bin waynote -- -C strip=none";
    step("program", cargo(&build.split(' ').collect::<Vec<_>>()))?;
    let program = crate::release::folder().join("waynote");
    let symbols = symbols(&program)?;
    let folder = tempfile::tempdir()?;
    let home = folder.path();
    let notes: Vec<Value> = (0..NOTES)
        .map(|number| called("note_save", json!({ "key": format!("k{number}"), "content": format!("note {number} of the build and its tests") })))
        .collect();
    feed(waynote(&program, home), &["mcp"], &notes)?;
    // As after a restore: the next server checks the file first.
    let copy = home.join("copy.db");
    std::fs::copy(home.join("notes.db"), &copy)?;
    std::fs::rename(copy, home.join("notes.db"))?;
    let mut calls = vec![
        called("note_context", json!({})),
        called("note_show", json!({ "key": "k1" })),
        called("note_list", json!({})),
        called("note_search", json!({ "query": "build" })),
        called("note_search", json!({ "query": "299" })),
    ];
    calls.extend(notes.iter().cycle().take(2 * NOTES).cloned());
    let hook = json!({ "session_id": "s", "cwd": home, "hook_event_name": "SessionStart", "source": "startup" });
    let mut used = BTreeSet::new();
    for (words, input) in [
        (&["mcp"][..], &calls),
        (&["hook", "claude-code", "SessionStart"], &vec![hook]),
    ] {
        let trace = home.join("trace");
        let mut valgrind = waynote(Path::new("valgrind"), home);
        valgrind
            .args(["--quiet", "--tool=callgrind", "--demangle=no"])
            .arg(format!("--callgrind-out-file={}", trace.display()))
            .arg(&program);
        feed(valgrind, words, input)?;
        used.extend(executed(&std::fs::read_to_string(trace)?, &program));
    }
    used.retain(|name| symbols.contains_key(pattern(name).as_str()));
    std::fs::write(SCRIPT, script(&used, &symbols))?;
    println!("{SCRIPT}: {} functions", used.len());
    Ok(())
}

fn waynote(program: &Path, home: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .env("HOME", home)
        .env("XDG_STATE_HOME", home)
        .env("XDG_RUNTIME_DIR", home)
        .env("WAYNOTE_STORE", home.join("notes.db"))
        .env("WAYNOTE_AGENT", "order")
        .env("WAYNOTE_MAX_NOTES", "1000")
        .env("WAYNOTE_HOOK_WAIT", "60")
        .current_dir(home);
    command
}

fn called(tool: &str, arguments: Value) -> Value {
    json!({ "method": "tools/call", "params": { "name": tool, "arguments": arguments } })
}

/// Runs a command on messages; a server's first.
fn feed(mut command: Command, words: &[&str], messages: &[Value]) -> Result<()> {
    let mut child = command
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .with_context(|| format!("{command:?}"))?;
    let mut input = child.stdin.take().context("it has an input")?;
    if words == ["mcp"] {
        let client = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "order", "version": "1" } });
        writeln!(input, "{}", json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": client }))?;
        writeln!(input, "{}", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        writeln!(input, "{}", json!({ "jsonrpc": "2.0", "id": "t", "method": "tools/list" }))?;
    }
    for (id, message) in messages.iter().enumerate() {
        let mut message = message.clone();
        message["jsonrpc"] = json!("2.0");
        message["id"] = json!(id + 1);
        writeln!(input, "{message}")?;
    }
    drop(input);
    ensure!(child.wait()?.success(), "{command:?} failed");
    Ok(())
}

/// How often each name occurs among the program's functions, whatever ends it.
fn symbols(program: &Path) -> Result<HashMap<String, usize>> {
    let output = Command::new("nm").arg(program).output().context("nm")?;
    let mut symbols = HashMap::new();
    for line in String::from_utf8(output.stdout)?.lines() {
        if let [_, "t" | "T" | "w" | "W", name] = line.split(' ').collect::<Vec<_>>()[..] {
            *symbols.entry(pattern(name)).or_default() += 1;
        }
    }
    Ok(symbols)
}

/// The functions of a program that callgrind saw.
fn executed(trace: &str, program: &Path) -> BTreeSet<String> {
    let mut names = HashMap::new();
    let mut objects = HashMap::new();
    let (mut is_ours, mut used) = (false, BTreeSet::new());
    for line in trace.lines() {
        let Some((what, rest)) = line.split_once("=(") else { continue };
        let Some((id, name)) = rest.split_once(')') else { continue };
        match what {
            "ob" | "cob" => {
                if !name.is_empty() {
                    objects.insert(id, name.trim_start() == program.to_string_lossy());
                }
                if what == "ob" {
                    is_ours = objects.get(id).copied().unwrap_or(false);
                }
            }
            "fn" | "cfn" => {
                if !name.is_empty() {
                    names.insert(id, name.trim_start());
                }
                if let (true, "fn", Some(name)) = (is_ours, what, names.get(id)) {
                    used.insert(name.split('\'').next().unwrap_or_default().to_owned());
                }
            }
            _ => {}
        }
    }
    used
}

/// A function's name without what the compiler makes anew: the hash at its end.
fn pattern(name: &str) -> String {
    let name = name.split(".llvm.").next().unwrap_or_default();
    match name.rfind("17h") {
        Some(at) if name.ends_with('E') && name.len() == at + 20 => format!("{}17h*E", &name[..at]),
        _ => name.to_owned(),
    }
}

/// The linker's script. A function whose name others have too stands there with its hash first, which another compiler
/// makes otherwise, and then with all of them.
fn script(used: &BTreeSet<String>, symbols: &HashMap<String, usize>) -> String {
    let mut patterns: BTreeMap<String, usize> = BTreeMap::new();
    let mut lines = String::from(
        "/* Written by `cargo xtask order`: what `waynote mcp` and its hooks run. */\nSECTIONS\n{\n  .text.used :\n  {\n",
    );
    let mut add = |name: &str| lines += &format!("    *(.text*.{name})\n");
    for name in used {
        let pattern = pattern(name);
        let count = symbols[&pattern];
        if count > 1 && pattern != *name {
            add(name.split(".llvm.").next().unwrap_or_default());
        }
        patterns.insert(pattern, count);
    }
    let (one, many): (Vec<_>, Vec<_>) = patterns.iter().partition(|(_, count)| **count == 1);
    one.into_iter().chain(many).for_each(|(pattern, _)| add(pattern));
    lines + "  }\n}\nINSERT BEFORE .text;\n"
}
