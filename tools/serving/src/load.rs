//! Clients that read and write at once: no error, how long each waits, beside bare SQLite.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::Form;
use super::bare::BareDatabase;
use super::many::{self, clients};
use super::store::{SERVE, fill, path, text};
use kit::measure::{below, median};
use kit::served::{Server, store};

/// One of so many requests is a write.
const WRITES: usize = 5;

/// How much more memory a server may have at the end than after a tenth of the time.
const GROWS: u64 = 32 << 20;

/// Of bare SQLite that commits groups of the same size.
const WANTED: f64 = 0.7;

pub(super) fn run(program: &Path, form: &Form) -> Result<()> {
    let folder = tempfile::tempdir_in(kit::registries::target())?;
    println!(
        "load on loopback: {} clients, {} notes",
        form.clients, form.notes
    );
    fill(folder.path(), form.notes)?;
    let serving = Server::start(program, folder.path(), &SERVE)?;
    let next = AtomicU32::new(form.notes);
    mixed(&serving, form, &next)?;
    // As large as the server's store is now, and its pages as full.
    let mut bare = BareDatabase::copy(folder.path(), next.load(Ordering::Relaxed))?;
    writers(&serving, form, &next, folder.path(), &mut bare)
}

/// Clients that read notes and write new ones.
fn mixed(serving: &Server, form: &Form, next: &AtomicU32) -> Result<()> {
    let is_over = AtomicBool::new(false);
    let (seen, memory) = std::thread::scope(|scope| -> Result<_> {
        let watch = scope.spawn(|| watch(serving, form.mixed, &is_over));
        let seen = clients(serving.address, form.clients, form.mixed, &async |client| {
            let begin = Instant::now();
            if client.random.one_in(WRITES) {
                write(client, next.fetch_add(1, Ordering::Relaxed)).await;
                client.seen.writes.push(begin.elapsed());
            } else {
                let number = u32::try_from(client.random.below(form.notes as usize)).unwrap_or(0);
                client.send("GET", &path(number), "").await;
                client.seen.reads.push(begin.elapsed());
            }
        });
        is_over.store(true, Ordering::Relaxed);
        let memory = watch.join().map_err(|_| anyhow::anyhow!("no memory"))??;
        Ok((seen?, memory))
    })?;
    let requests = seen.reads.len() + seen.writes.len();
    let seconds = form.mixed.as_secs_f64();
    println!(
        "  80 % reads, 20 % durable writes for {seconds:.0} s: {:.0}/s, {} errors",
        requests as f64 / seconds,
        seen.errors.len()
    );
    for (what, took) in [("reads", seen.reads), ("writes", seen.writes)] {
        let at = |share| below(took.iter().map(Duration::as_secs_f64), share) * 1e3;
        println!(
            "    {what}: p50 {:.1} ms, p99 {:.1} ms, the longest {:.1} ms",
            at(0.5),
            at(0.99),
            at(1.0)
        );
    }
    let (first, last) = memory;
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    println!(
        "    memory: {:.0} MB after a tenth of the time, {:.0} MB at the end",
        megabytes(first),
        megabytes(last)
    );
    ensure!(seen.errors.is_empty(), "errors: {:?}", &seen.errors);
    ensure!(last <= first + GROWS, "the server's memory grows");
    Ok(())
}

/// The server's memory after a tenth of the time, and at the end.
fn watch(serving: &Server, time: Duration, is_over: &AtomicBool) -> Result<(u64, u64)> {
    let begin = Instant::now();
    let mut first = None;
    let mut last = 0;
    while !is_over.load(Ordering::Relaxed) {
        last = serving.memory()?;
        if begin.elapsed() >= time / 10 {
            first.get_or_insert(last);
        }
        std::thread::sleep(time / 100);
    }
    Ok((first.unwrap_or(last), last))
}

/// Writers alone, in turns with bare SQLite that commits groups of the same size.
fn writers(
    serving: &Server,
    form: &Form,
    next: &AtomicU32,
    folder: &Path,
    bare: &mut BareDatabase,
) -> Result<()> {
    let mut ratios = Vec::new();
    let (mut ours_all, mut bare_all, mut groups) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..form.turns {
        let before = commits(folder)?;
        let begin = Instant::now();
        let seen = clients(serving.address, form.clients, form.turn, &async |client| {
            write(client, next.fetch_add(1, Ordering::Relaxed)).await;
            client.seen.writes.push(Duration::ZERO);
        })?;
        let ours = seen.writes.len() as f64 / begin.elapsed().as_secs_f64();
        ensure!(seen.errors.is_empty(), "errors: {:?}", seen.errors);
        let commits = commits(folder)?.wrapping_sub(before).max(1);
        let group = (seen.writes.len() as f64 / f64::from(commits)).max(1.0);
        let begin = Instant::now();
        let mut written = 0;
        while begin.elapsed() < form.turn {
            let rows = group.round() as u32;
            bare.commit(rows)?;
            written += rows;
        }
        let floor = f64::from(written) / begin.elapsed().as_secs_f64();
        ratios.push(ours / floor);
        ours_all.push(ours);
        bare_all.push(floor);
        groups.push(group);
    }
    println!(
        "  {} writers: {:.0}/s in groups of {:.0}; bare SQLite with the same statements that commits as many at once: {:.0}/s; ratio {:.2} (wanted: at least {WANTED})",
        form.clients,
        median(ours_all),
        median(groups),
        median(bare_all),
        median(ratios)
    );
    Ok(())
}

/// How many transactions were committed, as the index of the WAL counts them.
fn commits(folder: &Path) -> Result<u32> {
    let index = store(folder).with_extension("db-shm");
    let bytes = std::fs::read(index)?;
    let count = bytes.get(8..12).context("the index of the WAL is short")?;
    Ok(u32::from_ne_bytes(count.try_into()?))
}

/// Writes a note that is not there yet.
async fn write(client: &mut many::Client, number: u32) {
    let body = serde_json::json!({ "content": text(number), "limits": { "max_notes": 0 } });
    client.send("PUT", &path(number), &body.to_string()).await;
}
