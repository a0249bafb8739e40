//! The server is killed under load: every acknowledged write is there, and a reader of the feed that comes back has read
//! everything once and in order.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use waynote::store::Cursor;
use waynote::{Address, Options, Reader, SqliteStore, Store};

use super::Form;
use super::client::Client;
use super::load::put;
use super::server::{AGENTS, API, RunningServer, store, text};
use kit::random::Random;

const WRITERS: usize = 16;

/// How long a reader may need for the rest after the last write.
const PATIENCE: Duration = Duration::from_secs(30);

/// The writes that the server said it has.
type AcknowledgedWrites = Mutex<Vec<u32>>;

pub(super) fn run(program: &Path, form: &Form) -> Result<()> {
    let folder = tempfile::tempdir_in(kit::registries::target())?;
    let mut serving = RunningServer::start(program, folder.path(), 0)?;
    let address = serving.address;
    let next = AtomicU32::new(0);
    let (are_written, is_over) = (AtomicBool::new(false), AtomicBool::new(false));
    let acknowledged = AcknowledgedWrites::default();
    let (mut checked, mut random) = (0, Random::of(5, 0));
    let read = Mutex::new(Vec::new());
    std::thread::scope(|scope| -> Result<()> {
        // The threads end when this does, however it ends.
        let _over = (EndSignal(&are_written), EndSignal(&is_over));
        let writer = || {
            while !are_written.load(Ordering::Relaxed) {
                // One that is killed has a successor.
                let Ok(mut client) = Client::connect(address) else {
                    std::thread::yield_now();
                    continue;
                };
                write(&mut client, &next, &acknowledged, &are_written);
            }
        };
        let writers: Vec<_> = (0..WRITERS).map(|_| scope.spawn(writer)).collect();
        scope.spawn(|| follow(address, &read, &is_over));
        for _ in 0..form.kills {
            let before = count(&acknowledged);
            let time = Duration::from_millis(100 + random.below(900) as u64);
            let begin = Instant::now();
            // It has written something, and then lives for a random time.
            while count(&acknowledged) < before + WRITERS || begin.elapsed() < time {
                ensure!(begin.elapsed() < PATIENCE, "nothing was acknowledged");
                std::thread::sleep(Duration::from_millis(5));
            }
            serving.kill()?;
            checked = check(folder.path(), &acknowledged, checked)?;
            serving = RunningServer::start(program, folder.path(), address.port())?;
        }
        are_written.store(true, Ordering::Relaxed);
        // Their last requests may still be on their way.
        for writer in writers {
            ensure!(writer.join().is_ok(), "a writer panicked");
        }
        caught_up(folder.path(), &read)
    })?;
    check(folder.path(), &acknowledged, 0)?;
    let store = SqliteStore::open(store(folder.path()), &Options::default())?;
    let whole = items(&store)?;
    let read = read.into_inner().unwrap_or_else(PoisonError::into_inner);
    ensure!(
        read == whole,
        "the reader of the feed has {} items, the store {}",
        read.len(),
        whole.len()
    );
    ensure!(store.verify()?.is_clean(), "the store is damaged");
    println!(
        "the server killed {} times under load: {} acknowledged writes, all there; {} items of the feed read once, in order",
        form.kills,
        count(&acknowledged),
        read.len()
    );
    Ok(())
}

/// Tells the threads that it is over.
pub(super) struct EndSignal<'o>(pub(super) &'o AtomicBool);

impl Drop for EndSignal<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn count(acknowledged: &AcknowledgedWrites) -> usize {
    acknowledged
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .len()
}

fn write(
    client: &mut Client,
    next: &AtomicU32,
    acknowledged: &AcknowledgedWrites,
    is_over: &AtomicBool,
) {
    while !is_over.load(Ordering::Relaxed) {
        let number = next.fetch_add(1, Ordering::Relaxed);
        match put(client, number) {
            Ok((201, _)) => acknowledged
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(number),
            _ => return,
        }
    }
}

/// Reads the feed from its start, and goes on where it was when the connection ends.
fn follow(address: std::net::SocketAddr, read: &Mutex<Vec<String>>, is_over: &AtomicBool) {
    let mut last = "start".to_owned();
    while !is_over.load(Ordering::Relaxed) {
        let Ok(client) = Client::connect(address) else {
            std::thread::yield_now();
            continue;
        };
        // The next connection goes on, after any end of this one.
        let _ = client.feed(&format!("{API}/changes"), &last.clone(), |id, data| {
            if !data.is_empty() {
                let item: serde_json::Value = serde_json::from_str(data).unwrap_or_default();
                let at = item["at"].as_str().unwrap_or("no point").to_owned();
                read.lock().unwrap_or_else(PoisonError::into_inner).push(at);
                id.clone_into(&mut last);
            }
            !is_over.load(Ordering::Relaxed)
        });
    }
}

/// Every item of the feed, as the store has it.
fn items(store: &SqliteStore) -> Result<Vec<String>> {
    let items = store.feed(Cursor::START, usize::MAX)?;
    Ok(items.iter().map(|item| item.at.to_string()).collect())
}

/// Waits until the reader has read what there is.
fn caught_up(folder: &Path, read: &Mutex<Vec<String>>) -> Result<()> {
    let store = SqliteStore::open(store(folder), &Options::default())?;
    let begin = Instant::now();
    loop {
        let last = items(&store)?.pop().context("the feed is empty")?;
        let has = |read: &Vec<String>| read.last() == Some(&last);
        if has(&read.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(());
        }
        ensure!(
            begin.elapsed() < PATIENCE,
            "the reader of the feed does not get to its end"
        );
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Looks for the acknowledged writes from a number of them on, in the store itself, and returns how many there are.
fn check(folder: &Path, acknowledged: &AcknowledgedWrites, from: usize) -> Result<usize> {
    let acknowledged = acknowledged
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone();
    let store = SqliteStore::open(store(folder), &Options::default())?;
    for number in &acknowledged[from..] {
        let address: Address = format!("agent:agent-{}#key-{number}", number % AGENTS).parse()?;
        let note = store.get(&address)?;
        let is_there = note.is_some_and(|note| note.content.shown() == text(*number));
        ensure!(is_there, "{address} was acknowledged, and is not there");
    }
    Ok(acknowledged.len())
}
