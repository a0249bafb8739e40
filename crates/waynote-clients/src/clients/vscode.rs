//! VS Code's agent mode and Copilot CLI: a file for the server, a file of ours for hooks.

use std::path::Path;

use serde_json::json;

use crate::client::{Client, Event};
use crate::error::Result;
use crate::formats::entry::JsonEdit;
use crate::profile::answer::{Ending, Form};
use crate::profile::check::Check;
use crate::profile::permissions::{Invocation, May, MissingRight, read_json};
use crate::profile::setup::{ClientFile, HOOK_SECONDS, InstallScope, Part, Setup};
use crate::profile::target::EndpointForm;
use crate::profile::{InstalledPlugin, Profile, enabled_plugin, installed_plugin};

/// The hooks of Copilot, in VS Code and in its own command line.
const SHARED: Profile = Profile {
    events: &[
        (Event::SessionStart, "SessionStart"),
        (Event::SubagentStart, "SubagentStart"),
        // Copilot's harness speaks to the model only after a tool.
        (Event::AfterTool, "PostToolUse"),
        (Event::AfterFailure, "PostToolUseFailure"),
        (Event::Stop, "Stop"),
    ],
    block_event: Some(Event::SessionStart),
    answer: Form::Twice,
    // First Copilot's names, then those of the editor's own harness.
    tools: [
        "view|edit|create|bash|powershell|read_file|create_file|replace_string_in_file|run_in_terminal",
        "bash|powershell|run_in_terminal",
    ],
    ending: Ending::Block,
    endpoint: EndpointForm::new(Some("http"), "url", "${env:WAYNOTE_TOKEN}"),
    // Copilot's harness keeps no text of hooks in a conversation that is resumed.
    begins_anew: |source| matches!(source, "clear" | "compact" | "resume"),
    ..Profile::BASE
};

pub(super) static PROFILE: Profile = Profile {
    client: Client::Vscode,
    word: "vscode",
    aliases: &["vs-code", "code"],
    title: "VS Code",
    program: "code",
    server: ["Code/User/mcp.json", ".vscode/mcp.json", "servers"],
    files: |setup| files(setup, "hooks/waynote.json"),
    hook_variable: Some("COPILOT_CLI"),
    next_steps,
    check: |check| check.vscode(),
    ..SHARED
};

/// Copilot's own command line. Its hooks are in a file of their own: VS Code's harness of Copilot may be set up or not.
pub(super) static COPILOT: Profile = Profile {
    client: Client::Copilot,
    word: "copilot",
    aliases: &["copilot-cli"],
    title: "Copilot CLI",
    program: "copilot",
    server: [".copilot/mcp-config.json", ".github/mcp.json", "mcpServers"],
    endpoint: EndpointForm::new(Some("http"), "url", "${WAYNOTE_TOKEN}"),
    moved_by: Some(["COPILOT_HOME", ".copilot"]),
    files: |setup| files(setup, "hooks/waynote-copilot.json"),
    allow: |_, rights| {
        rights.argument("--allow-tool=waynote");
        Ok(())
    },
    missing,
    plugin,
    ..SHARED
};

/// It reads the plugin where the marketplace is, a folder that its settings name.
fn plugin(call: &Invocation<'_>) -> Option<InstalledPlugin> {
    let root = call.roots(InstallScope::User).ok()?;
    let folder = root.moved("COPILOT_HOME").ok()?;
    let folder = folder.unwrap_or_else(|| root.at(".copilot"));
    let settings = read_json(&folder.join("settings.json"))?;
    let name = enabled_plugin(&settings)?;
    let market = &settings["extraKnownMarketplaces"][name.split_once('@')?.1];
    let market = Path::new(market["source"]["path"].as_str().unwrap_or_default());
    let entry = market.join("waynote/mcp/vscode.json");
    Some(installed_plugin(name, &entry))
}

/// Without a person, Copilot CLI denies each tool that no option allows.
fn missing(call: &Invocation<'_>, lines: &mut Vec<MissingRight>) {
    let allowed = call.words.lists(&["--allow-tool"]);
    let allows = |tool: &str| allowed.iter().any(|rule| rule.starts_with(tool));
    let everything = ["--allow-all-tools", "--allow-all", "--yolo"];
    let may = match call.words.has(&everything) || call.variable("COPILOT_ALLOW_ALL").is_some() {
        true => May::BOTH,
        false => May {
            edit: allows("write"),
            run: allows("shell"),
        },
    };
    let (edit, run) = ("--allow-tool=write", "--allow-tool='shell(make:*)'");
    lines.extend(may.missing(&COPILOT, edit, run));
}

fn files(setup: &Setup<'_>, hooks: &str) -> Result<Vec<ClientFile>> {
    // Both read the same folders, and document the version.
    let mut edits = vec![JsonEdit::Version(1)];
    edits.extend(setup.hooks(&[("timeout", HOOK_SECONDS.into())], false));
    let names = [".copilot/", ".github/"].map(|folder| format!("{folder}{hooks}"));
    let hooks = setup.json_file(names.each_ref().map(String::as_str), Part::Hooks, edits)?;
    Ok(setup.server_file(true)?.into_iter().chain(hooks).collect())
}

fn next_steps(_: InstallScope, has_hooks: bool) -> Vec<String> {
    let hooks = match has_hooks {
        true => "; hooks are a preview there and may have to be switched on",
        false => "",
    };
    vec![format!(
        "start the server with `MCP: List Servers` in VS Code and trust it when it asks{hooks}"
    )]
}

impl Check<'_> {
    fn vscode(&mut self) -> Result {
        let user = self.user.first().and_then(|path| path.parent());
        let user = user.map(|folder| folder.join("settings.json"));
        let hooks = "hooks are switched off, so no session starts with the notes";
        for file in self.sources(&[".vscode/settings.json"], user) {
            for (name, off, what) in [
                (
                    "chat.disableAIFeatures",
                    json!(true),
                    "agent mode is switched off",
                ),
                (
                    "chat.agent.enabled",
                    json!(false),
                    "agent mode is switched off",
                ),
                ("chat.mcp.access", json!("none"), "servers are switched off"),
                ("chat.mcp.enabled", json!(false), "servers are switched off"),
                ("chat.useHooks", json!(false), hooks),
                ("chat.useChatHooks", json!(false), hooks),
            ] {
                if file.at(&[name]) == &off {
                    self.wrong(what, &file.place(&[name]), "take it out");
                }
            }
        }
        Ok(())
    }
}
