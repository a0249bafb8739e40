//! What an agent may do in a loop, where nobody answers when its client asks for permission.
//!
//! [`Rights`] lets it use waynote's own tools, by arguments and variables of that run: never by a change of its
//! configuration, and nothing else. Whatever more it may do is its user's decision; [`missing`] says what a run lacks.

mod missing;
mod words;

use std::ffi::OsString;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use super::change::NAME;
use super::files::{Plan, Reach, Roots, program_of, working_directory};
use super::{Client, disk, json};
use crate::error::{Failure, Outcome};
use crate::home;
use missing::gemini_trusts;
use words::Words;

pub(crate) use missing::{Missing, missing};

/// A rule of Gemini CLI's policy engine. Its priority is above the tools that settings allow or leave out by default, and below
/// those that a person excludes.
const GEMINI_POLICY: &str = "# Written by `waynote loop` for one run.\n\
    [[rule]]\nmcpName = \"waynote\"\ntoolName = \"*\"\ndecision = \"allow\"\npriority = 310\n";

/// The variable of opencode's permissions: JSON that is added to its configuration.
const OPENCODE_PERMISSION: &str = "OPENCODE_PERMISSION";

/// What lets an agent use waynote's own tools in one run of a loop.
#[derive(Debug, Default)]
pub(crate) struct Rights {
    /// Arguments that stand before the user's own.
    pub(crate) arguments: Vec<OsString>,
    /// Variables of the agent's environment.
    pub(crate) environment: Vec<(String, OsString)>,
    /// Has the files that the arguments name, and goes with the loop.
    _folder: Option<TempDir>,
}

impl Rights {
    /// The rights for a client that is started with these further words.
    ///
    /// Files that cannot be read say nothing here: the client itself complains about them.
    pub(crate) fn of(client: Client, words: &[OsString]) -> Outcome<Self> {
        let mut rights = Self::default();
        match client {
            // In one word, since the option alone would take the words behind it as further tools. It adds to the user's own.
            Client::ClaudeCode => rights.argument(format!("--allowedTools=mcp__{NAME}")),
            Client::Codex if codex_has_server() => {
                rights.argument("-c");
                rights.argument(format!(
                    "mcp_servers.{NAME}.default_tools_approval_mode=\"approve\""
                ));
            }
            Client::Gemini => rights.gemini(&Words::new(words))?,
            Client::Opencode => {
                let permission = opencode_permission(home::variable(OPENCODE_PERMISSION)?);
                if let Some(permission) = permission {
                    rights
                        .environment
                        .push((OPENCODE_PERMISSION.into(), permission.into()));
                }
            }
            // Goose has one mode for all tools: `missing` tells when it is one that asks. Without an entry Codex takes no
            // setting of one. The others do not run in loops.
            Client::Codex | Client::Goose | Client::Cursor | Client::Vscode => {}
        }
        Ok(rights)
    }

    fn argument(&mut self, word: impl Into<OsString>) {
        self.arguments.push(word.into());
    }

    /// `--policy` takes the place of the user's policies, so these are named too.
    fn gemini(&mut self, words: &Words) -> Outcome {
        let folder = tempfile::Builder::new()
            .prefix("waynote-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir()
            .map_err(|error| Failure::file(std::env::temp_dir(), "written to", error))?;
        let file = folder.path().join("waynote.toml");
        std::fs::write(&file, GEMINI_POLICY)
            .map_err(|error| Failure::file(&file, "written", error))?;
        let mut policies = vec![file];
        if words.values(&["--policy"]).is_empty() {
            policies.extend(gemini_policies(words));
        }
        for policy in policies {
            let mut word = OsString::from("--policy=");
            word.push(policy);
            self.argument(word);
        }
        self._folder = Some(folder);
        Ok(())
    }
}

/// The policies that Gemini CLI reads by itself: those that its settings name, else the user's folder.
///
/// An agent can write the project's settings. They count only in a directory that the user trusts: elsewhere Gemini CLI
/// does not read them either, and what is given by `--policy` it reads in any case.
fn gemini_policies(words: &Words) -> Vec<PathBuf> {
    let settings = match gemini_trusts(words) {
        true => settings(Client::Gemini),
        false => settings_of(Client::Gemini, Reach::User),
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
    let folder = Roots::of(Reach::User).map(|root| root.at(".gemini/policies"));
    folder
        .into_iter()
        .filter(|folder| folder.is_dir())
        .collect()
}

/// opencode's permissions with our tools allowed, beside what the variable says already; none where it says something that
/// opencode itself has to refuse.
fn opencode_permission(set: Option<String>) -> Option<String> {
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

/// Whether Codex reads an entry of our server: from the user's file, or from that of a project that is trusted.
fn codex_has_server() -> bool {
    has_server_in(Client::Codex, Reach::User)
        || has_server_in(Client::Codex, Reach::Project) && codex_trusts()
}

/// Whether Codex trusts this directory, as the user's file says.
fn codex_trusts() -> bool {
    let (Some(user), Ok(directory)) = (codex_config(), working_directory()) else {
        return false;
    };
    directory.ancestors().any(|folder| {
        let level = user
            .get("projects")
            .and_then(|projects| projects.get(folder.to_str()?))
            .and_then(|project| project.get("trust_level"));
        level.and_then(toml::Value::as_str) == Some("trusted")
    })
}

/// The user's `config.toml` of Codex.
fn codex_config() -> Option<toml::Table> {
    let root = Roots::of(Reach::User).ok()?;
    let path = root
        .folder("CODEX_HOME", ".codex")
        .ok()?
        .join("config.toml");
    text(&path)?.parse().ok()
}

/// Whether a client's files have an entry of our server.
fn has_server(client: Client) -> bool {
    has_server_in(client, Reach::User) || has_server_in(client, Reach::Project)
}

fn has_server_in(client: Client, reach: Reach) -> bool {
    let pieces = program_of(reach).and_then(|program| {
        let plan = Plan {
            client,
            reach,
            every_prompt: false,
            program,
        };
        plan.pieces()
    });
    pieces.unwrap_or_default().iter().any(|piece| {
        let has_ours = |text: String| {
            let without = piece.edit.take_back(&text);
            without.is_ok_and(|without| without != text)
        };
        piece.what.has_server() && text(&piece.path).is_some_and(has_ours)
    })
}

/// What a client's settings say, the weakest file first.
fn settings(client: Client) -> Vec<Value> {
    let mut settings = settings_of(client, Reach::User);
    settings.extend(settings_of(client, Reach::Project));
    settings
}

/// What the user's settings say, or what the project's do.
fn settings_of(client: Client, reach: Reach) -> Vec<Value> {
    let Ok(root) = Roots::of(reach) else {
        return Vec::new();
    };
    let opencode =
        |folder: PathBuf| ["opencode.json", "opencode.jsonc"].map(|name| folder.join(name));
    let files = match (client, reach) {
        (Client::ClaudeCode, Reach::User) => Vec::from_iter(root.claude("settings.json", "").ok()),
        (Client::ClaudeCode, Reach::Project) => vec![
            root.at(".claude/settings.json"),
            root.at(".claude/settings.local.json"),
        ],
        (Client::Gemini, _) => vec![root.at(".gemini/settings.json")],
        (Client::Opencode, Reach::User) => {
            let folders = root.opencode().into_iter();
            folders.flat_map(opencode).collect()
        }
        (Client::Opencode, Reach::Project) => opencode(root.at("")).into(),
        _ => Vec::new(),
    };
    files
        .into_iter()
        .filter_map(|file| json::read(&text(&file)?))
        .collect()
}

fn text(path: &Path) -> Option<String> {
    disk::read(path).ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_opencode_was_told_already_stays() {
        let permission = |set: &str| opencode_permission(Some(set.into()));
        let allowed = |text: &str| Some(text.to_owned());
        assert_eq!(
            opencode_permission(None),
            allowed(r#"{"waynote_*":"allow"}"#)
        );
        assert_eq!(
            permission(r#"{"bash":"ask","edit":{"*.md":"allow"}}"#),
            allowed(r#"{"bash":"ask","edit":{"*.md":"allow"},"waynote_*":"allow"}"#)
        );
        assert_eq!(
            permission(r#""ask""#),
            allowed(r#"{"*":"ask","waynote_*":"allow"}"#)
        );
        // Whoever forbids them by that very name means it.
        let denied = r#"{"waynote_*":"deny"}"#;
        assert_eq!(permission(denied), allowed(denied));
        assert_eq!(permission("{"), None);
    }

    #[test]
    fn claude_codes_option_takes_no_further_word() {
        let rights = Rights::of(Client::ClaudeCode, &[]).unwrap();
        assert_eq!(rights.arguments, ["--allowedTools=mcp__waynote"]);
        assert!(rights.environment.is_empty());
    }

    #[test]
    fn geminis_policy_is_a_file_of_this_run() {
        let words = ["--policy=mine"].map(OsString::from);
        let rights = Rights::of(Client::Gemini, &words).unwrap();
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
}
