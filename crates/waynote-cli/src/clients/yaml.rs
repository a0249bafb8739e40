//! Goose's `config.yaml`. No editor of YAML that keeps formats is at hand, so lines are put in and taken out, and the result is
//! held against the file's meaning before: only our entry may differ, or nothing is written.

use saphyr::{LoadableYamlNode, YamlOwned};

use super::change::{Edited, NAME, Server, Unreadable, starts_our_server, taken};

const SERVERS: &str = "extensions";

/// Puts our extension in.
pub(crate) fn add(text: &str, server: &Server) -> Edited {
    if let Some(all) = extensions(&load(text)?)
        && get(all, NAME).is_some_and(|own| !is_ours(own))
    {
        return Err(taken());
    }
    let without = take_back(text)?;
    let before = load(&without)?;
    let entry = |indent: &str| entry(server, indent);
    let after = match place(&before, &without)? {
        Place::Below { line, indent } => insert(&without, line, &entry(&indent)),
        Place::Instead { line } => {
            let text = remove(&without, line, line + 1);
            insert(&text, line, &format!("{SERVERS}:\n{}", entry("  ")))
        }
        Place::AtTheEnd => {
            let mut text = without.clone();
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text + &format!("{SERVERS}:\n{}", entry("  "))
        }
    };
    let now = load(&after)?;
    let ours = extensions(&now).and_then(|extensions| get(extensions, NAME));
    let is_right = ours
        .and_then(|own| get(own, "cmd"))
        .and_then(YamlOwned::as_str)
        == Some(server.command.as_str());
    if !is_right || !same_but_ours(&before, &now) {
        return Err(not_editable(&without));
    }
    // An entry that says the same already stays as it is written.
    let earlier = load(text)?;
    let same = |name: &str| {
        let of = |file: &Option<YamlOwned>| {
            let own = get(extensions(file)?, NAME)?;
            Some(format!("{:?}", get(own, name)?))
        };
        of(&earlier) == of(&now)
    };
    if ["cmd", "args", "type"].into_iter().all(same) {
        return Ok(text.to_owned());
    }
    Ok(after)
}

/// Takes our extension out.
pub(crate) fn take_back(text: &str) -> Edited {
    let before = load(text)?;
    let Some(all) = extensions(&before) else {
        return Ok(text.to_owned());
    };
    if !get(all, NAME).is_some_and(is_ours) {
        return Ok(text.to_owned());
    }
    let lines: Vec<&str> = text.lines().collect();
    let begin = lines.iter().position(|line| {
        line.starts_with(' ') && line.trim_end() == format!("{}{NAME}:", blanks(line))
    });
    let Some(begin) = begin else {
        return Err(not_editable(text));
    };
    let depth = blanks(lines[begin]).len();
    let is_deeper = |line: &&str| !line.trim().is_empty() && blanks(line).len() > depth;
    let own = lines[begin + 1..].iter().take_while(|line| is_deeper(line));
    let mut after = remove(text, begin, begin + 1 + own.count());
    let mut now = load(&after)?;
    let is_empty = matches!(&now, Some(file) if get(file, SERVERS).is_some_and(YamlOwned::is_null));
    if is_empty && let Some(line) = line_of_servers(&after) {
        after = remove(&after, line, line + 1);
        now = load(&after)?;
    }
    if !same_but_ours(&now, &before) {
        return Err(not_editable(text));
    }
    Ok(after)
}

/// Whether an entry of our name starts our server.
fn is_ours(entry: &YamlOwned) -> bool {
    let args = get(entry, "args").and_then(YamlOwned::as_sequence);
    let args = args.into_iter().flatten().filter_map(YamlOwned::as_str);
    let command = get(entry, "cmd").and_then(YamlOwned::as_str);
    starts_our_server(command.into_iter().chain(args))
}

enum Place {
    /// After that line, indented like the entries that are there.
    Below {
        line: usize,
        indent: String,
    },
    /// In place of that line: there is an empty list of entries.
    Instead {
        line: usize,
    },
    AtTheEnd,
}

fn place(file: &Option<YamlOwned>, text: &str) -> Edited<Place> {
    let Some(all) = file.as_ref().and_then(|file| get(file, SERVERS)) else {
        return match file {
            None => Ok(Place::AtTheEnd),
            Some(file) if file.is_mapping() => Ok(Place::AtTheEnd),
            Some(_) => Err(Unreadable::new(Some(1), "it is not a mapping")),
        };
    };
    let line = line_of_servers(text).ok_or_else(|| not_editable(text))?;
    if all.is_null() || all.as_mapping().is_some_and(|all| all.is_empty()) {
        return Ok(Place::Instead { line });
    }
    let is_entry = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let first = text.lines().skip(line + 1).find(is_entry);
    match first.map(blanks) {
        Some(indent) if !indent.is_empty() => Ok(Place::Below {
            line: line + 1,
            indent: indent.to_owned(),
        }),
        _ => Err(not_editable(text)),
    }
}

/// The line, from 0, on which the extensions begin.
fn line_of_servers(text: &str) -> Option<usize> {
    text.lines().position(|line| {
        line.strip_prefix(SERVERS)
            .is_some_and(|rest| rest.trim_start().starts_with(':'))
    })
}

/// The entry's lines. A JSON string is a YAML one.
fn entry(server: &Server, indent: &str) -> String {
    let text = |text: &str| serde_json::Value::from(text).to_string();
    let args: Vec<String> = server.args.iter().map(|arg| text(arg)).collect();
    let lines = [
        format!("{NAME}:"),
        format!("  name: {NAME}"),
        "  type: stdio".into(),
        format!("  cmd: {}", text(&server.command)),
        format!("  args: [{}]", args.join(", ")),
        format!("  envs: {{ WAYNOTE_AUTHOR: {} }}", text(&server.author)),
        "  enabled: true".into(),
        "  timeout: 300".into(),
    ];
    lines
        .iter()
        .map(|line| format!("{indent}{line}\n"))
        .collect()
}

fn insert(text: &str, line: usize, new: &str) -> String {
    let is_windows = text.contains("\r\n");
    let new = match is_windows {
        true => new.replace('\n', "\r\n"),
        false => new.to_owned(),
    };
    let at: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let end = if is_windows { "\r\n" } else { "\n" };
    let gap = match text[..at].is_empty() || text[..at].ends_with('\n') {
        true => "",
        false => end,
    };
    format!("{}{gap}{new}{}", &text[..at], &text[at..])
}

fn remove(text: &str, from: usize, to: usize) -> String {
    text.split_inclusive('\n')
        .enumerate()
        .filter(|(line, _)| !(from..to).contains(line))
        .map(|(_, line)| line)
        .collect()
}

fn blanks(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches(' ').len()]
}

fn load(text: &str) -> Edited<Option<YamlOwned>> {
    let mut files = YamlOwned::load_from_str(text)
        .map_err(|error| Unreadable::new(Some(error.marker().line()), error.info().to_owned()))?;
    match files.len() {
        0 => Ok(None),
        1 => Ok(files.pop().filter(|file| !file.is_null())),
        _ => Err(Unreadable::new(None, "it holds several documents")),
    }
}

fn extensions(file: &Option<YamlOwned>) -> Option<&YamlOwned> {
    get(file.as_ref()?, SERVERS).filter(|all| all.is_mapping())
}

fn get<'y>(mapping: &'y YamlOwned, name: &str) -> Option<&'y YamlOwned> {
    mapping.as_mapping_get(name)
}

/// Whether two files mean the same, our entry and an empty list of entries aside.
fn same_but_ours(one: &Option<YamlOwned>, other: &Option<YamlOwned>) -> bool {
    let rest = |file: &Option<YamlOwned>| {
        let mut rest = Vec::new();
        let members = file.as_ref().and_then(YamlOwned::as_mapping);
        for (name, value) in members.into_iter().flatten() {
            if name.as_str() != Some(SERVERS) {
                rest.push(format!("{name:?}: {value:?}"));
                continue;
            }
            let inner = value.as_mapping().into_iter().flatten();
            for (inner, value) in inner.filter(|(name, _)| name.as_str() != Some(NAME)) {
                rest.push(format!("{SERVERS}: {inner:?}: {value:?}"));
            }
        }
        rest
    };
    rest(one) == rest(other)
}

fn not_editable(text: &str) -> Unreadable {
    let line = line_of_servers(text).map(|line| line + 1);
    Unreadable::new(
        line,
        format!(
            "its `{SERVERS}` are written in a way that cannot be edited here; add the entry by hand"
        ),
    )
}

#[cfg(test)]
#[path = "yaml_tests.rs"]
mod tests;
