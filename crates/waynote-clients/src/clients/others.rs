//! Clients that need no more than a file for the server: most have no hooks, Crush has one at tools.

use crate::client::{Client, Event};
use crate::profile::Profile;
use crate::profile::answer::Form;
use crate::profile::target::EndpointForm;

/// It shows the server's instructions to its model, with the notes in them.
pub(super) static CRUSH: Profile = Profile {
    // A text from before a tool stands beside the tool's result. Its subagents run no hooks.
    events: &[(Event::BeforeTool, "PreToolUse")],
    shows_instructions: Some("crush"),
    answer: Form::Nested,
    tools: ["^(bash|edit|multiedit|view|write)$", ""],
    project_variable: Some("CRUSH_PROJECT_DIR"),
    moved_by: Some(["CRUSH_GLOBAL_CONFIG", ".config/crush"]),
    files: |setup| setup.one_file(true, &[], false),
    ..with_server(
        Client::Crush,
        ["crush", "Crush", "CRUSH"],
        [".config/crush/crush.json", "crush.json", "mcp"],
        EndpointForm::new(Some("http"), "url", "$WAYNOTE_TOKEN"),
    )
};

pub(super) static AMP: Profile = with_server(
    Client::Amp,
    ["amp", "Amp", "AMP_CURRENT_THREAD_ID"],
    [
        ".config/amp/settings.json",
        ".amp/settings.json",
        "amp.mcpServers",
    ],
    EndpointForm::new(None, "url", "${WAYNOTE_TOKEN}"),
);

pub(super) static KIRO: Profile = with_server(
    Client::Kiro,
    ["kiro", "Kiro", ""],
    [
        ".kiro/settings/mcp.json",
        ".kiro/settings/mcp.json",
        SERVERS,
    ],
    EndpointForm::new(None, "url", "${WAYNOTE_TOKEN}"),
);

pub(super) static ZED: Profile = with_server(
    Client::Zed,
    ["zed", "Zed", ""],
    [
        ".config/zed/settings.json",
        ".zed/settings.json",
        "context_servers",
    ],
    EndpointForm::NONE,
);

pub(super) static WINDSURF: Profile = with_server(
    Client::Windsurf,
    ["windsurf", "Windsurf", "WINDSURF_CASCADE_TERMINAL"],
    [".codeium/windsurf/mcp_config.json", "", SERVERS],
    EndpointForm::new(None, "serverUrl", "${env:WAYNOTE_TOKEN}"),
);

pub(super) static CLINE: Profile = with_server(
    Client::Cline,
    ["cline", "Cline", "CLINE_ACTIVE"],
    [".cline/data/settings/cline_mcp_settings.json", "", SERVERS],
    EndpointForm::NONE,
);

pub(super) static ROO: Profile = with_server(
    Client::Roo,
    ["roo", "Roo Code", "ROO_ACTIVE"],
    [
        "Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
        ".roo/mcp.json",
        SERVERS,
    ],
    EndpointForm::new(Some("streamable-http"), "url", "${env:WAYNOTE_TOKEN}"),
);

pub(super) static JUNIE: Profile = with_server(
    Client::Junie,
    ["junie", "Junie", ""],
    [".junie/mcp/mcp.json", ".junie/mcp/mcp.json", SERVERS],
    EndpointForm::NONE,
);

/// The member of most files that has the servers.
const SERVERS: &str = "mcpServers";

/// A client with a JSON file for its server, and nothing else: its word, its title and the variable of its shell, if
/// any.
const fn with_server(
    client: Client,
    [word, title, shell_variable]: [&'static str; 3],
    server: [&'static str; 3],
    endpoint: EndpointForm,
) -> Profile {
    Profile {
        client,
        word,
        title,
        program: word,
        shell_variable,
        server,
        endpoint,
        next_steps: |_, _| vec!["restart it, and allow the server `waynote` if it asks".into()],
        ..Profile::BASE
    }
}
