//! Sixteen processes at a notebook's limit, some of them killed: never over the limit, and nothing lost.

use std::process::Child;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::Result;
use waynote::{Name, Reader, Scope};

use super::truth::{self, Truth};
use super::work::{self, STORE};
use super::{Row, Setup};
use kit::random::Random;

const PROCESSES: u64 = 16;
const LIMIT: u64 = 24;

pub(crate) fn run(setup: &Setup) -> Result<Vec<Row>> {
    let mut row = Row::new("16 processes at the limit of a notebook");
    let (killed, accepted, refused) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    for round in 0..setup.count(60, 4) {
        let home = setup.quick()?;
        let truth = Mutex::new(Truth::default());
        let crashes = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for process in 0..PROCESSES {
                let (home, truth, crashes) = (home.path(), &truth, &crashes);
                let (killed, accepted, refused) = (&killed, &accepted, &refused);
                scope.spawn(move || {
                    let mut random = Random::of(setup.seed ^ round, process);
                    for number in 0..4 {
                        let name = format!("k{}", process * 4 + number);
                        let write = locked(truth).begin(&name);
                        let mut words = truth::words(&name, write);
                        words.extend(["--max-notes".to_owned(), LIMIT.to_string()]);
                        let mut command = work::waynote(setup, home, &words);
                        let Ok(mut child) = command.spawn() else {
                            continue;
                        };
                        if random.one_in(4) {
                            kill_within(&mut child, &mut random);
                        }
                        let Ok(output) = child.wait_with_output() else {
                            continue;
                        };
                        if output.status.success() {
                            accepted.fetch_add(1, Ordering::Relaxed);
                            locked(truth).acknowledge(&name, write);
                        } else if output.status.code() == Some(1) {
                            refused.fetch_add(1, Ordering::Relaxed);
                        } else if work::crash(&output).as_deref() == Some("killed by signal 9") {
                            killed.fetch_add(1, Ordering::Relaxed);
                        } else {
                            let said = String::from_utf8_lossy(&output.stderr).into_owned();
                            locked(crashes).push(said);
                        }
                    }
                });
            }
        });
        row.trials += 1;
        let truth = truth.into_inner()?;
        let store = home.path().join(STORE);
        for crash in crashes.into_inner()? {
            row.fail(format!("round {round}: {crash}"));
        }
        match work::look(&store, &truth) {
            Ok(seen) if seen.is_whole() => {}
            Ok(seen) => row.fail(format!("round {round}: {}", seen.first())),
            Err(panic) => row.fail(format!("round {round}: {panic}")),
        }
        let agent: Name = "a".parse()?;
        let notes = work::open(&store)?.count(&Scope::Agent(agent))?;
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

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}
