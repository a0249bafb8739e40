//! The plugin: a folder that clients install as a whole, with server, hooks, a skill and commands, and the lists by which
//! they find it. Entries and hooks are those of `install`, with the same absolute path of the program.

pub(crate) mod opencode;

use std::path::Path;

use serde_json::{Value, json};
use waynote_system::shell::quoted;
use waynote_system::text_file;

use crate::client::{Client, Event};
use crate::error::{Error, Result};
use crate::formats::edit::Edit;
use crate::formats::entry::{JsonEdit, NAME};
use crate::profile::setup::{HOOK_SECONDS, InstallScope, Machine, Setup};
use crate::profile::target::Target;

const VERSION: &str = env!("CARGO_PKG_VERSION");
const SUMMARY: &str = "Notes that agents leave for later runs, delivered when they matter";
const SKILL: &str = include_str!("SKILL.md");
const README: &str = include_str!("README.md");

/// The clients that read the folder `waynote`, each with a manifest of its own: its file, and what paths begin with.
const SHARED: [(Client, &str, &str); 3] = [
    (Client::ClaudeCode, ".claude-plugin/plugin.json", "./"),
    (Client::Codex, ".codex-plugin/plugin.json", "./"),
    // Copilot's command line and VS Code, which look for it here first.
    (Client::Vscode, "plugin.json", ""),
];

/// Antigravity's own folder: it reads hooks only from a file at its root.
const ANTIGRAVITY: &str = "antigravity/waynote";

/// The list that says whose folder a folder is.
const MARKET: &str = ".claude-plugin/marketplace.json";

/// The plugin's files, for one program and one store.
pub struct Plugin<'e> {
    /// The setup whose program the files name.
    setup: Setup<'e>,
    files: Vec<(String, String)>,
}

impl<'e> Plugin<'e> {
    /// The files for the user of this machine. The clients' entries get the options of `target`.
    ///
    /// # Errors
    /// As [`Setup::new`]; [`Error::NotEdited`].
    pub fn new(machine: Machine<'e>, target: &Target) -> Result<Self> {
        let setup = |client| {
            let mut setup = Setup::new(machine, client, InstallScope::User)?;
            setup.target = target.clone();
            Ok::<_, Error>(setup)
        };
        let mut files = vec![
            (
                MARKET.into(),
                pretty(&json!({
                    "name": NAME, "owner": author(), "metadata": { "description": SUMMARY, "version": VERSION },
                    "plugins": [{ "name": NAME, "source": "./waynote", "description": SUMMARY, "version": VERSION }],
                })),
            ),
            (
                ".agents/plugins/marketplace.json".into(),
                pretty(&json!({
                    "name": NAME, "interface": { "displayName": NAME },
                    "plugins": [{
                        "name": NAME, "source": { "source": "local", "path": "./waynote" },
                        "policy": { "installation": "AVAILABLE", "authentication": "ON_USE" }, "category": "Productivity",
                    }],
                })),
            ),
        ];
        for (client, manifest, here) in SHARED {
            let setup = setup(client)?;
            let word = client.word();
            let mut fields = json!({
                "name": NAME, "version": VERSION, "description": SUMMARY, "author": author(),
                "license": env!("CARGO_PKG_LICENSE"), "keywords": ["memory", "notes"],
                "hooks": format!("{here}hooks/{word}.json"), "mcpServers": format!("{here}mcp/{word}.json"),
            });
            if client == Client::Codex {
                fields["skills"] = "./skills/".into();
                fields["interface"] = json!({ "displayName": NAME, "shortDescription": SUMMARY, "category": "Productivity" });
            }
            files.push((format!("waynote/{manifest}"), pretty(&fields)));
            files.push((format!("waynote/hooks/{word}.json"), hooks(&setup)?));
            files.push((format!("waynote/mcp/{word}.json"), server(&setup)?));
        }
        let gemini = setup(Client::Gemini)?;
        let mut extension: Value = serde_json::from_str(&server(&gemini)?).unwrap_or_default();
        extension["name"] = NAME.into();
        extension["version"] = VERSION.into();
        extension["description"] = SUMMARY.into();
        files.push((
            "gemini/waynote/gemini-extension.json".into(),
            pretty(&extension),
        ));
        files.push(("gemini/waynote/hooks/hooks.json".into(), hooks(&gemini)?));
        let antigravity = setup(Client::Antigravity)?;
        let manifest = json!({ "name": NAME, "version": VERSION, "description": SUMMARY });
        let hooks = json!({ NAME: { "PreInvocation": [{
            "type": "command", "command": antigravity.hook_command(Event::Prompt), "timeout": HOOK_SECONDS,
        }] } });
        for (name, text) in [
            ("plugin.json", pretty(&manifest)),
            ("hooks.json", pretty(&hooks)),
            ("mcp_config.json", server(&antigravity)?),
        ] {
            files.push((format!("{ANTIGRAVITY}/{name}"), text));
        }
        files.push(("waynote/README.md".into(), README.into()));
        for folder in ["waynote", "gemini/waynote", opencode::FOLDER, ANTIGRAVITY] {
            files.push((format!("{folder}/skills/waynote/SKILL.md"), SKILL.into()));
        }
        let program = quoted(&gemini.program);
        let manifest = json!({
            "name": NAME, "version": VERSION, "description": SUMMARY, "license": env!("CARGO_PKG_LICENSE"),
            "private": true,
        });
        let prompts = commands(&program)
            .map(|(name, what, prompt, _)| (name, what, prompt.replace("{args}", "$ARGUMENTS")));
        let opencode = setup(Client::Opencode)?;
        files.extend(opencode::package(&opencode, manifest, prompts.into_iter())?);
        for (name, what, prompt, runs) in commands(&program) {
            let tools = runs.map(|words| format!("allowed-tools: Bash({words}:*)\n"));
            let tools = tools
                .unwrap_or_else(|| "argument-hint: \"[what the next run should know]\"\n".into());
            let text = format!(
                "---\ndescription: {what}\n{tools}---\n\n{}\n",
                prompt.replace("{args}", "$ARGUMENTS")
            );
            files.push((format!("waynote/commands/{name}.md"), text));
            // In the form that JSON and TOML share.
            let (what, prompt) = (
                Value::from(what),
                Value::from(prompt.replace("{args}", "{{args}}")),
            );
            let text = format!("description = {what}\nprompt = {prompt}\n");
            files.push((format!("gemini/waynote/commands/waynote/{name}.toml"), text));
        }
        Ok(Self {
            setup: gemini,
            files,
        })
    }

    /// Paths in the folder, and texts.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// Writes the files into a folder that is new, empty, or that of an earlier plugin.
    ///
    /// # Errors
    /// [`Error::NotOurs`], [`Error::File`].
    pub fn write(&self, folder: &Path) -> Result {
        let is_ours = text_file::read(&folder.join(MARKET))?.is_some_and(|text| {
            let market: Value = serde_json::from_str(&text).unwrap_or_default();
            market["name"] == NAME
        });
        let has_others = std::fs::read_dir(folder).is_ok_and(|mut found| found.next().is_some());
        if has_others && !is_ours {
            return Err(Error::NotOurs {
                folder: folder.to_owned(),
            });
        }
        self.setup.copy_program()?;
        for (path, text) in &self.files {
            let path = folder.join(path);
            let before = text_file::read(&path)?;
            text_file::put(&path, text, before.as_deref(), 0o644)?;
        }
        Ok(())
    }

    /// How each client installs it from a folder.
    pub fn next_steps(folder: &Path) -> Vec<String> {
        let at = |below: &str| quoted(&folder.join(below).to_string_lossy());
        let root = quoted(&folder.to_string_lossy());
        // Their commands are alike.
        let market = |title: &str, program: &str, install: &str| {
            format!(
                "{title}: {program} plugin marketplace add {root} && {program} plugin {install} waynote@waynote"
            )
        };
        vec![
            market("Claude Code", "claude", "install"),
            market("Codex", "codex", "add") + ", then trust its hooks in `/hooks`",
            market("Copilot CLI", "copilot", "install"),
            format!(
                "Gemini CLI: gemini extensions install {}",
                at("gemini/waynote")
            ),
            format!("Antigravity: agy plugin install {}", at(ANTIGRAVITY)),
            format!(
                "opencode: add {} to `plugin` in opencode.json",
                Value::from(folder.join(opencode::FOLDER).to_string_lossy())
            ),
            format!(
                "Goose: cp -r {} ~/.agents/plugins/, and `waynote install goose` for the notes",
                at("waynote")
            ),
        ]
    }
}

/// Names of commands, what each is for, its prompt, and the words that it runs.
fn commands(program: &str) -> [(&'static str, &'static str, String, Option<String>); 3] {
    let run = |words: &str| {
        format!(
            "Run `{program}{words}` and show what it prints, without changes. If it fails, show the error. Do nothing else."
        )
    };
    [
        (
            "note",
            "Leave a note for later runs",
            "Leave this note with the tools of the MCP server `waynote`, following the skill `waynote`: {args}\n\nIf nothing \
             is given, note the one thing of this session that the next run should know. Say its address afterwards."
                .into(),
            None,
        ),
        (
            "why",
            "Which notes this session was given, and why",
            run(" why"),
            Some(format!("{program} why")),
        ),
        (
            "status",
            "What waynote holds for this directory",
            run(""),
            Some(program.into()),
        ),
    ]
}

fn author() -> Value {
    json!({ "name": "the waynote authors" })
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

/// The server's entry as every client's plugin has it.
fn server(setup: &Setup<'_>) -> Result<String> {
    let is_typed = !matches!(setup.client(), Client::Gemini | Client::Antigravity);
    made(vec![setup.json_server("mcpServers", is_typed)])
}

/// The hooks that `install` would enter.
fn hooks(setup: &Setup<'_>) -> Result<String> {
    let files = setup.files()?.into_iter();
    let edits = files
        .filter(|file| file.part.has_hooks())
        .filter_map(|file| match file.edit {
            Edit::Json(edits) => Some(edits),
            _ => None,
        });
    let is_hook = |edit: &JsonEdit| !matches!(edit, JsonEdit::Server { .. });
    made(edits.flatten().filter(is_hook).collect())
}

fn made(edits: Vec<JsonEdit>) -> Result<String> {
    Edit::Json(edits)
        .add("")
        .map_err(|refusal| Error::NotEdited {
            path: NAME.into(),
            refusal,
        })
}
