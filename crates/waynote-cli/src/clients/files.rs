//! Which files of a client get what: its MCP server entry and its hooks.

use std::fmt;
use std::path::{Path, PathBuf};

use waynote::Author;

use super::change::{Edit, Server};
use super::json::{Json, JsonEdit};
use super::shell::quoted;
use super::{Client, Event, goose};
use crate::error::Outcome;
use crate::variables::AUTHOR;
use crate::{home, program};

/// Whose files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The user's, for every project.
    User,
    /// The working directory's, which a team shares.
    Project,
}

/// What of a setup a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Server,
    Hooks,
    ServerAndHooks,
    /// A program of ours that the client runs, with its hooks.
    Plugin,
    /// What an earlier version wrote the notes into.
    Notes,
}

impl Part {
    pub(crate) fn has_server(self) -> bool {
        matches!(self, Self::Server | Self::ServerAndHooks)
    }

    pub(crate) fn has_hooks(self) -> bool {
        matches!(self, Self::Hooks | Self::ServerAndHooks | Self::Plugin)
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Server => "server",
            Self::Hooks => "hooks",
            Self::ServerAndHooks => "server and hooks",
            Self::Plugin => "plugin",
            Self::Notes => "notes",
        })
    }
}

/// One of a client's files and what it gets.
pub(crate) struct Piece {
    pub(crate) path: PathBuf,
    pub(crate) what: Part,
    pub(crate) edit: Edit,
}

/// How to set up.
pub(crate) struct Plan {
    pub(crate) client: Client,
    pub(crate) reach: Reach,
    /// Whether every prompt gets the notes that match it, too.
    pub(crate) every_prompt: bool,
    /// The program, as clients start it.
    pub(crate) program: String,
}

/// How long a hook may take: it takes milliseconds.
const HOOK_SECONDS: i64 = 10;

/// What the hook of prompts is told unless every prompt is to be searched for.
pub(super) const NO_SEARCH: &str = " --no-search";

const OPENCODE_PLUGIN: &str = include_str!("opencode.js");

impl Plan {
    /// The client's server entry.
    pub(crate) fn server(&self) -> Server {
        Server {
            command: self.program.clone(),
            args: vec!["mcp".into()],
            author: Author::Agent(self.client.word()).to_string(),
        }
    }

    /// The command of a hook, for a shell.
    pub(crate) fn hook_command(&self, event: Event) -> Option<String> {
        let word = event.word(self.client)?;
        let client = self.client.word();
        let no_search = match event {
            Event::Prompt if !self.every_prompt => NO_SEARCH,
            _ => "",
        };
        let program = quoted(&self.program);
        Some(format!("{program} hook {client} {word}{no_search}"))
    }

    /// The hooks of every event that the client has, and those of an earlier version, which go.
    fn hooks(&self, more: &[(&'static str, Json)], grouped: bool) -> Vec<JsonEdit> {
        let hook = |event: Event| {
            Some(JsonEdit::Hook {
                event: event.word(self.client)?,
                command: self.hook_command(event)?,
                more: more.to_vec(),
                grouped,
            })
        };
        let old = (self.client == Client::Gemini).then_some(JsonEdit::NoHook {
            event: "SessionStart",
        });
        Event::ALL.into_iter().filter_map(hook).chain(old).collect()
    }

    fn json_server(&self, at: &'static str, typed: bool) -> JsonEdit {
        let Server {
            command,
            args,
            author,
        } = self.server();
        let program = command.clone();
        let mut entry = Vec::new();
        if typed {
            entry.push(("type", Json::Text("stdio".into())));
        }
        entry.extend([
            ("command", Json::Text(command)),
            ("args", Json::texts(args)),
            ("env", Json::Object(vec![(AUTHOR, Json::Text(author))])),
        ]);
        JsonEdit::Server { at, program, entry }
    }

    /// The files, in the order in which they are written.
    pub(crate) fn pieces(&self) -> Outcome<Vec<Piece>> {
        let seconds = [("timeout", Json::Number(HOOK_SECONDS))];
        let piece = |path: PathBuf, what, edit| Piece { path, what, edit };
        let json = |path, what, edits| piece(path, what, Edit::Json(edits));
        let root = Roots::of(self.reach)?;
        Ok(match self.client {
            Client::ClaudeCode => vec![
                json(
                    root.claude("claude.json", ".mcp.json")?,
                    Part::Server,
                    vec![self.json_server("mcpServers", true)],
                ),
                json(
                    root.claude("settings.json", ".claude/settings.json")?,
                    Part::Hooks,
                    self.hooks(&seconds, true),
                ),
            ],
            Client::Codex => {
                let folder = root.folder("CODEX_HOME", ".codex")?;
                vec![
                    piece(
                        folder.join("config.toml"),
                        Part::Server,
                        Edit::Toml(self.server()),
                    ),
                    json(
                        folder.join("hooks.json"),
                        Part::Hooks,
                        self.hooks(&seconds, true),
                    ),
                ]
            }
            Client::Cursor => {
                let mut hooks = vec![JsonEdit::Version(1)];
                hooks.extend(self.hooks(&[], false));
                vec![
                    json(
                        root.at(".cursor/mcp.json"),
                        Part::Server,
                        vec![self.json_server("mcpServers", false)],
                    ),
                    json(root.at(".cursor/hooks.json"), Part::Hooks, hooks),
                ]
            }
            Client::Opencode => {
                let Server {
                    command,
                    args,
                    author,
                } = self.server();
                let program = command.clone();
                let entry = vec![
                    ("type", Json::Text("local".into())),
                    ("command", Json::texts(std::iter::once(command).chain(args))),
                    ("enabled", Json::Bool(true)),
                    (
                        "environment",
                        Json::Object(vec![(AUTHOR, Json::Text(author))]),
                    ),
                ];
                let plugin = OPENCODE_PLUGIN.replace(
                    "\"waynote\"",
                    &serde_json::Value::from(self.program.as_str()).to_string(),
                );
                let (config, plugins) = match self.reach {
                    Reach::User => (root.opencode()?, root.opencode()?.join("plugins")),
                    Reach::Project => (root.root.clone(), root.at(".opencode/plugins")),
                };
                vec![
                    json(
                        with_comments(&config.join("opencode.json")),
                        Part::Server,
                        vec![JsonEdit::Server {
                            at: "mcp",
                            program,
                            entry,
                        }],
                    ),
                    piece(
                        plugins.join("waynote.js"),
                        Part::Plugin,
                        Edit::Whole {
                            text: plugin,
                            mark: "Written by `waynote install opencode`",
                        },
                    ),
                ]
            }
            Client::Gemini => {
                let more = [
                    ("name", Json::Text("waynote".into())),
                    // Milliseconds, unlike the others.
                    ("timeout", Json::Number(HOOK_SECONDS * 1000)),
                ];
                let mut edits = vec![self.json_server("mcpServers", false)];
                edits.extend(self.hooks(&more, true));
                vec![json(
                    root.at(".gemini/settings.json"),
                    Part::ServerAndHooks,
                    edits,
                )]
            }
            // It reads servers from the user's file alone. Their instructions hold the notes.
            Client::Goose => match self.reach {
                Reach::Project => Vec::new(),
                Reach::User => {
                    let path = home::dot_config()?.join("goose/config.yaml");
                    vec![piece(path, Part::Server, Edit::Yaml(self.server()))]
                }
            },
            Client::Vscode => {
                let (server, hooks) = match self.reach {
                    Reach::User => (
                        root.vscode()?.join("mcp.json"),
                        root.at(".copilot/hooks/waynote.json"),
                    ),
                    Reach::Project => (
                        root.at(".vscode/mcp.json"),
                        root.at(".github/hooks/waynote.json"),
                    ),
                };
                vec![
                    json(
                        server,
                        Part::Server,
                        vec![self.json_server("servers", true)],
                    ),
                    json(hooks, Part::Hooks, self.hooks(&seconds, false)),
                ]
            }
        })
    }

    /// Files that an earlier version wrote and this one does not.
    pub(crate) fn left_over(&self) -> Outcome<Vec<Piece>> {
        if self.client != Client::Goose {
            return Ok(Vec::new());
        }
        let plugin = Roots::of(self.reach)?.at(".agents/plugins/waynote");
        let ours = |path, what, mark| Piece {
            path,
            what,
            edit: Edit::Whole {
                text: String::new(),
                mark,
            },
        };
        let mut files = vec![
            ours(
                plugin.join("plugin.json"),
                Part::Plugin,
                "\"name\": \"waynote\"",
            ),
            ours(plugin.join("hooks/hooks.json"), Part::Hooks, "hook goose "),
        ];
        if self.reach == Reach::User {
            // In waynote's own folder, whatever it says.
            files.push(ours(goose::old_file()?, Part::Notes, ""));
        }
        Ok(files)
    }

    /// What only the user can do.
    pub(crate) fn left_to_the_user(&self) -> Vec<String> {
        let is_project = self.reach == Reach::Project;
        match self.client {
            Client::ClaudeCode if is_project => vec![
                "start Claude Code in this directory and approve the server `waynote` when it asks".into(),
            ],
            Client::ClaudeCode => vec!["start a new session of Claude Code".into()],
            Client::Codex => {
                let mut steps = vec![
                    "start Codex, open `/hooks` and trust waynote's hooks: it skips untrusted ones without a word".into(),
                ];
                if is_project {
                    steps.insert(0, "trust this directory in Codex: in others it reads no project files".into());
                }
                steps
            }
            Client::Cursor => vec![
                "restart Cursor, and switch `waynote` on under Settings, MCP, if it is off".into(),
            ],
            Client::Opencode => vec![
                "start opencode anew, once with a network: for plugins it fetches @opencode-ai/plugin, and until it has it a start without the npm registry waits about 75 seconds".into(),
            ],
            Client::Gemini if is_project => vec![
                "start Gemini CLI anew, and trust this directory when it asks".into(),
            ],
            Client::Gemini => vec!["start Gemini CLI anew".into()],
            Client::Goose => vec!["start a new session of Goose".into()],
            Client::Vscode => vec![
                "start the server with `MCP: List Servers` in VS Code and trust it when it asks; hooks are a preview there and may have to be switched on".into(),
            ],
        }
    }

    /// Whether the client seems to be on this machine.
    pub(crate) fn is_found(&self) -> Outcome<bool> {
        let root = Roots::of(Reach::User)?;
        let folder = match self.client {
            Client::ClaudeCode => root.claude("settings.json", "")?,
            Client::Codex => root.folder("CODEX_HOME", ".codex")?.join("config.toml"),
            Client::Cursor => root.at(".cursor/mcp.json"),
            Client::Opencode => root.opencode()?.join("opencode.json"),
            Client::Gemini => root.at(".gemini/settings.json"),
            Client::Goose => home::dot_config()?.join("goose/config.yaml"),
            Client::Vscode => root.vscode()?.join("mcp.json"),
        };
        Ok(folder.parent().is_some_and(Path::exists)
            || program::on_path(self.client.program()).is_some())
    }
}

/// Where files of a reach begin.
pub(super) struct Roots {
    reach: Reach,
    root: PathBuf,
}

impl Roots {
    pub(super) fn of(reach: Reach) -> Outcome<Self> {
        let root = match reach {
            Reach::User => PathBuf::from(home::home()?),
            Reach::Project => working_directory()?,
        };
        Ok(Self { reach, root })
    }

    pub(super) fn at(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// A folder that a variable can move, for the user's files.
    pub(super) fn folder(&self, variable: &str, name: &str) -> Outcome<PathBuf> {
        let moved = home::variable(variable)?.filter(|_| self.reach == Reach::User);
        Ok(moved.map_or_else(|| self.at(name), PathBuf::from))
    }

    /// Claude Code keeps one of its files beside its folder, unless that is moved.
    pub(super) fn claude(&self, user: &str, project: &str) -> Outcome<PathBuf> {
        if self.reach == Reach::Project {
            return Ok(self.at(project));
        }
        let moved = home::variable("CLAUDE_CONFIG_DIR")?.map(PathBuf::from);
        Ok(match (user, moved) {
            ("claude.json", Some(folder)) => folder.join(".claude.json"),
            ("claude.json", None) => self.at(".claude.json"),
            (name, Some(folder)) => folder.join(name),
            (name, None) => self.at(".claude").join(name),
        })
    }

    pub(super) fn opencode(&self) -> Outcome<PathBuf> {
        Ok(home::dot_config()?.join("opencode"))
    }

    fn vscode(&self) -> Outcome<PathBuf> {
        let user = "Code/User";
        Ok(if cfg!(target_os = "macos") {
            self.at("Library/Application Support").join(user)
        } else {
            home::dot_config()?.join(user)
        })
    }
}

pub(super) fn working_directory() -> Outcome<PathBuf> {
    std::env::current_dir()
        .map_err(|error| crate::error::Failure::file("the working directory", "read", error))
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

/// The program as clients start it: for a team's files by its name, for the user's by where it is, since a client that was not
/// started from a shell has another path.
pub(crate) fn program_of(reach: Reach) -> Outcome<String> {
    let own = program::own()?;
    let resolved = own.canonicalize().ok();
    // As it is on the path: that stays right when a package manager exchanges what it links to.
    let on_path = program::on_path("waynote").filter(|path| path.canonicalize().ok() == resolved);
    Ok(match reach {
        Reach::Project => "waynote".into(),
        Reach::User => on_path.unwrap_or(own).to_string_lossy().into_owned(),
    })
}
