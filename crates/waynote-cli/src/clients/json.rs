//! JSON with comments, edited so that everything else stays as it is: comments, order, blanks.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::Value;

use super::change::{Edited, NAME, Unreadable, is_our_program, starts_our_server, taken};

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
    /// A member that a new file needs.
    Version(i64),
}

/// Puts our entries in.
pub(crate) fn add(text: &str, edits: &[JsonEdit]) -> Edited {
    if edits.iter().any(|edit| is_somebody_elses(text, edit)) {
        return Err(taken());
    }
    let root = parse(text)?;
    let is_new = root.value().is_none();
    let object = root
        .object_value_or_create()
        .ok_or_else(|| Unreadable::new(Some(1), "it is not a JSON object"))?;
    for edit in edits {
        match edit {
            JsonEdit::Server { at, entry } => add_server(&object, at, entry)?,
            JsonEdit::Hook {
                event,
                command,
                more,
                grouped,
            } => add_hook(&object, event, command, more, *grouped)?,
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

/// Takes our entries out, and what they leave empty.
pub(crate) fn take_back(text: &str, edits: &[JsonEdit]) -> Edited {
    let mut edits = edits.to_vec();
    edits.retain(|edit| !is_somebody_elses(text, edit));
    let edits = edits.as_slice();
    let left = super::json_cut::without_ours(text, edits)?;
    if left == text {
        return Ok(left);
    }
    // Comments are somebody's: a file that has some is not empty.
    let bare: String = left.chars().filter(|char| !char.is_whitespace()).collect();
    let makes_version = edits.iter().find_map(|edit| match edit {
        JsonEdit::Version(version) => Some(format!("{{\"version\":{version}}}")),
        _ => None,
    });
    if bare.is_empty() || bare == "{}" || Some(bare) == makes_version {
        return Ok(String::new());
    }
    Ok(left)
}

/// Whether the file has an entry of our server's name that does not start it.
fn is_somebody_elses(text: &str, edit: &JsonEdit) -> bool {
    let JsonEdit::Server { at, .. } = edit else {
        return false;
    };
    let Some(entry) = read(text).and_then(|file| file.get(at)?.get(NAME).cloned()) else {
        return false;
    };
    // A program and its arguments apart, or all in one list.
    let words = [&entry["command"], &entry["args"]]
        .into_iter()
        .flat_map(|member| match member {
            Value::Array(words) => words.iter().collect(),
            word => vec![word],
        });
    !starts_our_server(words.filter_map(Value::as_str))
}

/// Whether a command runs a hook of ours and does nothing else, wherever the program is.
pub(crate) fn is_ours(command: &str) -> bool {
    let Some((program, _)) = command.split_once(" hook ") else {
        return false;
    };
    if command.contains(['|', '&', ';', '<', '>', '$', '`', '(']) {
        return false;
    }
    is_our_program(program.trim())
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

pub(super) fn unreadable(error: &jsonc_parser::errors::ParseError) -> Unreadable {
    Unreadable::new(
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

/// The line on which a member of the object stands.
fn wrong(name: &str, what: &str) -> Unreadable {
    Unreadable::new(None, format!("`{name}` in it is not {what}"))
}

fn add_server(object: &CstObject, at: &str, entry: &[(&'static str, Json)]) -> Edited<()> {
    let servers = object
        .object_value_or_create(at)
        .ok_or_else(|| wrong(at, "an object"))?;
    let Some(member) = servers.get(NAME) else {
        servers.append(NAME, Json::Object(entry.to_vec()).input());
        return Ok(());
    };
    let Some(own) = member.object_value() else {
        member.set_value(Json::Object(entry.to_vec()).input());
        return Ok(());
    };
    // What a person added to the entry stays.
    for (name, value) in entry {
        match own.get(name) {
            None if *name == "env" || *name == "environment" => {}
            None => {
                own.append(name, value.input());
            }
            Some(_) if *name == "env" || *name == "environment" => {}
            Some(member) => {
                if member.value().and_then(|value| value.to_serde_value()) != Some(value.value()) {
                    member.set_value(value.input());
                }
            }
        }
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
    if let Some(own) = own_commands(&list).first() {
        if let Some(member) = own.get("command")
            && text_of(&member.value()).as_deref() != Some(command)
        {
            member.set_value(command.into());
        }
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

/// The commands of ours in an event's list, in groups or alone.
fn own_commands(list: &CstArray) -> Vec<CstObject> {
    let mut own = Vec::new();
    for entry in list.elements().iter().filter_map(CstNode::as_object) {
        let inner = entry.array_value("hooks");
        let commands = inner.iter().flat_map(CstArray::elements);
        let commands = commands.filter_map(|command| command.as_object());
        own.extend(
            std::iter::once(entry.clone())
                .chain(commands)
                .filter(is_own),
        );
    }
    own
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

    pub(crate) fn value(&self) -> Value {
        match self {
            Self::Bool(value) => Value::Bool(*value),
            Self::Number(value) => Value::from(*value),
            Self::Text(text) => Value::String(text.clone()),
            Self::List(values) => values.iter().map(Self::value).collect(),
            Self::Object(members) => members
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.value()))
                .collect(),
        }
    }
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
