//! Goose's `config.yaml`. No editor of YAML that keeps formats is at hand, so lines are put in and taken out where the parser says
//! that they are, and the result is held against the file's meaning before: only our entry may differ, or nothing is written.

use std::ops::Range;

use saphyr::{LoadableYamlNode, MarkedYamlOwned};
use serde_json::Value as Json;

use super::entry::{NAME, Server, starts_our_server};
use super::lines::line_end;
use super::refusal::{EditResult, ManualEdit, Refusal};
use crate::profile::target::{TOKEN_VARIABLE, is_our_endpoint};

type Yaml = MarkedYamlOwned;

const SERVERS: &str = "extensions";

/// Puts our extension in. One that is there already starts our program where it is now, and stays otherwise as it is.
pub(crate) fn add(text: &str, server: &Server) -> EditResult {
    let before = load(text)?;
    let (name, value) = server.place("cmd", "uri");
    let refused = |line| {
        by_hand(
            line,
            ManualEdit::Add {
                below: SERVERS,
                entry: entry(server, "    ").trim_end().to_owned(),
                client: "goose",
            },
        )
    };
    let after = match extensions(&before).and_then(|all| get(all, NAME)) {
        Some((_, own)) if !is_ours(own) => {
            let what = "an extension named `waynote`";
            return Err(Refusal::Taken { what });
        }
        Some((_, own)) => {
            let Some((_, command)) = get(own, name) else {
                return Err(refused(None));
            };
            if command.data.as_str() == Some(value) {
                return Ok(text.to_owned());
            }
            let range = range(text, command).ok_or_else(|| refused(None))?;
            let mut after = text.to_owned();
            after.replace_range(range, &string(value));
            after
        }
        None => insert(&before, text, server)?.ok_or_else(|| refused(line_of_servers(&before)))?,
    };
    let now = load(&after).map_err(|_| refused(line_of_servers(&before)))?;
    let own = extensions(&now).and_then(|all| get(all, NAME));
    let command = own.and_then(|(_, own)| get(own, name));
    let is_right = command.and_then(|(_, command)| command.data.as_str()) == Some(value);
    if !is_right || !same_but_ours(&before, &now) {
        return Err(refused(line_of_servers(&before)));
    }
    Ok(after)
}

/// Takes our extension out.
pub(crate) fn take_back(text: &str) -> EditResult {
    let before = load(text)?;
    let own = extensions(&before).and_then(|all| get(all, NAME));
    let Some((key, _)) = own.filter(|(_, own)| is_ours(own)) else {
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
    let now = load(&after).map_err(|_| refused())?;
    let is_gone = extensions(&now).and_then(|all| get(all, NAME)).is_none();
    if !is_gone || !same_but_ours(&now, &before) {
        return Err(refused());
    }
    Ok(after)
}

/// The words with which the file has our server started.
pub(crate) fn command(text: &str) -> Option<Vec<String>> {
    let file = load(text).ok()?;
    let (_, own) = get(extensions(&file)?, NAME)?;
    let (_, command) = get(own, "cmd")?;
    let args = get(own, "args").and_then(|(_, args)| args.data.as_sequence());
    let args = args
        .into_iter()
        .flatten()
        .filter_map(|arg| arg.data.as_str());
    let words = command.data.as_str().into_iter().chain(args);
    Some(words.map(str::to_owned).collect())
}

/// The contents of a file, as JSON.
pub(crate) fn read(text: &str) -> Option<Json> {
    fn json(node: &Yaml) -> Json {
        if let Some(members) = node.data.as_mapping() {
            let named =
                |(key, value): (&Yaml, &Yaml)| Some((key.data.as_str()?.to_owned(), json(value)));
            return members.iter().filter_map(named).collect();
        }
        if let Some(values) = node.data.as_sequence() {
            return values.iter().map(json).collect();
        }
        let data = &node.data;
        (data.as_bool().map(Json::from))
            .or_else(|| data.as_integer().map(Json::from))
            .or_else(|| data.as_str().map(Json::from))
            .unwrap_or_default()
    }
    load(text.strip_prefix('\u{feff}').unwrap_or(text))
        .ok()?
        .as_ref()
        .map(json)
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

/// True if an entry of our name starts our server.
fn is_ours(entry: &Yaml) -> bool {
    let args = get(entry, "args").and_then(|(_, args)| args.data.as_sequence());
    let args = args
        .into_iter()
        .flatten()
        .filter_map(|arg| arg.data.as_str());
    let command = get(entry, "cmd").and_then(|(_, command)| command.data.as_str());
    let url = get(entry, "uri").and_then(|(_, url)| url.data.as_str());
    if url.is_some_and(is_our_endpoint) {
        return true;
    }
    starts_our_server(command.into_iter().chain(args))
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

/// The entry's lines.
pub(crate) fn entry(server: &Server, indent: &str) -> String {
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

/// The bytes of a scalar on one line, or of an empty list in braces. The parser's own end may lie behind a comment.
fn range(text: &str, node: &Yaml) -> Option<Range<usize>> {
    let (begin, _) = text.char_indices().nth(node.span.start.index())?;
    let rest = &text[begin..];
    let length = match rest.chars().next()? {
        '{' => {
            rest.find('}')
                .filter(|end| rest[1..*end].trim().is_empty())?
                + 1
        }
        '\'' => 1 + closed_by_quote(&rest[1..])?,
        '"' => {
            let mut values = serde_json::Deserializer::from_str(rest).into_iter::<String>();
            values.next()?.ok()?;
            values.byte_offset()
        }
        _ => node
            .data
            .as_str()
            .filter(|plain| rest.starts_with(plain))?
            .len(),
    };
    Some(begin..begin + length)
}

/// The offset behind the closing quote of a text in single quotes; two quotes are an escaped one.
fn closed_by_quote(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        at += text[at..].find('\'')? + 1;
        if !text[at..].starts_with('\'') {
            return Some(at);
        }
        at += 1;
    }
}

/// True if two files mean the same, our entry and an empty list of entries aside.
fn same_but_ours(one: &Option<Yaml>, other: &Option<Yaml>) -> bool {
    fn members(mapping: &Yaml) -> impl Iterator<Item = (&Yaml, &Yaml)> {
        mapping.data.as_mapping().into_iter().flatten()
    }
    let rest = |file: &Option<Yaml>| {
        let mut rest = Vec::new();
        for (name, value) in file.iter().flat_map(members) {
            if name.data.as_str() != Some(SERVERS) {
                rest.push((None, name.clone(), value.clone()));
                continue;
            }
            let inner = members(value).filter(|(name, _)| name.data.as_str() != Some(NAME));
            rest.extend(inner.map(|(inner, value)| (Some(SERVERS), inner.clone(), value.clone())));
        }
        rest
    };
    rest(one) == rest(other)
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
