//! Claude Code: `.claude.json` or `.mcp.json` for the server, `settings.json` for hooks.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::client::{Client, Event};
use crate::error::Result;
use crate::formats::source;
use crate::profile::answer::{Ending, Form};
use crate::profile::reading::{Kind, Off, Reading, Switch};
use crate::profile::setup::{ClientFile, HOOK_SECONDS, InstallScope, Machine, Part, Roots, Setup};
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
    shell_variable: "CLAUDECODE",
    next_steps,
    // In one word, since the option alone would take the words behind it as further tools. It adds to the user's own.
    allow: |_, _, rights| {
        rights.argument(format!("--allowedTools={TOOLS},{PLUGIN_TOOLS}"));
        Ok(())
    },
    may_work: "--permission-mode acceptEdits --allowedTools 'Bash(make *)'",
    plugin,
    reads: &[
        Reading::strict(".claude.json"),
        Reading::strict(".mcp.json"),
        Reading {
            // Tried with version 2.1.332: each of these of another kind, and nothing of the file counts.
            kinds: &[
                (&["model"], Kind::Text),
                (&["apiKeyHelper"], Kind::Text),
                (&["outputStyle"], Kind::Text),
                (&["cleanupPeriodDays"], Kind::Number),
                (&["includeCoAuthoredBy"], Kind::Bool),
                (&["enableAllProjectMcpServers"], Kind::Bool),
                (&["disableAllHooks"], Kind::Bool),
                (&["env"], Kind::Object),
                (&["hooks"], Kind::Object),
                (&["statusLine"], Kind::Object),
                (&["permissions"], Kind::Object),
                (&["permissions", "allow"], Kind::List),
                (&["permissions", "deny"], Kind::List),
                (&["permissions", "ask"], Kind::List),
            ],
            ..Reading::strict("settings.json")
        },
    ],
    switches: &[
        Switch::new("settings.json", &["disableAllHooks"], Off::Is(true)),
        Switch::new("settings.local.json", &["disableAllHooks"], Off::Is(true)),
        Switch::new("settings.json", &["disabledMcpjsonServers"], Off::Lists),
        Switch::new(
            "settings.local.json",
            &["disabledMcpjsonServers"],
            Off::Lists,
        ),
    ],
    trust: |setup, findings| match setup.reach {
        InstallScope::User => Ok(()),
        InstallScope::Project => say_next_steps(setup, findings),
    },
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

/// The list of plugins beside the user's settings says where it was copied to.
fn plugin(machine: Machine<'_>) -> Option<InstalledPlugin> {
    let user = Roots::of(machine.environment, InstallScope::User).ok()?;
    let file = settings_file(&user).ok()?;
    let project = Roots::of(machine.environment, InstallScope::Project).ok();
    let project = project.into_iter().flat_map(|root| {
        [".claude/settings.json", ".claude/settings.local.json"].map(|name| root.at(name))
    });
    let settings = std::iter::once(file.clone()).chain(project);
    let settings: Vec<Value> = settings.filter_map(|file| source::read(&file)).collect();
    let name = settings.iter().find_map(enabled_plugin)?;
    let list = source::read(&file.with_file_name("plugins/installed_plugins.json"));
    let list = list.unwrap_or_default();
    let folder = list["plugins"][name][0]["installPath"].as_str();
    let entry = Path::new(folder.unwrap_or_default()).join("mcp/claude-code.json");
    Some(installed_plugin(name, &entry))
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
