//! Entries cut out of JSON with comments: each with its comma and its line, and no comment of anybody else's.

use std::collections::BTreeSet;
use std::ops::Range;

use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, parse_to_ast};

use super::reading::{OPTIONS, unreadable};
use crate::formats::entry::{JsonEdit, NAME};
use crate::formats::hook_command::is_ours;
use crate::formats::refusal::EditResult;

/// The text without our entries, and without the lists and objects that they leave empty.
pub(super) fn without_ours(text: &str, edits: &[JsonEdit]) -> EditResult {
    let mut text = text.to_owned();
    // Names of lists and objects from which something was taken.
    let mut taken = BTreeSet::new();
    loop {
        let next = {
            let parsed = parse_to_ast(&text, &CollectOptions::default(), &OPTIONS)
                .map_err(|error| unreadable(&error))?;
            match &parsed.value {
                Some(Value::Object(root)) => next(root, edits, &mut taken, &text),
                _ => None,
            }
        };
        match next {
            Some(cut) => text = cut.out_of(&text),
            None => return Ok(text),
        }
    }
}

/// A member or an element, and where the one before it ends.
struct Cut {
    range: Range<usize>,
    before: Option<usize>,
}

fn next<'e>(
    root: &Object<'_>,
    edits: &'e [JsonEdit],
    taken: &mut BTreeSet<&'e str>,
    text: &str,
) -> Option<Cut> {
    edits.iter().find_map(|edit| match edit {
        JsonEdit::Version(_) | JsonEdit::EscapedSlashes => None,
        JsonEdit::Server { at, .. } => {
            let servers = root.get_object(at)?;
            if let Some(own) = member(servers, NAME) {
                taken.insert(at);
                return Some(own);
            }
            emptied(root, at, taken, text)
        }
        JsonEdit::Hook { event, .. } | JsonEdit::NoHook { event } => {
            let hooks = root.get_object("hooks")?;
            let own = hooks.get_array(event).and_then(own_command);
            if own.is_some() {
                taken.insert(event);
                taken.insert("hooks");
                return own;
            }
            emptied(hooks, event, taken, text).or_else(|| emptied(root, "hooks", taken, text))
        }
    })
}

/// The first element that is ours: a command alone, a command in a group, or a group that holds nothing else.
fn own_command(list: &Array<'_>) -> Option<Cut> {
    list.elements
        .iter()
        .enumerate()
        .find_map(|(number, entry)| {
            let Value::Object(entry) = entry else {
                return None;
            };
            if is_own(entry) {
                return Some(element(list, number));
            }
            let commands = entry.get_array("hooks")?;
            let is_own =
                |value: &Value<'_>| matches!(value, Value::Object(command) if is_own(command));
            let own = commands.elements.iter().position(is_own)?;
            Some(if commands.elements.iter().all(is_own) {
                element(list, number)
            } else {
                element(commands, own)
            })
        })
}

fn is_own(command: &Object<'_>) -> bool {
    command
        .get_string("command")
        .is_some_and(|command| is_ours(&command.value))
}

/// A member that is empty now, unless it has a comment.
fn emptied(object: &Object<'_>, name: &str, taken: &BTreeSet<&str>, text: &str) -> Option<Cut> {
    let value = taken
        .contains(name)
        .then(|| object.get(name))??
        .value
        .range();
    let is_empty = text[value.start..value.end]
        .chars()
        .all(|char| char.is_whitespace() || "{}[]".contains(char));
    is_empty.then(|| member(object, name))?
}

fn member(object: &Object<'_>, name: &str) -> Option<Cut> {
    let number = object
        .properties
        .iter()
        .position(|member| member.name.as_str() == name)?;
    let ends = |number: usize| object.properties[number].range().end;
    let range = object.properties[number].range();
    Some(Cut {
        range: range.start..range.end,
        before: number.checked_sub(1).map(ends),
    })
}

fn element(list: &Array<'_>, number: usize) -> Cut {
    let range = list.elements[number].range();
    Cut {
        range: range.start..range.end,
        before: number
            .checked_sub(1)
            .map(|before| list.elements[before].range().end),
    }
}

impl Cut {
    fn out_of(self, text: &str) -> String {
        let Self { range, before } = self;
        let mut cuts = vec![with_its_blanks(text, range.clone())];
        // Cuts its own comma, or the one before the last element.
        let comma = comma_after(text, range.end).or_else(|| comma_after(text, before?));
        cuts.extend(comma.map(|comma| comma..comma + 1));
        cuts.sort_by_key(|cut| cut.start);
        let mut left = String::new();
        let mut at = 0;
        for cut in cuts {
            left.push_str(text.get(at..cut.start).unwrap_or_default());
            at = at.max(cut.end);
        }
        left + &text[at..]
    }
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

/// The offset behind the next token, if that is a comma.
fn comma_after(text: &str, from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let rest = &text[at..];
        let char = rest.chars().next()?;
        at += match char {
            ',' => return Some(at),
            _ if char.is_whitespace() => char.len_utf8(),
            '/' if rest.starts_with("//") => rest.find('\n')?,
            '/' if rest.starts_with("/*") => rest.find("*/")? + 2,
            _ => return None,
        };
    }
}
