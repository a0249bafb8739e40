//! Durable adds a second by one thread and by many, beside bare SQLite inserting one row with a unique key and a
//! full-text trigger at the same settings.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use rusqlite::Connection;
use waynote::{EntryType, Options, SqliteStore, Stamp, Store};
use waynote_testing::values::{entry_of, save};

use kit::at_once::at_once;
use kit::measure::median;

/// Commits of one side before it is the other's turn: short, so that a machine that changes its speed changes both.
const COMMITS: u32 = 50;
const PAIRS: u32 = 60;

pub(crate) fn run() -> Result<()> {
    println!("durable adds: {PAIRS} pairs of {COMMITS} commits each in turn, one writer");
    let folder = tempfile::tempdir_in("target")?;
    let (ours, bare) = (open(folder.path())?, BareTable::open(folder.path())?);
    let mut rates = Vec::new();
    for pair in 0..PAIRS {
        let numbers = pair * COMMITS..(pair + 1) * COMMITS;
        let rate = |work: &mut dyn FnMut(u32) -> Result<()>| -> Result<f64> {
            let begin = Instant::now();
            numbers.clone().try_for_each(work)?;
            Ok(f64::from(COMMITS) / begin.elapsed().as_secs_f64())
        };
        rates.push((
            rate(&mut |number| add(&ours, number))?,
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

fn open(folder: &Path) -> Result<SqliteStore> {
    Ok(SqliteStore::open(
        folder.join("notes.db"),
        &Options::default(),
    )?)
}

/// Keys, log entries and places in turn.
fn add(store: &SqliteStore, number: u32) -> Result<()> {
    let text = text(number);
    let change = match number % 3 {
        0 => save(format!("agent:bench#key-{number}").parse()?, &text),
        1 => entry_of("bench", EntryType::Tip, 1, &text),
        _ => save(format!("place:~/p/{number}").parse()?, &text),
    };
    let stamp = Stamp::new(jiff::Timestamp::now(), "person".parse()?);
    store.apply(&[change], &stamp)?;
    Ok(())
}

/// How long each number of threads writes before it is the next one's turn.
const TURN: Duration = Duration::from_millis(500);

/// Adds a second by many threads of one process, beside one thread.
pub(crate) fn threads() -> Result<()> {
    const THREADS: [usize; 4] = [1, 4, 16, 64];
    const ROUNDS: u32 = 9;
    println!(
        "durable adds by threads of one process on one store: {ROUNDS} turns of {TURN:?} each"
    );
    let folder = tempfile::tempdir_in("target")?;
    let store = open(folder.path())?;
    let number = AtomicU32::new(0);
    let mut rates = vec![Vec::new(); THREADS.len()];
    for _ in 0..ROUNDS {
        for (rates, threads) in rates.iter_mut().zip(THREADS) {
            rates.push(rate(&store, threads, &number)?);
        }
    }
    let one = rates[0].clone();
    for (rates, threads) in rates.iter().zip(THREADS) {
        let ratio = median(rates.iter().zip(&one).map(|(rate, one)| rate / one));
        println!(
            "  {threads:>2} threads: {:.0} adds/s, {ratio:.2} x one thread",
            median(rates.iter().copied())
        );
    }
    println!("  wanted: 64 threads at least 3 x one");
    Ok(())
}

/// Adds a second by so many threads.
fn rate(store: &SqliteStore, threads: usize, number: &AtomicU32) -> Result<f64> {
    let begin = Instant::now();
    let added = at_once(threads, 0..threads, |_| -> Result<u32> {
        let mut added = 0;
        while begin.elapsed() < TURN {
            add(store, number.fetch_add(1, Ordering::Relaxed))?;
            added += 1;
        }
        Ok(added)
    });
    let added: Result<u32> = added.into_iter().sum();
    Ok(f64::from(added?) / begin.elapsed().as_secs_f64())
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

    fn add(&self, number: u32) -> Result<()> {
        let transaction = self.conn.unchecked_transaction()?;
        transaction
            .prepare_cached("INSERT INTO note (key, body) VALUES (?1, ?2)")?
            .execute((format!("key-{number}"), text(number)))?;
        transaction.commit()?;
        Ok(())
    }
}
