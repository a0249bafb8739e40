//! Clients' files looked into: a value, and on which line it stands.

use std::path::{Path, PathBuf};

use serde_json::Value;

use waynote_system::text_file;

use super::{json, toml};

/// One of a client's files.
pub(crate) struct Source {
    path: PathBuf,
    text: String,
    value: Value,
    line: fn(&str, &[&str]) -> Option<usize>,
}

impl Source {
    /// A file by its path; none if it is missing or unreadable, which is reported elsewhere when it matters.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        let text = text_file::read(path).ok()??;
        type Line = fn(&str, &[&str]) -> Option<usize>;
        let (value, line): (_, Line) = match path.extension().and_then(|end| end.to_str()) {
            Some("toml") => (toml::read(&text), toml::line_of_member),
            _ => (
                json::read(text.trim_start_matches('\u{feff}')),
                json::line_of_member,
            ),
        };
        Some(Self {
            path: path.to_owned(),
            value: value?,
            text,
            line,
        })
    }

    /// The value on this path of names; null where there is none.
    pub(crate) fn at(&self, path: &[&str]) -> &Value {
        path.iter().fold(&self.value, |value, name| &value[*name])
    }

    /// The place of a value, for a person who looks for it.
    pub(crate) fn place(&self, path: &[&str]) -> String {
        let line = (self.line)(self.text.trim_start_matches('\u{feff}'), path);
        let line = line.map_or(String::new(), |line| format!(", line {line}"));
        format!("`{}` in {}{line}", path.join("."), self.path.display())
    }
}

/// The value of a file of JSON with comments; none where it is not there or cannot be read.
pub(crate) fn read_json(path: &Path) -> Option<Value> {
    json::read(&text_file::read(path).ok()??)
}
