//! Durable adds a second by many threads of one process on one store, beside one thread.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use waynote::{Content, Limits, Notebook, Options, SaveOptions, SqliteStore, Stamp};

use kit::measure::median;

const THREADS: [usize; 4] = [1, 4, 16, 64];
const ROUNDS: u32 = 9;

/// How long each number of threads writes before it is the next one's turn.
const TURN: Duration = Duration::from_millis(500);

pub(crate) fn run() -> Result<()> {
    println!(
        "durable adds by threads of one process on one store: {ROUNDS} turns of {TURN:?} each"
    );
    let folder = tempfile::tempdir_in("target")?;
    let store = SqliteStore::open(folder.path().join("notes.db"), &Options::default())?;
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
    let end = begin + TURN;
    let added: Result<u32> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(move || -> Result<u32> {
                    let mut added = 0;
                    while Instant::now() < end {
                        add(store, number.fetch_add(1, Ordering::Relaxed))?;
                        added += 1;
                    }
                    Ok(added)
                })
            })
            .collect();
        let joined = workers.into_iter().map(|worker| {
            let joined = worker.join();
            joined.unwrap_or_else(|_| Err(anyhow::anyhow!("a thread panicked")))
        });
        joined.sum()
    });
    Ok(f64::from(added?) / begin.elapsed().as_secs_f64())
}

fn add(store: &SqliteStore, number: u32) -> Result<()> {
    let stamp = Stamp::new(jiff::Timestamp::now(), "person".parse()?);
    let options = SaveOptions::default().limits(Limits::NONE);
    let text = format!(
        "note {number}: the suite only passes when the clock is frozen, so freeze it first"
    );
    let notebook = Notebook::of_agent(store, format!("agent-{}", number % 8).parse()?);
    notebook.save(
        &format!("key-{number}").parse()?,
        Content::text(text)?,
        options,
        &stamp,
    )?;
    Ok(())
}
