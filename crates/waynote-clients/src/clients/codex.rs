//! Codex: `config.toml` for the server, `hooks.json` for hooks, which it runs once the user trusts them.

use std::path::{Path, PathBuf};

use serde_json::json;
use waynote_system::text_file;

use crate::client::{Client, Event};
use crate::error::Result;
use crate::formats::edit::Edit;
use crate::formats::entry::NAME;
use crate::formats::source::Source;
use crate::profile::answer::Form;
use crate::profile::check::{Check, Findings};
use crate::profile::facts::Facts;
use crate::profile::permissions::{Invocation, MissingRight, Rights, text};
use crate::profile::setup::{ClientFile, HOOK_SECONDS, InstallScope, Part, Roots, Setup};
use crate::profile::target::EndpointForm;
use crate::profile::{Profile, has_server};

static FACTS: Facts = Facts {
    client: Client::Codex,
    word: "codex",
    aliases: &[],
    title: "Codex",
    program: "codex",
    events: &[
        (Event::SessionStart, "SessionStart"),
        (Event::SubagentStart, "SubagentStart"),
        (Event::Prompt, "UserPromptSubmit"),
    ],
    block_event: Some(Event::SessionStart),
    answer: Form::Nested,
    endpoint: EndpointForm {
        kind: None,
        url: "url",
        // It has a member of its own for the variable.
        reference: "",
    },
};

pub(super) struct Codex;

impl Profile for Codex {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn files(&self, setup: &Setup<'_>) -> Result<Vec<ClientFile>> {
        let seconds = [("timeout", HOOK_SECONDS.into())];
        let root = setup.roots()?;
        Ok(vec![
            ClientFile::new(config(&root)?, Part::Server, Edit::Toml(setup.server())),
            ClientFile::json(hooks(&root)?, Part::Hooks, setup.hooks(&seconds, true)),
        ])
    }

    fn trace(&self, root: &Roots<'_>) -> Result<PathBuf> {
        config(root)
    }

    fn next_steps(&self, reach: InstallScope, has_hooks: bool) -> Vec<String> {
        let mut steps = Vec::new();
        if has_hooks {
            steps.push(
                "start Codex, open `/hooks` and trust waynote's hooks: it silently skips untrusted hooks".into(),
            );
        }
        if reach == InstallScope::Project {
            let trust =
                "trust this directory in Codex: it reads project files only in trusted directories";
            steps.insert(0, trust.into());
        }
        steps
    }

    /// Without a server entry, Codex takes no settings for the server.
    fn allow(&self, call: &Invocation<'_>, rights: &mut Rights) -> Result {
        let is_read = has_server(self, call.machine, InstallScope::User)
            || has_server(self, call.machine, InstallScope::Project) && trusts(call);
        if is_read {
            rights.argument("-c");
            rights.argument(format!(
                "mcp_servers.{NAME}.default_tools_approval_mode=\"approve\""
            ));
        }
        Ok(())
    }

    fn missing(&self, call: &Invocation<'_>, lines: &mut Vec<MissingRight>) {
        missing(call, lines);
    }

    fn check(&self, check: &mut Check<'_>) -> Result {
        check.codex();
        Ok(())
    }

    fn trust(&self, setup: &Setup<'_>, findings: &mut Findings) -> Result {
        let environment = setup.machine.environment;
        let user = Roots::of(environment, InstallScope::User)?;
        // An unreadable file is reported elsewhere.
        let table = text_file::read(&config(&user)?).ok().flatten();
        let table: toml::Table = table.and_then(|text| text.parse().ok()).unwrap_or_default();
        let file = hooks(&setup.roots()?)?;
        let known = table
            .get("hooks")
            .and_then(|hooks| hooks.get("state"))
            .and_then(toml::Value::as_table);
        let is_trusted = known.is_some_and(|known| {
            known.iter().any(|(key, state)| {
                key.starts_with(&*file.to_string_lossy()) && state.get("trusted_hash").is_some()
            })
        });
        if !setup.has_hooks() {
            // There is nothing to trust.
        } else if is_trusted {
            findings.ok(format!("Codex: hooks of {} are trusted", file.display()));
        } else {
            findings.wrong(
                "Codex: the hooks are not trusted yet: Codex silently skips them",
                "start Codex, open `/hooks` and trust them",
            );
        }
        let here = environment.working_directory()?;
        if setup.reach == InstallScope::Project && !is_trusted_in(&table, here) {
            findings.wrong(
                format!(
                    "Codex: {} is not trusted: its files are not read",
                    here.display()
                ),
                "start Codex here and trust the directory",
            );
        }
        Ok(())
    }
}

/// Its folder.
fn folder(root: &Roots<'_>) -> Result<PathBuf> {
    Ok(root
        .moved("CODEX_HOME")?
        .unwrap_or_else(|| root.at(".codex")))
}

/// The file that has the server.
fn config(root: &Roots<'_>) -> Result<PathBuf> {
    Ok(folder(root)?.join("config.toml"))
}

/// The file that has the hooks.
fn hooks(root: &Roots<'_>) -> Result<PathBuf> {
    Ok(folder(root)?.join("hooks.json"))
}

/// The user's configuration.
fn user_config(call: &Invocation<'_>) -> Option<toml::Table> {
    let path = config(&call.roots(InstallScope::User).ok()?).ok()?;
    text(&path)?.parse().ok()
}

/// True if it trusts the working directory or one above it, by the user's file.
fn trusts(call: &Invocation<'_>) -> bool {
    let (Some(user), Some(directory)) = (user_config(call), call.directory()) else {
        return false;
    };
    let mut folders = directory.ancestors();
    folders.any(|folder| is_trusted_in(&user, folder))
}

fn is_trusted_in(user: &toml::Table, folder: &Path) -> bool {
    let project = user
        .get("projects")
        .and_then(|projects| projects.get(&*folder.to_string_lossy()));
    let level = project.and_then(|project| project.get("trust_level"));
    level.and_then(toml::Value::as_str) == Some("trusted")
}

fn missing(call: &Invocation<'_>, lines: &mut Vec<MissingRight>) {
    let words = &call.words;
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
        let file = user_config(call)?;
        Some(file.get("sandbox_mode")?.as_str()?.to_owned())
    };
    // In a directory that it trusts it writes by itself. Its profiles are not read.
    let is_unknown = !words.values(&["-p", "--profile"]).is_empty();
    let sandbox = sandbox.or(in_words).or_else(in_file);
    let reads_only = match sandbox.as_deref() {
        Some(mode) => mode == "read-only",
        None => !is_unknown && !trusts(call),
    };
    if reads_only && !is_open {
        lines.push(MissingRight::new(
            "the agent may only read: Codex runs it in a read-only sandbox",
            "add `-- --sandbox workspace-write` or what it needs",
        ));
    }
    let is_in_repository = call
        .directory()
        .is_some_and(|directory| directory.ancestors().any(|of| of.join(".git").exists()));
    let skips = words.has(&["--skip-git-repo-check"]) || words.has(&OPEN[..2]);
    if !is_in_repository && !skips {
        lines.push(MissingRight::new(
            "Codex does not start outside a git repository",
            "run `git init`, or add `-- --skip-git-repo-check`",
        ));
    }
}

/// Its configuration of the user and of the project, and what an organization requires.
impl Check<'_> {
    fn codex(&mut self) {
        let config = self.user.first().cloned();
        let files = self.of_project(&[".codex/config.toml"]).chain(config);
        for file in Source::all(files.collect::<Vec<_>>()) {
            for name in ["hooks", "codex_hooks"] {
                if file.at(&["features", name]) == &json!(false) {
                    self.wrong(
                        "hooks are switched off, so no session starts with the notes",
                        &file.place(&["features", name]),
                        "take it out, or set it to true",
                    );
                }
            }
            self.switched_off(&file, &["mcp_servers", NAME, "enabled"]);
            self.tool_lists(
                &file,
                &["mcp_servers", NAME],
                "enabled_tools",
                "disabled_tools",
            );
            let path = ["mcp_servers", NAME, "default_tools_approval_mode"];
            let mode = file.at(&path).as_str();
            if mode.is_some_and(|mode| mode != "approve") {
                self.note(
                    "every call of waynote's tools needs a confirmation, which nobody gives in `codex exec`",
                    &file.place(&path),
                    "set it to \"approve\"; `waynote loop --with codex` does so for its runs",
                );
            }
            let states = file.at(&["hooks", "state"]).as_object();
            let hooks = self.user.get(1).cloned().into_iter();
            let hooks: Vec<PathBuf> = hooks
                .chain(self.of_project(&[".codex/hooks.json"]))
                .collect();
            for (key, state) in states.into_iter().flatten() {
                let is_ours = hooks
                    .iter()
                    .any(|path| key.starts_with(&format!("{}:session_start:", path.display())));
                if is_ours && state["enabled"] == json!(false) {
                    self.wrong(
                        "a hook is switched off",
                        &file.place(&["hooks", "state", key]),
                        "switch it on in `/hooks`",
                    );
                }
            }
        }
        let required = Source::read(Path::new("/etc/codex/requirements.toml"));
        if let Some(file) = required {
            self.managed_hooks_only(&file, "allow_managed_hooks_only");
        }
    }
}
