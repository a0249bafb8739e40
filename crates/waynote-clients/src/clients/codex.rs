//! Codex: `config.toml` for the server, `hooks.json` for hooks, which it runs once the user trusts them.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use waynote_system::Environment;

use crate::client::{Client, Event};
use crate::error::Result;
use crate::formats::edit::Edit;
use crate::formats::entry::NAME;
use crate::formats::source;
use crate::profile::answer::{Ending, Form};
use crate::profile::findings::Findings;
use crate::profile::reading::{Kind, Off, Reading, Switch};
use crate::profile::setup::{ClientFile, HOOK_SECONDS, InstallScope, Machine, Part, Roots, Setup};
use crate::profile::target::{EndpointForm, TOKEN_VARIABLE};
use crate::profile::{Profile, has_server, installed_plugin};
use crate::rights::Rights;

pub(super) static PROFILE: Profile = Profile {
    client: Client::Codex,
    word: "codex",
    title: "Codex",
    program: "codex",
    events: &[
        (Event::SessionStart, "SessionStart"),
        (Event::SubagentStart, "SubagentStart"),
        (Event::Prompt, "UserPromptSubmit"),
        (Event::BeforeTool, "PreToolUse"),
        // It has no event for failures.
        (Event::AfterFailure, "PostToolUse"),
        (Event::Stop, "Stop"),
    ],
    block_event: Some(Event::SessionStart),
    answer: Form::Nested,
    tools: ["Bash|apply_patch", "Bash"],
    call: Some(&[
        ("session_id", "session_id"),
        ("cwd", "cwd"),
        ("tool_name", "tool_name"),
        ("command", "tool_input.command"),
        ("tool_response", "tool_response"),
    ]),
    ending: Ending::Block,
    // Its entry has a member of its own for the variable.
    endpoint: EndpointForm::new(None, "url", TOKEN_VARIABLE),
    server: [".codex/config.toml", ".codex/config.toml", "mcp_servers"],
    shell_variable: "CODEX_THREAD_ID",
    files,
    next_steps,
    reads_failure: Some(has_failed),
    allow: |machine, _, rights| {
        allow(machine, rights);
        Ok(())
    },
    may_work: "--sandbox workspace-write",
    plugin: |machine| {
        let entry = plugin(machine)?.join("mcp/codex.json");
        Some(installed_plugin(PLUGIN, &entry))
    },
    reads: &[Reading {
        kinds: &[(&["hooks"], Kind::Object)],
        only: &["hooks", "description"],
        ..Reading::strict("hooks.json")
    }],
    switches: &[
        Switch::new("config.toml", &["features", "hooks"], Off::Is(false)),
        Switch::new(
            "config.toml",
            &["mcp_servers", NAME, "enabled"],
            Off::Is(false),
        ),
    ],
    trust,
    ..Profile::BASE
};

fn files(setup: &Setup<'_>) -> Result<Vec<ClientFile>> {
    // Codex shows the message while the hook runs, and beside it when it asks for trust.
    let more = [
        ("timeout", HOOK_SECONDS.into()),
        ("statusMessage", "waynote: notes for this work".into()),
    ];
    let root = setup.roots()?;
    Ok(vec![
        ClientFile::new(config(&root)?, Part::Server, Edit::Toml(setup.server())),
        ClientFile::json(hooks(&root)?, Part::Hooks, setup.hooks(&more, true)),
    ])
}

fn next_steps(reach: InstallScope, has_hooks: bool) -> Vec<String> {
    let mut steps = Vec::new();
    if has_hooks {
        steps.push(
            "start Codex, open `/hooks` and trust waynote's hooks, after an upgrade the new ones: it silently skips untrusted hooks".into(),
        );
    }
    if reach == InstallScope::Project {
        let trust =
            "trust this directory in Codex: it reads project files only in trusted directories";
        steps.insert(0, trust.into());
    }
    steps
}

/// Without a server entry, Codex takes no settings for the server. A plugin's are in a table of its own.
fn allow(machine: Machine<'_>, rights: &mut Rights) {
    let is_read = has_server(&PROFILE, machine, InstallScope::User)
        || has_server(&PROFILE, machine, InstallScope::Project) && trusts(machine.environment);
    let of_plugin = plugin(machine).map(|_| format!("plugins.{PLUGIN}."));
    for table in is_read.then(String::new).into_iter().chain(of_plugin) {
        rights.argument("-c");
        rights.argument(format!(
            "{table}mcp_servers.{NAME}.default_tools_approval_mode=\"approve\""
        ));
    }
}

/// Our plugin's name, and its hooks below its folder.
const PLUGIN: &str = "waynote@waynote";
const PLUGIN_HOOKS: &str = "hooks/codex.json";

/// The folder of our plugin, where it is switched on: the one version in a cache of copies.
fn plugin(machine: Machine<'_>) -> Option<PathBuf> {
    let table = user_config(machine.environment)?;
    let is_on = table["plugins"][PLUGIN]["enabled"] == json!(true);
    let cache = folder(&Roots::of(machine.environment, InstallScope::User).ok()?).ok()?;
    let versions = cache.join("plugins/cache/waynote/waynote");
    let copy = versions.read_dir().ok()?.next()?.ok()?.path();
    is_on.then_some(copy)
}

fn trust(setup: &Setup<'_>, findings: &mut Findings) -> Result {
    let environment = setup.machine.environment;
    // An unreadable file is reported elsewhere.
    let table = user_config(environment).unwrap_or_default();
    let mut file = hooks(&setup.roots()?)?;
    let mut key = file.display().to_string();
    if !has_server(&PROFILE, setup.machine, setup.reach)
        && let Some(plugin) = plugin(setup.machine)
    {
        (file, key) = (
            plugin.join(PLUGIN_HOOKS),
            format!("{PLUGIN}:{PLUGIN_HOOKS}"),
        );
    }
    let known = table["hooks"]["state"].as_object();
    // It trusts each hook of a file by the event, its place there and a hash: one of a new version is not trusted.
    let entries = source::read(&file).unwrap_or_default();
    let is_trusted = |event: &str| {
        let head = format!("{key}:{}:", snake(event));
        let is_trusted = |(key, state): (&String, &Value)| {
            key.starts_with(&head) && state["trusted_hash"].is_string()
        };
        known.is_some_and(|known| known.iter().any(is_trusted))
    };
    let words = PROFILE.events.iter().map(|(_, word)| *word);
    let there = words.filter(|word| entries["hooks"][*word].is_array());
    let untrusted: Vec<&str> = there.filter(|word| !is_trusted(word)).collect();
    if setup.has_hooks() && !untrusted.is_empty() {
        let hooks = untrusted.join(", ");
        findings.wrong(
            format!("Codex: these hooks are not trusted yet, and silently skipped: {hooks}"),
            "start Codex, open `/hooks` and trust them",
        );
    } else if setup.has_hooks() && entries["hooks"].is_object() {
        findings.ok(format!("Codex: hooks of {} are trusted", file.display()));
    }
    let here = environment.working_directory()?;
    if setup.reach == InstallScope::Project && !is_trusted_in(&table, here) {
        findings.wrong(
            format!(
                "Codex: {} is not trusted: its files are not read",
                here.display()
            ),
            "start Codex here and trust the directory",
        );
    }
    Ok(())
}

/// True if the output of a command says that it failed: by the code, which some versions of Codex write above it, else by
/// a line that programs end with when they fail.
fn has_failed(output: &str) -> bool {
    const CODES: [&str; 2] = ["Process exited with code ", "Exit code: "];
    const BEGIN: [&str; 9] = [
        "error:",
        "error[",
        "fatal:",
        "fatal error",
        "npm error",
        "npm err!",
        "traceback (most recent call last)",
        "e   ",
        "make: ***",
    ];
    const WITHIN: [&str; 6] = [
        ": command not found",
        ": permission denied",
        ": no such file or directory",
        "panicked at",
        "test result: failed",
        "build failed",
    ];
    let mut lines = output.lines();
    let code = lines.by_ref().take(8).find_map(|line| {
        let code = CODES
            .iter()
            .find_map(|head| line.trim().strip_prefix(head))?;
        code.trim().parse::<i64>().ok()
    });
    if let Some(code) = code {
        return code != 0;
    }
    // Something is missing, perhaps what would tell.
    if output.contains("Warning: truncated output") {
        return false;
    }
    output.lines().any(|line| {
        let line = line.trim_start().to_lowercase();
        BEGIN.iter().any(|begin| line.starts_with(begin))
            || WITHIN.iter().any(|part| line.contains(part))
    })
}

/// An event as its configuration writes it: `SessionStart` is `session_start`.
fn snake(event: &str) -> String {
    let mut snake = String::new();
    for char in event.chars() {
        if char.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(char.to_lowercase());
    }
    snake
}

/// Its folder.
fn folder(root: &Roots<'_>) -> Result<PathBuf> {
    Ok(root
        .moved("CODEX_HOME")?
        .unwrap_or_else(|| root.at(".codex")))
}

/// The file that has the server.
fn config(root: &Roots<'_>) -> Result<PathBuf> {
    Ok(folder(root)?.join("config.toml"))
}

/// The file that has the hooks.
fn hooks(root: &Roots<'_>) -> Result<PathBuf> {
    Ok(folder(root)?.join("hooks.json"))
}

/// The user's configuration.
fn user_config(environment: &Environment) -> Option<Value> {
    let path = config(&Roots::of(environment, InstallScope::User).ok()?).ok()?;
    source::read(&path)
}

/// True if it trusts the working directory or one above it, by the user's file.
fn trusts(environment: &Environment) -> bool {
    let (Some(user), Ok(directory)) = (user_config(environment), environment.working_directory())
    else {
        return false;
    };
    let mut folders = directory.ancestors();
    folders.any(|folder| is_trusted_in(&user, folder))
}

fn is_trusted_in(user: &Value, folder: &Path) -> bool {
    user["projects"][&*folder.to_string_lossy()]["trust_level"] == "trusted"
}

#[cfg(test)]
mod tests {
    use super::has_failed;

    #[test]
    fn a_failure_is_read_from_an_output() {
        for failed in [
            "Process exited with code 1\nOutput:\nno",
            "   Compiling x\nerror[E0308]: mismatched types",
            "bash: line 1: jq: command not found",
            "Traceback (most recent call last):\n  File \"x\"",
        ] {
            assert!(has_failed(failed), "{failed}");
        }
        for other in [
            "Process exited with code 0\nOutput:\nerror: of a test that is meant to fail",
            "0 errors, 3 warnings",
            "src/error.rs",
            "Warning: truncated output (original: 9000 lines)\nerror: x",
            "",
        ] {
            assert!(!has_failed(other), "{other}");
        }
    }
}
