//! Codex's `config.toml`, edited so that everything else stays as it is.

use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, Value};

use super::change::{Edited, NAME, Server, Unreadable, starts_our_server, taken};

const SERVERS: &str = "mcp_servers";

/// Variables that Codex would not hand on to a server by itself.
const HANDED_ON: [&str; 5] = [
    "WAYNOTE_STORE",
    "WAYNOTE_CONFIG",
    "WAYNOTE_AGENT",
    "WAYNOTE_SESSION",
    "WAYNOTE_ITERATION",
];

/// Puts our server in.
pub(crate) fn add(text: &str, server: &Server) -> Edited {
    edit(text, |document| {
        let servers = document.entry(SERVERS).or_insert_with(|| {
            let mut table = Table::new();
            table.set_implicit(true);
            Item::Table(table)
        });
        let is_inline = servers.is_inline_table();
        let servers = servers
            .as_table_like_mut()
            .ok_or_else(|| Unreadable::new(None, format!("`{SERVERS}` in it is not a table")))?;
        let args: Array = server.args.iter().map(String::as_str).collect();
        let Some(own) = servers.get_mut(NAME) else {
            let mut env = InlineTable::new();
            env.insert("WAYNOTE_AUTHOR", server.author.as_str().into());
            let handed_on: Array = HANDED_ON.into_iter().collect();
            let members: [(&str, Value); 4] = [
                ("command", server.command.as_str().into()),
                ("args", args.into()),
                ("env", env.into()),
                ("env_vars", handed_on.into()),
            ];
            let entry = if is_inline {
                Item::Value(InlineTable::from_iter(members).into())
            } else {
                Item::Table(Table::from_iter(members))
            };
            servers.insert(NAME, entry);
            return Ok(());
        };
        let own = own.as_table_like_mut().ok_or_else(|| {
            Unreadable::new(None, format!("`{SERVERS}.{NAME}` in it is not a table"))
        })?;
        if !is_ours(own) {
            return Err(taken());
        }
        // What a person added to the entry stays.
        if own.get("command").and_then(Item::as_str) != Some(&server.command) {
            own.insert("command", server.command.as_str().into());
        }
        let texts = |item: &Item| {
            let array = item.as_array()?;
            array
                .iter()
                .map(|arg| arg.as_str().map(str::to_owned))
                .collect::<Option<Vec<_>>>()
        };
        if own.get("args").and_then(texts).as_ref() != Some(&server.args) {
            own.insert("args", Item::Value(args.into()));
        }
        Ok(())
    })
}

/// Takes our server out.
pub(crate) fn take_back(text: &str) -> Edited {
    edit(text, |document| {
        let Some(servers) = document.get_mut(SERVERS).and_then(Item::as_table_like_mut) else {
            return Ok(());
        };
        let is_ours = servers
            .get(NAME)
            .and_then(Item::as_table_like)
            .is_some_and(is_ours);
        if is_ours && servers.remove(NAME).is_some() && servers.is_empty() {
            document.remove(SERVERS);
        }
        Ok(())
    })
}

/// Whether an entry of our name starts our server.
fn is_ours(entry: &dyn TableLike) -> bool {
    let args = entry.get("args").and_then(Item::as_array);
    let args = args.into_iter().flatten().filter_map(Value::as_str);
    let command = entry.get("command").and_then(Item::as_str);
    starts_our_server(command.into_iter().chain(args))
}

fn edit(text: &str, work: impl FnOnce(&mut DocumentMut) -> Edited<()>) -> Edited {
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        let line = error
            .span()
            .map(|span| 1 + text[..span.start.min(text.len())].matches('\n').count());
        Unreadable::new(line, error.message().trim().replace('\n', ", "))
    })?;
    let before = document.to_string();
    work(&mut document)?;
    let after = document.to_string();
    if after == before {
        return Ok(text.to_owned());
    }
    // The editor writes every line end as a line feed, and leaves a byte order mark out.
    let is_windows =
        text.contains("\r\n") && text.matches('\n').count() == text.matches("\r\n").count();
    let after = match is_windows {
        true => after.replace("\r\n", "\n").replace('\n', "\r\n"),
        false => after,
    };
    Ok(
        match text.starts_with('\u{feff}') && !after.starts_with('\u{feff}') {
            true => format!("\u{feff}{after}"),
            false => after,
        },
    )
}

#[cfg(test)]
#[path = "toml_tests.rs"]
mod tests;
