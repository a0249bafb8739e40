//! Entries of ours in clients' files, held against what this version writes. One that is as an earlier version wrote it is brought
//! up to date; one that a person changed stays, with a remark on its differences.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::record::{EntriesByName, Record};
use crate::formats::edit::Edit;
use crate::formats::entry::{Change, JsonEdit, NAME, Server, hook_entry};
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
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        match self {
            Self::Json(edits) => {
                let Some(file) = json::reading::read(text) else {
                    return Vec::new();
                };
                edits
                    .iter()
                    .filter_map(|edit| of_json(&file, edit))
                    .collect()
            }
            Self::Toml(server) => {
                let wanted = toml::wanted(server);
                let found = toml::read(text).map(|file| file["mcp_servers"][NAME].clone());
                of_server("mcp_servers.waynote", found, &wanted)
            }
            Self::Yaml(server) => {
                let wanted = yaml_wanted(server);
                let found = yaml::read(text).map(|file| file["extensions"][NAME].clone());
                of_server("extensions.waynote", found, &wanted)
            }
            Self::Whole { .. } => Vec::new(),
        }
    }

    /// The text with our entries, those of an earlier version brought up to date.
    ///
    /// # Errors
    /// As `add`.
    pub(crate) fn renew(&self, text: &str, record: Option<&Record>) -> EditResult<RenewedFile> {
        let added = self.add(text)?;
        if let Self::Whole { .. } = self {
            let is_changed = !text.is_empty() && record.is_some_and(|record| !record.is_of(text));
            return Ok(match is_changed && added != text {
                true => RenewedFile {
                    text: text.to_owned(),
                    kept: vec![
                        "the file has another text: to replace it, remove the file and install again".into(),
                    ],
                    older: Vec::new(),
                },
                false => RenewedFile {
                    text: added,
                    ..RenewedFile::default()
                },
            });
        }
        let mut renewed = RenewedFile {
            text: added,
            ..RenewedFile::default()
        };
        for entry in self.entries(&renewed.text) {
            let written = record.and_then(|record| record.entries.get(&entry.name));
            let earlier = match written {
                Some(written) => with_command_of(written, &entry.found),
                None => first_version(&entry.wanted),
            };
            let changes = changes(&earlier, &entry.wanted, &entry.found);
            if changes.is_empty() {
                continue;
            }
            let lines = changes.iter().map(|change| self.line(&entry.name, change));
            if entry.found == earlier {
                renewed.older.extend(lines);
                renewed.text = self.set(&renewed.text, &entry.name, &changes)?;
            } else {
                renewed.kept.extend(lines);
            }
        }
        Ok(renewed)
    }

    /// The entries to record: as they were written, without a person's changes.
    pub(crate) fn written(&self, text: &str, earlier: Option<&Record>) -> EntriesByName {
        let remembered = |entry: Entry| {
            let written = match entry.found == entry.wanted {
                true => entry.wanted,
                false => earlier
                    .and_then(|record| record.entries.get(&entry.name).cloned())
                    .unwrap_or_else(|| first_version(&entry.wanted)),
            };
            (entry.name, written)
        };
        self.entries(text).into_iter().map(remembered).collect()
    }

    fn set(&self, text: &str, name: &str, changes: &[Change]) -> EditResult {
        match self {
            Self::Json(edits) => {
                let edit = edits
                    .iter()
                    .find(|edit| name_of(edit).as_deref() == Some(name));
                edit.map_or(Ok(text.to_owned()), |edit| json::set(text, edit, changes))
            }
            Self::Toml(_) => toml::set(text, changes),
            // It is as we wrote it: lines can be exchanged.
            Self::Yaml(_) => self.add(&self.take_back(text)?),
            Self::Whole { .. } => Ok(text.to_owned()),
        }
    }

    /// A change as a person makes it.
    fn line(&self, name: &str, change: &Change) -> String {
        let path = change.path.join(".");
        match (&change.to, self) {
            (None, _) => format!("`{name}` no longer needs `{path}`: remove it"),
            (Some(to), Self::Toml(_)) => format!("`{name}` needs `{path} = {to}`"),
            (Some(to), Self::Yaml(_)) => format!("`{name}` needs `{path}: {to}`"),
            (Some(to), _) => {
                let member = change.path.last().map_or("", String::as_str);
                let within = match change.path.len() {
                    1 => String::new(),
                    length => format!(" in `{}`", change.path[..length - 1].join(".")),
                };
                format!("`{name}` needs `\"{member}\": {to}`{within}")
            }
        }
    }
}

fn name_of(edit: &JsonEdit) -> Option<String> {
    match edit {
        JsonEdit::Server { at, .. } => Some(format!("{at}.{NAME}")),
        JsonEdit::Hook { event, .. } => Some(format!("hooks.{event}")),
        _ => None,
    }
}

fn of_json(file: &Value, edit: &JsonEdit) -> Option<Entry> {
    let name = name_of(edit)?;
    let (found, wanted) = match edit {
        JsonEdit::Server { at, entry, .. } => (
            file[*at][NAME].clone(),
            Value::Object(
                entry
                    .iter()
                    .map(|(name, value)| ((*name).to_owned(), value.to_value()))
                    .collect(),
            ),
        ),
        JsonEdit::Hook {
            event,
            command,
            more,
            grouped,
        } => {
            let list = file["hooks"][*event].as_array()?;
            let found = list.iter().find(|element| own_command(element).is_some())?;
            let wanted = hook_entry(command, more, *grouped).to_value();
            (found.clone(), wanted)
        }
        _ => return None,
    };
    found.is_object().then(|| Entry {
        wanted: with_command_of(&wanted, &found),
        name,
        found,
    })
}

fn of_server(name: &str, found: Option<Value>, wanted: &Value) -> Vec<Entry> {
    let found = found.filter(Value::is_object);
    let entry = found.map(|found| Entry {
        name: name.to_owned(),
        wanted: with_command_of(wanted, &found),
        found,
    });
    entry.into_iter().collect()
}

fn yaml_wanted(server: &Server) -> Value {
    let text = format!("extensions:\n{}", yaml::entry(server, "  "));
    yaml::read(&text).map_or(Value::Null, |file| file["extensions"][NAME].clone())
}

/// The command of ours in an element of an event's list, in a group or alone.
fn own_command(element: &Value) -> Option<&Value> {
    let inner = element["hooks"].as_array().into_iter().flatten();
    std::iter::once(element)
        .chain(inner)
        .map(|entry| &entry["command"])
        .find(|command| command.as_str().is_some_and(is_ours))
}

/// An entry with the command of another: of a server its program, of a hook its whole command.
fn with_command_of(entry: &Value, found: &Value) -> Value {
    let mut entry = entry.clone();
    if let Some(command) = own_command(found) {
        let command = command.clone();
        if entry.get("command").is_some() {
            entry["command"] = command.clone();
        }
        let inner = entry.get_mut("hooks").and_then(Value::as_array_mut);
        for own in inner.into_iter().flatten() {
            own["command"] = command.clone();
        }
        return entry;
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

/// The entry of the first version, which kept no record: that of this version without later members.
fn first_version(wanted: &Value) -> Value {
    const MEMBERS: [&str; 14] = [
        "type",
        "command",
        "cmd",
        "args",
        "env",
        "envs",
        "environment",
        "env_vars",
        "enabled",
        "name",
        "timeout",
        "hooks",
        "version",
        "bundled",
    ];
    let Value::Object(members) = wanted else {
        return wanted.clone();
    };
    let mut first = Map::new();
    for (name, value) in members {
        let value = match name.as_str() {
            "env" | "envs" | "environment" => json!({ "WAYNOTE_AUTHOR": value["WAYNOTE_AUTHOR"] }),
            "env_vars" => json!([
                "WAYNOTE_STORE",
                "WAYNOTE_CONFIG",
                "WAYNOTE_AGENT",
                "WAYNOTE_SESSION",
                "WAYNOTE_ITERATION",
            ]),
            "args" => json!(["mcp"]),
            "command" if value.is_array() => json!([value[0], "mcp"]),
            "hooks" => match value.as_array() {
                Some(list) => list.iter().map(first_version).collect(),
                None => value.clone(),
            },
            name if MEMBERS.contains(&name) => value.clone(),
            _ => continue,
        };
        first.insert(name.clone(), value);
    }
    Value::Object(first)
}

/// The members that this version writes differently, and that the file does not have so yet.
fn changes(earlier: &Value, wanted: &Value, found: &Value) -> Vec<Change> {
    fn members(path: &[String], value: &Value, into: &mut BTreeMap<Vec<String>, Value>) {
        match value {
            Value::Object(object) => {
                for (name, value) in object {
                    let path: Vec<String> = path.iter().chain([name]).cloned().collect();
                    members(&path, value, into);
                }
            }
            // The commands of a group.
            Value::Array(list) if list.iter().any(Value::is_object) => {
                for (number, value) in list.iter().enumerate() {
                    let number = number.to_string();
                    let path: Vec<String> = path.iter().chain([&number]).cloned().collect();
                    members(&path, value, into);
                }
            }
            value => {
                into.insert(path.to_vec(), value.clone());
            }
        }
    }
    let [earlier, wanted, found] = [earlier, wanted, found].map(|value| {
        let mut all = BTreeMap::new();
        members(&[], value, &mut all);
        all
    });
    let paths = wanted
        .keys()
        .chain(earlier.keys().filter(|path| !wanted.contains_key(*path)));
    paths
        .filter(|path| earlier.get(*path) != wanted.get(*path))
        .filter(|path| found.get(*path) != wanted.get(*path))
        .map(|path| Change {
            path: path.clone(),
            to: wanted.get(path).cloned(),
        })
        .collect()
}

#[cfg(test)]
#[path = "renew_tests.rs"]
mod tests;
