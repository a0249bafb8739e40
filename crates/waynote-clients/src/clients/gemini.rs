//! Gemini CLI: `settings.json` for server and hooks.

use std::ffi::OsString;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::client::{Client, Event};
use crate::error::Result;
use crate::formats::entry::NAME;
use crate::formats::source;
use crate::hook::BLOCK_BEGINS_WITH;
use crate::profile::answer::{Ending, Form};
use crate::profile::reading::{Off, Reading, Switch};
use crate::profile::setup::{InstallScope, Machine, Roots, milliseconds};
use crate::profile::target::EndpointForm;
use crate::profile::{InstalledPlugin, Profile, installed_plugin};
use crate::rights::Rights;

pub(super) static PROFILE: Profile = Profile {
    client: Client::Gemini,
    word: "gemini",
    aliases: &["gemini-cli"],
    title: "Gemini CLI",
    program: "gemini",
    // It speaks to the model only after a tool, failed or not.
    events: &[
        (Event::Prompt, "BeforeAgent"),
        (Event::AfterTool, "AfterTool"),
        (Event::Stop, "AfterAgent"),
    ],
    // Its sessions lose what they get when they start: a prompt with that before it is forgotten when the session is resumed.
    block_event: Some(Event::Prompt),
    answer: Form::Nested,
    tools: ["^(read_file|write_file|replace|run_shell_command)$", ""],
    ending: Ending::Deny,
    endpoint: EndpointForm::new(None, "httpUrl", "${WAYNOTE_TOKEN}"),
    server: [SETTINGS, SETTINGS, "mcpServers"],
    // Milliseconds, unlike the others.
    files: |setup| setup.one_file(false, &milliseconds(), true),
    project_variable: Some("GEMINI_PROJECT_DIR"),
    shell_variable: "GEMINI_CLI",
    has_lost_block,
    reads_failure: Some(has_failed),
    next_steps,
    allow,
    may_work: "--approval-mode auto_edit --allowed-tools 'run_shell_command(make)'",
    plugin,
    reads: &[Reading::commented("settings.json")],
    switches: &[
        Switch::new("settings.json", &["hooksConfig", "enabled"], Off::Is(false)),
        Switch::new("settings.json", &["hooksConfig", "disabled"], Off::Lists),
        Switch::new("settings.json", &["mcp", "excluded"], Off::Lists),
        Switch::new(
            "mcp-server-enablement.json",
            &[NAME, "enabled"],
            Off::Is(false),
        ),
    ],
    ..Profile::BASE
};

/// Its settings, of the user and of a project.
const SETTINGS: &str = ".gemini/settings.json";

/// Longer transcripts are not looked through.
const MAX_TRANSCRIPT_BYTES: u64 = 64 << 20;

/// A rule of its policy engine. Its priority is above the tools that settings allow or leave out by default, and below
/// those that a person excludes.
const POLICY: &str = "# Written by `waynote loop` for one run.\n\
    [[rule]]\nmcpName = \"waynote\"\ntoolName = \"*\"\ndecision = \"allow\"\npriority = 310\n";

/// It compresses a conversation without telling a hook. Its transcript is a list of records, and one that sets all
/// messages begins the conversation that the model sees.
fn has_lost_block(transcript: &Path) -> bool {
    let is_short = transcript
        .metadata()
        .is_ok_and(|file| file.is_file() && file.len() <= MAX_TRANSCRIPT_BYTES);
    let Some(text) = is_short.then(|| std::fs::read(transcript).ok()).flatten() else {
        return false;
    };
    let begin = memchr::memmem::rfind(&text, br#"{"$set":{"messages":"#);
    begin.is_some_and(|begin| {
        memchr::memmem::find(&text[begin..], BLOCK_BEGINS_WITH.as_bytes()).is_none()
    })
}

/// The result of its shell has the code in a line of its own, if it is not 0.
fn has_failed(output: &str) -> bool {
    let mut codes = output
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Exit Code:"));
    codes.any(|code| code.trim().parse::<i64>().is_ok_and(|code| code != 0))
}

fn next_steps(reach: InstallScope, _: bool) -> Vec<String> {
    vec![match reach {
        InstallScope::Project => "restart Gemini CLI, and trust this directory when it asks".into(),
        InstallScope::User => "restart Gemini CLI".into(),
    }]
}

/// `--policy` takes the place of the user's policies, so these are named too. A project that names policies keeps them:
/// then nothing is allowed.
fn allow(machine: Machine<'_>, words: &[OsString], rights: &mut Rights) -> Result {
    let named = |reach| {
        let root = Roots::of(machine.environment, reach).ok();
        let settings = root.and_then(|root| source::read(&root.at(SETTINGS)))?;
        let paths = settings["policyPaths"].as_array()?.iter();
        Some(paths.filter_map(Value::as_str).map(PathBuf::from).collect())
    };
    if named(InstallScope::Project).is_some_and(|paths: Vec<PathBuf>| !paths.is_empty()) {
        return Ok(());
    }
    let folder = tempfile::Builder::new()
        .prefix("waynote-")
        .permissions(Permissions::from_mode(0o700))
        .tempdir()
        .map_err(|source| waynote::Error::file(std::env::temp_dir(), "written to", source))?;
    let file = folder.path().join("waynote.toml");
    std::fs::write(&file, POLICY)
        .map_err(|source| waynote::Error::file(file.clone(), "written", source))?;
    let mut policies = vec![file];
    let is_policy = |word: &OsString| word.as_encoded_bytes().starts_with(b"--policy");
    if !words.iter().any(is_policy) {
        let user = Roots::of(machine.environment, InstallScope::User);
        let folder = user.map(|root| root.at(".gemini/policies")).ok();
        let folder = folder.filter(|folder| folder.is_dir());
        policies.extend(named(InstallScope::User).unwrap_or(folder.into_iter().collect()));
    }
    for policy in policies {
        let mut word = OsString::from("--policy=");
        word.push(policy);
        rights.argument(word);
    }
    rights.folder = Some(folder);
    Ok(())
}

/// The extension, where the last rule about this directory does not begin with `!`.
fn plugin(machine: Machine<'_>) -> Option<InstalledPlugin> {
    let user = Roots::of(machine.environment, InstallScope::User).ok()?;
    let here = machine.environment.working_directory().ok()?;
    let folder = user.at(".gemini/extensions");
    let entry = folder.join("waynote/gemini-extension.json");
    let rules = source::read(&folder.join("extension-enablement.json")).unwrap_or_default();
    let rules = rules[NAME]["overrides"].as_array().into_iter().flatten();
    let is_about = |rule: &&str| here.starts_with(rule.trim_matches(['!', '*']));
    let last = rules.filter_map(Value::as_str).rfind(is_about);
    let is_on = entry.is_file() && !last.is_some_and(|rule| rule.starts_with('!'));
    is_on.then(|| installed_plugin(NAME, &entry))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transcript_tells_whether_the_conversation_holds_the_block() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session.jsonl");
        let is_without = |text: &str| {
            std::fs::write(&path, text).unwrap();
            has_lost_block(&path)
        };
        let set = r#"{"$set":{"messages":[{"type":"user","content":"summary"}]}}"#;
        let mark = BLOCK_BEGINS_WITH;
        let added = format!(r#"{{"type":"user","content":"<hook_context>{mark}</hook_context>"}}"#);
        assert!(!is_without(&format!("{set}\n{added}\n")));
        assert!(is_without(&format!("{set}\n{added}\n{set}\n")));
        let kept = format!(r#"{{"$set":{{"messages":["{mark}"]}}}}"#);
        assert!(!is_without(&format!("{set}\n{added}\n{kept}\n")));
        // A file in another form tells nothing.
        assert!(!is_without(""));
        assert!(!is_without(r#"{"messages": []}"#));
        assert!(!has_lost_block(&folder.path().join("gone")));
        assert!(!has_lost_block(folder.path()));
    }
}
