//! `waynote context`, the whole process, in stores of which ever less applies; beside a bare program that opens the
//! same database and reads the same rows.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};
use waynote::{
    Address, Change, Content, EntryType, Expect, Limits, Options, SqliteStore, Stamp, Store,
};

use kit::measure::{Cost, median, run as timed};
use kit::release;

/// Notes in the store beside those that apply.
const SIZES: &[u64] = &[100, 10_000, 100_000, 1_000_000];

const ROUNDS: usize = 31;
const BATCH: u64 = 10_000;

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
        let mut command = Command::new(programs.join("waynote"));
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

/// Fills a store, the notes that apply spread among the others.
pub(crate) fn fill(path: &Path, size: u64) -> Result<()> {
    let store = SqliteStore::open(path, &Options::default())?;
    let stamp = Stamp::new("2026-05-17T12:00:00Z".parse()?, "person".parse()?);
    let mut applies = applying()?;
    let every = (size / applies.len() as u64).max(1);
    let mut batch = Vec::new();
    for number in 0..size {
        if number.is_multiple_of(every) {
            batch.extend(applies.pop());
        }
        batch.push(other(number)?);
        if batch.len() as u64 >= BATCH {
            store.apply(&batch, &stamp)?;
            batch.clear();
        }
    }
    batch.extend(applies);
    store.apply(&batch, &stamp)?;
    Ok(())
}

fn save(address: Address, text: String, pin: bool) -> Result<Change> {
    Ok(Change::Save {
        address,
        content: Content::text(text)?,
        pin: Some(pin),
        limits: Limits::NONE,
        expect: Expect::Any,
        origin: None,
    })
}

fn append(session: &str, iteration: i64, text: String) -> Result<Change> {
    Ok(Change::Append {
        resolves: None,
        session: session.parse()?,
        kind: EntryType::ALL[usize::try_from(iteration)? % 4].clone(),
        iteration: Some(iteration),
        content: Content::text(text)?,
        id: None,
        created_at: None,
    })
}

fn applying() -> Result<Vec<Change>> {
    let mut changes = Vec::new();
    for place in ["~", "~/a", "~/a/b", "~/a/b/c", "~/a/b/c/d", "~/a/b/c/d/e"] {
        changes.push(save(
            Address::Place(place.parse()?),
            format!("What holds in {place} and below."),
            false,
        )?);
    }
    for number in 0..64 {
        let address = Address::Agent("bench".parse()?, format!("key-{number}").parse()?);
        changes.push(save(
            address,
            format!("Fact number {number} of the agent that is measured."),
            number < 10,
        )?);
    }
    for number in 0..200 {
        changes.push(append(
            "bench",
            number,
            format!("What iteration {number} found out about the build."),
        )?);
    }
    Ok(changes)
}

/// A note that does not apply: other places, other agents, other sessions.
fn other(number: u64) -> Result<Change> {
    let text = format!(
        "Note {number} is about something else altogether, in another place or for somebody else."
    );
    let group = number / 60;
    match number % 3 {
        0 => save(
            Address::Place(format!("~/other/{group}/{number}").parse()?),
            text,
            false,
        ),
        1 => save(
            Address::Agent(
                format!("agent-{group}").parse()?,
                format!("key-{number}").parse()?,
            ),
            text,
            number.is_multiple_of(7),
        ),
        _ => append(
            &format!("session-{group}"),
            i64::try_from(number % 50)?,
            text,
        ),
    }
}
