//! Many processes at the limit of one notebook.

use std::collections::HashSet;
use std::io::Read as _;
use std::process::{Command, Stdio};

use waynote::{Change, Error, Reader as _, Stamp, Store as _};
use waynote_postgres::{Options, open};

use super::stores::{its_server, new_store};
use waynote_testing::Dice;
use waynote_testing::values::save_limited;

const PROCESSES: u32 = 16;

/// As many notes as the notebook may have, of twice as many keys.
const CAP: i64 = 20;

const JOB: &str = "WAYNOTE_TEST_CAP";

#[test]
fn sixteen_processes_never_pass_the_limit() {
    let Some(server) = its_server() else {
        return;
    };
    let url = server.store_url();
    let store = new_store(&url);
    let start = |number: u32| {
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "suite::cap::writer", "--nocapture"])
            .env(JOB, format!("{number}\n{url}"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let writers: Vec<_> = (0..PROCESSES).map(start).collect();
    let mut acknowledged = Vec::new();
    for mut writer in writers {
        let mut said = String::new();
        writer
            .stdout
            .take()
            .unwrap()
            .read_to_string(&mut said)
            .unwrap();
        assert!(writer.wait().unwrap().success());
        let acks = said.lines().filter_map(|line| line.strip_prefix("ack "));
        acknowledged.extend(acks.map(str::to_owned));
    }
    // Every change has its revision, each of them once, and their positions have no gap.
    let journal = store.journal(None, usize::MAX).unwrap();
    assert_eq!(journal.len(), acknowledged.len());
    let written: HashSet<String> = journal
        .iter()
        .map(|revision| format!("{}@{}", revision.address(), revision.number()))
        .collect();
    assert_eq!(written.len(), journal.len());
    assert!(acknowledged.iter().all(|ack| written.contains(ack)));
    assert_eq!(
        journal.first().unwrap().position.unwrap().number(),
        journal.len() as i64
    );
    let report = store.verify().unwrap();
    assert!(report.is_clean(), "{report:?}");
    // Counted again over the whole history.
    let mut there = HashSet::new();
    for revision in journal.iter().rev() {
        match revision.note() {
            Some(_) => there.insert(revision.address().clone()),
            None => there.remove(revision.address()),
        };
        assert!(there.len() as i64 <= CAP);
    }
    assert_eq!(
        there.len() as u64,
        store.count(&"agent:shared".parse().unwrap()).unwrap()
    );
}

/// The body of a process; without a job there is nothing to do.
#[test]
fn writer() {
    let Ok(job) = std::env::var(JOB) else {
        return;
    };
    let (number, url) = job.split_once('\n').unwrap();
    let mut dice = Dice::new(number.parse::<u64>().unwrap() + 1);
    let store = open(Options::of_url(url).unwrap()).unwrap();
    for turn in 0..waynote_testing::number("WAYNOTE_TEST_WRITES", 40) {
        let key = dice.below(2 * CAP as u64);
        let address: waynote::Address = format!("agent:shared#k{key}").parse().unwrap();
        let stamp = Stamp::new(
            jiff::Timestamp::now(),
            format!("agent:p{number}").parse().unwrap(),
        );
        let change = match dice.below(3) {
            0 => Change::delete(address),
            _ => save_limited(address, &format!("{number} {turn}"), CAP),
        };
        match store.apply(&[change], &stamp) {
            Ok(applied) => {
                let applied = &applied[0];
                if applied.changed {
                    let history = store.history(&applied.address).unwrap();
                    let by = stamp.author.clone();
                    // The last revision by this process.
                    let own = history.iter().rev().find(|of| *of.author() == by).unwrap();
                    println!("ack {}@{}", applied.address, own.number());
                }
            }
            Err(Error::TooManyNotes { notes, .. }) => assert_eq!(notes as i64, CAP),
            Err(error) => panic!("{error}"),
        }
    }
}
