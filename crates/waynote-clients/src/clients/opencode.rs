//! opencode: `opencode.json` for the server, a plugin of ours for the notes.

use std::path::{Path, PathBuf};

use serde_json::Value;
use waynote_system::text_file;
use waynote_system::variables::AUTHOR;

use crate::client::{Client, Event};
use crate::error::Result;
use crate::formats::edit::Edit;
use crate::formats::entry::{JsonEdit, NAME, object};
use crate::formats::source;
use crate::ledger::Channel;
use crate::plugin::opencode::FOLDER;
use crate::profile::answer::Form;
use crate::profile::reading::{Off, Switch};
use crate::profile::setup::{ClientFile, InstallScope, Machine, Part, Roots, Setup};
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
    shell_variable: "OPENCODE",
    files,
    // The system prompt is no part of the conversation: its plugin puts the block there for each process.
    channel: Channel::System,
    next_steps,
    allow: |machine, _, rights| {
        let set = machine.environment.variable(PERMISSION)?;
        let permission = permission(set).map(|permission| (PERMISSION.into(), permission.into()));
        rights.environment.extend(permission);
        Ok(())
    },
    plugin,
    switches: &[
        Switch::new("opencode.json", &["mcp", NAME, "enabled"], Off::Is(false)),
        Switch::new("opencode.jsonc", &["mcp", NAME, "enabled"], Off::Is(false)),
    ],
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
    let mut text = PLUGIN.replacen("\"waynote\"", &program, 1);
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
fn plugin(machine: Machine<'_>) -> Option<InstalledPlugin> {
    let user = Roots::of(machine.environment, InstallScope::User);
    let user = user.and_then(|root| user_folder(&root)).ok();
    let project = Roots::of(machine.environment, InstallScope::Project).ok();
    let folders = project.map(|root| root.folder).into_iter().chain(user);
    let files = folders
        .flat_map(|folder| ["opencode.json", "opencode.jsonc"].map(|name| folder.join(name)));
    let name = files
        .filter_map(|file| source::read(&file))
        .find_map(|file| {
            // Version 1 and version 2 call the list by different names.
            let lists = ["plugin", "plugins"].map(|name| file[name].clone());
            let names = lists.iter().filter_map(Value::as_array).flatten();
            let mut names = names.filter_map(Value::as_str);
            let name = names.find(|name| name.trim_end_matches('/').ends_with(FOLDER))?;
            Some(name.to_owned())
        })?;
    let script = text_file::read(&Path::new(&name).join("waynote.js"));
    let script = script.ok().flatten().unwrap_or_default();
    let program = started(&script).map(str::to_owned);
    Some((name, program))
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

/// The program that a script of ours starts.
fn started(script: &str) -> Option<&str> {
    let (_, rest) = script.split_once("const program = \"")?;
    Some(rest.split_once("\";")?.0)
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
