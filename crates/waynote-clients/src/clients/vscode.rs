//! VS Code's agent mode: `mcp.json` for the server, a file of ours for hooks.

use std::path::PathBuf;

use serde_json::json;

use crate::client::{Client, Event};
use crate::error::Result;
use crate::formats::entry::JsonEdit;
use crate::profile::Profile;
use crate::profile::answer::{Ending, Form};
use crate::profile::check::Check;
use crate::profile::setup::{ClientFile, HOOK_SECONDS, InstallScope, Part, Roots, Setup};
use crate::profile::target::EndpointForm;

pub(super) static PROFILE: Profile = Profile {
    client: Client::Vscode,
    word: "vscode",
    aliases: &["vs-code", "code"],
    title: "VS Code",
    program: "code",
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
    endpoint: EndpointForm {
        kind: Some("http"),
        url: "url",
        reference: "${env:WAYNOTE_TOKEN}",
    },
    files,
    trace: |root| Ok(user_folder(root)?.join("mcp.json")),
    hook_variable: Some("COPILOT_CLI"),
    // Copilot's harness keeps no text of hooks in a conversation that is resumed.
    begins_anew: |source| matches!(source, "clear" | "compact" | "resume"),
    next_steps,
    check: |check| check.vscode(),
    ..Profile::BASE
};

fn files(setup: &Setup<'_>) -> Result<Vec<ClientFile>> {
    let seconds = [("timeout", HOOK_SECONDS.into())];
    let root = setup.roots()?;
    // Its harness of Copilot, and Copilot's own command line, which read the same file, document the version.
    let mut edits = vec![JsonEdit::Version(1)];
    edits.extend(setup.hooks(&seconds, false));
    let (server, hooks) = match setup.reach {
        InstallScope::User => (
            user_folder(&root)?.join("mcp.json"),
            root.at(".copilot/hooks/waynote.json"),
        ),
        InstallScope::Project => (
            root.at(".vscode/mcp.json"),
            root.at(".github/hooks/waynote.json"),
        ),
    };
    Ok(vec![
        ClientFile::json(
            server,
            Part::Server,
            vec![setup.json_server("servers", true)],
        ),
        ClientFile::json(hooks, Part::Hooks, edits),
    ])
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

/// Its folder of the user.
fn user_folder(root: &Roots<'_>) -> Result<PathBuf> {
    let user = "Code/User";
    Ok(if cfg!(target_os = "macos") {
        root.at("Library/Application Support").join(user)
    } else {
        root.environment.dot_config()?.join(user)
    })
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
