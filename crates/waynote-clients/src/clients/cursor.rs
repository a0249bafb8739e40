//! Cursor: `mcp.json` for the server, `hooks.json` for hooks.

use crate::client::{Client, Event};
use crate::error::Result;
use crate::formats::entry::{JsonEdit, NAME};
use crate::profile::Profile;
use crate::profile::answer::{Ending, Form};
use crate::profile::reading::{Off, Reading, Switch};
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
    shell_variable: "CURSOR_AGENT",
    next_steps: |_, _| {
        vec!["restart Cursor, and switch `waynote` on under Settings, MCP, if it is off".into()]
    },
    reads: &[
        Reading::strict("mcp.json"),
        Reading::commented("hooks.json"),
    ],
    switches: &[Switch::new(
        "mcp.json",
        &["mcpServers", NAME, "disabled"],
        Off::Is(true),
    )],
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
