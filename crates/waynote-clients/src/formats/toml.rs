//! Codex's `config.toml`, edited with a library that keeps formats.

use serde_json::Value as Json;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use toml_edit::{Array, Document, DocumentMut, InlineTable, Item, Table, TableLike, Value};
use waynote::text::line_of;

use waynote_system::variables::AUTHOR;

use super::entry::{NAME, Server};
use super::lines::line_end;
use super::refusal::{EditResult, Refusal};
use crate::profile::target::TOKEN_VARIABLE;

pub(crate) const SERVERS: &str = "mcp_servers";

/// Puts our server in. An entry that is there already starts our program where it is now, and stays otherwise as it is.
pub(crate) fn add(text: &str, server: &Server) -> EditResult {
    let (name, value) = server.place("command", "url");
    match read(text).unwrap_or_default()[SERVERS].get(NAME) {
        None => insert(text, server),
        Some(own) if own[name] == value => Ok(text.to_owned()),
        Some(_) => edit(text, |document| {
            set(&mut document[SERVERS][NAME], name, value.into());
        }),
    }
}

/// Makes our entry what this version writes, member by member: all else stays where it is.
pub(crate) fn rewrite(text: &str, server: &Server) -> EditResult {
    edit(text, |document| {
        let own = &mut document[SERVERS][NAME];
        let wanted = members(server);
        if let Some(table) = own.as_table_like_mut() {
            let names: Vec<String> = table.iter().map(|(name, _)| name.to_owned()).collect();
            let is_gone = |name: &&String| wanted.iter().all(|(wanted, _)| wanted != *name);
            names
                .iter()
                .filter(is_gone)
                .for_each(|name| drop(table.remove(name)));
        }
        wanted
            .into_iter()
            .for_each(|(name, value)| set(own, name, value));
    })
}

/// Sets a member; a comment behind it stays.
fn set(own: &mut Item, name: &str, mut value: Value) {
    if let Some(there) = own.get(name).and_then(Item::as_value) {
        *value.decor_mut() = there.decor().clone();
    }
    own[name] = Item::Value(value);
}

/// Takes our server out.
pub(crate) fn take_back(text: &str) -> EditResult {
    let document = Document::parse(text).map_err(|error| damaged(text, &error))?;
    let servers = document.get(SERVERS).and_then(Item::as_table_like);
    let Some(own) = servers.and_then(|servers| servers.get(NAME)) else {
        return Ok(text.to_owned());
    };
    // The editor takes what stands above a table with it, and that is a person's.
    let table = own
        .as_table()
        .filter(|own| !own.is_implicit() && !own.is_dotted());
    let (above, from) = text.split_at(table.and_then(Table::span).map_or(0, |span| span.start));
    let left = edit(from, |document| {
        if let Some(servers) = document[SERVERS].as_table_like_mut() {
            servers.remove(NAME);
        }
    })?;
    // But for the blank line that we write above it.
    let is_blank = |above: &&str| above.is_empty() || above.ends_with('\n');
    let blank = ["\r\n", "\n"]
        .iter()
        .find_map(|end| above.strip_suffix(end).filter(is_blank));
    // Tables of it may stand further up.
    take_back(&(blank.unwrap_or(above).to_owned() + &left))
}

fn insert(text: &str, server: &Server) -> EditResult {
    let document: DocumentMut = text.parse().map_err(|error| damaged(text, &error))?;
    if document.is_empty() && !text.is_empty() {
        // The editor puts a first table above a file's comments.
        let end = line_end(text);
        let gap = if text.ends_with('\n') { "" } else { end };
        let table = insert("", server)?.replace('\n', end);
        return Ok(format!("{text}{gap}{end}{table}"));
    }
    if document
        .get(SERVERS)
        .is_some_and(|servers| !servers.is_table_like())
    {
        return Err(Refusal::damaged(
            None,
            format!("`{SERVERS}` in it is not a table"),
        ));
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

fn damaged(text: &str, error: &toml_edit::TomlError) -> Refusal {
    let line = error.span().map(|span| line_of(text, span.start));
    Refusal::damaged(line, error.message().trim().replace('\n', ", "))
}

/// The text as the editor leaves it, but for two things: line ends stay, of which it makes line feeds, and comments
/// above an entry that goes, which are a person's.
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
        if let DiffOp::Equal { .. } = op {
            for (was, now) in op.old_range().zip(op.new_range()) {
                out.push_str(old[was]);
                let is_ended = old[was].ends_with('\n') || !new[now].ends_with('\n');
                out.push_str(if is_ended { "" } else { line_end(text) });
            }
            continue;
        }
        let is_above = |line: &&&str| line.trim().is_empty() || line.starts_with('#');
        let above: Vec<_> = old[op.old_range()].iter().take_while(is_above).collect();
        let comments = above.iter().rposition(|line| line.starts_with('#'));
        out.extend(
            above
                .iter()
                .take(comments.map_or(0, |last| last + 1))
                .map(|line| **line),
        );
        for line in op.new_range() {
            out.push_str(bare_new[line]);
            let is_ended = new[line].ends_with('\n');
            out.push_str(if is_ended { line_end(text) } else { "" });
        }
    }
    Ok(out)
}

#[cfg(test)]
#[path = "toml_tests.rs"]
mod tests;
