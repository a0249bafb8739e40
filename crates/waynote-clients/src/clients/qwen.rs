//! Qwen Code: `settings.json` for server and hooks, as Gemini CLI, with the events of Claude Code.

use crate::client::{Client, Event};
use crate::ledger::Channel;
use crate::profile::Profile;
use crate::profile::answer::{Ending, Form};
use crate::profile::reading::{Off, Reading, Switch};
use crate::profile::setup::{InstallScope, milliseconds};
use crate::profile::target::EndpointForm;

pub(super) static PROFILE: Profile = Profile {
    client: Client::Qwen,
    word: "qwen",
    aliases: &["qwen-code"],
    title: "Qwen Code",
    program: "qwen",
    // It speaks to the model only after a tool, and to no subagent that starts.
    events: &[
        (Event::SessionStart, "SessionStart"),
        (Event::Prompt, "UserPromptSubmit"),
        (Event::AfterTool, "PostToolUse"),
        (Event::AfterFailure, "PostToolUseFailure"),
        (Event::Stop, "Stop"),
    ],
    block_event: Some(Event::SessionStart),
    answer: Form::Nested,
    tools: [
        "^(read_file|write_file|edit|run_shell_command)$",
        "^run_shell_command$",
    ],
    ending: Ending::Block,
    endpoint: EndpointForm::new(None, "httpUrl", "${WAYNOTE_TOKEN}"),
    moved_by: Some(["QWEN_HOME", ".qwen"]),
    server: [SETTINGS, SETTINGS, "mcpServers"],
    // Older versions read milliseconds, newer ones too from 1,000 on.
    files: |setup| setup.one_file(false, &milliseconds(), true),
    project_variable: Some("QWEN_PROJECT_DIR"),
    shell_variable: "QWEN_CODE",
    // The text of a start stands in the system prompt, which each process builds anew.
    channel: Channel::System,
    next_steps: |reach, _| {
        vec![match reach {
            InstallScope::Project => {
                "restart Qwen Code, and trust this directory if it asks".into()
            }
            InstallScope::User => "restart Qwen Code".into(),
        }]
    },
    allow: |_, _, rights| {
        rights.argument("--allowed-tools=mcp__waynote");
        Ok(())
    },
    may_work: "--approval-mode auto-edit --allowed-tools 'run_shell_command(make)'",
    reads: &[Reading::commented("settings.json")],
    switches: &[
        Switch::new("settings.json", &["disableAllHooks"], Off::Is(true)),
        Switch::new("settings.json", &["mcp", "excluded"], Off::Lists),
    ],
    ..Profile::BASE
};

/// Its settings, of the user and of a project.
const SETTINGS: &str = ".qwen/settings.json";
