//! Goose's `config.yaml`. No editor of YAML that keeps formats is at hand, so lines are put in and taken out where the parser says
//! that they are, and the result is held against the file's meaning before: only our entry may differ, or nothing is written.

use std::ops::Range;

use saphyr::{LoadableYamlNode, MarkedYamlOwned};
use serde_json::{Value as Json, json};

use super::entry::{NAME, Server};
use super::lines::line_end;
use super::refusal::{EditResult, ManualEdit, Refusal};
use crate::profile::target::TOKEN_VARIABLE;

type Yaml = MarkedYamlOwned;

pub(crate) const SERVERS: &str = "extensions";

/// Puts our extension in. One that is there already starts our program where it is now, and stays otherwise as it is.
pub(crate) fn add(text: &str, server: &Server) -> EditResult {
    let before = load(text)?;
    let (name, value) = server.place("cmd", "uri");
    let refused = || {
        by_hand(
            line_of_servers(&before),
            ManualEdit::Add {
                below: SERVERS,
                entry: entry(server, "    ").trim_end().to_owned(),
                client: "goose",
            },
        )
    };
    let own = extensions(&before).and_then(|all| get(all, NAME));
    let after = match own.map(|(_, own)| get(own, name)) {
        Some(Some((_, command))) if command.data.as_str() == Some(value) => {
            return Ok(text.to_owned());
        }
        Some(command) => {
            let range = command.and_then(|(_, command)| range(text, command));
            let mut after = text.to_owned();
            after.replace_range(range.ok_or_else(refused)?, &string(value));
            after
        }
        None => insert(&before, text, server)?.ok_or_else(refused)?,
    };
    let now = read(&after).unwrap_or_default();
    if now[SERVERS][NAME][name] != value || meaning(&after) != meaning(text) {
        return Err(refused());
    }
    Ok(after)
}

/// Takes our extension out.
pub(crate) fn take_back(text: &str) -> EditResult {
    let before = load(text)?;
    let own = extensions(&before).and_then(|all| get(all, NAME));
    let Some((key, _)) = own else {
        return Ok(text.to_owned());
    };
    let refused = || by_hand(Some(key.span.start.line()), ManualEdit::TakeOut);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let begin = key.span.start.line() - 1;
    let depth = key.span.start.col();
    if depth == 0
        || lines
            .get(begin)
            .is_none_or(|line| blanks(line).len() != depth)
    {
        // It stands in braces.
        return Err(refused());
    }
    let is_deeper = |line: &str| !line.trim().is_empty() && blanks(line).len() > depth;
    let is_within = |line: &str| line.trim().is_empty() || is_deeper(line);
    let below = lines[begin + 1..].iter().take_while(|line| is_within(line));
    // Blank lines at its end stay.
    let own = below.enumerate().filter(|(_, line)| is_deeper(line)).last();
    let end = begin + 1 + own.map_or(0, |(last, _)| last + 1);
    let mut after = lines[..begin].concat() + &lines[end..].concat();
    let now = load(&after).map_err(|_| refused())?;
    // The heading as we write it goes with the last entry below it.
    let heading = line_of_servers(&now).map_or(0, |line| line - 1);
    let is_empty = now
        .as_ref()
        .and_then(|file| get(file, SERVERS))
        .is_some_and(|(_, all)| all.data.is_null());
    if is_empty {
        let lines: Vec<&str> = after.split_inclusive('\n').collect();
        let is_bare = lines[heading].trim_end() == format!("{SERVERS}:");
        let is_commented = lines[heading + 1..]
            .iter()
            .find(|line| !line.trim().is_empty())
            .is_some_and(|line| !blanks(line).is_empty());
        if is_bare && !is_commented {
            after = lines[..heading].concat() + &lines[heading + 1..].concat();
        }
    }
    let now = read(&after).unwrap_or_default();
    if now[SERVERS].get(NAME).is_some() || meaning(&after) != meaning(text) {
        return Err(refused());
    }
    Ok(after)
}

/// The contents of a file, as JSON.
pub(crate) fn read(text: &str) -> Option<Json> {
    fn json(node: &Yaml) -> Json {
        let data = &node.data;
        if let Some(members) = data.as_mapping() {
            let named = |(key, value): (&Yaml, &Yaml)| match json(key) {
                Json::String(name) => (name, json(value)),
                name => (name.to_string(), json(value)),
            };
            return members.iter().map(named).collect();
        }
        if let Some(values) = data.as_sequence() {
            return values.iter().map(json).collect();
        }
        (data.as_bool().map(Json::from))
            .or_else(|| data.as_integer().map(Json::from))
            .or_else(|| data.as_floating_point().map(Json::from))
            .or_else(|| data.as_str().map(Json::from))
            .unwrap_or_default()
    }
    load(text).ok()?.as_ref().map(json)
}

/// The contents of a file but for our entry; no list of entries is the same as an empty one.
fn meaning(text: &str) -> Option<Json> {
    if load(text).ok()?.is_none() {
        return Some(json!({}));
    }
    let mut file = read(text)?;
    let servers = file.get_mut(SERVERS).map(|servers| {
        servers.as_object_mut().map(|servers| servers.remove(NAME));
        servers.is_null() || *servers == json!({})
    });
    if servers == Some(true) {
        file.as_object_mut()?.remove(SERVERS);
    }
    Some(file)
}

/// The line, from 1, of a member that is reached by these names.
pub(crate) fn line_of_member(text: &str, path: &[&str]) -> Option<usize> {
    let file = load(text).ok()??;
    let (name, above) = path.split_last()?;
    let mut node = &file;
    for name in above {
        node = get(node, name)?.1;
    }
    Some(get(node, name)?.0.span.start.line())
}

/// The text with our entry in it; none where there is no line to put it below.
fn insert(file: &Option<Yaml>, text: &str, server: &Server) -> EditResult<Option<String>> {
    let end = line_end(text);
    let at_the_end = |text: &str| {
        let gap = if text.is_empty() || text.ends_with('\n') {
            ""
        } else {
            end
        };
        format!(
            "{text}{gap}{SERVERS}:{end}{}",
            entry(server, "  ").replace('\n', end)
        )
    };
    let Some(file) = file else {
        return Ok(Some(at_the_end(text)));
    };
    if !file.data.is_mapping() {
        return Err(Refusal::damaged(Some(1), "it is not a mapping"));
    }
    let Some((key, all)) = get(file, SERVERS) else {
        return Ok(Some(at_the_end(text)));
    };
    let mut text = text.to_owned();
    let mut indent = "  ".to_owned();
    let members = all.data.as_mapping();
    match members.and_then(|members| members.keys().next()) {
        Some(first) if first.span.start.line() > key.span.start.line() => {
            indent = " ".repeat(first.span.start.col());
        }
        Some(_) => return Ok(None),
        // The braces of an empty list, which stand on one line.
        None if members.is_some() => match range(&text, all) {
            Some(range) => text.replace_range(range, ""),
            None => return Ok(None),
        },
        None if all.data.is_null() => {}
        None => {
            return Err(Refusal::damaged(
                Some(key.span.start.line()),
                format!("`{SERVERS}` in it is not a mapping"),
            ));
        }
    }
    let heading = key.span.start.line();
    let at: usize = text.split_inclusive('\n').take(heading).map(str::len).sum();
    let gap = if text[..at].ends_with('\n') { "" } else { end };
    let new = entry(server, &indent).replace('\n', end);
    text.insert_str(at, &format!("{gap}{new}"));
    Ok(Some(text))
}

/// Our entry as it is written, as JSON.
pub(crate) fn wanted(server: &Server) -> Json {
    let mut entry = read(&entry(server, "")).unwrap_or_default();
    entry[NAME].take()
}

/// The entry's lines.
fn entry(server: &Server, indent: &str) -> String {
    let args: Vec<String> = server.args.iter().map(|arg| string(arg)).collect();
    let endpoint = server.endpoint.as_ref().map(|url| {
        vec![
            format!("{NAME}:"),
            format!("  name: {NAME}"),
            "  type: streamable_http".into(),
            format!("  uri: {}", string(url)),
            format!(
                "  headers: {{ Authorization: {} }}",
                string(&format!("Bearer ${{{TOKEN_VARIABLE}}}"))
            ),
            format!("  env_keys: [{TOKEN_VARIABLE}]"),
            "  enabled: true".into(),
            "  timeout: 300".into(),
        ]
    });
    let program = || {
        vec![
            format!("{NAME}:"),
            format!("  name: {NAME}"),
            "  type: stdio".into(),
            format!("  cmd: {}", string(&server.command)),
            format!("  args: [{}]", args.join(", ")),
            format!("  envs: {{ WAYNOTE_AUTHOR: {} }}", string(&server.author)),
            "  enabled: true".into(),
            "  timeout: 300".into(),
        ]
    };
    endpoint
        .unwrap_or_else(program)
        .iter()
        .map(|line| format!("{indent}{line}\n"))
        .collect()
}

/// A JSON string is a YAML one.
fn string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn blanks(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches(' ').len()]
}

/// The parser goes down with every level, and levels below these nobody writes.
const MAX_LEVELS: usize = 256;

fn load(text: &str) -> EditResult<Option<Yaml>> {
    // Each level takes a column of the indent, or a dash in front.
    let depth = |line: &str| {
        let bare = line.trim_start_matches([' ', '-', '?', '\t']);
        line.len() - bare.len()
    };
    if let Some(line) = text.lines().position(|line| depth(line) > MAX_LEVELS) {
        return Err(Refusal::damaged(Some(line + 1), "it is nested too deeply"));
    }
    let mut files = Yaml::load_from_str(text)
        .map_err(|error| Refusal::damaged(Some(error.marker().line()), error.info().to_owned()))?;
    match files.len() {
        0 => Ok(None),
        1 => Ok(files.pop().filter(|file| !file.data.is_null())),
        _ => Err(Refusal::damaged(None, "it holds several documents")),
    }
}

fn extensions(file: &Option<Yaml>) -> Option<&Yaml> {
    let (_, all) = get(file.as_ref()?, SERVERS)?;
    all.data.is_mapping().then_some(all)
}

/// A member with its name.
fn get<'y>(mapping: &'y Yaml, name: &str) -> Option<(&'y Yaml, &'y Yaml)> {
    let mut members = mapping.data.as_mapping()?.iter();
    members.find(|(key, _)| key.data.as_str() == Some(name))
}

/// The line, from 1, on which the extensions begin.
fn line_of_servers(file: &Option<Yaml>) -> Option<usize> {
    let (key, _) = get(file.as_ref()?, SERVERS)?;
    Some(key.span.start.line())
}

/// The bytes of a text as people write it, or of an empty list in braces; none of any other form. The parser's own end
/// may lie behind a comment.
fn range(text: &str, node: &Yaml) -> Option<Range<usize>> {
    let (begin, _) = text.char_indices().nth(node.span.start.index())?;
    let forms = match node.data.as_str() {
        Some(value) => vec![
            string(value),
            format!("'{}'", value.replace('\'', "''")),
            value.to_owned(),
        ],
        None => vec!["{}".to_owned()],
    };
    let form = forms.iter().find(|form| text[begin..].starts_with(*form))?;
    Some(begin..begin + form.len())
}

fn by_hand(line: Option<usize>, edit: ManualEdit) -> Refusal {
    Refusal::ByHand {
        line,
        name: SERVERS,
        edit,
    }
}

#[cfg(test)]
#[path = "yaml_tests.rs"]
mod tests;
