//! Qwen Code: `settings.json` for server and hooks, as Gemini CLI, with the events of Claude Code.

use serde_json::json;

use crate::client::{Client, Event};
use crate::error::Result;
use crate::ledger::Channel;
use crate::profile::Profile;
use crate::profile::answer::{Ending, Form};
use crate::profile::check::Check;
use crate::profile::permissions::{Invocation, May, MissingRight, read_json};
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
    allow: |_, rights| {
        rights.argument("--allowed-tools=mcp__waynote");
        Ok(())
    },
    missing,
    check: |check| check.qwen(),
    ..Profile::BASE
};

/// Its settings, of the user and of a project.
const SETTINGS: &str = ".qwen/settings.json";

/// Without a person, Qwen Code has no tools that would ask.
fn missing(call: &Invocation<'_>, lines: &mut Vec<MissingRight>) {
    let reaches = [InstallScope::Project, InstallScope::User].into_iter();
    let mut files = reaches.filter_map(|reach| read_json(&call.roots(reach).ok()?.at(SETTINGS)));
    let in_settings =
        files.find_map(|file| Some(file["tools"]["approvalMode"].as_str()?.to_owned()));
    let mode = match call.words.values(&["--approval-mode"]).last() {
        _ if call.words.has(&["-y", "--yolo"]) => "yolo".to_owned(),
        Some(mode) => (*mode).to_owned(),
        None => in_settings.unwrap_or_default(),
    };
    let allowed = call.words.lists(&["--allowed-tools"]);
    let allows = |tool: &str| allowed.iter().any(|rule| rule.starts_with(tool));
    let may = May {
        edit: ["yolo", "auto-edit"].contains(&&*mode) || allows("edit") || allows("write_file"),
        run: mode == "yolo" || allows("run_shell_command"),
    };
    let (edit, run) = (
        "--approval-mode auto-edit",
        "--allowed-tools 'run_shell_command(make)'",
    );
    lines.extend(may.missing(&PROFILE, edit, run));
}

impl Check<'_> {
    fn qwen(&mut self) -> Result {
        for file in self.sources(&[SETTINGS], self.user.first().cloned()) {
            if file.at(&["disableAllHooks"]) == &json!(true) {
                self.wrong(
                    "all hooks are switched off, so no session starts with the notes",
                    &file.place(&["disableAllHooks"]),
                    "take it out, or set it to false",
                );
            }
            self.server_lists(&file);
        }
        Ok(())
    }
}
