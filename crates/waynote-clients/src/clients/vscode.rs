//! VS Code's agent mode and Copilot CLI: a file for the server, a file of ours for hooks.

use std::path::Path;

use crate::client::{Client, Event};
use crate::error::Result;
use crate::formats::entry::JsonEdit;
use crate::formats::source;
use crate::profile::answer::{Ending, Form};
use crate::profile::reading::{Off, Switch};
use crate::profile::setup::{ClientFile, HOOK_SECONDS, InstallScope, Machine, Part, Roots, Setup};
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
    switches: &[
        Switch::new("settings.json", &["chat.disableAIFeatures"], Off::Is(true)),
        Switch::new("settings.json", &["chat.agent.enabled"], Off::Is(false)),
        Switch::new("settings.json", &["chat.mcp.access"], Off::Text("none")),
        Switch::new("settings.json", &["chat.mcp.enabled"], Off::Is(false)),
        Switch::new("settings.json", &["chat.useHooks"], Off::Is(false)),
    ],
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
    shell_variable: "COPILOT_CLI",
    endpoint: EndpointForm::new(Some("http"), "url", "${WAYNOTE_TOKEN}"),
    moved_by: Some(["COPILOT_HOME", ".copilot"]),
    files: |setup| files(setup, "hooks/waynote-copilot.json"),
    allow: |_, _, rights| {
        rights.argument("--allow-tool=waynote");
        Ok(())
    },
    may_work: "--allow-tool=write --allow-tool='shell(make:*)'",
    plugin,
    ..SHARED
};

/// It reads the plugin where the marketplace is, a folder that its settings name.
fn plugin(machine: Machine<'_>) -> Option<InstalledPlugin> {
    let root = Roots::of(machine.environment, InstallScope::User).ok()?;
    let folder = root.moved("COPILOT_HOME").ok()?;
    let folder = folder.unwrap_or_else(|| root.at(".copilot"));
    let settings = source::read(&folder.join("settings.json"))?;
    let name = enabled_plugin(&settings)?;
    let market = &settings["extraKnownMarketplaces"][name.split_once('@')?.1];
    let market = Path::new(market["source"]["path"].as_str().unwrap_or_default());
    let entry = market.join("waynote/mcp/vscode.json");
    Some(installed_plugin(name, &entry))
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
