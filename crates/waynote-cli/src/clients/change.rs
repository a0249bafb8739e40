//! What is written into a client's file and taken out of it again, whatever its format.

use std::path::Path;

use super::json::{self, JsonEdit};
use super::{toml, yaml};
use crate::error::Failure;

/// The name under which waynote's server is entered everywhere.
pub(crate) const NAME: &str = "waynote";

/// What Windows' editors put before a text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// What one file gets.
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
        /// What stands in every version of it, and in nobody else's file.
        mark: &'static str,
    },
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

/// Whether words start our server, with whatever options: an entry of the same name that does not is somebody else's.
pub(crate) fn starts_our_server<'w>(words: impl IntoIterator<Item = &'w str>) -> bool {
    let mut words = words.into_iter();
    words.next().is_some_and(is_our_program) && words.any(|word| word == "mcp")
}

/// Whether a program is ours by its name, wherever it is.
pub(crate) fn is_our_program(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    matches!(name, "waynote" | "waynote.exe")
}

/// Why a file is not edited. It is left as it is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It cannot be read as what it should be.
    Damaged {
        /// From 1.
        line: Option<usize>,
        reason: String,
    },
    /// What has our name in it is somebody else's.
    Taken { what: &'static str },
    /// A name that we need stands in it twice, on these lines; readers take the last.
    Twice { name: String, lines: [usize; 2] },
    /// It is written in a form that only a person can edit.
    ByHand {
        line: Option<usize>,
        name: &'static str,
        /// What the person does.
        hint: String,
    },
}

pub(crate) type Edited<T = String> = Result<T, Refusal>;

impl Refusal {
    pub(crate) fn damaged(line: Option<usize>, reason: impl Into<String>) -> Self {
        Self::Damaged {
            line,
            reason: reason.into(),
        }
    }

    /// In which file, and what to do.
    pub(crate) fn of(self, path: &Path) -> Failure {
        let file = path.display();
        match self {
            Self::Damaged { line, reason } => {
                let line = line.map_or(String::new(), |line| format!("line {line}: "));
                Failure::left_as_it_is(
                    "damaged_file",
                    format!("{file} is damaged: {line}{reason}"),
                    "mend it or move it away",
                )
            }
            Self::Taken { what } => Failure::left_as_it_is(
                "name_taken",
                format!("{file} has {what} that waynote did not write"),
                "rename or remove it, then run the command again",
            ),
            Self::Twice { name, lines } => Failure::left_as_it_is(
                "duplicate_key",
                format!(
                    "{file} has `{name}` twice, on lines {} and {}",
                    lines[0], lines[1]
                ),
                "a program that reads it sees one of them alone: make them one, then run the command again",
            ),
            Self::ByHand { line, name, hint } => {
                let line = line.map_or(String::new(), |line| format!(" on line {line}"));
                Failure::left_as_it_is(
                    "not_editable",
                    format!("{file} has `{name}`{line} in a form that waynote cannot edit"),
                    hint,
                )
            }
        }
    }
}

impl Edit {
    /// The file's text with what is ours in it; the same text when it is in it already. An empty text is a new file.
    pub(crate) fn add(&self, text: &str) -> Edited {
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

    /// The file's text without what is ours; the same text when there is nothing of ours.
    pub(crate) fn take_back(&self, text: &str) -> Edited {
        behind_mark(text, |text| match self {
            Self::Json(edits) => json::take_back(text, edits),
            Self::Toml(_) => toml::take_back(text),
            Self::Yaml(_) => yaml::take_back(text),
            Self::Whole { mark, .. } if text.contains(mark) => Ok(String::new()),
            Self::Whole { .. } => Ok(text.to_owned()),
        })
    }

    /// Whether a text says nothing: what is left of a file that was made for our entries.
    pub(crate) fn is_nothing(&self, text: &str) -> bool {
        match self {
            Self::Json(edits) => json::is_nothing(text, edits),
            _ => text.trim().is_empty(),
        }
    }
}

/// Edits what stands behind a byte order mark, which stays.
fn behind_mark(text: &str, edit: impl FnOnce(&str) -> Edited) -> Edited {
    match text.strip_prefix(BYTE_ORDER_MARK) {
        Some(text) => Ok(format!("{BYTE_ORDER_MARK}{}", edit(text)?)),
        None => edit(text),
    }
}

/// What ends a text's first line: what a line that is put in ends with.
pub(super) fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(end) if text[..end].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_server_is_known_with_whatever_options() {
        let is_ours = |words: &str| starts_our_server(words.split(' '));
        for ours in [
            "waynote mcp",
            "/opt/bin/waynote mcp --tools all",
            "C:\\bin\\waynote.exe --store x mcp",
        ] {
            assert!(is_ours(ours), "{ours}");
        }
        for other in [
            "waynote",
            "waynote context",
            "mcp",
            "waynotes mcp",
            "npx waynote mcp",
        ] {
            assert!(!is_ours(other), "{other}");
        }
    }
}
