//! Durable adds a second, beside bare SQLite inserting one row with a unique key and a full-text trigger at the
//! same settings.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use rusqlite::Connection;
use waynote::{
    Content, EntryType, Limits, Notebook, Options, Place, Places, SaveOptions, SessionLog,
    SqliteStore, Stamp,
};

use kit::measure::median;

/// Commits of one side before it is the other's turn: short, so that a machine that changes its speed changes both.
const COMMITS: u32 = 50;
const PAIRS: u32 = 60;

pub(crate) fn run() -> Result<()> {
    println!("durable adds: {PAIRS} pairs of {COMMITS} commits each in turn, one writer");
    let folder = tempfile::tempdir_in("target")?;
    let (mut ours, mut bare) = (
        WaynoteStore::open(folder.path())?,
        BareTable::open(folder.path())?,
    );
    let mut rates = Vec::new();
    for pair in 0..PAIRS {
        let numbers = pair * COMMITS..(pair + 1) * COMMITS;
        let rate = |work: &mut dyn FnMut(u32) -> Result<()>| -> Result<f64> {
            let begin = Instant::now();
            numbers.clone().try_for_each(work)?;
            Ok(f64::from(COMMITS) / begin.elapsed().as_secs_f64())
        };
        rates.push((
            rate(&mut |number| ours.add(number))?,
            rate(&mut |number| bare.add(number))?,
        ));
    }
    let (ours, bare) = (
        median(rates.iter().map(|pair| pair.0)),
        median(rates.iter().map(|pair| pair.1)),
    );
    let ratio = median(rates.iter().map(|(ours, bare)| ours / bare));
    // Pairs with a merge of the search index show in the sum, not in the median.
    let seconds = |of: fn(&(f64, f64)) -> f64| rates.iter().map(|pair| 1.0 / of(pair)).sum::<f64>();
    let in_all = seconds(|pair| pair.1) / seconds(|pair| pair.0);
    println!(
        "  waynote {ours:.0}/s, bare SQLite {bare:.0}/s, ratio {ratio:.2}, of all together {in_all:.2} (wanted: at least 0.80)"
    );
    Ok(())
}

fn text(number: u32) -> String {
    format!(
        "note {number}: the integration suite only passes when the clock is frozen, so freeze it first"
    )
}

struct WaynoteStore {
    store: SqliteStore,
}

impl WaynoteStore {
    fn open(folder: &Path) -> Result<Self> {
        Ok(Self {
            store: SqliteStore::open(folder.join("notes.db"), &Options::default())?,
        })
    }

    /// Keys, log entries and places in turn.
    fn add(&mut self, number: u32) -> Result<()> {
        let stamp = Stamp::new(jiff::Timestamp::now(), "person".parse()?);
        let content = Content::text(text(number))?;
        match number % 3 {
            0 => {
                let options = SaveOptions::default().limits(Limits::NONE);
                let key = format!("key-{number}").parse()?;
                let notebook = Notebook::of_agent(&self.store, "bench".parse()?);
                notebook.save(&key, content, options, &stamp)?;
            }
            1 => {
                let log = SessionLog::new(&self.store, "bench".parse()?);
                log.add(EntryType::Tip, Some(1), content, &stamp)?;
            }
            _ => {
                let place: Place = format!("~/p/{number}").parse()?;
                Places::new(&self.store).write(&place, content, &stamp)?;
            }
        }
        Ok(())
    }
}

struct BareTable {
    conn: Connection,
}

impl BareTable {
    fn open(folder: &Path) -> Result<Self> {
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
        Ok(Self { conn })
    }

    fn add(&mut self, number: u32) -> Result<()> {
        let transaction = self.conn.unchecked_transaction()?;
        transaction
            .prepare_cached("INSERT INTO note (key, body) VALUES (?1, ?2)")?
            .execute((format!("key-{number}"), text(number)))?;
        transaction.commit()?;
        Ok(())
    }
}
