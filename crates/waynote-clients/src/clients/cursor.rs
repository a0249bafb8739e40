//! Cursor: `mcp.json` for the server, `hooks.json` for hooks.

use std::path::PathBuf;

use serde_json::json;

use crate::client::{Client, Event};
use crate::error::Result;
use crate::formats::entry::{JsonEdit, NAME};
use crate::formats::source::Source;
use crate::profile::Profile;
use crate::profile::answer::Form;
use crate::profile::check::Check;
use crate::profile::facts::Facts;
use crate::profile::setup::{ClientFile, InstallScope, Part, Roots, Setup};
use crate::profile::target::EndpointForm;

static FACTS: Facts = Facts {
    client: Client::Cursor,
    word: "cursor",
    aliases: &[],
    title: "Cursor",
    program: "cursor",
    events: &[(Event::SessionStart, "sessionStart")],
    block_event: Some(Event::SessionStart),
    answer: Form::Flat,
    endpoint: EndpointForm {
        kind: None,
        url: "url",
        reference: "${env:WAYNOTE_TOKEN}",
    },
};

/// The file that has the server, of the user and of a project.
const SERVERS: &str = ".cursor/mcp.json";

pub(super) struct Cursor;

impl Profile for Cursor {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn files(&self, setup: &Setup<'_>) -> Result<Vec<ClientFile>> {
        let root = setup.roots()?;
        // It cuts comments out of this file alone, and from two slashes on, even within a text.
        let mut hooks = vec![JsonEdit::Version(1), JsonEdit::EscapedSlashes];
        hooks.extend(setup.hooks(&[], false));
        Ok(vec![
            ClientFile::json(
                root.at(SERVERS),
                Part::Server,
                vec![setup.json_server("mcpServers", false)],
            ),
            ClientFile::json(root.at(".cursor/hooks.json"), Part::Hooks, hooks),
        ])
    }

    fn trace(&self, root: &Roots<'_>) -> Result<PathBuf> {
        Ok(root.at(SERVERS))
    }

    fn project_variable(&self) -> Option<&'static str> {
        Some("CURSOR_PROJECT_DIR")
    }

    fn hook_variable(&self) -> Option<&'static str> {
        Some("CURSOR_VERSION")
    }

    fn next_steps(&self, _: InstallScope, _: bool) -> Vec<String> {
        vec!["restart Cursor, and switch `waynote` on under Settings, MCP, if it is off".into()]
    }

    fn check(&self, check: &mut Check<'_>) -> Result {
        check.cursor()
    }
}

impl Check<'_> {
    fn cursor(&mut self) -> Result {
        let user = self.user.first().cloned();
        let servers: Vec<PathBuf> = self.of_project(&[SERVERS]).chain(user).collect();
        for file in Source::all(servers) {
            let path = ["mcpServers", NAME, "disabled"];
            if file.at(&path) == &json!(true) {
                self.wrong(
                    "the server is switched off",
                    &file.place(&path),
                    "take it out, or set it to false",
                );
            }
        }
        let settings = PathBuf::from(self.environment.home()?).join(".cursor/cli-config.json");
        let settings: Vec<PathBuf> = self
            .of_project(&[".cursor/cli.json"])
            .chain([settings])
            .collect();
        for file in Source::all(settings) {
            let path = ["permissions", "deny"];
            let denied = file.texts(&path);
            let is_ours =
                |rule: &&&str| rule.starts_with("Mcp(waynote:") || rule.starts_with("Mcp(*");
            for rule in denied.iter().filter(is_ours) {
                self.wrong(
                    "a rule denies waynote's tools",
                    &file.place(&path),
                    &format!("take \"{rule}\" out of it"),
                );
            }
        }
        Ok(())
    }
}
