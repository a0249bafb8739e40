//! Gemini CLI: `settings.json` for server and hooks.

use std::ffi::OsString;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::client::{Client, Event};
use crate::error::Result;
use crate::formats::entry::NAME;
use crate::formats::hook_command::is_ours;
use crate::formats::source::Source;
use crate::hook::BLOCK_BEGINS_WITH;
use crate::profile::answer::{Ending, Form};
use crate::profile::check::Check;
use crate::profile::permissions::{Invocation, May, MissingRight, Rights, read_json};
use crate::profile::setup::{InstallScope, milliseconds};
use crate::profile::target::EndpointForm;
use crate::profile::{InstalledPlugin, Profile, installed_plugin};

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
    has_lost_block,
    reads_failure: Some(has_failed),
    next_steps,
    allow,
    missing,
    plugin,
    check: |check| check.gemini(),
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

/// `--policy` takes the place of the user's policies, so these are named too.
fn allow(call: &Invocation<'_>, rights: &mut Rights) -> Result {
    let folder = tempfile::Builder::new()
        .prefix("waynote-")
        .permissions(Permissions::from_mode(0o700))
        .tempdir()
        .map_err(|source| waynote::Error::file(std::env::temp_dir(), "written to", source))?;
    let file = folder.path().join("waynote.toml");
    std::fs::write(&file, POLICY)
        .map_err(|source| waynote::Error::file(file.clone(), "written", source))?;
    let mut named = vec![file];
    if call.words.values(&["--policy"]).is_empty() {
        named.extend(policies(call));
    }
    for policy in named {
        let mut word = OsString::from("--policy=");
        word.push(policy);
        rights.argument(word);
    }
    rights.folder = Some(folder);
    Ok(())
}

/// The extension, where the last rule about this directory does not begin with `!`.
fn plugin(call: &Invocation<'_>) -> Option<InstalledPlugin> {
    let user = call.roots(InstallScope::User).ok()?;
    let (here, folder) = (call.directory()?, user.at(".gemini/extensions"));
    let entry = folder.join("waynote/gemini-extension.json");
    let rules = read_json(&folder.join("extension-enablement.json")).unwrap_or_default();
    let rules = rules[NAME]["overrides"].as_array().into_iter().flatten();
    let is_about = |rule: &&str| here.starts_with(rule.trim_matches(['!', '*']));
    let last = rules.filter_map(Value::as_str).rfind(is_about);
    let is_on = entry.is_file() && !last.is_some_and(|rule| rule.starts_with('!'));
    is_on.then(|| installed_plugin(NAME, &entry))
}

/// Its settings, the weakest file first.
fn settings(call: &Invocation<'_>) -> Vec<Value> {
    let reaches = [InstallScope::User, InstallScope::Project].into_iter();
    reaches.flat_map(|reach| settings_of(call, reach)).collect()
}

/// The settings of the user, or of the project.
fn settings_of(call: &Invocation<'_>, reach: InstallScope) -> Vec<Value> {
    let root = call.roots(reach).ok();
    let settings = root.and_then(|root| read_json(&root.at(SETTINGS)));
    settings.into_iter().collect()
}

/// The policies that Gemini CLI reads by itself: those that its settings name, else the user's folder.
///
/// An agent can write the project's settings. They count only in a directory that the user trusts: elsewhere Gemini CLI
/// does not read them either, and what is given by `--policy` it reads in any case.
fn policies(call: &Invocation<'_>) -> Vec<PathBuf> {
    let settings = match trusts(call) {
        true => settings(call),
        false => settings_of(call, InstallScope::User),
    };
    let named: Vec<PathBuf> = settings
        .iter()
        .filter_map(|file| file["policyPaths"].as_array())
        .flatten()
        .filter_map(|path| path.as_str().map(PathBuf::from))
        .collect();
    if !named.is_empty() {
        return named;
    }
    let folder = call
        .roots(InstallScope::User)
        .map(|root| root.at(".gemini/policies"));
    folder
        .into_iter()
        .filter(|folder| folder.is_dir())
        .collect()
}

fn missing(call: &Invocation<'_>, lines: &mut Vec<MissingRight>) {
    let words = &call.words;
    let settings = settings(call);
    let strongest = |read: &dyn Fn(&Value) -> Option<String>| settings.iter().rev().find_map(read);
    let in_settings =
        strongest(&|file| Some(file["general"]["defaultApprovalMode"].as_str()?.to_owned()));
    let mode = match words.has(&["-y", "--yolo"]) {
        true => Some("yolo".to_owned()),
        false => words
            .values(&["--approval-mode"])
            .last()
            .map(|mode| (*mode).to_owned())
            // Settings cannot set `yolo`.
            .or(in_settings.filter(|mode| mode != "yolo")),
    };
    let mut allowed = words.lists(&["--allowed-tools"]);
    let in_settings = settings
        .iter()
        .filter_map(|file| file["tools"]["allowed"].as_array());
    let in_settings = in_settings.flatten().filter_map(Value::as_str);
    allowed.extend(in_settings.map(str::to_owned));
    let allows = |tool: &str| allowed.iter().any(|rule| rule.starts_with(tool));
    // Policies are not parsed: any of them may allow it.
    let has_policies = !words.values(&["--policy"]).is_empty() || !policies(call).is_empty();
    let may = match mode.as_deref() {
        Some("yolo") => May::BOTH,
        _ if has_policies => May::BOTH,
        mode => May {
            edit: mode == Some("auto_edit") || allows("write_file") || allows("replace"),
            run: allows("run_shell_command") || allows("ShellTool"),
        },
    };
    // No mode lies between edits and everything.
    lines.extend(may.missing(
        &PROFILE,
        "--approval-mode auto_edit",
        "--allowed-tools 'run_shell_command(make)'",
    ));
    if !trusts(call) {
        lines.push(MissingRight::new(
            "Gemini CLI does not start in a directory that it does not trust",
            "trust this one when it asks in a terminal, or add `-- --skip-trust`",
        ));
    }
}

/// True if Gemini CLI trusts this directory, started with these words. A project cannot say so of itself.
fn trusts(call: &Invocation<'_>) -> bool {
    let by_variable = call
        .variable("GEMINI_CLI_TRUST_WORKSPACE")
        .is_some_and(|value| value == "true");
    let is_off = settings_of(call, InstallScope::User)
        .iter()
        .any(|file| file["security"]["folderTrust"]["enabled"].as_bool() == Some(false));
    by_variable
        || is_off
        || call.words.has(&["--skip-trust"])
        || is_trusted_folder(call).unwrap_or(false)
}

/// True if the user trusted this directory, or one above it, in Gemini CLI.
fn is_trusted_folder(call: &Invocation<'_>) -> Option<bool> {
    let user = call.roots(InstallScope::User).ok()?;
    let folders = read_json(&user.at(".gemini/trustedFolders.json"))?;
    let directory = call.directory()?;
    let is_trusted = |(folder, level): (&String, &Value)| {
        let folder = Path::new(folder);
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

/// Its settings of the system, the user and the project; servers and directories that were switched off.
impl Check<'_> {
    fn gemini(&mut self) -> Result {
        let system = match self
            .environment
            .variable("GEMINI_CLI_SYSTEM_SETTINGS_PATH")?
        {
            Some(path) => PathBuf::from(path),
            None if cfg!(target_os = "macos") => {
                "/Library/Application Support/GeminiCli/settings.json".into()
            }
            None => "/etc/gemini-cli/settings.json".into(),
        };
        let user = self.user.first().cloned();
        let mut trusts = false;
        let mut is_guarded = true;
        let others = user.clone().into_iter().chain([system]);
        for file in self.sources(&[SETTINGS], others) {
            if file.at(&["hooksConfig", "enabled"]) == &json!(false) {
                self.wrong(
                    "hooks are switched off, so no session gets the notes",
                    &file.place(&["hooksConfig", "enabled"]),
                    "take it out, or set it to true",
                );
            }
            let disabled = file.texts(&["hooksConfig", "disabled"]);
            if disabled.iter().any(|hook| *hook == NAME || is_ours(hook)) {
                self.wrong(
                    "waynote's hooks are switched off",
                    &file.place(&["hooksConfig", "disabled"]),
                    "`/hooks enable waynote`, or take it out of that list",
                );
            }
            self.server_lists(&file);
            let excluded = file.texts(&["tools", "exclude"]);
            let ours: Vec<&str> = excluded
                .into_iter()
                .filter(|tool| tool.contains("mcp_waynote"))
                .collect();
            if !ours.is_empty() {
                self.wrong(
                    "tools are excluded",
                    &file.place(&["tools", "exclude"]),
                    &format!("take {} out of it", ours.join(", ")),
                );
            }
            trusts |= file.at(&["mcpServers", NAME, "trust"]) == &json!(true);
            is_guarded &= file.at(&["security", "folderTrust", "enabled"]) != &json!(false);
        }
        let folder = user.as_deref().and_then(Path::parent).map(Path::to_owned);
        let state = folder
            .as_ref()
            .and_then(|folder| Source::read(&folder.join("mcp-server-enablement.json")));
        if let Some(file) = state {
            self.switched_off(&file, &[NAME, "enabled"]);
        }
        if !trusts {
            self.findings.note(
                format!("{}: without a person to ask (`gemini -p`), it refuses waynote's tools: nothing allows them", self.title),
                "`waynote loop --with gemini` allows them for its runs; elsewhere set `\"trust\": true` in the entry `mcpServers.waynote`",
            );
        }
        if is_guarded {
            self.folder_trust(folder.as_deref())?;
        }
        Ok(())
    }

    /// Lists of servers, and of tools of ours, that are offered or not.
    pub(super) fn server_lists(&mut self, file: &Source) {
        if file.texts(&["mcp", "excluded"]).contains(&NAME) {
            self.wrong(
                "the server is excluded",
                &file.place(&["mcp", "excluded"]),
                "take `waynote` out of that list",
            );
        }
        if file.at(&["mcp", "allowed"]).is_array()
            && !file.texts(&["mcp", "allowed"]).contains(&NAME)
        {
            self.wrong(
                "only listed servers are started, and waynote is not listed",
                &file.place(&["mcp", "allowed"]),
                "add \"waynote\" to it",
            );
        }
        self.tool_lists(file, &["mcpServers", NAME], "includeTools", "excludeTools");
    }

    /// In a directory that is not trusted, Gemini CLI starts no server and runs no hook of the project.
    fn folder_trust(&mut self, folder: Option<&Path>) -> Result {
        let path = match self
            .environment
            .variable("GEMINI_CLI_TRUSTED_FOLDERS_PATH")?
        {
            Some(path) => Some(PathBuf::from(path)),
            None => folder.map(|folder| folder.join("trustedFolders.json")),
        };
        let known = path.and_then(|path| Source::read(&path));
        let Some(here) = self.folders.first().cloned() else {
            return Ok(());
        };
        // The nearest directory that has a rule decides.
        let rule = known.as_ref().and_then(|file| {
            here.ancestors().find_map(|folder| {
                let folder = folder.to_str()?;
                let rule = file.at(&[folder]).as_str()?;
                Some((rule.to_owned(), file.place(&[folder])))
            })
        });
        match rule {
            Some((rule, place)) if rule == "DO_NOT_TRUST" => self.wrong(
                "this directory is not trusted: no server is started here",
                &place,
                "trust it with `/permissions`",
            ),
            Some(_) => {}
            None if self.reach == InstallScope::Project => self.findings.note(
                format!(
                    "{}: this directory is not trusted yet: its files are not read",
                    self.title
                ),
                "start Gemini CLI here and trust the directory",
            ),
            None => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use waynote_system::Environment;

    use super::*;
    use crate::profile::setup::Machine;

    #[test]
    fn the_policy_is_a_file_of_this_run() {
        let environment = Environment::new([]);
        let machine = Machine {
            environment: &environment,
            handed_on: &[],
        };
        let words = ["--policy=mine"].map(OsString::from);
        let mut rights = Rights::default();
        let call = Invocation::new(machine, &words);
        allow(&call, &mut rights).unwrap();
        let [word] = &rights.arguments[..] else {
            panic!("{rights:?}");
        };
        let path = word.to_str().unwrap().strip_prefix("--policy=").unwrap();
        let path = PathBuf::from(path);
        let policy: toml::Table = std::fs::read_to_string(&path).unwrap().parse().unwrap();
        assert_eq!(policy["rule"][0]["mcpName"].as_str(), Some("waynote"));
        drop(rights);
        assert!(!path.exists());
    }

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
