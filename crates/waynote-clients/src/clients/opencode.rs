//! opencode: `opencode.json` for the server, a plugin of ours for the notes.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use waynote_system::shell::quoted;
use waynote_system::variables::AUTHOR;

use crate::client::{Client, Event};
use crate::error::Result;
use crate::formats::edit::Edit;
use crate::formats::entry::{JsonEdit, NAME, object};
use crate::formats::source::Source;
use crate::ledger::Channel;
use crate::plugin::opencode::FOLDER;
use crate::profile::answer::Form;
use crate::profile::check::Check;
use crate::profile::permissions::{Invocation, May, MissingRight, Rights, read_json, text};
use crate::profile::setup::{ClientFile, InstallScope, Part, Roots, Setup};
use crate::profile::target::EndpointForm;
use crate::profile::{InstalledPlugin, Profile};

pub(super) static PROFILE: Profile = Profile {
    client: Client::Opencode,
    word: "opencode",
    title: "opencode",
    program: "opencode",
    events: &[
        (Event::SessionStart, "SessionStart"),
        (Event::AfterTool, "AfterTool"),
    ],
    block_event: Some(Event::SessionStart),
    // Its plugin takes the text as it is.
    answer: Form::Text,
    endpoint: EndpointForm::new(Some("remote"), "url", "{env:WAYNOTE_TOKEN}"),
    server: [".config/opencode/opencode.json", "opencode.json", "mcp"],
    files,
    // The system prompt is no part of the conversation: its plugin puts the block there for each process.
    channel: Channel::System,
    next_steps,
    allow,
    missing,
    plugin,
    check: |check| check.opencode(),
    // opencode asks for no consent.
    trust: |_, _| Ok(()),
    ..Profile::BASE
};

/// The program of ours that it runs.
const PLUGIN: &str = include_str!("opencode.js");

/// The variable of its permissions: JSON that is added to its configuration.
const PERMISSION: &str = "OPENCODE_PERMISSION";

/// The program that brings the notes.
pub(crate) fn script(setup: &Setup<'_>) -> String {
    let program = Value::from(setup.program.as_str()).to_string();
    let mut text = PLUGIN.replace("\"waynote\"", &program);
    for option in setup.target.options().iter().rev() {
        let option = Value::from(option.as_str()).to_string();
        text = text.replacen("program, [", &format!("program, [{option}, "), 1);
    }
    text
}

/// The server's entry.
pub(crate) fn server(setup: &Setup<'_>) -> JsonEdit {
    if setup.target.is_endpoint() {
        // Else it looks for a sign-in, which the server does not have.
        return setup.json_endpoint("mcp", &[("enabled", true.into()), ("oauth", false.into())]);
    }
    let server = setup.server();
    let words = std::iter::once(server.command).chain(server.args);
    JsonEdit::Server {
        at: "mcp",
        program: setup.program.clone(),
        entry: vec![
            ("type", "local".into()),
            ("command", words.collect::<Vec<_>>().into()),
            ("enabled", true.into()),
            ("environment", object(&[(AUTHOR, server.author.into())])),
        ],
    }
}

/// Our package, as its settings name it. Its program has the path of ours.
fn plugin(call: &Invocation<'_>) -> Option<InstalledPlugin> {
    let settings = settings(call);
    let mut plugins = settings
        .iter()
        .rev()
        .filter_map(|file| file["plugin"].as_array())
        .flatten()
        .filter_map(Value::as_str);
    let name = plugins.find(|name| name.trim_end_matches('/').ends_with(FOLDER))?;
    let script = text(&Path::new(name).join("waynote.js"));
    Some((
        name.to_owned(),
        script.as_deref().and_then(started).map(str::to_owned),
    ))
}

fn files(setup: &Setup<'_>) -> Result<Vec<ClientFile>> {
    let root = setup.roots()?;
    let plugin = Edit::Whole {
        text: script(setup),
        mark: "Written by `waynote install opencode`",
    };
    let (config, plugins) = match setup.reach {
        InstallScope::User => (user_folder(&root)?, user_folder(&root)?.join("plugins")),
        InstallScope::Project => (root.folder.clone(), root.at(".opencode/plugins")),
    };
    let config = with_comments(&config.join("opencode.json"));
    Ok(vec![
        ClientFile::json(config, Part::Server, vec![server(setup)]),
        ClientFile::new(plugins.join("waynote.js"), Part::Plugin, plugin),
    ])
}

fn next_steps(_: InstallScope, _: bool) -> Vec<String> {
    vec![
        "restart opencode, the first time with network access: it fetches @opencode-ai/plugin, and until it has that package, a start without the npm registry waits about 75 seconds".into(),
    ]
}

fn allow(call: &Invocation<'_>, rights: &mut Rights) -> Result {
    if let Some(permission) = permission(call.environment().variable(PERMISSION)?) {
        rights
            .environment
            .push((PERMISSION.into(), permission.into()));
    }
    Ok(())
}

/// Its folder of the user.
fn user_folder(root: &Roots<'_>) -> Result<PathBuf> {
    Ok(root.environment.dot_config()?.join("opencode"))
}

/// The file, or its variant with comments where that is the one there is.
fn with_comments(path: &Path) -> PathBuf {
    let other = path.with_extension("jsonc");
    if other.exists() && !path.exists() {
        other
    } else {
        path.to_owned()
    }
}

/// Its settings, the weakest file first.
fn settings(call: &Invocation<'_>) -> Vec<Value> {
    let user = call.roots(InstallScope::User);
    let user = user.and_then(|root| user_folder(&root)).ok();
    let project = call
        .roots(InstallScope::Project)
        .ok()
        .map(|root| root.folder);
    let folders = user.into_iter().chain(project);
    let files = folders
        .flat_map(|folder| ["opencode.json", "opencode.jsonc"].map(|name| folder.join(name)));
    files.filter_map(|file| read_json(&file)).collect()
}

/// opencode's permissions with our tools allowed, beside what the variable says already; none where it says something that
/// opencode itself has to refuse.
fn permission(set: Option<String>) -> Option<String> {
    let mut permission = match set {
        None => serde_json::Map::new(),
        Some(set) => match serde_json::from_str(&set).ok()? {
            Value::Object(permission) => permission,
            Value::String(all) => serde_json::Map::from_iter([("*".to_owned(), all.into())]),
            _ => return None,
        },
    };
    let ours = format!("{NAME}_*");
    if !permission.contains_key(&ours) {
        permission.insert(ours, "allow".into());
    }
    Some(Value::Object(permission).to_string())
}

/// Without settings it allows everything; `opencode run` rejects what these would have asked about.
fn missing(call: &Invocation<'_>, lines: &mut Vec<MissingRight>) {
    let settings = settings(call);
    let rule = |tool: &str| {
        let of = |file: &Value| match &file["permission"] {
            Value::String(all) => Some(all.clone()),
            Value::Object(rules) => {
                let rule = rules.get(tool).or_else(|| rules.get("*"))?;
                // A pattern may allow some commands.
                Some(rule.as_str().unwrap_or("allow").to_owned())
            }
            _ => None,
        };
        settings.iter().rev().find_map(of)
    };
    let may = |tool: &str| rule(tool).is_none_or(|rule| rule == "allow");
    let may = May {
        edit: may("edit"),
        run: may("bash"),
    };
    let Some(what) = may.lacks() else {
        return;
    };
    lines.push(MissingRight::new(
        format!(
            "the agent may not {what}: opencode asks or denies it, and nobody is there to answer"
        ),
        "allow it by `permission` in its configuration",
    ));
}

/// Its configuration of the user and of the project, and the package that it fetches for plugins.
impl Check<'_> {
    fn opencode(&mut self) -> Result {
        let user = self
            .user
            .first()
            .and_then(|path| path.parent())
            .map(Path::to_owned);
        let own = ["opencode.json", "opencode.jsonc"];
        let below = [".opencode/opencode.json", ".opencode/opencode.jsonc"];
        let of_user = user.iter().flat_map(|folder| {
            let names = own.into_iter().chain(["config.json"]);
            names.map(|name| folder.join(name))
        });
        let named = self.environment.variable("OPENCODE_CONFIG")?;
        let others = of_user.chain(named.map(PathBuf::from));
        for file in self.sources(&[own, below].concat(), others) {
            self.switched_off(&file, &["mcp", NAME, "enabled"]);
            for tool in members(file.at(&["tools"]))
                .filter(|(name, on)| is_ours(name) && *on == &json!(false))
            {
                self.wrong(
                    "tools are switched off",
                    &file.place(&["tools", tool.0]),
                    "take it out, or set it to true",
                );
            }
            if let Some(action @ ("deny" | "ask")) = file.at(&["permission"]).as_str() {
                self.permission(action, &file.place(&["permission"]));
            }
            for (name, action) in
                members(file.at(&["permission"])).filter(|(name, _)| is_ours(name))
            {
                if let Some(action @ ("deny" | "ask")) = action.as_str() {
                    self.permission(action, &file.place(&["permission", name]));
                }
            }
        }
        if self.environment.variable("OPENCODE_PURE")?.is_some() {
            self.wrong(
                "no plugin is loaded, so no session gets the notes",
                "OPENCODE_PURE is set",
                "unset it",
            );
        }
        // For a plugin, opencode waits for a package that it fetches into that folder.
        let folder = match self.reach {
            InstallScope::User => user,
            InstallScope::Project => self.folders.first().map(|folder| folder.join(".opencode")),
        };
        const PACKAGE: &str = "@opencode-ai/plugin";
        let lock = folder
            .as_ref()
            .and_then(|folder| Source::read(&folder.join("package-lock.json")));
        let is_there = lock.is_some_and(|lock| {
            !lock
                .at(&["packages", "", "dependencies", PACKAGE])
                .is_null()
        });
        if let Some(folder) =
            folder.filter(|folder| !is_there || !folder.join("node_modules").exists())
        {
            self.findings.note(
                format!(
                    "{}: it has not fetched {PACKAGE} into {} yet, which plugins need: without the registry, a start waits 75 seconds for it",
                    self.title,
                    folder.display()
                ),
                format!("start opencode once with a network, or `npm install --prefix {} {PACKAGE}`", quoted(&folder.to_string_lossy())),
            );
        }
        Ok(())
    }

    fn permission(&mut self, action: &str, place: &str) {
        match action {
            "deny" => self.wrong(
                "waynote's tools are denied",
                place,
                "set it to \"allow\", or add `\"waynote_*\": \"allow\"` below it",
            ),
            _ => self.note(
                "every call of waynote's tools needs a confirmation, which nobody gives in `opencode run`",
                place,
                "add `\"waynote_*\": \"allow\"` below it",
            ),
        }
    }
}

/// The program that a script of ours starts.
fn started(script: &str) -> Option<&str> {
    let (_, rest) = script.split_once("const program = \"")?;
    Some(rest.split_once("\";")?.0)
}

/// True if a pattern of opencode's is about tools of ours.
fn is_ours(pattern: &str) -> bool {
    pattern.starts_with("waynote") || pattern == "*"
}

fn members(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let members = value.as_object().into_iter().flatten();
    members.map(|(name, value)| (name.as_str(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_opencode_was_told_already_stays() {
        let told = |set: &str| permission(Some(set.into()));
        let allowed = |text: &str| Some(text.to_owned());
        assert_eq!(permission(None), allowed(r#"{"waynote_*":"allow"}"#));
        assert_eq!(
            told(r#"{"bash":"ask","edit":{"*.md":"allow"}}"#),
            allowed(r#"{"bash":"ask","edit":{"*.md":"allow"},"waynote_*":"allow"}"#)
        );
        assert_eq!(
            told(r#""ask""#),
            allowed(r#"{"*":"ask","waynote_*":"allow"}"#)
        );
        // A user's own rule of that very name stays.
        let denied = r#"{"waynote_*":"deny"}"#;
        assert_eq!(told(denied), allowed(denied));
        assert_eq!(told("{"), None);
    }
}
