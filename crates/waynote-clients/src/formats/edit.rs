//! Edits of one file, of any format: adding, removing and reading our entries.

use serde_json::Value;

use super::entry::{self, JsonEdit, NAME, Server, is_our_server};
use super::json;
use super::refusal::{EditResult, Refusal};
use super::toml;

/// The mark that Windows' editors put before a text.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

/// The edit of one file.
#[derive(Clone)]
pub(crate) enum Edit {
    /// Members of a file of JSON with comments.
    Json(Vec<JsonEdit>),
    /// A server in Codex's `config.toml`.
    Toml(Server),
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
        behind_mark(text, |text| {
            let is_taken = self.is_another_programs(text);
            match self {
                _ if is_taken => Err(taken("a server named `waynote`")),
                Self::Json(edits) => json::add(text, edits),
                Self::Toml(server) => toml::add(text, server),
                Self::Whole { mark, .. } if !text.is_empty() && !text.contains(mark) => {
                    Err(taken("a text"))
                }
                Self::Whole { text, .. } => Ok(text.clone()),
            }
        })
    }

    /// The file's text without our entries; unchanged if it has none.
    pub(crate) fn take_back(&self, text: &str) -> EditResult {
        behind_mark(text, |text| {
            let is_taken = self.is_another_programs(text);
            match self {
                Self::Json(edits) => {
                    let is_ours = |edit: &&JsonEdit| !is_taken || edit.event().is_some();
                    let edits: Vec<JsonEdit> = edits.iter().filter(is_ours).cloned().collect();
                    json::take_back(text, &edits)
                }
                Self::Toml(_) if is_taken => Ok(text.to_owned()),
                Self::Toml(_) => toml::take_back(text),
                Self::Whole { mark, .. } if text.contains(mark) => Ok(String::new()),
                Self::Whole { .. } => Ok(text.to_owned()),
            }
        })
    }

    /// True if a text has entries of ours.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        let without = self.take_back(text);
        without.is_ok_and(|without| without != text)
    }

    /// The edit without those of its entries for which this is true; none without any.
    pub(crate) fn without(&self, is_left_out: impl Fn(Self) -> bool) -> Option<Self> {
        let Self::Json(edits) = self else {
            return (!is_left_out(self.clone())).then(|| self.clone());
        };
        let edits = edits.iter().cloned();
        let kept = edits.filter(|edit| !is_left_out(Self::Json(vec![edit.clone()])));
        Some(Self::Json(kept.collect()))
    }

    /// The contents of a text; none where it cannot be read.
    pub(crate) fn read(&self, text: &str) -> Option<Value> {
        match self {
            Self::Json(_) => json::read(text),
            Self::Toml(_) => toml::read(text),
            Self::Whole { .. } => None,
        }
    }

    /// The member that has the servers.
    pub(crate) fn servers(&self) -> Option<&'static str> {
        match self {
            Self::Json(edits) => edits.iter().find_map(|edit| match edit {
                JsonEdit::Server { at, .. } => Some(*at),
                _ => None,
            }),
            Self::Toml(_) => Some(toml::SERVERS),
            Self::Whole { .. } => None,
        }
    }

    /// The entry of our server that a text has.
    pub(crate) fn server_entry(&self, text: &str) -> Option<Value> {
        let file = self.read(text)?;
        let entry = &file[self.servers()?][NAME];
        entry.is_object().then(|| entry.clone())
    }

    /// True if the file has an entry of our server's name that does not start it.
    fn is_another_programs(&self, text: &str) -> bool {
        let file = self.read(text).unwrap_or_default();
        let servers = self.servers().map_or(&Value::Null, |name| &file[name]);
        servers.get(NAME).is_some_and(|entry| !is_our_server(entry))
    }

    /// The words with which a text has our server started.
    pub(crate) fn server_command(&self, text: &str) -> Option<Vec<String>> {
        let entry = self.server_entry(text)?;
        let words = entry::words(&entry).into_iter();
        Some(words.map(str::to_owned).collect())
    }

    /// True if a text is empty of content: the rest of a file that was made for our entries.
    pub(crate) fn is_nothing(&self, text: &str) -> bool {
        match self {
            Self::Json(edits) => json::is_nothing(text, edits),
            _ => text.trim().is_empty(),
        }
    }
}

fn taken(what: &'static str) -> Refusal {
    Refusal::Taken { what }
}

/// Edits what stands behind a byte order mark, which stays.
fn behind_mark(text: &str, edit: impl FnOnce(&str) -> EditResult) -> EditResult {
    match text.strip_prefix(BYTE_ORDER_MARK) {
        Some(text) => Ok(format!("{BYTE_ORDER_MARK}{}", edit(text)?)),
        None => edit(text),
    }
}
