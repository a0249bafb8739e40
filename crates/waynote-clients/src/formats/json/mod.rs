//! JSON with comments, edited so that everything else stays as it is: comments, order, blanks.

use std::ops::Range;

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{
    CstArray, CstContainerNode, CstNode, CstObject, CstRootNode, CstStringLit,
};
use serde_json::Value;

use super::entry::{HOOK_TOOL, Json, JsonEdit, NAME, NO_SEARCH, object};
use super::hook_command::our_program;
use super::refusal::{EditResult, Refusal};
use waynote::text::line_of;

/// Puts our entries in. Those that are there already start our program where it is now, and stay otherwise as they are.
pub(crate) fn add(text: &str, edits: &[JsonEdit]) -> EditResult {
    let gone = |edit: &&JsonEdit| matches!(edit, JsonEdit::NoHook { .. });
    let gone: Vec<JsonEdit> = edits.iter().filter(gone).cloned().collect();
    let root = parse(&take_back(text, &gone)?)?;
    let is_new = root.value().is_none();
    let file = root
        .object_value_or_create()
        .ok_or_else(|| Refusal::damaged(Some(1), "it is not a JSON object"))?;
    for edit in edits {
        match edit {
            JsonEdit::Server { at, program, entry } => add_server(&file, at, program, entry)?,
            JsonEdit::Hook { event, command, .. } => add_hook(&file, event, command, edit)?,
            JsonEdit::NoHook { .. } | JsonEdit::EscapedSlashes => {}
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
        let events = edits.iter().filter_map(JsonEdit::event);
        events.for_each(|event| escape_slashes(&file, event));
    }
    let mut text = root.to_string();
    if is_new && !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

/// Makes an entry of ours what this version writes, member by member: all else stays where it is.
pub(crate) fn rewrite(text: &str, edit: &JsonEdit) -> EditResult {
    let root = parse(text)?;
    let file = root.object_value();
    let entry = file.and_then(|file| match edit {
        JsonEdit::Server { at, entry, .. } => {
            Some((file.object_value(at)?.object_value(NAME)?, object(entry)))
        }
        edit => {
            let hooks = file.object_value("hooks")?;
            let list = hooks.array_value(edit.event()?)?;
            let own = objects(&list).find(|element| !commands_in(element).is_empty())?;
            Some((own, edit.hook_entry()?))
        }
    });
    if let Some((own, Json::Object(wanted))) = entry {
        make(&own, wanted);
    }
    Ok(root.to_string())
}

fn make(own: &CstObject, wanted: Vec<(String, Json)>) {
    for member in own.properties() {
        let name = member.decoded_name();
        if !wanted
            .iter()
            .any(|(wanted, _)| Some(wanted) == name.as_ref())
        {
            member.remove();
        }
    }
    for (name, value) in wanted {
        let group = own.array_value(&name);
        let first = group.and_then(|group| objects(&group).next());
        match (own.get(&name), value) {
            (None, value) => drop(own.append(&name, value)),
            (Some(member), Json::Object(inner)) => make(&member.object_value_or_set(), inner),
            (Some(member), value) => match (first, value) {
                (Some(command), Json::Array(commands)) => {
                    if let Some(Json::Object(inner)) = commands.into_iter().next() {
                        make(&command, inner);
                    }
                }
                (_, value) => {
                    let there = member.value().and_then(|there| there.to_serde_value());
                    if there != Some(value_of(value.clone())) {
                        member.set_value(value);
                    }
                }
            },
        }
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
    parse(text).ok()?.to_serde_value()
}

/// A value that is to be written, as it is read.
pub(crate) fn value_of(input: Json) -> Value {
    let root = parse("").ok();
    let value = root.and_then(|root| {
        root.set_value(input);
        root.to_serde_value()
    });
    value.unwrap_or_default()
}

/// The line, from 1, of a member that is reached by these names.
pub(crate) fn line_of_member(text: &str, path: &[&str]) -> Option<usize> {
    let (name, above) = path.split_last()?;
    let root = parse(text).ok()?;
    let mut above = above.iter();
    let file = root.object_value()?;
    let object = above.try_fold(file, |object, name| object.object_value(name))?;
    Some(line_of(text, range(&object.get(name)?.into()).start))
}

fn parse(text: &str) -> EditResult<CstRootNode> {
    let options = ParseOptions {
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
    CstRootNode::parse(text, &options).map_err(|error| {
        let reason = error.kind().to_string();
        let (first, rest) = reason.split_at(reason.chars().next().map_or(0, char::len_utf8));
        let reason = format!("{}{rest}", first.to_lowercase());
        Refusal::damaged(Some(error.line_display()), reason)
    })
}

/// Refuses a file in which a name that we need stands twice.
pub(super) fn once(text: &str, edits: &[JsonEdit]) -> EditResult<()> {
    let once = |object: &CstObject, name: &str| {
        let members = object.properties().into_iter();
        let mut named = members.filter(|member| member.decoded_name().as_deref() == Some(name));
        match (named.next(), named.next()) {
            (Some(one), Some(other)) => Err(Refusal::Twice {
                name: name.to_owned(),
                lines: [one, other].map(|member| line_of(text, range(&member.into()).start)),
            }),
            (member, _) => Ok(member.and_then(|member| member.object_value())),
        }
    };
    let root = parse(text)?;
    let Some(file) = root.object_value() else {
        return Ok(());
    };
    for edit in edits {
        let (first, second): (&str, &str) = match edit {
            JsonEdit::Server { at, .. } => (at, NAME),
            JsonEdit::Hook { event, .. } | JsonEdit::NoHook { event } => ("hooks", event),
            JsonEdit::Version(_) | JsonEdit::EscapedSlashes => continue,
        };
        let Some(held) = once(&file, first)? else {
            continue;
        };
        if let (Some(entry), JsonEdit::Server { .. }) = (once(&held, second)?, edit) {
            once(&entry, "command")?;
            once(&entry, "args")?;
        }
    }
    Ok(())
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
    if let JsonEdit::Hook {
        only_if_there: true,
        ..
    } = edit
    {
        let list = file
            .object_value("hooks")
            .and_then(|hooks| hooks.array_value(event));
        if list.is_none_or(|list| own_commands(&list).is_empty()) {
            return Ok(());
        }
    }
    let list = file
        .object_value_or_create("hooks")
        .ok_or_else(|| wrong("hooks", "an object"))?
        .array_value_or_create(event)
        .ok_or_else(|| wrong(event, "a list"))?;
    let own = own_commands(&list);
    if let (true, Some(entry)) = (own.is_empty(), edit.hook_entry()) {
        list.append(entry);
    }
    for literal in own {
        let mut now = text_of(&literal);
        if let (Some((at, own)), Some((now_at, program))) =
            (our_program(&now), our_program(command))
            && own != program
        {
            now.replace_range(at, &command[now_at]);
        }
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
fn escape_slashes(file: &CstObject, event: &str) {
    let hooks = file.object_value("hooks");
    let list = hooks.and_then(|hooks| hooks.array_value(event));
    for literal in list.iter().flat_map(own_commands) {
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

/// The commands of ours in an event's list.
fn own_commands(list: &CstArray) -> Vec<CstStringLit> {
    objects(list)
        .flat_map(|element| commands_in(&element))
        .collect()
}

/// The commands of ours in an element of an event's list, which is one or a group of some.
fn commands_in(element: &CstObject) -> Vec<CstStringLit> {
    let group = element.array_value("hooks");
    let inner = group.iter().flat_map(objects);
    let all = std::iter::once(element.clone()).chain(inner);
    all.filter_map(|own| own_command(&own)).collect()
}

/// The command of ours that an object has, or the name of our server's tool that it calls.
fn own_command(command: &CstObject) -> Option<CstStringLit> {
    let text = |name| command.get(name)?.value()?.as_string_lit();
    let is = |name, expected| text(name).is_some_and(|literal| text_of(&literal) == expected);
    if is("type", "mcp_tool") && is("server", NAME) && is("tool", HOOK_TOOL) {
        return text("tool");
    }
    let literal = command.get("command")?.value()?.as_string_lit()?;
    our_program(&text_of(&literal)).map(|_| literal)
}

/// Takes our entries out, and the lists and objects that held nothing else.
pub(crate) fn take_back(text: &str, edits: &[JsonEdit]) -> EditResult {
    let mut text = text.to_owned();
    loop {
        let root = parse(&text)?;
        let file = root.object_value();
        let own = file.and_then(|file| edits.iter().find_map(|edit| own_entry(&file, edit)));
        let Some(own) = own else {
            return Ok(text);
        };
        text = without(&text, &outermost(own));
    }
}

/// The first node that is ours: a server, a command alone, a command in a group, or a group that holds nothing else.
fn own_entry(file: &CstObject, edit: &JsonEdit) -> Option<CstNode> {
    if let JsonEdit::Server { at, .. } = edit {
        return Some(file.object_value(at)?.get(NAME)?.into());
    }
    let list = file.object_value("hooks")?.array_value(edit.event()?)?;
    let element = objects(&list).find(|element| !commands_in(element).is_empty())?;
    let group = element.array_value("hooks");
    let mut others = group.iter().flat_map(CstArray::elements).filter(|node| {
        let command = node.as_object();
        command.is_none_or(|command| own_command(&command).is_none())
    });
    if own_command(&element).is_some() || others.next().is_none() {
        return Some(element.into());
    }
    let mut commands = group.iter().flat_map(objects);
    commands
        .find(|own| own_command(own).is_some())
        .map(Into::into)
}

/// The outermost member or element that holds this node and nothing else; a comment is something.
fn outermost(mut node: CstNode) -> CstNode {
    loop {
        let holds_more = |of: &CstContainerNode, most| {
            let comments = of.children().iter().any(CstNode::is_comment);
            comments || of.children_exclude_trivia_and_tokens().len() > most
        };
        let Some(holder) = node.parent().filter(|holder| !holds_more(holder, 1)) else {
            return node;
        };
        node = match holder.parent() {
            None | Some(CstContainerNode::Root(_)) => return node,
            // A member holds its name, too.
            Some(member @ CstContainerNode::ObjectProp(_)) if !holds_more(&member, 2) => {
                member.into()
            }
            Some(CstContainerNode::ObjectProp(_)) => return node,
            Some(_) => holder.into(),
        };
    }
}

/// The text without a member or an element, which goes with its comma and its line. Comments around it stay.
fn without(text: &str, node: &CstNode) -> String {
    let own = range(node);
    let after = node.trailing_comma().map(CstNode::from);
    let comma = after.or_else(|| node.previous_siblings().find(CstNode::is_comma));
    let mut cuts = vec![with_its_blanks(text, own)];
    cuts.extend(comma.map(|comma| range(&comma)));
    cuts.sort_by_key(|cut| cut.start);
    let mut left = text.to_owned();
    for cut in cuts.into_iter().rev() {
        left.replace_range(cut, "");
    }
    left
}

/// The range with the blanks before it, and with the end of the line above where nothing else stands in its line.
fn with_its_blanks(text: &str, range: Range<usize>) -> Range<usize> {
    let before = &text[..range.start];
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    let rest = text[range.end..].trim_start_matches(',');
    let is_followed = !rest.lines().next().unwrap_or_default().trim().is_empty();
    let start = if !before[line..].trim().is_empty() {
        before.trim_end_matches([' ', '\t']).len()
    } else if line == 0 || is_followed {
        line
    } else {
        before[..line - 1].trim_end_matches('\r').len()
    };
    start..range.end
}

/// The bytes of a node in its file.
fn range(node: &CstNode) -> Range<usize> {
    let length = |node: CstNode| node.to_string().len();
    let above = node.ancestors().map(CstNode::from);
    let start = std::iter::once(node.clone())
        .chain(above)
        .flat_map(|node| node.previous_siblings().collect::<Vec<_>>())
        .map(length)
        .sum();
    start..start + length(node.clone())
}

#[cfg(test)]
mod tests;
