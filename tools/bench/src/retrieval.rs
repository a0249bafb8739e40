//! Search results for a benchmark that asks from outside, over JSON lines. It searches as `waynote search` does.

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::path::Path;

use anyhow::{Context, Result};
use jiff::Timestamp;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use waynote::{
    Change, Content, EntryType, LocalStore, Name, Options, SearchRequest, SqliteStore, Stamp,
};
use waynote_postgres as postgres;

const STORE: &str = "notes.db";
/// The benchmark's key of each note, by the note's address.
const KEYS: &str = "keys.json";
/// A database: the notes are then in a store there, which is named after the folder.
const DATABASE: &str = "WAYNOTE_BENCH_POSTGRES";
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

/// Stores the notes on standard input as entries of one session, in order.
pub(crate) fn import(folder: &Path) -> Result<()> {
    import_from(folder, std::io::stdin().lock())
}

/// Answers each query on standard input with the keys that it finds, best first.
pub(crate) fn query(folder: &Path) -> Result<()> {
    answer(folder, std::io::stdin().lock(), std::io::stdout().lock())
}

/// The store of a folder: in it, or in a database.
fn open(folder: &Path, is_new: bool) -> Result<Box<dyn LocalStore>> {
    let Ok(database) = std::env::var(DATABASE) else {
        let store = SqliteStore::open(folder.join(STORE), &Options::default())?;
        return Ok(Box::new(store));
    };
    let name: Name = folder.canonicalize()?.to_string_lossy().parse()?;
    let options = postgres::Options::of_url(&database)?.store(name);
    if is_new {
        postgres::stores::create(options.clone())?;
    }
    Ok(Box::new(postgres::open(options)?))
}

/// Every line as a value.
fn each_line<T: DeserializeOwned>(
    lines: impl BufRead,
    mut work: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    for line in lines.lines() {
        let line = line.context("standard input")?;
        if line.trim().is_empty() {
            continue;
        }
        let value = serde_json::from_str(&line)
            .context("a line of standard input; tools/bench/README.md has the protocol")?;
        work(value)?;
    }
    Ok(())
}

fn import_from(folder: &Path, lines: impl BufRead) -> Result<()> {
    let store = open(folder, true)?;
    let stamp = Stamp::new(Timestamp::UNIX_EPOCH, "import:bench".parse()?);
    let mut keys: HashMap<String, String> = HashMap::new();
    let mut named = Vec::new();
    let mut take = |named: &mut Vec<(String, Change)>| -> Result<()> {
        let (names, changes): (Vec<String>, Vec<Change>) = named.drain(..).unzip();
        for (applied, name) in store.apply(&changes, &stamp)?.iter().zip(names) {
            keys.insert(applied.address.to_string(), name);
        }
        Ok(())
    };
    each_line(lines, |note: Note| {
        let created_at = note.created_at.parse();
        let append = Change::Append {
            resolves: None,
            session: SESSION.parse()?,
            kind: EntryType::Learning,
            iteration: None,
            content: Content::imported(note.content),
            id: None,
            created_at: Some(created_at.with_context(|| format!("`{}`", note.created_at))?),
        };
        named.push((note.key, append));
        if named.len() >= BATCH {
            take(&mut named)?;
        }
        Ok(())
    })?;
    take(&mut named)?;
    std::fs::write(folder.join(KEYS), serde_json::to_vec(&keys)?).context(KEYS)
}

fn answer(folder: &Path, queries: impl BufRead, mut answers: impl Write) -> Result<()> {
    let store = open(folder, false)?;
    let keys = std::fs::read(folder.join(KEYS)).context(KEYS)?;
    let keys: HashMap<String, String> = serde_json::from_slice(&keys).context(KEYS)?;
    each_line(queries, |query: Query| {
        let mut request = SearchRequest::new(query.query);
        request.limit = query.k;
        let hits = store.search(&request)?;
        let found: Vec<&String> = hits
            .iter()
            .filter_map(|hit| keys.get(&hit.note.address.to_string()))
            .collect();
        writeln!(answers, "{}", json!({ "keys": found }))?;
        Ok(answers.flush()?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_found_by_the_keys_of_the_benchmark() {
        let folder = tempfile::tempdir().unwrap();
        let notes = r#"{"key": "a", "content": "Which cache is slow?", "created_at": "2026-05-17T12:00:00+00:00"}
{"key": "b", "content": "the one on disk", "created_at": "2026-05-17T12:01:00+00:00"}
{"key": "c", "content": "a cache of words", "created_at": "2026-05-18T12:00:00+00:00"}
"#;
        import_from(folder.path(), notes.as_bytes()).unwrap();
        let queries = r#"{"query": "which of the caches is slow today", "k": 10, "budgets": [1000]}

{"query": "", "k": 1}
"#;
        let mut answers = Vec::new();
        answer(folder.path(), queries.as_bytes(), &mut answers).unwrap();
        let answers = String::from_utf8(answers).unwrap();
        assert_eq!(answers, "{\"keys\":[\"a\",\"b\",\"c\"]}\n{\"keys\":[]}\n");
        let refused = answer(folder.path(), "{}".as_bytes(), Vec::new()).unwrap_err();
        assert!(
            format!("{refused:#}").contains("missing field `query`"),
            "{refused:#}"
        );
    }
}
