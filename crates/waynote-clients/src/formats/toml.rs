//! Codex's `config.toml`. Our table is put in by an editor that keeps formats, and everything else in place, by lines: comments
//! and line ends that are somebody's stay as they are.

use std::ops::Range;

use serde_json::Value as Json;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use toml_edit::{Array, Document, DocumentMut, InlineTable, Item, Table, TableLike, Value};
use waynote::text::line_of;

use waynote_system::variables::AUTHOR;

use super::entry::{Change, NAME, Server, starts_our_server};
use super::lines::line_end;
use super::refusal::{EditResult, ManualEdit, Refusal};
use crate::profile::target::{TOKEN_VARIABLE, is_our_endpoint};

const SERVERS: &str = "mcp_servers";

/// Puts our server in. An entry that is there already starts our program where it is now, and stays otherwise as it is.
pub(crate) fn add(text: &str, server: &Server) -> EditResult {
    let document = parse(text)?;
    let Some(servers) = document.get(SERVERS) else {
        return insert(text, server);
    };
    let servers = servers
        .as_table_like()
        .ok_or_else(|| Refusal::damaged(None, format!("`{SERVERS}` in it is not a table")))?;
    let Some(own) = servers.get(NAME) else {
        return insert(text, server);
    };
    let Some(own) = own.as_table_like().filter(|own| is_ours(*own)) else {
        let what = "a server named `waynote`";
        return Err(Refusal::Taken { what });
    };
    let (name, value) = server.place("command", "url");
    let command = own.get(name);
    if command.and_then(Item::as_str) == Some(value) {
        return Ok(text.to_owned());
    }
    let Some(range) = command.and_then(Item::span) else {
        return Err(by_hand(None, ManualEdit::WriteCommand));
    };
    let mut after = text.to_owned();
    after.replace_range(range, &Value::from(value).to_string());
    parse(&after)?;
    Ok(after)
}

/// Takes our server out.
pub(crate) fn take_back(text: &str) -> EditResult {
    let document = parse(text)?;
    let servers = document.get(SERVERS);
    let own = servers
        .and_then(Item::as_table_like)
        .and_then(|servers| servers.get_key_value(NAME));
    let Some((key, own)) = own.filter(|(_, own)| own.as_table_like().is_some_and(is_ours)) else {
        return Ok(text.to_owned());
    };
    let after = if servers.is_some_and(Item::is_inline_table) {
        edit(text, |document| {
            if let Some(servers) = document[SERVERS].as_table_like_mut() {
                servers.remove(NAME);
            }
        })?
    } else {
        let mut cuts = Vec::new();
        lines(key.span(), own, &mut cuts);
        without(text, cuts)
    };
    if meaning(&after, true) != meaning(text, true)
        || meaning(&after, false) != meaning(&after, true)
    {
        let line = key.span().map(|span| line_of(text, span.start));
        return Err(by_hand(line, ManualEdit::TakeOut));
    }
    Ok(after)
}

/// True if an entry of our name starts our server.
fn is_ours(entry: &dyn TableLike) -> bool {
    let url = entry.get("url").and_then(Item::as_str);
    if url.is_some_and(is_our_endpoint) {
        return true;
    }
    let args = entry.get("args").and_then(Item::as_array);
    let args = args.into_iter().flatten().filter_map(Value::as_str);
    let command = entry.get("command").and_then(Item::as_str);
    starts_our_server(command.into_iter().chain(args))
}

fn insert(text: &str, server: &Server) -> EditResult {
    if parse(text)?.is_empty() && !text.is_empty() {
        // The editor puts a first table above a file's comments.
        let end = line_end(text);
        let gap = if text.ends_with('\n') { "" } else { end };
        let table = insert("", server)?.replace('\n', end);
        return Ok(format!("{text}{gap}{end}{table}"));
    }
    edit(text, |document| {
        let members = members(server);
        let servers = document.entry(SERVERS).or_insert_with(|| {
            let mut table = Table::new();
            table.set_implicit(true);
            Item::Table(table)
        });
        let entry = if servers.is_inline_table() {
            Item::Value(InlineTable::from_iter(members).into())
        } else {
            Item::Table(Table::from_iter(members))
        };
        if let Some(servers) = servers.as_table_like_mut() {
            servers.insert(NAME, entry);
        }
    })
}

/// The members of our entry.
fn members(server: &Server) -> Vec<(&'static str, Value)> {
    if let Some(url) = &server.endpoint {
        return vec![
            ("url", url.as_str().into()),
            ("bearer_token_env_var", TOKEN_VARIABLE.into()),
        ];
    }
    let mut env = InlineTable::new();
    env.insert(AUTHOR, server.author.as_str().into());
    let args: Array = server.args.iter().map(String::as_str).collect();
    let mut env_vars: Array = server.variables.iter().map(String::as_str).collect();
    // One a line: they are many.
    env_vars
        .iter_mut()
        .for_each(|name| name.decor_mut().set_prefix("\n  "));
    env_vars.set_trailing("\n");
    env_vars.set_trailing_comma(true);
    vec![
        ("command", server.command.as_str().into()),
        ("args", args.into()),
        ("env", env.into()),
        ("env_vars", env_vars.into()),
    ]
}

/// Our entry as it is written, as JSON.
pub(crate) fn wanted(server: &Server) -> Json {
    let table = Table::from_iter(members(server)).to_string();
    read(&table).unwrap_or_default()
}

/// The contents of a file, as JSON.
pub(crate) fn read(text: &str) -> Option<Json> {
    let file: toml::Table = text.strip_prefix('\u{feff}').unwrap_or(text).parse().ok()?;
    serde_json::to_value(file).ok()
}

/// The line, from 1, of a member that is reached by these names.
pub(crate) fn line_of_member(text: &str, path: &[&str]) -> Option<usize> {
    let document = Document::parse(text).ok()?;
    let (name, above) = path.split_last()?;
    let mut table: &dyn TableLike = document.as_table();
    for name in above {
        table = table.get(name)?.as_table_like()?;
    }
    let (key, item) = table.get_key_value(name)?;
    let span = key.span().or_else(|| item.span())?;
    Some(line_of(text, span.start))
}

/// Changes members of our entry that is there; all else stays as it is.
pub(crate) fn set(text: &str, changes: &[Change]) -> EditResult {
    let (mark, text) = match text.strip_prefix('\u{feff}') {
        Some(text) => ("\u{feff}", text),
        None => ("", text),
    };
    let after = edit(text, |document| {
        let servers = document.get_mut(SERVERS);
        let own = servers.and_then(Item::as_table_like_mut);
        let Some(own) = own.and_then(|servers| servers.get_mut(NAME)?.as_table_like_mut()) else {
            return;
        };
        for Change { path, to } in changes {
            set_member(own, path, to.as_ref());
        }
    })?;
    Ok(format!("{mark}{after}"))
}

fn set_member(table: &mut dyn TableLike, path: &[String], to: Option<&Json>) {
    match (path, to) {
        ([], _) => {}
        ([name], None) => drop(table.remove(name)),
        ([name], Some(to)) => {
            let Some(value) = value_of(to) else {
                return;
            };
            match table.get_mut(name) {
                // A comment behind it stays.
                Some(Item::Value(there)) => {
                    let decor = there.decor().clone();
                    *there = value;
                    *there.decor_mut() = decor;
                }
                _ => drop(table.insert(name, Item::Value(value))),
            }
        }
        ([name, below @ ..], to) => {
            let inner = table
                .entry(name)
                .or_insert(Item::Value(InlineTable::new().into()));
            if let Some(inner) = inner.as_table_like_mut() {
                set_member(inner, below, to);
            }
        }
    }
}

fn value_of(json: &Json) -> Option<Value> {
    Some(match json {
        Json::Null => return None,
        Json::Bool(value) => (*value).into(),
        Json::Number(number) => match number.as_i64() {
            Some(whole) => whole.into(),
            None => number.as_f64()?.into(),
        },
        Json::String(text) => text.as_str().into(),
        Json::Array(values) => Value::Array(values.iter().filter_map(value_of).collect()),
        Json::Object(members) => {
            let members = members.iter();
            let members = members.filter_map(|(name, value)| Some((name, value_of(value)?)));
            InlineTable::from_iter(members.map(|(name, value)| (name.as_str(), value))).into()
        }
    })
}

/// The ranges of what makes up an item: a table's header with its own members, each of its tables, and lines that name
/// it by a dotted key.
fn lines(key: Option<Range<usize>>, item: &Item, cuts: &mut Vec<Range<usize>>) {
    let joined = |key: Option<Range<usize>>, to: Option<Range<usize>>| Some(key?.start..to?.end);
    match item {
        Item::None => {}
        Item::Value(value) => cuts.extend(joined(key, value.span())),
        Item::ArrayOfTables(tables) => tables.iter().for_each(|table| table_lines(table, cuts)),
        Item::Table(table) => table_lines(table, cuts),
    }
}

fn table_lines(table: &Table, cuts: &mut Vec<Range<usize>>) {
    let has_header = !table.is_implicit() && !table.is_dotted();
    let header = table.span().filter(|_| has_header);
    let begin = cuts.len();
    cuts.extend(header.clone());
    let mut own = header;
    for (name, item) in table.iter() {
        let is_below = match item {
            Item::Table(table) => !table.is_dotted(),
            Item::ArrayOfTables(_) => true,
            Item::Value(_) | Item::None => false,
        };
        let mut found = Vec::new();
        lines(
            table.key(name).and_then(toml_edit::Key::span),
            item,
            &mut found,
        );
        match &mut own {
            Some(own) if !is_below => {
                own.end = found.iter().map(|cut| cut.end).fold(own.end, usize::max);
            }
            _ => cuts.extend(found),
        }
    }
    if let Some(own) = own {
        cuts[begin] = own;
    }
}

/// The text without the lines in which those ranges are; a table goes with the blank line above its header.
fn without(text: &str, mut cuts: Vec<Range<usize>>) -> String {
    cuts.sort_by_key(|cut| cut.start);
    let mut left = String::new();
    let mut at = 0;
    for cut in cuts {
        let begin = text[..cut.start].rfind('\n').map_or(0, |end| end + 1);
        let end = text[cut.end..]
            .find('\n')
            .map_or(text.len(), |end| cut.end + end + 1);
        left.push_str(text.get(at..begin).unwrap_or_default());
        if text[cut.start..].starts_with('[') {
            // A line that is blank, not the end of the one above.
            let blank = ["\r\n", "\n"].into_iter().find_map(|blank| {
                let above = left.strip_suffix(blank)?;
                (above.is_empty() || above.ends_with('\n')).then_some(above.len())
            });
            left.truncate(blank.unwrap_or(left.len()));
        }
        at = at.max(end);
    }
    left + &text[at..]
}

/// The contents of a file, without our entry or with it; no table of servers is the same as an empty one.
fn meaning(text: &str, without_ours: bool) -> Option<String> {
    let mut file: toml::Table = text.parse().ok()?;
    if without_ours && let Some(servers) = file.get_mut(SERVERS).and_then(toml::Value::as_table_mut)
    {
        servers.remove(NAME);
    }
    if file
        .get(SERVERS)
        .and_then(toml::Value::as_table)
        .is_some_and(toml::Table::is_empty)
    {
        file.remove(SERVERS);
    }
    // NaN is not equal to itself; its text is.
    Some(format!("{file:?}"))
}

fn parse(text: &str) -> EditResult<Document<&str>> {
    Document::parse(text).map_err(|error| damaged(text, &error))
}

fn damaged(text: &str, error: &toml_edit::TomlError) -> Refusal {
    let line = error.span().map(|span| line_of(text, span.start));
    Refusal::damaged(line, error.message().trim().replace('\n', ", "))
}

fn by_hand(line: Option<usize>, edit: ManualEdit) -> Refusal {
    Refusal::ByHand {
        line,
        name: "mcp_servers.waynote",
        edit,
    }
}

/// The text as the editor leaves it, but for line ends: it makes line feeds of all.
fn edit(text: &str, work: impl FnOnce(&mut DocumentMut)) -> EditResult {
    let mut document: DocumentMut = text.parse().map_err(|error| damaged(text, &error))?;
    work(&mut document);
    let after = document.to_string();
    let old: Vec<&str> = text.split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let [bare_old, bare_new] = [&old, &new].map(|lines| {
        let bare = lines.iter().map(|line| line.trim_end_matches(['\n', '\r']));
        bare.collect::<Vec<_>>()
    });
    let mut out = String::new();
    for op in capture_diff_slices(Algorithm::Myers, &bare_old, &bare_new) {
        for (step, line) in op.new_range().enumerate() {
            let end = match op {
                DiffOp::Equal { old_index, .. } if old[old_index + step].ends_with('\n') => {
                    &old[old_index + step][bare_old[old_index + step].len()..]
                }
                _ => line_end(text),
            };
            out.push_str(bare_new[line]);
            out.push_str(if new[line].ends_with('\n') { end } else { "" });
        }
    }
    Ok(out)
}

#[cfg(test)]
#[path = "toml_tests.rs"]
mod tests;
