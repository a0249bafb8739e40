//! Edits of one file, of any format: adding, removing and reading our entries.

use serde_json::Value;

use super::entry::{JsonEdit, NAME, Server};
use super::json;
use super::refusal::{EditResult, Refusal};
use super::{toml, yaml};

/// The mark that Windows' editors put before a text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The edit of one file.
pub(crate) enum Edit {
    /// Members of a file of JSON with comments.
    Json(Vec<JsonEdit>),
    /// A server in Codex's `config.toml`.
    Toml(Server),
    /// An extension in Goose's `config.yaml`.
    Yaml(Server),
    /// A file that is waynote's alone.
    Whole {
        text: String,
        /// A text in every version of it, and in no other program's file.
        mark: &'static str,
    },
}

impl Edit {
    /// The file's text with our entries; unchanged if it has them already. An empty text is a new file.
    pub(crate) fn add(&self, text: &str) -> EditResult {
        behind_mark(text, |text| match self {
            Self::Json(edits) => json::add(text, edits),
            Self::Toml(server) => toml::add(text, server),
            Self::Yaml(server) => yaml::add(text, server),
            Self::Whole { mark, .. } if !text.is_empty() && !text.contains(mark) => {
                Err(Refusal::Taken { what: "a text" })
            }
            Self::Whole { text, .. } => Ok(text.clone()),
        })
    }

    /// The file's text without our entries; unchanged if it has none.
    pub(crate) fn take_back(&self, text: &str) -> EditResult {
        behind_mark(text, |text| match self {
            Self::Json(edits) => json::take_back(text, edits),
            Self::Toml(_) => toml::take_back(text),
            Self::Yaml(_) => yaml::take_back(text),
            Self::Whole { mark, .. } if text.contains(mark) => Ok(String::new()),
            Self::Whole { .. } => Ok(text.to_owned()),
        })
    }

    /// The entry of our server that a text has.
    pub(crate) fn server_entry(&self, text: &str) -> Option<Value> {
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        let entry = match self {
            Self::Json(edits) => {
                let at = edits.iter().find_map(|edit| match edit {
                    JsonEdit::Server { at, .. } => Some(*at),
                    _ => None,
                })?;
                json::reading::read(text)?[at][NAME].clone()
            }
            Self::Toml(_) => toml::read(text)?["mcp_servers"][NAME].clone(),
            Self::Yaml(_) => yaml::read(text)?["extensions"][NAME].clone(),
            Self::Whole { .. } => return None,
        };
        entry.is_object().then_some(entry)
    }

    /// The words with which a text has our server started.
    pub(crate) fn server_command(&self, text: &str) -> Option<Vec<String>> {
        let texts = |value: &Value| -> Option<Vec<String>> {
            let values = value.as_array()?.iter();
            values
                .map(|value| Some(value.as_str()?.to_owned()))
                .collect()
        };
        if let Self::Yaml(_) = self {
            return yaml::command(text);
        }
        let entry = self.server_entry(text)?;
        match &entry["command"] {
            Value::String(command) => {
                let args = texts(&entry["args"]).unwrap_or_default();
                Some(std::iter::once(command.clone()).chain(args).collect())
            }
            // A program and its arguments in one list.
            words => texts(words),
        }
    }

    /// True if a text is empty of content: the rest of a file that was made for our entries.
    pub(crate) fn is_nothing(&self, text: &str) -> bool {
        match self {
            Self::Json(edits) => json::is_nothing(text, edits),
            _ => text.trim().is_empty(),
        }
    }
}

/// Edits what stands behind a byte order mark, which stays.
fn behind_mark(text: &str, edit: impl FnOnce(&str) -> EditResult) -> EditResult {
    match text.strip_prefix(BYTE_ORDER_MARK) {
        Some(text) => Ok(format!("{BYTE_ORDER_MARK}{}", edit(text)?)),
        None => edit(text),
    }
}
