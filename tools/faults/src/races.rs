//! Sixteen processes at a notebook's limit, some of them killed: never over the limit, and nothing lost.

use std::process::Child;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::Result;
use waynote::{Reader, Scope};

use super::truth::{self, Truth};
use super::work::{self, STORE};
use super::{Row, Setup};
use kit::at_once::{at_once, lock};
use kit::random::Random;

const PROCESSES: u64 = 16;
const LIMIT: u64 = 24;

pub(crate) fn run(setup: &Setup) -> Result<Vec<Row>> {
    let mut row = Row::new("16 processes at the limit of a notebook");
    let (killed, accepted, refused) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    for round in 0..setup.count(60, 4) {
        let home = setup.quick()?;
        let truth = Mutex::new(Truth::default());
        let crashes = at_once(PROCESSES as usize, 0..PROCESSES, |process| {
            let mut random = Random::of(setup.seed ^ round, process);
            let mut crashes = Vec::new();
            for number in 0..4 {
                let name = format!("k{}", process * 4 + number);
                let write = lock(&truth).begin(&name);
                let mut words = truth::words(&name, write);
                words.extend(["--max-notes".to_owned(), LIMIT.to_string()]);
                let mut child = work::waynote(setup, home.path(), &words).spawn()?;
                if random.one_in(4) {
                    kill_within(&mut child, &mut random);
                }
                let output = child.wait_with_output()?;
                let count = if output.status.success() {
                    lock(&truth).acknowledge(&name, write);
                    &accepted
                } else if output.status.code() == Some(1) {
                    &refused
                } else if work::crash(&output).as_deref() == Some("killed by signal 9") {
                    &killed
                } else {
                    crashes.push(String::from_utf8_lossy(&output.stderr).into_owned());
                    continue;
                };
                count.fetch_add(1, Ordering::Relaxed);
            }
            Ok::<_, anyhow::Error>(crashes)
        });
        row.trials += 1;
        let truth = truth.into_inner()?;
        let store = home.path().join(STORE);
        for crash in crashes.into_iter().collect::<Result<Vec<_>>>()?.concat() {
            row.fail(format!("round {round}: {crash}"));
        }
        let seen = work::look(&store, &truth);
        if !seen.is_whole() {
            row.fail(format!("round {round}: {}", seen.first()));
        }
        let notes = work::open(&store)?.count(&Scope::Agent("a".parse()?))?;
        if notes > LIMIT {
            row.fail(format!(
                "round {round}: {notes} notes, the limit is {LIMIT}"
            ));
        }
    }
    row.says = format!(
        "{} saves accepted, {} refused, {} processes killed",
        accepted.into_inner(),
        refused.into_inner(),
        killed.into_inner()
    );
    Ok(vec![row])
}

/// Kills a process at some moment of its short life.
fn kill_within(child: &mut Child, random: &mut Random) {
    std::thread::sleep(Duration::from_micros(random.number() % 25_000));
    let _ = child.kill();
}
