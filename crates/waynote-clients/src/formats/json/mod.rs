//! JSON with comments, edited so that everything else stays as it is: comments, order, blanks.

mod cut;
pub(crate) mod found;
pub(crate) mod reading;

use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject};
use serde_json::Value;

use self::found::{is_somebody_elses, once, up_to_date, with_escaped_slashes};
use self::reading::parse;
use super::entry::{Change, Json, JsonEdit, NAME, hook_entry};
use super::hook_command::is_ours;
use super::refusal::{EditResult, Refusal};

/// Puts our entries in. Those that are there already start our program where it is now, and stay otherwise as they are.
pub(crate) fn add(text: &str, edits: &[JsonEdit]) -> EditResult {
    once(text, edits)?;
    if edits.iter().any(|edit| is_somebody_elses(text, edit)) {
        let what = "a server named `waynote`";
        return Err(Refusal::Taken { what });
    }
    let gone = |edit: &&JsonEdit| matches!(edit, JsonEdit::NoHook { .. });
    let gone: Vec<JsonEdit> = edits.iter().filter(gone).cloned().collect();
    let text = &up_to_date(&cut::without_ours(text, &gone)?, edits)?;
    let root = parse(text)?;
    let is_new = root.value().is_none();
    let object = root
        .object_value_or_create()
        .ok_or_else(|| Refusal::damaged(Some(1), "it is not a JSON object"))?;
    for edit in edits {
        match edit {
            JsonEdit::Server { at, entry, .. } => add_server(&object, at, entry)?,
            JsonEdit::Hook {
                event,
                command,
                more,
                grouped,
            } => add_hook(&object, event, command, more, *grouped)?,
            JsonEdit::NoHook { .. } | JsonEdit::EscapedSlashes => {}
            JsonEdit::Version(version) => {
                if object.get("version").is_none() {
                    object.insert(0, "version", Json::Number(*version).input());
                }
            }
        }
    }
    let mut text = root.to_string();
    if is_new && !text.ends_with('\n') {
        text.push('\n');
    }
    with_escaped_slashes(&text, edits)
}

/// Takes our entries out, and the lists and objects that they leave empty.
pub(crate) fn take_back(text: &str, edits: &[JsonEdit]) -> EditResult {
    once(text, edits)?;
    let mut edits = edits.to_vec();
    edits.retain(|edit| !is_somebody_elses(text, edit));
    cut::without_ours(text, &edits)
}

/// True if a text has no more than the first entry of ours brings along.
pub(crate) fn is_nothing(text: &str, edits: &[JsonEdit]) -> bool {
    // Comments are a person's: a file that has some is not empty.
    let bare: String = text.chars().filter(|char| !char.is_whitespace()).collect();
    let makes_version = edits.iter().find_map(|edit| match edit {
        JsonEdit::Version(version) => Some(format!("{{\"version\":{version}}}")),
        _ => None,
    });
    bare.is_empty() || bare == "{}" || Some(bare) == makes_version
}

fn wrong(name: &str, what: &str) -> Refusal {
    Refusal::damaged(None, format!("`{name}` in it is not {what}"))
}

fn add_server(object: &CstObject, at: &str, entry: &[(&'static str, Json)]) -> EditResult<()> {
    let servers = object
        .object_value_or_create(at)
        .ok_or_else(|| wrong(at, "an object"))?;
    if servers.get(NAME).is_none() {
        servers.append(NAME, Json::Object(entry.to_vec()).input());
    }
    Ok(())
}

fn add_hook(
    object: &CstObject,
    event: &str,
    command: &str,
    more: &[(&'static str, Json)],
    grouped: bool,
) -> EditResult<()> {
    let hooks = object
        .object_value_or_create("hooks")
        .ok_or_else(|| wrong("hooks", "an object"))?;
    let list = hooks
        .array_value_or_create(event)
        .ok_or_else(|| wrong(event, "a list"))?;
    if !has_own_command(&list) {
        list.append(hook_entry(command, more, grouped).input());
    }
    Ok(())
}

/// Changes members of an entry of ours that is there; all else stays where it is.
pub(crate) fn set(text: &str, edit: &JsonEdit, changes: &[Change]) -> EditResult {
    let (mark, text) = match text.strip_prefix('\u{feff}') {
        Some(text) => ("\u{feff}", text),
        None => ("", text),
    };
    let root = parse(text)?;
    let object = root.object_value();
    let entry = object.and_then(|object| match edit {
        JsonEdit::Server { at, .. } => object.object_value(at)?.object_value(NAME),
        JsonEdit::Hook { event, .. } => {
            let list = object.object_value("hooks")?.array_value(event)?;
            let elements = list.elements();
            let mut entries = elements.iter().filter_map(CstNode::as_object);
            entries.find(has_own)
        }
        // Other edits have no entry of their own.
        _ => None,
    });
    for Change { path, to } in changes {
        let Some((name, above)) = path.split_last() else {
            continue;
        };
        let mut object = entry.clone();
        let mut above = above.iter().peekable();
        while let Some(name) = above.next() {
            object = object.and_then(|object| {
                match above.next_if(|name| name.parse::<usize>().is_ok()) {
                    Some(number) => {
                        let elements = object.array_value(name)?.elements();
                        elements.get(number.parse::<usize>().ok()?)?.as_object()
                    }
                    None => object.object_value_or_create(name),
                }
            });
        }
        let Some(object) = object else {
            continue;
        };
        match (object.get(name), to) {
            (Some(member), Some(to)) => member.set_value(input(to)),
            (None, Some(to)) => drop(object.append(name, input(to))),
            (Some(member), None) => member.remove(),
            (None, None) => {}
        }
    }
    Ok(format!("{mark}{root}"))
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(input).collect()),
        Value::Object(members) => CstInputValue::Object(
            members
                .iter()
                .map(|(name, value)| (name.clone(), input(value)))
                .collect(),
        ),
    }
}

/// True if an event's list has a command of ours, in a group or alone.
fn has_own_command(list: &CstArray) -> bool {
    let entries = list.elements();
    let mut entries = entries.iter().filter_map(CstNode::as_object);
    entries.any(|entry| has_own(&entry))
}

/// True if an element of an event's list is a command of ours, or a group with one.
fn has_own(entry: &CstObject) -> bool {
    let group = entry.array_value("hooks");
    let mut inner = group.iter().flat_map(CstArray::elements);
    is_own(entry) || inner.any(|command| command.as_object().is_some_and(|own| is_own(&own)))
}

fn is_own(command: &CstObject) -> bool {
    let member = command.get("command");
    let text = member.and_then(|member| text_of(&member.value()));
    text.is_some_and(|text| is_ours(&text))
}

fn text_of(node: &Option<CstNode>) -> Option<String> {
    node.as_ref()?.as_string_lit()?.decoded_value().ok()
}

impl Json {
    fn input(&self) -> CstInputValue {
        match self {
            Self::Bool(value) => CstInputValue::Bool(*value),
            Self::Number(value) => CstInputValue::Number(value.to_string()),
            Self::Text(text) => CstInputValue::String(text.clone()),
            Self::List(values) => CstInputValue::Array(values.iter().map(Self::input).collect()),
            Self::Object(members) => CstInputValue::Object(
                members
                    .iter()
                    .map(|(name, value)| ((*name).to_owned(), value.input()))
                    .collect(),
            ),
        }
    }
}

#[cfg(test)]
mod tests;
