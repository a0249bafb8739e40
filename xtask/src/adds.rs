//! Durable adds a second, beside bare SQLite inserting one row with a unique key and a full-text trigger at the
//! same settings.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use rusqlite::Connection;
use waynote::{
    Content, Kind, Limits, Notebook, Options, Place, Places, SaveOptions, SessionLog, SqliteStore,
    Stamp,
};

use crate::measure::median;

const COMMITS: u32 = 1000;
const PAIRS: usize = 7;

pub(crate) fn run() -> Result<()> {
    println!("durable adds: {PAIRS} pairs of {COMMITS} commits each, one writer");
    let mut rates = Vec::new();
    for _ in 0..PAIRS {
        let folder = tempfile::tempdir_in("target")?;
        rates.push((ours(folder.path())?, bare(folder.path())?));
    }
    let (ours, bare) = (
        median(rates.iter().map(|pair| pair.0)),
        median(rates.iter().map(|pair| pair.1)),
    );
    let ratio = median(rates.iter().map(|(ours, bare)| ours / bare));
    println!(
        "  waynote {ours:.0}/s, bare SQLite {bare:.0}/s, ratio {ratio:.2} (wanted: at least 0.80)"
    );
    Ok(())
}

fn text(number: u32) -> String {
    format!(
        "note {number}: the integration suite only passes when the clock is frozen, so freeze it first"
    )
}

/// Keys, log entries and places in turn.
fn ours(folder: &Path) -> Result<f64> {
    let store = SqliteStore::open(&folder.join("notes.db"), &Options::default())?;
    let notebook = Notebook::of_agent(&store, "bench".parse()?);
    let log = SessionLog::new(&store, "bench".parse()?);
    let places = Places::new(&store);
    let options = SaveOptions {
        limits: Limits::NONE,
        ..SaveOptions::default()
    };
    let begin = Instant::now();
    for number in 0..COMMITS {
        let stamp = Stamp::new(jiff::Timestamp::now(), "person".parse()?);
        let content = Content::text(text(number))?;
        match number % 3 {
            0 => {
                let key = format!("key-{number}").parse()?;
                notebook.save(&key, content, options, &stamp)?;
            }
            1 => {
                log.add(Kind::Tip, Some(1), content, &stamp)?;
            }
            _ => {
                let place: Place = format!("~/p/{number}").parse()?;
                places.write(&place, content, &stamp)?;
            }
        }
    }
    Ok(f64::from(COMMITS) / begin.elapsed().as_secs_f64())
}

fn bare(folder: &Path) -> Result<f64> {
    let conn = Connection::open(folder.join("bare.db"))?;
    conn.pragma_update(None, "journal_mode", "wal")?;
    conn.pragma_update(None, "synchronous", "FULL")?;
    conn.execute_batch(
        "CREATE TABLE note (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, body TEXT NOT NULL);
         CREATE VIRTUAL TABLE note_text USING fts5 (body, content = 'note', content_rowid = 'id');
         CREATE TRIGGER note_indexed AFTER INSERT ON note BEGIN
             INSERT INTO note_text (rowid, body) VALUES (new.id, new.body);
         END;",
    )?;
    let begin = Instant::now();
    for number in 0..COMMITS {
        let transaction = conn.unchecked_transaction()?;
        transaction
            .prepare_cached("INSERT INTO note (key, body) VALUES (?1, ?2)")?
            .execute((format!("key-{number}"), text(number)))?;
        transaction.commit()?;
    }
    Ok(f64::from(COMMITS) / begin.elapsed().as_secs_f64())
}
