//! `search` in a store of 100,000 notes, beside SQLite's own full-text search of the same texts; and what keeping the
//! index costs the writes that pay for it.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, ensure};
use rusqlite::Connection;
use waynote::{Change, EntryType, Options, Reader, SearchRequest, SqliteStore, Stamp, Store};
use waynote_testing::values::{entry_of, save};

use crate::contexts::filled;
use kit::measure::median;
use kit::random::Random;

const NOTES: u32 = 100_000;
const WORDS: usize = 40;
const VOCABULARY: usize = 50_000;
const ROUNDS: usize = 15;
/// Stands in nine notes of ten.
const COMMON: &str = "everywhere";
/// How frequent the words of the queries are: the first is the rarest that still is in hundreds of notes.
const RANKS: [usize; 8] = [1000, 60, 400, 20, 2500, 150, 6000, 15_000];
/// Enough adds for the largest merge there is.
const ADDS: u32 = 17_000;

pub(crate) fn run() -> Result<()> {
    let folder = PathBuf::from("target/bench/search");
    if !folder.join("done").exists() {
        fill(&folder)?;
    }
    queries(&folder)?;
    writes()
}

/// One query of each side, run in turn with the peer's.
struct Case {
    name: String,
    query: String,
    wanted: f64,
}

fn queries(folder: &Path) -> Result<()> {
    let words = RANKS.map(word);
    let peer_query = words.join(" OR ");
    let text = text(4711);
    let two: Vec<&str> = text.split(' ').skip(10).take(2).collect();
    let mut cases: Vec<Case> = (1..=8)
        .map(|count| Case {
            name: format!("{count} words"),
            query: words[..count].join(" "),
            wanted: 0.5,
        })
        .collect();
    let prefix = &word(40)[..4];
    for (name, query, wanted) in [
        ("a phrase", format!("\"{}\"", two.join(" ")), 0.5),
        ("a prefix", format!("{prefix}*"), 0.5),
        (
            "an exclusion",
            format!("{} {} -{}", words[1], words[2], words[3]),
            0.5,
        ),
        ("in 9 of 10 notes", COMMON.to_owned(), 1.0),
    ] {
        cases.push(Case {
            name: name.to_owned(),
            query,
            wanted,
        });
    }
    println!(
        "search: {NOTES} notes of {WORDS} words; each beside SQLite's ORDER BY rank LIMIT 10 for eight OR-ed words, {ROUNDS} rounds in turn"
    );
    let store = open(folder)?;
    let peer = Connection::open(folder.join("peer.db"))?;
    ensure!(store.verify()?.is_clean(), "the store is damaged");
    for case in cases {
        let mut rounds = Vec::new();
        for _ in 0..ROUNDS {
            rounds.push([
                timed(|| ask_peer(&peer, &peer_query))?,
                timed(|| ask(&store, &case.query))?,
                timed(|| ask_peer(&Connection::open(folder.join("peer.db"))?, &peer_query))?,
                timed(|| ask(&open(folder)?, &case.query))?,
            ]);
        }
        let times = |of: usize| median(rounds.iter().map(|round| round[of])) * 1e3;
        println!(
            "  {:<17} {:>6.2} ms of {:>6.2}: x{:.3}; opened anew {:>6.2} ms of {:>6.2}: x{:.3} (wanted: at most x{})",
            case.name,
            times(1),
            times(0),
            median(rounds.iter().map(|round| round[1] / round[0])),
            times(3),
            times(2),
            median(rounds.iter().map(|round| round[3] / round[2])),
            case.wanted,
        );
    }
    Ok(())
}

fn open(folder: &Path) -> Result<SqliteStore> {
    Ok(SqliteStore::open(
        folder.join("notes.db"),
        &Options::default(),
    )?)
}

fn timed(work: impl FnOnce() -> Result<()>) -> Result<f64> {
    let begin = Instant::now();
    work()?;
    Ok(begin.elapsed().as_secs_f64())
}

fn ask(store: &SqliteStore, query: &str) -> Result<()> {
    let hits = store.search(&SearchRequest::new(query))?;
    ensure!(!hits.is_empty(), "nothing found for {query}");
    Ok(())
}

fn ask_peer(peer: &Connection, query: &str) -> Result<()> {
    let sql = "SELECT body FROM note_text WHERE note_text MATCH ?1 ORDER BY rank LIMIT 10";
    let mut statement = peer.prepare_cached(sql)?;
    let found = statement
        .query_map([query], |row| row.get(0))?
        .collect::<rusqlite::Result<Vec<String>>>()?;
    ensure!(found.len() == 10, "the peer found {} notes", found.len());
    Ok(())
}

/// Times of single adds: most of them, those that seal a segment, those that merge too.
fn writes() -> Result<()> {
    let folder = tempfile::tempdir_in("target")?;
    let store = SqliteStore::open(folder.path().join("notes.db"), &Options::default())?;
    let stamp = Stamp::new("2026-05-17T12:00:00Z".parse()?, "person".parse()?);
    let mut costs = Vec::new();
    for number in 0..ADDS {
        let entry = [entry_of("bench", EntryType::Tip, 1, &text(number))];
        costs.push(timed(|| Ok(store.apply(&entry, &stamp).map(drop)?))?);
    }
    // The add whose row is a multiple of 256 seals, of 2,048 merges too; seven of those make the largest merge.
    const LARGEST: usize = 7 * 2048;
    let class = |of: fn(usize) -> bool| {
        let some = (1..=costs.len()).filter(|number| of(*number));
        median(some.map(|number| costs[number - 1] * 1e3))
    };
    println!(
        "what keeping the index costs single adds of {WORDS} words, medians of {ADDS}: most {:.2} ms, \
         sealing 256 notes {:.1} ms, and merging to 2,048 {:.1} ms, and merging to 14,336, the largest, {:.1} ms \
         (wanted: under 100 ms)",
        class(|number| !number.is_multiple_of(256)),
        class(|number| number.is_multiple_of(256) && !number.is_multiple_of(2048)),
        class(|number| number.is_multiple_of(2048) && number != LARGEST),
        class(|number| number == LARGEST),
    );
    Ok(())
}

/// Numbers without pattern, the same each time.
fn mixed(seed: u64) -> u64 {
    Random(seed).number()
}

/// A word by its rank: two to five syllables.
fn word(rank: usize) -> String {
    let mut left = mixed(rank as u64) % 900_000 + 100 * (rank as u64 % 7);
    let mut word = String::new();
    // The rank's own syllables keep words apart.
    left = left * VOCABULARY as u64 + rank as u64;
    while left > 0 {
        word.push(char::from(b"bcdfghjklmnprstvz"[(left % 17) as usize]));
        left /= 17;
        word.push(char::from(b"aeiou"[(left % 5) as usize]));
        left /= 5 * 8;
    }
    word
}

/// A rank as Zipf has it: the word of rank n is the n-th part as frequent as the first.
fn rank(seed: u64) -> usize {
    let share = mixed(seed) as f64 / u64::MAX as f64;
    (((VOCABULARY as f64).ln() * share).exp() as usize).min(VOCABULARY - 1)
}

fn text(number: u32) -> String {
    let mut words: Vec<String> = (0..WORDS)
        .map(|index| word(rank(u64::from(number) * 1000 + index as u64) + 10))
        .collect();
    if !number.is_multiple_of(10) {
        words[WORDS / 2] = COMMON.to_owned();
    }
    words.join(" ")
}

/// Fills both sides with the same texts.
fn fill(folder: &Path) -> Result<()> {
    println!("filling {} once", folder.display());
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    std::fs::create_dir_all(folder)?;
    let seconds = timed(|| filled(&folder.join("notes.db"), (0..NOTES).map(change)).map(drop))?;
    println!("  ours in {seconds:.1} s");
    let peer = Connection::open(folder.join("peer.db"))?;
    peer.pragma_update(None, "journal_mode", "wal")?;
    peer.execute_batch("CREATE VIRTUAL TABLE note_text USING fts5 (body)")?;
    let seconds = timed(|| {
        let transaction = peer.unchecked_transaction()?;
        let insert = "INSERT INTO note_text (body) VALUES (?1)";
        for number in 0..NOTES {
            transaction
                .prepare_cached(insert)?
                .execute([text(number)])?;
        }
        Ok(transaction.commit()?)
    })?;
    println!("  the peer in {seconds:.1} s");
    std::fs::write(folder.join("done"), "")?;
    Ok(())
}

/// Keys, entries and places in turn.
fn change(number: u32) -> Result<Change> {
    let text = text(number);
    let group = number / 300;
    Ok(match number % 3 {
        0 => save(format!("agent:agent-{group}#key-{number}").parse()?, &text),
        1 => {
            let session = format!("session-{}", number % 50);
            entry_of(&session, EntryType::Tip, i64::from(number / 100), &text)
        }
        _ => save(format!("place:~/p/{group}/{number}").parse()?, &text),
    })
}
