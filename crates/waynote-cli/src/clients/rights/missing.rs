//! What a client does not let its agent do in a loop, as far as its command line and its settings say.

use std::ffi::OsString;
use std::fmt;

use serde_json::Value;

use super::words::Words;
use super::{codex_config, codex_trusts, has_server, settings, text};
use crate::clients::Client;
use crate::clients::change::NAME;
use crate::clients::files::{Reach, Roots, working_directory};
use crate::home;

/// What an agent may not do in a loop, and what its user can do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Missing {
    pub(crate) what: String,
    pub(crate) next: String,
}

impl Missing {
    fn new(what: impl Into<String>, next: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            next: next.into(),
        }
    }
}

/// In one line.
impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.what, self.next)
    }
}

/// What an agent may not do in a loop that runs its client with these further words.
///
/// What a client asks its user about counts as not allowed, since in a loop nobody answers.
pub(crate) fn missing(client: Client, words: &[OsString]) -> Vec<Missing> {
    let words = Words::new(words);
    let mut lines = Vec::new();
    if !is_set_up(client) {
        lines.push(Missing::new(
            format!(
                "{} has no tools of waynote, so its agent can neither note anything nor end the loop",
                client.title()
            ),
            format!("run `waynote install {}`", client.word()),
        ));
    }
    match client {
        Client::ClaudeCode => claude_code(&words, &mut lines),
        Client::Codex => codex(&words, &mut lines),
        Client::Gemini => gemini(&words, &mut lines),
        Client::Opencode => opencode(&mut lines),
        Client::Goose => goose(&mut lines),
        Client::Cursor | Client::Vscode => {}
    }
    lines
}

/// Whether the client has our server. Claude Code keeps servers of one directory in a place of their own.
fn is_set_up(client: Client) -> bool {
    has_server(client) || client == Client::ClaudeCode && claude_has_local_server().unwrap_or(false)
}

fn claude_has_local_server() -> Option<bool> {
    let path = Roots::of(Reach::User)
        .ok()?
        .claude("claude.json", "")
        .ok()?;
    let file = crate::clients::json::read(&text(&path)?)?;
    let directory = working_directory().ok()?;
    let project = &file["projects"][directory.to_str()?];
    Some(project["mcpServers"].get(NAME).is_some())
}

/// What the agent may do beside using our tools.
struct May {
    edit: bool,
    run: bool,
}

impl May {
    const BOTH: Self = Self {
        edit: true,
        run: true,
    };

    /// The line that says what it may not do; `how` is what to add to the command line for either.
    fn line(&self, client: Client, how: [&str; 2]) -> Option<Missing> {
        let (what, how) = match (self.edit, self.run) {
            (true, true) => return None,
            (true, false) => ("run commands", how[1]),
            (false, true) => ("edit files", how[0]),
            (false, false) => ("edit files or run commands", &*how.join(" ")),
        };
        Some(Missing::new(
            format!(
                "the agent may not {what}: {} asks, and nobody is there to answer",
                client.title()
            ),
            format!("add `-- {how}` or what it needs"),
        ))
    }
}

fn claude_code(words: &Words, lines: &mut Vec<Missing>) {
    let settings = settings(Client::ClaudeCode);
    let listed = |name: &str| -> Vec<String> {
        let files = settings.iter();
        let rules = files.filter_map(|file| file["permissions"][name].as_array());
        let rules = rules.flatten().filter_map(Value::as_str);
        rules.map(str::to_owned).collect()
    };
    let mut denied = listed("deny");
    denied.extend(words.lists(&["--disallowedTools", "--disallowed-tools"]));
    let is_needed = |rule: &&String| {
        let tool = rule.strip_prefix(&format!("mcp__{NAME}"));
        let needed = ["", "__*", "__note_add", "__session_complete", "__blocked"];
        tool.is_some_and(|tool| needed.contains(&tool))
    };
    if let Some(rule) = denied.iter().find(is_needed) {
        lines.push(Missing::new(
            format!("the agent may not use waynote's tools: Claude Code denies `{rule}`"),
            "take that rule out of `permissions.deny` in its settings, or out of the command line",
        ));
    }
    let in_settings = settings
        .iter()
        .rev()
        .find_map(|file| file["permissions"]["defaultMode"].as_str());
    let mode = match words.has(&["--dangerously-skip-permissions"]) {
        true => Some("bypassPermissions"),
        false => words
            .values(&["--permission-mode"])
            .last()
            .copied()
            .or(in_settings),
    };
    let mut allowed = listed("allow");
    allowed.extend(words.lists(&["--allowedTools", "--allowed-tools"]));
    let allows = |tools: &[&str]| {
        let tool_of = |rule: &String| rule.split('(').next().unwrap_or_default().to_owned();
        allowed.iter().any(|rule| tools.contains(&&*tool_of(rule)))
    };
    let may = match mode {
        Some("bypassPermissions" | "auto") => May::BOTH,
        mode => May {
            edit: mode == Some("acceptEdits") || allows(&["Edit", "Write"]),
            run: allows(&["Bash"]),
        },
    };
    let how = [
        "--permission-mode acceptEdits",
        "--allowedTools 'Bash(make *)'",
    ];
    lines.extend(may.line(Client::ClaudeCode, how));
}

fn codex(words: &Words, lines: &mut Vec<Missing>) {
    const OPEN: [&str; 4] = [
        "--dangerously-bypass-approvals-and-sandbox",
        "--yolo",
        "--approve-for-me",
        "--full-auto",
    ];
    let is_open = words.has(&OPEN);
    let config = words.values(&["-c", "--config"]);
    let in_words = config
        .iter()
        .rev()
        .find_map(|setting| setting.strip_prefix("sandbox_mode="))
        .map(|mode| mode.trim_matches(['"', '\'']).to_owned());
    let sandbox = words
        .values(&["-s", "--sandbox"])
        .last()
        .map(|mode| (*mode).to_owned());
    let in_file = || {
        let file = codex_config()?;
        Some(file.get("sandbox_mode")?.as_str()?.to_owned())
    };
    // In a directory that it trusts it writes by itself. What a profile says is the user's affair.
    let is_unknown = !words.values(&["-p", "--profile"]).is_empty();
    let sandbox = sandbox.or(in_words).or_else(in_file);
    let reads_only = match sandbox.as_deref() {
        Some(mode) => mode == "read-only",
        None => !is_unknown && !codex_trusts(),
    };
    if reads_only && !is_open {
        lines.push(Missing::new(
            "the agent may only read: Codex runs it in a read-only sandbox",
            "add `-- --sandbox workspace-write` or what it needs",
        ));
    }
    let is_in_repository = working_directory()
        .is_ok_and(|directory| directory.ancestors().any(|of| of.join(".git").exists()));
    let skips = words.has(&["--skip-git-repo-check"]) || words.has(&OPEN[..2]);
    if !is_in_repository && !skips {
        lines.push(Missing::new(
            "Codex does not start outside a git repository",
            "run `git init`, or add `-- --skip-git-repo-check`",
        ));
    }
}

fn gemini(words: &Words, lines: &mut Vec<Missing>) {
    let settings = settings(Client::Gemini);
    let strongest = |read: &dyn Fn(&Value) -> Option<String>| settings.iter().rev().find_map(read);
    let in_settings =
        strongest(&|file| Some(file["general"]["defaultApprovalMode"].as_str()?.to_owned()));
    let mode = match words.has(&["-y", "--yolo"]) {
        true => Some("yolo".to_owned()),
        false => words
            .values(&["--approval-mode"])
            .last()
            .map(|mode| (*mode).to_owned())
            // There the settings cannot open everything.
            .or(in_settings.filter(|mode| mode != "yolo")),
    };
    let mut allowed = words.lists(&["--allowed-tools"]);
    let in_settings = settings
        .iter()
        .filter_map(|file| file["tools"]["allowed"].as_array());
    let in_settings = in_settings.flatten().filter_map(Value::as_str);
    allowed.extend(in_settings.map(str::to_owned));
    let allows = |tool: &str| allowed.iter().any(|rule| rule.starts_with(tool));
    // Policies can allow what we do not look for.
    let has_policies =
        !words.values(&["--policy"]).is_empty() || !super::gemini_policies().is_empty();
    let may = match mode.as_deref() {
        Some("yolo") => May::BOTH,
        _ if has_policies => May::BOTH,
        mode => May {
            edit: mode == Some("auto_edit") || allows("write_file") || allows("replace"),
            run: allows("run_shell_command") || allows("ShellTool"),
        },
    };
    // Its modes know no step between edits and everything.
    let how = match may.edit {
        false if may.run => ["--approval-mode auto_edit", ""],
        true => ["", "--allowed-tools 'run_shell_command(make)'"],
        false => [
            "--approval-mode auto_edit",
            "--allowed-tools 'run_shell_command(make)'",
        ],
    };
    lines.extend(may.line(Client::Gemini, how));
    if !gemini_trusts(words, &settings) {
        lines.push(Missing::new(
            "Gemini CLI does not start in a directory that it does not trust",
            "trust this one when it asks in a terminal, or add `-- --skip-trust`",
        ));
    }
}

fn gemini_trusts(words: &Words, settings: &[Value]) -> bool {
    let by_variable = home::variable("GEMINI_CLI_TRUST_WORKSPACE")
        .ok()
        .flatten()
        .is_some_and(|value| value == "true");
    let is_off = settings
        .iter()
        .rev()
        .find_map(|file| file["security"]["folderTrust"]["enabled"].as_bool())
        == Some(false);
    by_variable || is_off || words.has(&["--skip-trust"]) || is_trusted_folder().unwrap_or(false)
}

/// Whether the user trusted this directory, or one above it, in Gemini CLI.
fn is_trusted_folder() -> Option<bool> {
    let path = Roots::of(Reach::User)
        .ok()?
        .at(".gemini/trustedFolders.json");
    let folders = crate::clients::json::read(&text(&path)?)?;
    let directory = working_directory().ok()?;
    let is_trusted = |(folder, level): (&String, &Value)| {
        let folder = std::path::Path::new(folder);
        match level.as_str() {
            Some("TRUST_FOLDER") => directory.starts_with(folder),
            Some("TRUST_PARENT") => folder
                .parent()
                .is_some_and(|parent| directory.starts_with(parent)),
            _ => false,
        }
    };
    Some(folders.as_object()?.iter().any(is_trusted))
}

/// Without settings it allows everything; `opencode run` rejects what these would have asked about.
fn opencode(lines: &mut Vec<Missing>) {
    let settings = settings(Client::Opencode);
    let rule = |tool: &str| {
        let of = |file: &Value| match &file["permission"] {
            Value::String(all) => Some(all.clone()),
            Value::Object(rules) => {
                let rule = rules.get(tool).or_else(|| rules.get("*"))?;
                // Of patterns some commands may pass.
                Some(rule.as_str().unwrap_or("allow").to_owned())
            }
            _ => None,
        };
        settings.iter().rev().find_map(of)
    };
    let may = |tool: &str| rule(tool).is_none_or(|rule| rule == "allow");
    let what = match (may("edit"), may("bash")) {
        (true, true) => return,
        (true, false) => "run commands",
        (false, true) => "edit files",
        (false, false) => "edit files or run commands",
    };
    lines.push(Missing::new(
        format!(
            "the agent may not {what}: opencode asks or denies it, and nobody is there to answer"
        ),
        "allow it by `permission` in its configuration",
    ));
}

/// One mode for all of its tools: our own cannot be allowed alone.
fn goose(lines: &mut Vec<Missing>) {
    let variable = home::variable("GOOSE_MODE").ok().flatten();
    let mode = variable.or_else(|| {
        let path = home::dot_config().ok()?;
        let file = text(&path.join("goose/config.yaml"))?;
        let mode = file
            .lines()
            .find_map(|line| line.strip_prefix("GOOSE_MODE:"))?;
        let mode = mode.split('#').next().unwrap_or_default();
        Some(mode.trim().trim_matches(['"', '\'']).to_owned())
    });
    let Some(mode) = mode.filter(|mode| mode != "auto") else {
        return;
    };
    let mode = waynote::visible::visible(&mode);
    lines.push(Missing::new(
        format!(
            "the agent may use no tools, waynote's neither: in Goose's mode `{mode}` a person confirms them"
        ),
        "start the loop with `GOOSE_MODE=auto`",
    ));
}
