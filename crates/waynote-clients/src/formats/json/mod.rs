//! JSON with comments, edited by a library that keeps comments and order.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstNode, CstObject, CstRootNode, CstStringLit};
use serde_json::Value;

use super::edit::BYTE_ORDER_MARK;
use super::entry::{HOOK_TOOL, Json, JsonEdit, NAME, NO_SEARCH, object};
use super::hook_command;
use super::refusal::{EditResult, Refusal};

/// Puts our entries in. Those that are there already start our program where it is now, and stay otherwise as they are.
pub(crate) fn add(text: &str, edits: &[JsonEdit]) -> EditResult {
    let root = parse(text)?;
    let is_new = root.value().is_none();
    let file = root
        .object_value_or_create()
        .ok_or_else(|| Refusal::damaged(Some(1), "it is not a JSON object"))?;
    for edit in edits {
        match edit {
            JsonEdit::Server { at, program, entry } => add_server(&file, at, program, entry)?,
            JsonEdit::Hook { event, command, .. } => add_hook(&file, event, command, edit)?,
            JsonEdit::EscapedSlashes => {}
            JsonEdit::Version(version) => {
                if file.get("version").is_none() {
                    file.insert(0, "version", (*version).into());
                }
            }
        }
    }
    if edits
        .iter()
        .any(|edit| matches!(edit, JsonEdit::EscapedSlashes))
    {
        for edit in edits {
            escape_slashes(&file, edit);
        }
    }
    let mut text = root.to_string();
    if is_new && !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

/// Takes our entries out, and the lists and objects that held nothing else.
pub(crate) fn take_back(text: &str, edits: &[JsonEdit]) -> EditResult {
    let root = parse(text)?;
    let Some(file) = root.object_value() else {
        return Ok(text.to_owned());
    };
    for edit in edits {
        match edit {
            JsonEdit::Server { at, .. } => {
                let servers = file.object_value(at);
                if let Some(own) = servers.as_ref().and_then(|servers| servers.get(NAME)) {
                    own.remove();
                    remove_empty(&file, at);
                }
            }
            JsonEdit::Hook { event, .. } => {
                let hooks = file.object_value("hooks");
                let list = hooks.as_ref().and_then(|hooks| hooks.array_value(event));
                if let (Some(hooks), Some(list)) = (hooks, list)
                    && remove_commands(&list, edit)
                {
                    remove_empty(&hooks, event);
                    remove_empty(&file, "hooks");
                }
            }
            JsonEdit::Version(_) | JsonEdit::EscapedSlashes => {}
        }
    }
    Ok(root.to_string())
}

/// Removes our commands from a list, and the groups that held nothing else. True if there were any.
fn remove_commands(list: &CstArray, edit: &JsonEdit) -> bool {
    let mut has_removed = false;
    for element in objects(list) {
        if own_command(&element, edit).is_some() {
            element.remove();
            has_removed = true;
        } else if let Some(group) = element.array_value("hooks") {
            let own = objects(&group).filter(|command| own_command(command, edit).is_some());
            let own: Vec<CstObject> = own.collect();
            has_removed |= !own.is_empty();
            let is_ours_alone = !own.is_empty() && own.len() == group.elements().len();
            own.into_iter().for_each(CstObject::remove);
            if is_ours_alone {
                element.remove();
            }
        }
    }
    has_removed
}

/// Removes a member that is an empty list or object without a comment.
fn remove_empty(object: &CstObject, name: &str) {
    let Some(member) = object.get(name) else {
        return;
    };
    let text = member.value().map(|value| value.to_string());
    let bare = text.as_deref().unwrap_or_default().split_whitespace();
    if ["{}", "[]"].contains(&&*bare.collect::<String>()) {
        member.remove();
    }
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

/// The value of a file, with comments and commas after the last, and nothing looser: as the clients read it.
pub(crate) fn read(text: &str) -> Option<Value> {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    parse(text).ok()?.to_serde_value()
}

fn parse(text: &str) -> EditResult<CstRootNode> {
    parse_as(text, true)
}

/// Parses a text that may have comments, and a comma after the last element if `commas`.
fn parse_as(text: &str, commas: bool) -> EditResult<CstRootNode> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: commas,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    CstRootNode::parse(text, &options).map_err(|error| {
        let reason = error.kind().to_string();
        let (first, rest) = reason.split_at(reason.chars().next().map_or(0, char::len_utf8));
        let reason = format!("{}{rest}", first.to_lowercase());
        Refusal::damaged(Some(error.line_display()), reason)
    })
}

/// Reads a text as strictly as a client does that takes no comma after the last element, and perhaps no comments.
pub(crate) fn read_strictly(text: &str, comments: bool) -> EditResult<Value> {
    if comments {
        let root = parse_as(text, false)?;
        return Ok(root.to_serde_value().unwrap_or_default());
    }
    serde_json::from_str(text).map_err(|error| {
        let line = text.lines().nth(error.line().saturating_sub(1));
        let rest = line.and_then(|line| line.get(error.column().saturating_sub(1)..));
        let reason = match rest.is_some_and(|rest| rest.starts_with('/')) {
            true => "it takes no comments".to_owned(),
            false => error
                .to_string()
                .split(" at line ")
                .next()
                .unwrap_or_default()
                .to_owned(),
        };
        Refusal::damaged(Some(error.line()), reason)
    })
}

fn wrong(name: &str, what: &str) -> Refusal {
    Refusal::damaged(None, format!("`{name}` in it is not {what}"))
}

fn add_server(
    file: &CstObject,
    at: &str,
    program: &str,
    entry: &[(&'static str, Json)],
) -> EditResult<()> {
    let servers = file
        .object_value_or_create(at)
        .ok_or_else(|| wrong(at, "an object"))?;
    let Some(own) = servers.get(NAME) else {
        servers.append(NAME, object(entry));
        return Ok(());
    };
    let command = own
        .object_value()
        .and_then(|own| own.get("command")?.value());
    // A program and its arguments apart, or all in one list.
    let list = command.as_ref().and_then(CstNode::as_array);
    let word = list.map_or(command, |words| words.elements().into_iter().next());
    if let Some(word) = word.and_then(|word| word.as_string_lit()) {
        write(&word, program);
    }
    Ok(())
}

fn add_hook(file: &CstObject, event: &str, command: &str, edit: &JsonEdit) -> EditResult<()> {
    let there = |name: &str| file.object_value("hooks")?.array_value(name);
    let is_there = there(event).is_some_and(|list| !own_commands(&list, edit).is_empty());
    if matches!(edit, JsonEdit::Hook { only_if_there, .. } if *only_if_there && !is_there) {
        return Ok(());
    }
    let list = file
        .object_value_or_create("hooks")
        .ok_or_else(|| wrong("hooks", "an object"))?
        .array_value_or_create(event)
        .ok_or_else(|| wrong(event, "a list"))?;
    let own = own_commands(&list, edit);
    if let (true, Some(entry)) = (own.is_empty(), edit.hook_entry()) {
        list.append(entry);
    }
    for literal in own {
        if text_of(&literal) == HOOK_TOOL {
            continue;
        }
        let mut now = hook_command::with_program_of(&text_of(&literal), command);
        // Removes the flag: every prompt is to be searched for.
        if now.strip_suffix(NO_SEARCH) == Some(command) {
            now.truncate(command.len());
        }
        write(&literal, &now);
    }
    Ok(())
}

fn write(literal: &CstStringLit, text: &str) {
    if text_of(literal) != text {
        literal.set_raw_value(Value::from(text).to_string());
    }
}

/// Escapes the slashes of our commands, where two of them could be taken for a comment.
fn escape_slashes(file: &CstObject, edit: &JsonEdit) {
    let hooks = file.object_value("hooks").zip(edit.event());
    let list = hooks.and_then(|(hooks, event)| hooks.array_value(event));
    for literal in list.iter().flat_map(|list| own_commands(list, edit)) {
        let mut raw = literal.raw_value().replace("/*", "\\/*");
        while raw.contains("//") {
            raw = raw.replace("//", "/\\/");
        }
        literal.set_raw_value(raw);
    }
}

fn text_of(literal: &CstStringLit) -> String {
    literal.decoded_value().unwrap_or_default()
}

fn objects(list: &CstArray) -> impl Iterator<Item = CstObject> + use<> {
    list.elements()
        .into_iter()
        .filter_map(|node| node.as_object())
}

/// The commands of ours in an event's list: each is an element, or stands in a group.
fn own_commands(list: &CstArray, edit: &JsonEdit) -> Vec<CstStringLit> {
    let with_group = |element: CstObject| {
        let group = element.array_value("hooks");
        let inner: Vec<CstObject> = group.iter().flat_map(objects).collect();
        std::iter::once(element).chain(inner)
    };
    let all = objects(list).flat_map(with_group);
    all.filter_map(|own| own_command(&own, edit)).collect()
}

/// The command of ours that an object has, or the name of our server's tool that it calls.
fn own_command(command: &CstObject, edit: &JsonEdit) -> Option<CstStringLit> {
    let text = |name| command.get(name)?.value()?.as_string_lit();
    let is = |name, expected| text(name).is_some_and(|literal| text_of(&literal) == expected);
    if is("type", "mcp_tool") && is("server", NAME) && is("tool", HOOK_TOOL) {
        return text("tool");
    }
    let literal = text("command")?;
    let command = text_of(&literal);
    let is_written = matches!(edit, JsonEdit::Hook { command: own, .. } if *own == command);
    (is_written || hook_command::our_program(&command).is_some()).then_some(literal)
}

#[cfg(test)]
mod tests;
