//! Codex: `config.toml` for the server, `hooks.json` for hooks, which it runs once the user trusts them.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use waynote_system::Environment;

use crate::client::{Client, Event};
use crate::error::Result;
use crate::formats::edit::Edit;
use crate::formats::entry::NAME;
use crate::formats::source::Source;
use crate::formats::toml;
use crate::profile::answer::{Ending, Form};
use crate::profile::check::{Check, Findings};
use crate::profile::permissions::{Invocation, MissingRight, Rights, read_json, text};
use crate::profile::setup::{ClientFile, HOOK_SECONDS, InstallScope, Part, Roots, Setup};
use crate::profile::target::{EndpointForm, TOKEN_VARIABLE};
use crate::profile::{Profile, has_server, installed_plugin};

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
    files,
    next_steps,
    reads_failure: Some(has_failed),
    allow,
    missing,
    plugin: |call| {
        Some(installed_plugin(
            PLUGIN,
            &plugin(call)?.join("mcp/codex.json"),
        ))
    },
    check: |check| check.codex(),
    trust,
    ..Profile::BASE
};

fn files(setup: &Setup<'_>) -> Result<Vec<ClientFile>> {
    let seconds = [("timeout", HOOK_SECONDS.into())];
    let root = setup.roots()?;
    Ok(vec![
        ClientFile::new(config(&root)?, Part::Server, Edit::Toml(setup.server())),
        ClientFile::json(hooks(&root)?, Part::Hooks, setup.hooks(&seconds, true)),
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
fn allow(call: &Invocation<'_>, rights: &mut Rights) -> Result {
    let is_read = has_server(&PROFILE, call.machine, InstallScope::User)
        || has_server(&PROFILE, call.machine, InstallScope::Project) && trusts(call);
    let of_plugin = plugin(call).map(|_| format!("plugins.{PLUGIN}."));
    for table in is_read.then(String::new).into_iter().chain(of_plugin) {
        rights.argument("-c");
        rights.argument(format!(
            "{table}mcp_servers.{NAME}.default_tools_approval_mode=\"approve\""
        ));
    }
    Ok(())
}

/// Our plugin's name, and its hooks below its folder.
const PLUGIN: &str = "waynote@waynote";
const PLUGIN_HOOKS: &str = "hooks/codex.json";

/// The folder of our plugin, where it is switched on: the one version in a cache of copies.
fn plugin(call: &Invocation<'_>) -> Option<PathBuf> {
    let table = user_config(call.environment())?;
    let is_on = table["plugins"][PLUGIN]["enabled"] == json!(true);
    let cache = folder(&call.roots(InstallScope::User).ok()?).ok()?;
    let mut versions = cache
        .join("plugins/cache/waynote/waynote")
        .read_dir()
        .ok()?;
    let copy = versions.next()?.ok()?.path();
    is_on.then_some(copy)
}

fn trust(setup: &Setup<'_>, findings: &mut Findings) -> Result {
    let environment = setup.machine.environment;
    // An unreadable file is reported elsewhere.
    let table = user_config(environment).unwrap_or_default();
    let mut file = hooks(&setup.roots()?)?;
    let mut key = file.display().to_string();
    if !has_server(&PROFILE, setup.machine, setup.reach)
        && let Some(plugin) = plugin(&Invocation::new(setup.machine, &[]))
    {
        (file, key) = (
            plugin.join(PLUGIN_HOOKS),
            format!("{PLUGIN}:{PLUGIN_HOOKS}"),
        );
    }
    let known = table["hooks"]["state"].as_object();
    // It trusts each hook of a file by the event, its place there and a hash: one of a new version is not trusted.
    let entries = read_json(&file).unwrap_or_default();
    let is_trusted = |event: &str| {
        let head = format!("{key}:{}:", snake(event));
        let is_trusted = |(key, state): (&String, &Value)| {
            key.starts_with(&head) && state["trusted_hash"].is_string()
        };
        known.is_some_and(|known| known.iter().any(is_trusted))
    };
    let words = PROFILE.events.iter().map(|(_, word)| *word);
    let there = words.filter(|word| entries["hooks"][*word].is_array());
    let (trusted, untrusted): (Vec<&str>, Vec<&str>) = there.partition(|word| is_trusted(word));
    if !setup.has_hooks() {
        // There is nothing to trust.
    } else if untrusted.is_empty() && !trusted.is_empty() {
        findings.ok(format!("Codex: hooks of {} are trusted", file.display()));
    } else if !trusted.is_empty() {
        findings.wrong(
            format!(
                "Codex: these hooks are not trusted yet, and silently skipped: {}",
                untrusted.join(", ")
            ),
            "start Codex, open `/hooks` and trust them",
        );
    } else {
        findings.wrong(
            "Codex: the hooks are not trusted yet: Codex silently skips them",
            "start Codex, open `/hooks` and trust them",
        );
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
    toml::read(&text(&path)?)
}

/// True if it trusts the working directory or one above it, by the user's file.
fn trusts(call: &Invocation<'_>) -> bool {
    let (Some(user), Some(directory)) = (user_config(call.environment()), call.directory()) else {
        return false;
    };
    let mut folders = directory.ancestors();
    folders.any(|folder| is_trusted_in(&user, folder))
}

fn is_trusted_in(user: &Value, folder: &Path) -> bool {
    user["projects"][&*folder.to_string_lossy()]["trust_level"] == "trusted"
}

fn missing(call: &Invocation<'_>, lines: &mut Vec<MissingRight>) {
    let words = &call.words;
    const OPEN: [&str; 4] = [
        "--dangerously-bypass-approvals-and-sandbox",
        "--yolo",
        "--approve-for-me",
        "--full-auto",
    ];
    let is_open = words.has(&OPEN);
    let config = words.values(&["-c", "--config"]);
    let in_words = config
        .iter()
        .rev()
        .find_map(|setting| setting.strip_prefix("sandbox_mode="))
        .map(|mode| mode.trim_matches(['"', '\'']).to_owned());
    let sandbox = words
        .values(&["-s", "--sandbox"])
        .last()
        .map(|mode| (*mode).to_owned());
    let in_file = || {
        let file = user_config(call.environment())?;
        Some(file["sandbox_mode"].as_str()?.to_owned())
    };
    // In a directory that it trusts it writes by itself. Its profiles are not read.
    let is_unknown = !words.values(&["-p", "--profile"]).is_empty();
    let sandbox = sandbox.or(in_words).or_else(in_file);
    let reads_only = match sandbox.as_deref() {
        Some(mode) => mode == "read-only",
        None => !is_unknown && !trusts(call),
    };
    if reads_only && !is_open {
        lines.push(MissingRight::new(
            "the agent may only read: Codex runs it in a read-only sandbox",
            "add `-- --sandbox workspace-write` or what it needs",
        ));
    }
    let is_in_repository = call
        .directory()
        .is_some_and(|directory| directory.ancestors().any(|of| of.join(".git").exists()));
    let skips = words.has(&["--skip-git-repo-check"]) || words.has(&OPEN[..2]);
    if !is_in_repository && !skips {
        lines.push(MissingRight::new(
            "Codex does not start outside a git repository",
            "run `git init`, or add `-- --skip-git-repo-check`",
        ));
    }
}

/// Its configuration of the user and of the project, and what an organization requires.
impl Check<'_> {
    fn codex(&mut self) -> Result {
        for file in self.sources(&[".codex/config.toml"], self.user.first().cloned()) {
            for name in ["hooks", "codex_hooks"] {
                if file.at(&["features", name]) == &json!(false) {
                    self.wrong(
                        "hooks are switched off, so no session starts with the notes",
                        &file.place(&["features", name]),
                        "take it out, or set it to true",
                    );
                }
            }
            self.switched_off(&file, &["mcp_servers", NAME, "enabled"]);
            self.tool_lists(
                &file,
                &["mcp_servers", NAME],
                "enabled_tools",
                "disabled_tools",
            );
            let path = ["mcp_servers", NAME, "default_tools_approval_mode"];
            let mode = file.at(&path).as_str();
            if mode.is_some_and(|mode| mode != "approve") {
                self.note(
                    "every call of waynote's tools needs a confirmation, which nobody gives in `codex exec`",
                    &file.place(&path),
                    "set it to \"approve\"; `waynote loop --with codex` does so for its runs",
                );
            }
            let states = file.at(&["hooks", "state"]).as_object();
            let mut hooks = self.of_project(&[".codex/hooks.json"]);
            hooks.extend(self.user.get(1).cloned());
            for (key, state) in states.into_iter().flatten() {
                let is_ours = hooks
                    .iter()
                    .any(|path| key.starts_with(&format!("{}:session_start:", path.display())));
                if is_ours && state["enabled"] == json!(false) {
                    self.wrong(
                        "a hook is switched off",
                        &file.place(&["hooks", "state", key]),
                        "switch it on in `/hooks`",
                    );
                }
            }
        }
        let required = Source::read(Path::new("/etc/codex/requirements.toml"));
        if let Some(file) = required {
            self.managed_hooks_only(&file, "allow_managed_hooks_only");
        }
        Ok(())
    }
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
