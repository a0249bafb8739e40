//! Codex's `config.toml`, edited by a library that keeps comments and order.

use serde_json::Value as Json;
use toml_edit::{Array, Document, DocumentMut, InlineTable, Item, Table, Value};
use waynote::text::line_of;

use waynote_system::variables::AUTHOR;

use super::edit::BYTE_ORDER_MARK;
use super::entry::{NAME, Server};
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
    // The editor takes the comments above a table with it, and those are a person's.
    let table = own
        .as_table()
        .filter(|own| !own.is_implicit() && !own.is_dotted());
    let (above, from) = text.split_at(table.and_then(Table::span).map_or(0, |span| span.start));
    let left = edit(from, |document| {
        if let Some(servers) = document[SERVERS].as_table_like_mut() {
            servers.remove(NAME);
        }
    })?;
    // The blank line that we write above it goes too.
    let line = above
        .strip_suffix('\n')
        .map(|line| line.strip_suffix('\r').unwrap_or(line));
    let blank = line.filter(|line| line.is_empty() || line.ends_with('\n'));
    // Tables of it may stand further up.
    take_back(&(blank.unwrap_or(above).to_owned() + &left))
}

/// Puts our table at the end of the file; into the list of servers where that stands in braces.
fn insert(text: &str, server: &Server) -> EditResult {
    let document: DocumentMut = text.parse().map_err(|error| damaged(text, &error))?;
    match document.get(SERVERS) {
        Some(servers) if servers.is_inline_table() => edit(text, |document| {
            let own = InlineTable::from_iter(members(server));
            document[SERVERS][NAME] = Item::Value(own.into());
        }),
        Some(servers) if !servers.is_table_like() => Err(Refusal::damaged(
            None,
            format!("`{SERVERS}` in it is not a table"),
        )),
        _ => {
            let table = Table::from_iter(members(server));
            let gap = match text {
                "" => "",
                text if text.ends_with('\n') => "\n",
                _ => "\n\n",
            };
            let own = format!("{gap}[{SERVERS}.{NAME}]\n{table}");
            let own = match text.contains("\r\n") {
                true => own.replace('\n', "\r\n"),
                false => own,
            };
            Ok(format!("{text}{own}"))
        }
    }
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

/// The contents of a file, as JSON.
pub(crate) fn read(text: &str) -> Option<Json> {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let file: toml::Table = text.parse().ok()?;
    serde_json::to_value(file).ok()
}

fn damaged(text: &str, error: &toml_edit::TomlError) -> Refusal {
    let line = error.span().map(|span| line_of(text, span.start));
    Refusal::damaged(line, error.message().trim().replace('\n', ", "))
}

/// The text as the editor leaves it, with the line ends that it had.
fn edit(text: &str, work: impl FnOnce(&mut DocumentMut)) -> EditResult {
    let mut document: DocumentMut = text.parse().map_err(|error| damaged(text, &error))?;
    work(&mut document);
    let after = document.to_string();
    Ok(match text.contains("\r\n") {
        true => after.replace("\r\n", "\n").replace('\n', "\r\n"),
        false => after,
    })
}

#[cfg(test)]
#[path = "toml_tests.rs"]
mod tests;
