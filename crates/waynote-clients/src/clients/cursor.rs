//! Cursor: `mcp.json` for the server, `hooks.json` for hooks.

use std::path::PathBuf;

use serde_json::json;

use crate::client::{Client, Event};
use crate::error::Result;
use crate::formats::entry::{JsonEdit, NAME};
use crate::profile::Profile;
use crate::profile::answer::{Ending, Form};
use crate::profile::check::Check;
use crate::profile::setup::{ClientFile, Part, Setup};
use crate::profile::target::EndpointForm;

pub(super) static PROFILE: Profile = Profile {
    client: Client::Cursor,
    word: "cursor",
    title: "Cursor",
    program: "cursor",
    // It speaks to the model only after a tool.
    events: &[
        (Event::SessionStart, "sessionStart"),
        (Event::AfterTool, "postToolUse"),
        (Event::AfterFailure, "postToolUseFailure"),
        (Event::Stop, "stop"),
    ],
    block_event: Some(Event::SessionStart),
    answer: Form::Flat,
    tools: ["^(Shell|Read|Write|Delete)$", "^Shell$"],
    ending: Ending::Followup,
    endpoint: EndpointForm::new(None, "url", "${env:WAYNOTE_TOKEN}"),
    server: [SERVERS, SERVERS, "mcpServers"],
    files,
    project_variable: Some("CURSOR_PROJECT_DIR"),
    hook_variable: Some("CURSOR_VERSION"),
    next_steps: |_, _| {
        vec!["restart Cursor, and switch `waynote` on under Settings, MCP, if it is off".into()]
    },
    check: |check| check.cursor(),
    ..Profile::BASE
};

/// The file that has the server, of the user and of a project.
const SERVERS: &str = ".cursor/mcp.json";

fn files(setup: &Setup<'_>) -> Result<Vec<ClientFile>> {
    // It cuts comments out of this file alone, and from two slashes on, even within a text.
    let mut hooks = vec![JsonEdit::Version(1), JsonEdit::EscapedSlashes];
    hooks.extend(setup.hooks(&[], false));
    let hooks = setup.json_file([".cursor/hooks.json"; 2], Part::Hooks, hooks)?;
    Ok(setup.server_file(false)?.into_iter().chain(hooks).collect())
}

impl Check<'_> {
    fn cursor(&mut self) -> Result {
        for file in self.sources(&[SERVERS], self.user.first().cloned()) {
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
        for file in self.sources(&[".cursor/cli.json"], [settings]) {
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
