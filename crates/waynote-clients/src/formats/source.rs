//! Clients' files looked into: a value, and on which line it stands.

use std::path::{Path, PathBuf};

use serde_json::Value;

use waynote_system::text_file;

use super::{json, toml, yaml};

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
            Some("yaml") => (yaml::read(&text), yaml::line_of_member),
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

    /// Those of these files that are there, each once.
    pub(crate) fn all(paths: impl IntoIterator<Item = PathBuf>) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        for path in paths {
            if found.iter().all(|source| source.path != path) {
                found.extend(Self::read(&path));
            }
        }
        found
    }

    /// The value on this path of names; null where there is none.
    pub(crate) fn at(&self, path: &[&str]) -> &Value {
        path.iter().fold(&self.value, |value, name| &value[*name])
    }

    /// The texts of a list that is reached by these names.
    pub(crate) fn texts(&self, path: &[&str]) -> Vec<&str> {
        let list = self.at(path).as_array().into_iter().flatten();
        list.filter_map(Value::as_str).collect()
    }

    /// The place of a value, for a person who looks for it.
    pub(crate) fn place(&self, path: &[&str]) -> String {
        let text = self.text.trim_start_matches('\u{feff}');
        let line = (self.line)(text, path);
        let line = line.map_or(String::new(), |line| format!(", line {line}"));
        format!("`{}` in {}{line}", path.join("."), self.path.display())
    }
}
