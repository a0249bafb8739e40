//! `waynote context`, the whole process, in stores of which ever less applies; beside a bare program that opens the
//! same database and reads the same rows.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};
use waynote::{Change, EntryType, Options, SqliteStore, Stamp, Store};
use waynote_testing::values::{entry_of, save, save_pinned};

use kit::measure::{Cost, median, run as timed};
use kit::release;

/// Notes in the store beside those that apply.
const SIZES: &[u64] = &[100, 10_000, 100_000, 1_000_000];

const ROUNDS: usize = 31;
const BATCH: usize = 10_000;

pub(crate) fn run(largest: u64) -> Result<()> {
    println!(
        "context: 6 places, 10 pinned of 64 keys, 200 log entries apply; {ROUNDS} rounds of whole processes in turn"
    );
    let mut smallest = None;
    for size in SIZES.iter().filter(|size| **size <= largest) {
        let folder = PathBuf::from("target/bench").join(size.to_string());
        let store = folder.join("notes.db");
        if !store.exists() {
            fill(&store, *size)?;
        }
        let folder = folder.canonicalize()?;
        let smallest = smallest.get_or_insert_with(|| folder.clone());
        let rounds = rounds(&folder, smallest)?;
        let ratio = |of: fn(&Round) -> (f64, f64)| {
            median(rounds.iter().map(|round| of(round).0 / of(round).1))
        };
        println!(
            "  {size:>9} notes: {:.2} ms wall; x{:.2} of the smallest store; x{:.2} wall and x{:.2} CPU of the bare program",
            median(rounds.iter().map(|round| round.ours.wall)) * 1e3,
            ratio(|round| (round.ours.wall, round.smallest.wall)),
            ratio(|round| (round.ours.wall, round.bare.wall)),
            ratio(|round| (round.ours.cpu, round.bare.cpu)),
        );
    }
    println!("  (wanted: at most x1.3 of the smallest store, at most x2 of the bare program)");
    Ok(())
}

/// One of each, run right after one another.
struct Round {
    ours: Cost,
    bare: Cost,
    smallest: Cost,
}

fn rounds(folder: &Path, smallest: &Path) -> Result<Vec<Round>> {
    let programs = release::folder();
    let context = |folder: &Path| {
        let mut command = Command::new(release::program());
        command
            .env_clear()
            .env("HOME", "/home/bench")
            .current_dir("/");
        command.arg("--store").arg(folder.join("notes.db"));
        command.args([
            "--agent",
            "bench",
            "--session",
            "bench",
            "--iteration",
            "1000",
        ]);
        // All that applies, as the bare program reads it.
        command.args(["context", "--at", "~/a/b/c/d/e", "--budget", "0"]);
        command
    };
    let (mut ours, mut smallest) = (context(folder), context(smallest));
    let mut bare = Command::new(programs.join("floor"));
    bare.env_clear()
        .current_dir("/")
        .arg(folder.join("notes.db"));
    // Warm, and a check that both find the same.
    timed(&mut smallest)?;
    let block = ours.output()?.stdout;
    let read: usize = String::from_utf8(bare.output()?.stdout)?.trim().parse()?;
    ensure!(read == 6 + 64 + 200, "the bare program read {read} rows");
    ensure!(
        block.split(|byte| *byte == b'\n').count() > 250,
        "the block is too short"
    );
    let round = |_| {
        Ok(Round {
            ours: timed(&mut ours)?,
            bare: timed(&mut bare)?,
            smallest: timed(&mut smallest)?,
        })
    };
    (0..ROUNDS).map(round).collect()
}

/// A store in a file, with these changes by a person.
pub(crate) fn filled(
    path: &Path,
    changes: impl IntoIterator<Item = Result<Change>>,
) -> Result<SqliteStore> {
    let store = SqliteStore::open(path, &Options::default())?;
    let stamp = Stamp::new("2026-05-17T12:00:00Z".parse()?, "person".parse()?);
    let mut changes = changes.into_iter();
    loop {
        let batch: Vec<Change> = changes.by_ref().take(BATCH).collect::<Result<_>>()?;
        if batch.is_empty() {
            return Ok(store);
        }
        store.apply(&batch, &stamp)?;
    }
}

/// Fills a store, the notes that apply spread among the others.
pub(crate) fn fill(path: &Path, size: u64) -> Result<()> {
    let applies = applying()?;
    let all = applies.len() as u64;
    let (every, at_once) = ((size / all).max(1), all.div_ceil(size));
    let mut applies = applies.into_iter().map(Ok);
    let others = (0..size).flat_map(|number| {
        let due = u64::from(number.is_multiple_of(every)) * at_once;
        let mut some: Vec<_> = applies.by_ref().take(due as usize).collect();
        some.push(other(number));
        some
    });
    filled(path, others).map(drop)
}

fn applying() -> Result<Vec<Change>> {
    let mut changes = Vec::new();
    for place in ["~", "~/a", "~/a/b", "~/a/b/c", "~/a/b/c/d", "~/a/b/c/d/e"] {
        let text = format!("What holds in {place} and below.");
        changes.push(save(format!("place:{place}").parse()?, &text));
    }
    for number in 0..64 {
        let address = format!("agent:bench#key-{number}").parse()?;
        let text = format!("Fact number {number} of the agent that is measured.");
        changes.push(save_pinned(address, &text, number < 10));
    }
    for number in 0..200 {
        let text = format!("What iteration {number} found out about the build.");
        changes.push(entry_of("bench", kind(number), number, &text));
    }
    Ok(changes)
}

/// The types of entries in turn.
pub(crate) fn kind(number: i64) -> EntryType {
    EntryType::ALL[number.rem_euclid(4) as usize].clone()
}

/// A note that does not apply: other places, other agents, other sessions.
fn other(number: u64) -> Result<Change> {
    let text = format!(
        "Note {number} is about something else altogether, in another place or for somebody else."
    );
    let group = number / 60;
    Ok(match number % 3 {
        0 => save(format!("place:~/other/{group}/{number}").parse()?, &text),
        1 => {
            let address = format!("agent:agent-{group}#key-{number}").parse()?;
            save_pinned(address, &text, number.is_multiple_of(7))
        }
        _ => {
            let iteration = i64::try_from(number % 50)?;
            let session = format!("session-{group}");
            entry_of(&session, kind(iteration), iteration, &text)
        }
    })
}
