//! What is written into a client's file and taken out of it again, whatever its format.

use super::json::{self, JsonEdit};
use super::{toml, yaml};

/// The name under which waynote's server is entered everywhere.
pub(crate) const NAME: &str = "waynote";

/// What one file gets.
pub(crate) enum Edit {
    /// Members of a file of JSON with comments.
    Json(Vec<JsonEdit>),
    /// A server in Codex's `config.toml`.
    Toml(Server),
    /// An extension in Goose's `config.yaml`.
    Yaml(Server),
    /// A file that is waynote's alone; its first line tells.
    Whole(String),
}

/// How a client starts the MCP server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Server {
    /// The program: an absolute path, or a name on the path.
    pub(crate) command: String,
    pub(crate) args: Vec<String>,
    /// Who writes the notes that come through it.
    pub(crate) author: String,
}

/// Whether words start our server: an entry of the same name that does not is somebody else's.
pub(crate) fn starts_our_server<'w>(words: impl IntoIterator<Item = &'w str>) -> bool {
    let mut words = words.into_iter();
    words.next().is_some_and(is_our_program) && words.next() == Some("mcp")
}

/// Whether a program, quoted or not, is ours by its name, wherever it is.
pub(crate) fn is_our_program(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    matches!(name.trim_matches(['"', '\'']), "waynote" | "waynote.exe")
}

/// A file in which somebody else's entry has our name.
pub(crate) fn taken() -> Unreadable {
    let reason =
        format!("an entry named `{NAME}` is in it that does not start this program; rename it");
    Unreadable::new(None, reason)
}

/// A file that cannot be edited, which is left as it is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unreadable {
    /// From 1.
    pub(crate) line: Option<usize>,
    pub(crate) reason: String,
}

impl Unreadable {
    pub(crate) fn new(line: Option<usize>, reason: impl Into<String>) -> Self {
        Self {
            line,
            reason: reason.into(),
        }
    }
}

pub(crate) type Edited<T = String> = Result<T, Unreadable>;

impl Edit {
    /// The file's text with what is ours in it; the same text when it is in it already. An empty text is a new file.
    pub(crate) fn add(&self, text: &str) -> Edited {
        match self {
            Self::Json(edits) => json::add(text, edits),
            Self::Toml(server) => toml::add(text, server),
            Self::Yaml(server) => yaml::add(text, server),
            Self::Whole(own) => Ok(own.clone()),
        }
    }

    /// The file's text without what is ours; the same text when there is nothing of ours. Empty when nothing is left.
    pub(crate) fn take_back(&self, text: &str) -> Edited {
        match self {
            Self::Json(edits) => json::take_back(text, edits),
            Self::Toml(_) => toml::take_back(text),
            Self::Yaml(_) => yaml::take_back(text),
            Self::Whole(own) if text.lines().next() == own.lines().next() => Ok(String::new()),
            Self::Whole(_) => Ok(text.to_owned()),
        }
    }
}
