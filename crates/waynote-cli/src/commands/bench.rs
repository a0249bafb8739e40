//! `waynote bench`: what search finds, measured from outside, over JSON lines. It searches as `waynote search` does.

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use waynote::{
    Change, Content, EntryType, Options, Reader, SearchRequest, SqliteStore, Stamp, Store,
};

use crate::args::BenchCommand;
use crate::error::{Failure, Outcome};
use crate::output::Output;

const STORE: &str = "notes.db";
/// Which note goes by which address here.
const KEYS: &str = "keys.json";
const SESSION: &str = "bench";
const BATCH: usize = 10_000;

#[derive(Deserialize)]
struct Note {
    key: String,
    content: String,
    created_at: String,
}

#[derive(Deserialize)]
struct Query {
    query: String,
    k: usize,
}

#[derive(Serialize)]
struct Answer<'a> {
    keys: Vec<&'a str>,
}

pub(super) fn run(command: &BenchCommand, output: &mut Output) -> Outcome {
    match command {
        BenchCommand::Import { folder } => import(folder),
        BenchCommand::Query { folder } => query(folder, output),
    }
}

/// Every line of standard input as a value.
fn each_line<T: for<'de> Deserialize<'de>>(mut work: impl FnMut(T) -> Outcome) -> Outcome {
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| Failure::file("standard input", "read", error))?;
        if line.trim().is_empty() {
            continue;
        }
        let value = serde_json::from_str(&line).map_err(|error| {
            Failure::usage(
                format!("a line of standard input is not what it should be: {error}"),
                "see docs/measurements.md for the protocol",
            )
        })?;
        work(value)?;
    }
    Ok(())
}

fn import(folder: &Path) -> Outcome {
    let store = SqliteStore::open(folder.join(STORE), &Options::default())?;
    let mut keys: HashMap<String, String> = HashMap::new();
    let mut names = Vec::new();
    let mut changes = Vec::new();
    let mut take = |names: &mut Vec<String>, changes: &mut Vec<Change>| -> Outcome {
        let stamp = Stamp::new(Timestamp::UNIX_EPOCH, "import:bench".parse()?);
        for (applied, name) in store.apply(changes, &stamp)?.iter().zip(names.drain(..)) {
            keys.insert(applied.address.to_string(), name);
        }
        changes.clear();
        Ok(())
    };
    each_line(|note: Note| {
        let created_at: Timestamp = note.created_at.parse().map_err(|_| {
            Failure::usage(
                format!("`{}` is no time", note.created_at),
                "write it as 2026-05-17T12:00:00Z",
            )
        })?;
        changes.push(Change::Append {
            resolves: None,
            session: SESSION.parse()?,
            kind: EntryType::Learning,
            iteration: None,
            content: Content::imported(note.content),
            id: None,
            created_at: Some(created_at),
        });
        names.push(note.key);
        if changes.len() >= BATCH {
            take(&mut names, &mut changes)?;
        }
        Ok(())
    })?;
    take(&mut names, &mut changes)?;
    let path = folder.join(KEYS);
    let text = serde_json::to_vec(&keys).map_err(std::io::Error::from)?;
    std::fs::write(&path, text).map_err(|error| Failure::file(path, "written", error))
}

fn query(folder: &Path, output: &mut Output) -> Outcome {
    let store = SqliteStore::open(folder.join(STORE), &Options::default())?;
    let path = folder.join(KEYS);
    let keys = std::fs::read(&path).map_err(|error| Failure::file(&path, "read", error))?;
    let keys: HashMap<String, String> = serde_json::from_slice(&keys)
        .map_err(|error| Failure::file(&path, "read", error.into()))?;
    each_line(|query: Query| {
        let mut request = SearchRequest::new(query.query);
        request.limit = query.k;
        let hits = store.search(&request)?;
        let keys = hits.iter().filter_map(|hit| {
            let key = keys.get(&hit.note.address.to_string());
            key.map(String::as_str)
        });
        let answer = Answer {
            keys: keys.collect(),
        };
        let mut line = serde_json::to_vec(&answer).map_err(std::io::Error::from)?;
        writeln!(line)?;
        output.text(&String::from_utf8_lossy(&line))?;
        output.flush()
    })
}
