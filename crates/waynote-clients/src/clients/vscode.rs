//! VS Code's agent mode: `mcp.json` for the server, a file of ours for hooks.

use std::path::PathBuf;

use serde_json::json;

use crate::client::{Client, Event};
use crate::error::Result;
use crate::formats::entry::JsonEdit;
use crate::formats::source::Source;
use crate::profile::Profile;
use crate::profile::answer::Form;
use crate::profile::check::Check;
use crate::profile::facts::Facts;
use crate::profile::setup::{ClientFile, HOOK_SECONDS, InstallScope, Part, Roots, Setup};
use crate::profile::target::EndpointForm;

static FACTS: Facts = Facts {
    client: Client::Vscode,
    word: "vscode",
    aliases: &["vs-code", "code"],
    title: "VS Code",
    program: "code",
    events: &[
        (Event::SessionStart, "SessionStart"),
        (Event::SubagentStart, "SubagentStart"),
    ],
    block_event: Some(Event::SessionStart),
    answer: Form::Twice,
    endpoint: EndpointForm {
        kind: Some("http"),
        url: "url",
        reference: "${env:WAYNOTE_TOKEN}",
    },
};

pub(super) struct Vscode;

impl Profile for Vscode {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn files(&self, setup: &Setup<'_>) -> Result<Vec<ClientFile>> {
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

    fn trace(&self, root: &Roots<'_>) -> Result<PathBuf> {
        Ok(user_folder(root)?.join("mcp.json"))
    }

    fn hook_variable(&self) -> Option<&'static str> {
        Some("COPILOT_CLI")
    }

    /// Copilot's harness keeps no text of hooks in a conversation that is resumed.
    fn begins_anew(&self, source: &str) -> bool {
        matches!(source, "clear" | "compact" | "resume")
    }

    fn next_steps(&self, _: InstallScope, has_hooks: bool) -> Vec<String> {
        let hooks = match has_hooks {
            true => "; hooks are a preview there and may have to be switched on",
            false => "",
        };
        vec![format!(
            "start the server with `MCP: List Servers` in VS Code and trust it when it asks{hooks}"
        )]
    }

    fn check(&self, check: &mut Check<'_>) -> Result {
        check.vscode();
        Ok(())
    }
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
    fn vscode(&mut self) {
        let user = self.user.first().and_then(|path| path.parent());
        let user = user.map(|folder| folder.join("settings.json"));
        let files: Vec<PathBuf> = self
            .of_project(&[".vscode/settings.json"])
            .chain(user)
            .collect();
        for file in Source::all(files) {
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
                (
                    "chat.useHooks",
                    json!(false),
                    "hooks are switched off, so no session starts with the notes",
                ),
                (
                    "chat.useChatHooks",
                    json!(false),
                    "hooks are switched off, so no session starts with the notes",
                ),
            ] {
                if file.at(&[name]) == &off {
                    self.wrong(what, &file.place(&[name]), "take it out");
                }
            }
        }
    }
}
