//! JSON with comments, edited so that everything else stays as it is: comments, order, blanks.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::Value;

use super::change::{Edited, NAME, Refusal};
use super::json_found::{is_somebody_elses, once, up_to_date};
use super::shell::our_program;

/// A value in the order in which it is written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    Bool(bool),
    Number(i64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(&'static str, Json)>),
}

/// What a file gets.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum JsonEdit {
    /// The entry of our server in the object of that name.
    Server {
        at: &'static str,
        program: String,
        entry: Vec<(&'static str, Json)>,
    },
    /// A command among those of an event.
    Hook {
        event: &'static str,
        command: String,
        /// What else the command's object says.
        more: Vec<(&'static str, Json)>,
        /// Whether commands stand in groups, as Claude Code has them, or alone.
        grouped: bool,
    },
    /// No command of ours among those of an event: an earlier version had one there.
    NoHook { event: &'static str },
    /// A member that a new file needs.
    Version(i64),
}

/// Puts our entries in. Those that are there already start our program where it is now, and stay otherwise as they are.
pub(crate) fn add(text: &str, edits: &[JsonEdit]) -> Edited {
    once(text, edits)?;
    if edits.iter().any(|edit| is_somebody_elses(text, edit)) {
        let what = "a server named `waynote`";
        return Err(Refusal::Taken { what });
    }
    let gone = |edit: &&JsonEdit| matches!(edit, JsonEdit::NoHook { .. });
    let gone: Vec<JsonEdit> = edits.iter().filter(gone).cloned().collect();
    let text = &up_to_date(&super::json_cut::without_ours(text, &gone)?, edits)?;
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
            JsonEdit::NoHook { .. } => {}
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
    Ok(text)
}

/// Takes our entries out, and the lists and objects that they leave empty.
pub(crate) fn take_back(text: &str, edits: &[JsonEdit]) -> Edited {
    once(text, edits)?;
    let mut edits = edits.to_vec();
    edits.retain(|edit| !is_somebody_elses(text, edit));
    super::json_cut::without_ours(text, &edits)
}

/// Whether a text says no more than what is written with the first entry of ours.
pub(crate) fn is_nothing(text: &str, edits: &[JsonEdit]) -> bool {
    // Comments are somebody's: a file that has some is not empty.
    let bare: String = text.chars().filter(|char| !char.is_whitespace()).collect();
    let makes_version = edits.iter().find_map(|edit| match edit {
        JsonEdit::Version(version) => Some(format!("{{\"version\":{version}}}")),
        _ => None,
    });
    bare.is_empty() || bare == "{}" || Some(bare) == makes_version
}

/// Whether a command runs a hook of ours and does nothing else, wherever the program is.
pub(crate) fn is_ours(command: &str) -> bool {
    our_program(command).is_some()
}

/// What a file says.
pub(crate) fn read(text: &str) -> Option<Value> {
    parse(text).ok()?.to_serde_value()
}

/// JSON with comments and commas after the last, and nothing looser: what the clients themselves read.
pub(super) const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

fn parse(text: &str) -> Edited<CstRootNode> {
    CstRootNode::parse(text, &OPTIONS).map_err(|error| unreadable(&error))
}

pub(super) fn unreadable(error: &jsonc_parser::errors::ParseError) -> Refusal {
    Refusal::damaged(
        Some(error.line_display()),
        lowercase_first(&error.kind().to_string()),
    )
}

fn lowercase_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_lowercase().chain(chars).collect()
    })
}

fn wrong(name: &str, what: &str) -> Refusal {
    Refusal::damaged(None, format!("`{name}` in it is not {what}"))
}

fn add_server(object: &CstObject, at: &str, entry: &[(&'static str, Json)]) -> Edited<()> {
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
) -> Edited<()> {
    let hooks = object
        .object_value_or_create("hooks")
        .ok_or_else(|| wrong("hooks", "an object"))?;
    let list = hooks
        .array_value_or_create(event)
        .ok_or_else(|| wrong(event, "a list"))?;
    if has_own_command(&list) {
        return Ok(());
    }
    let mut own = vec![("type", Json::Text("command".into()))];
    if !grouped && more.is_empty() {
        own.clear();
    }
    own.push(("command", Json::Text(command.to_owned())));
    own.extend(more.iter().cloned());
    let entry = match grouped {
        true => Json::Object(vec![("hooks", Json::List(vec![Json::Object(own)]))]),
        false => Json::Object(own),
    };
    list.append(entry.input());
    Ok(())
}

/// Whether an event's list has a command of ours, in a group or alone.
fn has_own_command(list: &CstArray) -> bool {
    let entries = list.elements();
    let mut entries = entries.iter().filter_map(CstNode::as_object);
    entries.any(|entry| {
        let group = entry.array_value("hooks");
        let mut inner = group.iter().flat_map(CstArray::elements);
        is_own(&entry) || inner.any(|command| command.as_object().is_some_and(|own| is_own(&own)))
    })
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
    pub(crate) fn texts<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::List(
            texts
                .into_iter()
                .map(|text| Self::Text(text.into()))
                .collect(),
        )
    }

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
#[path = "json_tests.rs"]
mod tests;
