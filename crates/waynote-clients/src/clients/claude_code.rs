//! Claude Code: `.claude.json` or `.mcp.json` for the server, `settings.json` for hooks.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::client::{Client, Event};
use crate::error::Result;
use crate::formats::entry::{NAME, is_our_program};
use crate::formats::source::Source;
use crate::profile::answer::{Ending, Form};
use crate::profile::check::{Check, Findings};
use crate::profile::permissions::{Invocation, May, MissingRight, Rights, read_json};
use crate::profile::setup::{ClientFile, HOOK_SECONDS, InstallScope, Part, Roots, Setup};
use crate::profile::target::EndpointForm;
use crate::profile::{InstalledPlugin, Profile, enabled_plugin, installed_plugin, say_next_steps};

/// The prefix of our tools in Claude Code.
const TOOLS: &str = "mcp__waynote";

/// The same, where they come with the plugin.
const PLUGIN_TOOLS: &str = "mcp__plugin_waynote_waynote";

pub(super) static PROFILE: Profile = Profile {
    client: Client::ClaudeCode,
    word: "claude-code",
    aliases: &["claude"],
    title: "Claude Code",
    program: "claude",
    events: &[
        (Event::SessionStart, "SessionStart"),
        (Event::SubagentStart, "SubagentStart"),
        (Event::Prompt, "UserPromptSubmit"),
        (Event::BeforeTool, "PreToolUse"),
        (Event::AfterFailure, "PostToolUseFailure"),
        (Event::Stop, "Stop"),
    ],
    block_event: Some(Event::SessionStart),
    answer: Form::Shown,
    tools: ["Read|Edit|Write|MultiEdit|NotebookEdit|Bash", "Bash"],
    call: Some(&[
        ("session_id", "session_id"),
        ("agent_id", "agent_id"),
        ("cwd", "cwd"),
        ("tool_name", "tool_name"),
        ("file_path", "tool_input.file_path"),
        ("notebook_path", "tool_input.notebook_path"),
        ("command", "tool_input.command"),
        ("error", "error"),
    ]),
    ending: Ending::Block,
    endpoint: EndpointForm::new(Some("http"), "url", "${WAYNOTE_TOKEN}"),
    server: [".claude.json", ".mcp.json", "mcpServers"],
    files,
    project_variable: Some("CLAUDE_PROJECT_DIR"),
    next_steps,
    allow,
    missing,
    has_server_elsewhere: |call| has_local_server(call).unwrap_or(false),
    plugin,
    check: |check| check.claude_code(),
    trust,
    ..Profile::BASE
};

fn files(setup: &Setup<'_>) -> Result<Vec<ClientFile>> {
    let seconds = [("timeout", HOOK_SECONDS.into())];
    let root = setup.roots()?;
    Ok(vec![
        ClientFile::json(
            state(&root)?,
            Part::Server,
            vec![setup.json_server("mcpServers", true)],
        ),
        ClientFile::json(
            settings_file(&root)?,
            Part::Hooks,
            setup.hooks(&seconds, true),
        ),
    ])
}

fn next_steps(reach: InstallScope, _: bool) -> Vec<String> {
    vec![match reach {
        InstallScope::Project => {
            "start Claude Code in this directory and approve the server `waynote` when it asks"
                .into()
        }
        InstallScope::User => "start a new session of Claude Code".into(),
    }]
}

fn allow(_: &Invocation<'_>, rights: &mut Rights) -> Result {
    // In one word, since the option alone would take the words behind it as further tools. It adds to the user's own.
    rights.argument(format!("--allowedTools={TOOLS},{PLUGIN_TOOLS}"));
    Ok(())
}

/// The list of plugins beside the user's settings says where it was copied to.
fn plugin(call: &Invocation<'_>) -> Option<InstalledPlugin> {
    let settings = settings(call);
    let name = settings.iter().find_map(enabled_plugin)?;
    let file = settings_file(&call.roots(InstallScope::User).ok()?).ok()?;
    let list = read_json(&file.with_file_name("plugins/installed_plugins.json"));
    let list = list.unwrap_or_default();
    let folder = list["plugins"][name][0]["installPath"].as_str();
    let entry = Path::new(folder.unwrap_or_default()).join("mcp/claude-code.json");
    Some(installed_plugin(name, &entry))
}

fn trust(setup: &Setup<'_>, findings: &mut Findings) -> Result {
    match setup.reach {
        InstallScope::User => {}
        InstallScope::Project if is_approved(setup)? => say_next_steps(setup, findings)?,
        InstallScope::Project => findings.wrong(
            "Claude Code: the server of .mcp.json is not approved yet",
            "start Claude Code here and approve `waynote`",
        ),
    }
    Ok(())
}

/// The file that has the server. The user's is Claude Code's state file: beside `.claude`, or in the moved folder.
fn state(root: &Roots<'_>) -> Result<PathBuf> {
    Ok(match (root.reach, root.moved("CLAUDE_CONFIG_DIR")?) {
        (InstallScope::Project, _) => root.at(".mcp.json"),
        (InstallScope::User, Some(folder)) => folder.join(".claude.json"),
        (InstallScope::User, None) => root.at(".claude.json"),
    })
}

/// The file that has the hooks.
fn settings_file(root: &Roots<'_>) -> Result<PathBuf> {
    let folder = root.moved("CLAUDE_CONFIG_DIR")?;
    Ok(folder
        .unwrap_or_else(|| root.at(".claude"))
        .join("settings.json"))
}

/// Its settings, the weakest file first.
fn settings(call: &Invocation<'_>) -> Vec<Value> {
    let user = call.roots(InstallScope::User);
    let user = user.and_then(|root| settings_file(&root)).ok();
    let project = call.roots(InstallScope::Project).ok();
    let project = project.into_iter().flat_map(|root| {
        [".claude/settings.json", ".claude/settings.local.json"].map(|name| root.at(name))
    });
    let files = user.into_iter().chain(project);
    files.filter_map(|file| read_json(&file)).collect()
}

/// Servers of one directory are in its state file.
fn has_local_server(call: &Invocation<'_>) -> Option<bool> {
    let file = read_json(&state(&call.roots(InstallScope::User).ok()?).ok()?)?;
    let project = &file["projects"][call.directory()?.to_str()?];
    Some(project["mcpServers"].get(NAME).is_some())
}

fn missing(call: &Invocation<'_>, lines: &mut Vec<MissingRight>) {
    let words = &call.words;
    let settings = settings(call);
    let listed = |name: &str| -> Vec<String> {
        let files = settings.iter();
        let rules = files.filter_map(|file| file["permissions"][name].as_array());
        let rules = rules.flatten().filter_map(Value::as_str);
        rules.map(str::to_owned).collect()
    };
    let mut denied = listed("deny");
    denied.extend(words.lists(&["--disallowedTools", "--disallowed-tools"]));
    let is_needed = |rule: &&String| {
        let needed = ["", "__*", "__note_add", "__session_complete", "__blocked"];
        of_ours(rule).is_some_and(|tool| needed.contains(&tool))
    };
    if let Some(rule) = denied.iter().find(is_needed) {
        lines.push(MissingRight::new(
            format!("the agent may not use waynote's tools: Claude Code denies `{rule}`"),
            "take that rule out of `permissions.deny` in its settings, or out of the command line",
        ));
    }
    let in_settings = settings
        .iter()
        .rev()
        .find_map(|file| file["permissions"]["defaultMode"].as_str());
    let mode = match words.has(&["--dangerously-skip-permissions"]) {
        true => Some("bypassPermissions"),
        false => words
            .values(&["--permission-mode"])
            .last()
            .copied()
            .or(in_settings),
    };
    let mut allowed = listed("allow");
    allowed.extend(words.lists(&["--allowedTools", "--allowed-tools"]));
    let allows = |tools: &[&str]| {
        let tool_of = |rule: &String| rule.split('(').next().unwrap_or_default().to_owned();
        allowed.iter().any(|rule| tools.contains(&&*tool_of(rule)))
    };
    let may = match mode {
        Some("bypassPermissions" | "auto") => May::BOTH,
        mode => May {
            edit: mode == Some("acceptEdits") || allows(&["Edit", "Write"]),
            run: allows(&["Bash"]),
        },
    };
    lines.extend(may.missing(
        &PROFILE,
        "--permission-mode acceptEdits",
        "--allowedTools 'Bash(make *)'",
    ));
}

/// True if its files say that the project's server is approved.
fn is_approved(setup: &Setup<'_>) -> Result<bool> {
    let environment = setup.machine.environment;
    let here = environment.working_directory()?;
    let user = Roots::of(environment, InstallScope::User)?;
    let mut places: Vec<Value> = Vec::new();
    if let Some(file) = read_json(&state(&user)?) {
        places.push(file["projects"][&*here.to_string_lossy()].clone());
    }
    places.extend(read_json(&settings_file(&user)?));
    places.extend(read_json(&here.join(".claude/settings.local.json")));
    places.extend(read_json(&here.join(".claude/settings.json")));
    Ok(places.iter().any(|place| {
        let listed = place["enabledMcpjsonServers"].as_array();
        place["enableAllProjectMcpServers"] == json!(true)
            || listed.is_some_and(|listed| listed.contains(&json!(NAME)))
    }))
}

/// Settings of the user, the project and the organization; the state of each directory.
impl Check<'_> {
    fn claude_code(&mut self) -> Result {
        let managed = match cfg!(target_os = "macos") {
            true => PathBuf::from("/Library/Application Support/ClaudeCode"),
            false => PathBuf::from("/etc/claude-code"),
        };
        let managed_settings = Source::read(&managed.join("managed-settings.json"));
        let own = [".claude/settings.local.json", ".claude/settings.json"];
        let mut settings = self.sources(&own, self.user.get(1).cloned());
        if let Some(file) = &managed_settings {
            self.managed_hooks_only(file, "allowManagedHooksOnly");
        }
        settings.extend(managed_settings);
        for file in &settings {
            self.claude_settings(file);
        }
        let state = self.user.first().and_then(|path| Source::read(path));
        let folders = self.folders.clone();
        for folder in &folders {
            let Some(file) = &state else {
                break;
            };
            let folder = folder.to_string_lossy().into_owned();
            let path = ["projects", &folder, "disabledMcpServers"];
            if file.texts(&path).contains(&NAME) {
                self.wrong(
                    "the server is switched off in this directory",
                    &file.place(&path),
                    "switch it on in `/mcp`, or take `waynote` out of that list",
                );
            }
        }
        if let Some(file) = Source::read(&managed.join("managed-mcp.json"))
            && file.at(&["mcpServers", NAME]).is_null()
        {
            self.wrong(
                "only the organization's servers are started",
                &file.place(&["mcpServers"]),
                "ask the person who manages that file to add waynote",
            );
        }
        let allow = settings
            .iter()
            .flat_map(|file| file.texts(&["permissions", "allow"]));
        let is_allowed = allow.into_iter().any(covers_a_tool);
        let bypassed = settings
            .iter()
            .any(|file| file.at(&["permissions", "defaultMode"]) == &json!("bypassPermissions"));
        if !is_allowed && !bypassed {
            self.findings.note(
                format!(
                    "{}: without a person to ask (`claude -p`), it refuses waynote's tools: no rule in `permissions.allow` names them",
                    self.title
                ),
                format!("`waynote loop --with claude-code` allows them for its runs; elsewhere add `--allowedTools {TOOLS}`, or \"{TOOLS}\" to `permissions.allow`"),
            );
        }
        Ok(())
    }

    fn claude_settings(&mut self, file: &Source) {
        let off = file.at(&["disableAllHooks"]);
        if !matches!(off, Value::Null | Value::Bool(false)) && off != "false" {
            self.wrong(
                "all hooks are switched off, so no session starts with the notes",
                &file.place(&["disableAllHooks"]),
                "take it out, or set it to false",
            );
        }
        let path = ["disabledMcpjsonServers"];
        if self.reach == InstallScope::Project && file.texts(&path).contains(&NAME) {
            self.wrong(
                "the server of .mcp.json was refused",
                &file.place(&path),
                "take `waynote` out of that list, and approve it when Claude Code asks",
            );
        }
        let names = |list: &Value| {
            let list = list.as_array().into_iter().flatten();
            list.filter_map(|entry| entry["serverName"].as_str().map(str::to_owned))
                .collect::<Vec<_>>()
        };
        if names(file.at(&["deniedMcpServers"]))
            .iter()
            .any(|name| name == NAME)
        {
            self.wrong(
                "the server is denied",
                &file.place(&["deniedMcpServers"]),
                "take `waynote` out of that list",
            );
        }
        let allowed = file.at(&["allowedMcpServers"]);
        let by_command = |entry: &Value| {
            let program = entry["serverCommand"][0].as_str();
            program.is_some_and(is_our_program)
        };
        if let Some(list) = allowed.as_array()
            && !names(allowed).iter().any(|name| name == NAME)
            && !list.iter().any(by_command)
        {
            self.wrong(
                "only listed servers are started, and waynote is not listed",
                &file.place(&["allowedMcpServers"]),
                "add {\"serverName\": \"waynote\"} to it",
            );
        }
        for (list, what, is_wrong) in [
            ("deny", "a rule denies waynote's tools", true),
            (
                "ask",
                "a rule makes every call of waynote's tools need a confirmation, which nobody gives in a loop",
                false,
            ),
        ] {
            let path = ["permissions", list];
            for rule in file
                .texts(&path)
                .into_iter()
                .filter(|rule| covers_a_tool(rule))
            {
                let place = file.place(&path);
                let next = format!("take \"{rule}\" out of it");
                match is_wrong {
                    true => self.wrong(what, &place, &next),
                    false => self.note(what, &place, &next),
                }
            }
        }
        let path = ["mcpServers", NAME, "alwaysLoad"];
        if file.at(&path) == &json!(false) {
            self.note(
                "the model sees only the names of waynote's tools until it searches for them",
                &file.place(&path),
                "set it to true",
            );
        }
    }
}

/// The rest of a rule behind the prefix of our tools.
fn of_ours(rule: &str) -> Option<&str> {
    let mut prefixes = [PLUGIN_TOOLS, TOOLS].into_iter();
    prefixes.find_map(|prefix| rule.strip_prefix(prefix))
}

/// True if a rule of Claude Code's is about tools of ours.
fn covers_a_tool(rule: &str) -> bool {
    match of_ours(rule) {
        Some(rest) => rest.is_empty() || rest.starts_with("__") || rest.starts_with('('),
        None => matches!(rule, "*" | "mcp__*"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_about_our_tools_are_told_from_others() {
        for ours in [
            "mcp__waynote",
            "mcp__waynote__*",
            "mcp__waynote__note_add",
            "mcp__plugin_waynote_waynote__note_add",
            "mcp__*",
            "*",
        ] {
            assert!(covers_a_tool(ours), "{ours}");
        }
        for other in ["Bash(*)", "mcp__waynotes__x", "mcp__other", "waynote"] {
            assert!(!covers_a_tool(other), "{other}");
        }
    }
}
