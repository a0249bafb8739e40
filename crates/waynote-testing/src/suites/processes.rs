//! Many processes at once, and processes that are killed.

mod worker;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout};

use waynote::{Address, EntryType, Filter, OperationId, ScopeKind};

use crate::stores::Shared;
use crate::values::{at, entry, key, save, whole_feed};
use crate::{Dice, number};
pub use worker::Job;
pub(crate) use worker::worker;

/// Starts workers and lets them all go at once.
fn race(folder: &std::path::Path, adds: u32) -> Vec<(Child, BufReader<ChildStdout>)> {
    let mut workers: Vec<_> = (0..8)
        .map(|number| {
            let job = Job {
                folder: folder.to_owned(),
                name: format!("p{number}"),
                adds,
            };
            let mut child = job.start();
            let out = BufReader::new(child.stdout.take().unwrap());
            (child, out)
        })
        .collect();
    for (_, out) in &mut workers {
        let mut line = String::new();
        while !line.ends_with("ready\n") {
            line.clear();
            assert!(out.read_line(&mut line).unwrap() > 0);
        }
    }
    for (child, _) in &mut workers {
        child.stdin.take().unwrap().write_all(b"go\n").unwrap();
    }
    workers
}

/// `WAYNOTE_TEST_ADDS` sets how many each adds.
pub(crate) fn eight_processes_add_notes_at_once(shared: &dyn Shared) {
    let adds = number("WAYNOTE_TEST_ADDS", 300);
    let folder = tempfile::tempdir().unwrap();
    if !shared.prepare(folder.path()) {
        return;
    }
    let seconds: Vec<f64> = race(folder.path(), adds)
        .into_iter()
        .map(|(mut child, out)| {
            let lines: Vec<String> = out.lines().map(Result::unwrap).collect();
            assert!(child.wait().unwrap().success());
            assert_eq!(
                lines.iter().filter(|line| line.starts_with("ack ")).count(),
                adds as usize
            );
            lines
                .iter()
                .find_map(|line| line.strip_prefix("done "))
                .unwrap()
                .parse()
                .unwrap()
        })
        .collect();
    let store = shared.open(folder.path());
    let kinds = [ScopeKind::Place, ScopeKind::Agent, ScopeKind::Session];
    let notes: usize = kinds
        .iter()
        .map(|kind| store.select(&Filter::Kind(*kind)).unwrap().len())
        .sum();
    assert_eq!(notes, 8 * adds as usize);
    let report = store.verify().unwrap();
    assert!(report.is_clean(), "{report:?}");
    let (fastest, slowest) = seconds.iter().fold((f64::MAX, 0f64), |(low, high), s| {
        (low.min(*s), high.max(*s))
    });
    eprintln!("8 x {adds} adds: fastest {fastest:.2} s, slowest {slowest:.2} s");
    // Printed as a figure, wanted to be at most 2; on a busy machine some process begins late. A writer that starves
    // comes after all others are long done.
    const STARVED: f64 = 6.0;
    assert!(
        slowest <= STARVED * fastest,
        "a writer starved: {seconds:?}"
    );
    shared.check_written(folder.path(), 8 * (adds as usize / 3));
}

/// Kills processes under load, again and again, and checks that all acknowledged writes are there.
///
/// `WAYNOTE_TEST_ROUNDS` sets how often.
pub(crate) fn killed_processes_lose_nothing_acknowledged(shared: &dyn Shared) {
    let rounds = number("WAYNOTE_TEST_ROUNDS", shared.kill_rounds()) as usize;
    let folder = tempfile::tempdir().unwrap();
    if !shared.prepare(folder.path()) {
        return;
    }
    let mut acknowledged: Vec<String> = Vec::new();
    let mut dice = Dice::thrown("killed_processes_lose_nothing_acknowledged");
    for round in 0..rounds {
        let mut children = Vec::new();
        for number in 0..3 {
            let name = format!("r{round}-{number}");
            let mut child = Job {
                folder: folder.path().to_owned(),
                name,
                adds: 100_000,
            }
            .start();
            child.stdin.take().unwrap().write_all(b"go\n").unwrap();
            let kill_after = 1 + dice.below(25);
            let out = BufReader::new(child.stdout.take().unwrap());
            children.push(std::thread::spawn(move || {
                let mut lines = Vec::new();
                // Killed at some moment after so many acknowledgements, wherever it is then.
                for line in out.lines().map(Result::unwrap) {
                    lines.push(line);
                    if lines.len() as u64 == kill_after {
                        child.kill().unwrap();
                    }
                }
                child.wait().unwrap();
                lines
            }));
        }
        for child in children {
            let lines = child.join().unwrap();
            acknowledged.extend(
                lines
                    .iter()
                    .filter_map(|line| line.strip_prefix("ack ").map(str::to_owned)),
            );
        }
        let store = shared.open(folder.path());
        let report = store.verify().unwrap();
        assert!(report.is_clean(), "round {round}: {report:?}");
    }
    let store = shared.open(folder.path());
    assert!(acknowledged.len() > rounds);
    for address in &acknowledged {
        let parsed: Address = address.parse().unwrap();
        assert!(
            store.get(&parsed).unwrap().is_some(),
            "{address} was acknowledged and is gone"
        );
    }
    let places: Vec<&str> = acknowledged
        .iter()
        .filter_map(|address| address.strip_prefix("place:"))
        .collect();
    assert!(!places.is_empty());
    shared.check_after_kills(folder.path(), &*store, &places);
}

/// A call that is made again is known by a program that opened the store since.
pub(crate) fn a_repeated_call_is_known_after_the_store_was_opened_again(shared: &dyn Shared) {
    let folder = tempfile::tempdir().unwrap();
    if !shared.prepare(folder.path()) {
        return;
    }
    let tip = entry(EntryType::Tip, 1, "a tip");
    let batch = [save(key("k"), "v"), tip];
    let of = |second| at(second).of_operation(OperationId::of("batch"));
    let first = shared.open(folder.path()).apply(&batch, &of(1)).unwrap();
    let store = shared.open(folder.path());
    assert_eq!(store.apply(&batch, &of(2)).unwrap(), first);
    assert_eq!(whole_feed(&*store).len(), 2);
}
