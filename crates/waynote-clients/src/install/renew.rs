//! Entries of ours in clients' files, held against what this version writes. One that is as an earlier version wrote it is brought
//! up to date; one that a person changed stays, with a remark on its differences.

use std::collections::BTreeMap;

use serde_json::Value;

use super::record::{EntriesByName, Record};
use crate::formats::edit::{Edit, behind_mark};
use crate::formats::entry::{JsonEdit, NAME, object};
use crate::formats::hook_command::is_ours;
use crate::formats::refusal::EditResult;
use crate::formats::{json, toml, yaml};

/// An entry that is in a file.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// Its name in the file: `mcpServers.waynote`, `hooks.SessionStart`, …
    pub(crate) name: String,
    pub(crate) found: Value,
    /// The entry of this version, with the command as it was found: the program's path is brought up to date elsewhere,
    /// and options behind it are the person's.
    pub(crate) wanted: Value,
    /// The edit that writes it, in a file of JSON.
    edit: Option<JsonEdit>,
}

/// A file with its entries as this version writes them.
#[derive(Debug, Default)]
pub(crate) struct RenewedFile {
    pub(crate) text: String,
    /// Changes by hand that stay: each line says how to update one.
    pub(crate) kept: Vec<String>,
    /// Members that were of an earlier version.
    pub(crate) older: Vec<String>,
}

impl Edit {
    /// The entries of ours that a text has.
    pub(crate) fn entries(&self, text: &str) -> Vec<Entry> {
        let file = self.read(text).unwrap_or_default();
        let server = |wanted: &Value, edit| {
            let at = self.servers()?;
            let found = file[at].get(NAME).filter(|found| found.is_object())?;
            Some(Entry {
                name: format!("{at}.{NAME}"),
                wanted: with_command_of(wanted, found),
                found: found.clone(),
                edit,
            })
        };
        let in_json = |edit: &JsonEdit| {
            if let JsonEdit::Server { entry, .. } = edit {
                return server(&json::value_of(object(entry)), Some(edit.clone()));
            }
            let event = edit.event()?;
            let list = file["hooks"][event].as_array()?;
            let (found, command) = list
                .iter()
                .find_map(|element| Some((element, own_command(element)?)))?;
            let edit = edit.with_command(command);
            Some(Entry {
                name: format!("hooks.{event}"),
                wanted: json::value_of(edit.hook_entry()?),
                found: found.clone(),
                edit: Some(edit),
            })
        };
        match self {
            Self::Json(edits) => edits.iter().filter_map(in_json).collect(),
            Self::Toml(own) => server(&toml::wanted(own), None).into_iter().collect(),
            Self::Yaml(own) => server(&yaml::wanted(own), None).into_iter().collect(),
            Self::Whole { .. } => Vec::new(),
        }
    }

    /// The text with our entries, those of an earlier version brought up to date.
    ///
    /// # Errors
    /// As `add`.
    pub(crate) fn renew(&self, text: &str, record: Option<&Record>) -> EditResult<RenewedFile> {
        let mut renewed = RenewedFile {
            text: self.add(text)?,
            ..RenewedFile::default()
        };
        if let Self::Whole { .. } = self {
            let is_changed = !text.is_empty() && record.is_some_and(|record| !record.is_of(text));
            if is_changed && renewed.text != text {
                renewed.text = text.to_owned();
                renewed.kept.push(
                    "the file has another text: to replace it, remove the file and install again"
                        .into(),
                );
            }
            return Ok(renewed);
        }
        for entry in self.entries(&renewed.text) {
            // Without a record, all that differs is a person's choice.
            let written = record.and_then(|record| record.entries.get(&entry.name));
            let Some(earlier) = written.map(|written| with_command_of(written, &entry.found))
            else {
                continue;
            };
            let lines = self.differences(&earlier, &entry);
            if lines.is_empty() {
                continue;
            }
            let rewritten = match entry.found == earlier {
                true => self.rewrite(&renewed.text, &entry)?,
                false => None,
            };
            match rewritten {
                Some(text) => {
                    renewed.older.extend(lines);
                    renewed.text = text;
                }
                None => renewed.kept.extend(lines),
            }
        }
        Ok(renewed)
    }

    /// The entries to record: as they were written, without a person's changes.
    pub(crate) fn written(&self, text: &str, earlier: Option<&Record>) -> EntriesByName {
        let written = |entry: Entry| {
            let written = match entry.found == entry.wanted {
                true => Some(entry.wanted),
                false => earlier.and_then(|record| record.entries.get(&entry.name).cloned()),
            };
            Some((entry.name, written?))
        };
        self.entries(text).into_iter().filter_map(written).collect()
    }

    /// The text with an entry as this version writes it; none where that would lose comments.
    fn rewrite(&self, text: &str, entry: &Entry) -> EditResult<Option<String>> {
        let now = behind_mark(text, |text| match (self, &entry.edit) {
            (Self::Toml(server), _) => toml::rewrite(text, server),
            (Self::Yaml(server), _) => yaml::add(&yaml::take_back(text)?, server),
            (_, Some(edit)) => json::rewrite(text, edit),
            _ => Ok(text.to_owned()),
        })?;
        let comments = |text: &str| text.matches('#').count();
        Ok((comments(&now) == comments(text)).then_some(now))
    }

    /// The members of an entry that this version writes differently, and that the file does not have so yet: each as a
    /// change that a person makes.
    fn differences(&self, earlier: &Value, entry: &Entry) -> Vec<String> {
        let [earlier, wanted, found] = [earlier, &entry.wanted, &entry.found].map(|value| {
            let mut all = BTreeMap::new();
            members("", value, &mut all);
            all
        });
        let gone = earlier.keys().filter(|path| !wanted.contains_key(*path));
        let paths = wanted.keys().chain(gone);
        paths
            .filter(|path| earlier.get(*path) != wanted.get(*path))
            .filter(|path| found.get(*path) != wanted.get(*path))
            .map(|path| self.difference(&entry.name, path, wanted.get(path)))
            .collect()
    }

    fn difference(&self, name: &str, path: &str, to: Option<&&Value>) -> String {
        match (to, self) {
            (None, _) => format!("`{name}` no longer needs `{path}`: remove it"),
            (Some(to), Self::Toml(_)) => format!("`{name}` needs `{path} = {to}`"),
            (Some(to), Self::Yaml(_)) => format!("`{name}` needs `{path}: {to}`"),
            (Some(to), _) => match path.rsplit_once('.') {
                Some((above, member)) => {
                    format!("`{name}` needs `\"{member}\": {to}` in `{above}`")
                }
                None => format!("`{name}` needs `\"{path}\": {to}`"),
            },
        }
    }
}

/// The members of a value by their paths. The commands of a group count by number.
fn members<'v>(path: &str, value: &'v Value, into: &mut BTreeMap<String, &'v Value>) {
    let below = |name: &dyn std::fmt::Display| match path {
        "" => name.to_string(),
        path => format!("{path}.{name}"),
    };
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                members(&below(name), value, into);
            }
        }
        Value::Array(list) if list.iter().any(Value::is_object) => {
            for (number, value) in list.iter().enumerate() {
                members(&below(&number), value, into);
            }
        }
        value => {
            into.insert(path.to_owned(), value);
        }
    }
}

/// The command of ours in an element of an event's list, in a group or alone.
fn own_command(element: &Value) -> Option<&str> {
    let inner = element["hooks"].as_array().into_iter().flatten();
    std::iter::once(element)
        .chain(inner)
        .filter_map(|entry| entry["command"].as_str())
        .find(|command| is_ours(command))
}

/// An entry with the command of another: of a server its program, of a hook its whole command.
fn with_command_of(entry: &Value, found: &Value) -> Value {
    let mut entry = entry.clone();
    let command = own_command(found).map(Value::from);
    let inner = entry.get_mut("hooks").and_then(Value::as_array_mut);
    for own in inner.into_iter().flatten() {
        own["command"] = command.clone().unwrap_or_default();
    }
    for name in ["command", "cmd"] {
        match (entry.get_mut(name), found.get(name)) {
            (Some(Value::Array(words)), Some(Value::Array(found))) => {
                if let (Some(program), Some(found)) = (words.first_mut(), found.first()) {
                    *program = found.clone();
                }
            }
            (Some(own @ Value::String(_)), Some(found @ Value::String(_))) => *own = found.clone(),
            _ => {}
        }
    }
    entry
}

#[cfg(test)]
#[path = "renew_tests.rs"]
mod tests;
