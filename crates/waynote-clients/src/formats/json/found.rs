//! Finds our entries in JSON with comments; rejects duplicate keys on the path.

use std::ops::Range;

use jsonc_parser::ast::{Array, Object, ObjectProp, StringLit, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, parse_to_ast};
use waynote::text::line_of;

use super::reading::{OPTIONS, unreadable};
use crate::formats::entry::{JsonEdit, NAME, NO_SEARCH, starts_our_server};
use crate::formats::hook_command::our_program;
use crate::formats::refusal::{EditResult, Refusal};
use crate::profile::target::{URLS, is_our_endpoint};

/// Refuses a file in which a name that we need stands twice.
pub(super) fn once(text: &str, edits: &[JsonEdit]) -> EditResult<()> {
    with_root(text, |root| {
        edits.iter().try_for_each(|edit| match edit {
            JsonEdit::Version(_) | JsonEdit::EscapedSlashes => Ok(()),
            JsonEdit::Server { at, .. } => {
                let entry = member(text, root, at)?
                    .and_then(|servers| servers.value.as_object())
                    .map_or(Ok(None), |servers| member(text, servers, NAME))?;
                let Some(entry) = entry.and_then(|entry| entry.value.as_object()) else {
                    return Ok(());
                };
                member(text, entry, "command")?;
                member(text, entry, "args")?;
                Ok(())
            }
            JsonEdit::Hook { event, .. } | JsonEdit::NoHook { event } => {
                let hooks = member(text, root, "hooks")?;
                if let Some(hooks) = hooks.and_then(|hooks| hooks.value.as_object()) {
                    member(text, hooks, event)?;
                }
                Ok(())
            }
        })
    })
    .map(|_| ())
}

/// The line, from 1, of a member that is reached by these names.
pub(crate) fn line_of_member(text: &str, path: &[&str]) -> Option<usize> {
    with_root(text, |root| {
        let Some((name, above)) = path.split_last() else {
            return Ok(None);
        };
        let object = above
            .iter()
            .try_fold(root, |object, name| object.get_object(name));
        let member = object.and_then(|object| object.get(name));
        Ok(member.map(|member| line_of(text, member.range().start)))
    })
    .ok()??
}

/// True if the file has an entry of our server's name that does not start it.
pub(super) fn is_somebody_elses(text: &str, edit: &JsonEdit) -> bool {
    let JsonEdit::Server { at, .. } = edit else {
        return false;
    };
    with_root(text, |root| {
        let entry = root.get_object(at).and_then(|servers| servers.get(NAME));
        Ok(entry.is_some_and(|entry| !entry.value.as_object().is_some_and(is_our_server)))
    })
    .is_ok_and(|is| is.unwrap_or(false))
}

fn is_our_server(entry: &Object<'_>) -> bool {
    let is_endpoint = |name: &&str| {
        let url = entry.get_string(name);
        url.is_some_and(|url| is_our_endpoint(&url.value))
    };
    if URLS.iter().any(is_endpoint) {
        return true;
    }
    // A program and its arguments apart, or all in one list.
    let words = ["command", "args"]
        .into_iter()
        .filter_map(|name| entry.get(name))
        .flat_map(|member| match &member.value {
            Value::Array(words) => words.elements.iter().collect(),
            word => vec![word],
        });
    starts_our_server(words.filter_map(|word| Some(word.as_string_lit()?.value.as_ref())))
}

/// The text with the current program in every entry of ours. A person's other changes in them stay.
pub(super) fn up_to_date(text: &str, edits: &[JsonEdit]) -> EditResult {
    let mut changes: Vec<(Range<usize>, String)> = with_root(text, |root| {
        Ok(edits.iter().flat_map(|edit| changes(root, edit)).collect())
    })?
    .unwrap_or_default();
    for (_, word) in &mut changes {
        *word = written(word);
    }
    Ok(replaced(text, changes))
}

/// The text with the slashes of our commands escaped, where two of them could be taken for a comment.
pub(super) fn with_escaped_slashes(text: &str, edits: &[JsonEdit]) -> EditResult {
    if !edits.contains(&JsonEdit::EscapedSlashes) {
        return Ok(text.to_owned());
    }
    let escaped = |literal: &StringLit<'_>| {
        let range = literal.range.start..literal.range.end;
        let mut now = written(&literal.value).replace("/*", "\\/*");
        while now.contains("//") {
            now = now.replace("//", "/\\/");
        }
        our_program(&literal.value).map(|_| (range, now))
    };
    let changes = with_root(text, |root| {
        let hooks = root.get_object("hooks");
        let lists = edits.iter().filter_map(|edit| match edit {
            JsonEdit::Hook { event, .. } => hooks?.get_array(event),
            _ => None,
        });
        Ok(lists.flat_map(commands).filter_map(escaped).collect())
    })?;
    Ok(replaced(text, changes.unwrap_or_default()))
}

/// A text as JSON writes it.
fn written(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn replaced(text: &str, mut changes: Vec<(Range<usize>, String)>) -> String {
    changes.sort_by_key(|(range, _)| range.start);
    changes.dedup();
    let mut text = text.to_owned();
    for (range, now) in changes.into_iter().rev() {
        text.replace_range(range, &now);
    }
    text
}

fn changes(root: &Object<'_>, edit: &JsonEdit) -> Vec<(Range<usize>, String)> {
    let change = |literal: &StringLit<'_>, now: &str| {
        let range = literal.range.start..literal.range.end;
        (*literal.value != *now).then(|| (range, now.to_owned()))
    };
    match edit {
        JsonEdit::Version(_) | JsonEdit::NoHook { .. } | JsonEdit::EscapedSlashes => Vec::new(),
        JsonEdit::Server { at, program, .. } => {
            let servers = root.get_object(at);
            let entry = servers.and_then(|servers| servers.get_object(NAME));
            let command = entry.and_then(|entry| entry.get("command"));
            let word = command.and_then(|command| match &command.value {
                Value::Array(words) => words.elements.first()?.as_string_lit(),
                word => word.as_string_lit(),
            });
            word.and_then(|word| change(word, program))
                .into_iter()
                .collect()
        }
        JsonEdit::Hook { event, command, .. } => {
            let hooks = root.get_object("hooks");
            let list = hooks.and_then(|hooks| hooks.get_array(event));
            let Some((at, program)) = our_program(command) else {
                return Vec::new();
            };
            let there = list.into_iter().flat_map(commands);
            there
                .filter_map(|literal| {
                    let (own_at, own) = our_program(&literal.value)?;
                    let mut now = literal.value.to_string();
                    if own != program {
                        now.replace_range(own_at, &command[at.clone()]);
                    }
                    // Removes the flag: every prompt is to be searched for.
                    if now.strip_suffix(NO_SEARCH) == Some(command) {
                        now.clone_from(command);
                    }
                    change(literal, &now)
                })
                .collect()
        }
    }
}

/// The commands in an event's list that are ours, in groups or alone.
fn commands<'l, 't>(list: &'l Array<'t>) -> impl Iterator<Item = &'l StringLit<'t>> {
    let entries = list.elements.iter().filter_map(Value::as_object);
    entries
        .flat_map(|entry| {
            let group = entry.get_array("hooks").into_iter();
            let inner = group.flat_map(|group| group.elements.iter().filter_map(Value::as_object));
            std::iter::once(entry).chain(inner)
        })
        .filter_map(|command| command.get_string("command"))
}

/// The member of that name, which must be the only one.
fn member<'o, 't>(
    text: &str,
    object: &'o Object<'t>,
    name: &str,
) -> EditResult<Option<&'o ObjectProp<'t>>> {
    let mut named = object
        .properties
        .iter()
        .filter(|member| member.name.as_str() == name);
    match (named.next(), named.next()) {
        (Some(one), Some(other)) => Err(Refusal::Twice {
            name: name.to_owned(),
            lines: [one, other].map(|member| line_of(text, member.range().start)),
        }),
        (member, _) => Ok(member),
    }
}

/// Calls `work` with the root object; nothing happens if the root is something else.
fn with_root<T>(
    text: &str,
    work: impl FnOnce(&Object<'_>) -> EditResult<T>,
) -> EditResult<Option<T>> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &OPTIONS)
        .map_err(|error| unreadable(&error))?;
    match &parsed.value {
        Some(Value::Object(root)) => work(root).map(Some),
        _ => Ok(None),
    }
}
