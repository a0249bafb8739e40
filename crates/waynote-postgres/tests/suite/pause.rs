//! A client that stands still in the middle of a write, as on a machine that is paused, and goes on later.

use std::process::Command;
use std::time::Duration;

use waynote_postgres::{Options, stores};
use waynote_test_postgres::{Cluster, Setup, has_postgres, skipped, with_store};
use waynote_testing::Dice;

use super::writers::{Writer, process, rounds, write_under};

const WRITERS: usize = 4;

/// The `lock_wait` of the writers.
const WAIT: Duration = Duration::from_secs(4);

/// A process that stands still until this is dropped.
struct Paused(u32);

impl Paused {
    fn new(pid: u32) -> Self {
        signal("STOP", pid);
        Self(pid)
    }
}

impl Drop for Paused {
    fn drop(&mut self) {
        signal("CONT", self.0);
    }
}

fn signal(name: &str, pid: u32) {
    let mut kill = Command::new("kill");
    kill.args([&format!("-{name}"), &pid.to_string()]);
    assert!(kill.status().unwrap().success());
}

#[test]
fn a_client_that_is_paused_in_a_write_stops_nobody() {
    if !has_postgres() {
        return skipped("a_client_that_is_paused_in_a_write_stops_nobody");
    }
    let mut dice = Dice::thrown("pause");
    let cluster = Cluster::start(&Setup::default());
    let url = with_store(&cluster.url(), "s");
    let reader = Options::of_url(&url).unwrap();
    stores::create(reader.clone()).unwrap();
    let children: Vec<_> = (0..WRITERS)
        .map(|number| process(number, &url, WAIT))
        .collect();
    let pids: Vec<u32> = children.iter().map(std::process::Child::id).collect();
    let all = children.into_iter().map(Writer::Process).collect();
    let (writes, longest) = write_under(all, reader, Duration::ZERO, |writers| {
        writers.until_each_has_more(3);
        let pause = |victim: usize| {
            let holds = format!(
                "SELECT count(*) FROM pg_stat_activity
                 WHERE application_name = 'writer-{victim}' AND state LIKE 'idle in transaction%'"
            );
            // One that is stopped elsewhere is let go and stopped again.
            (0..500)
                .find_map(|_| {
                    let paused = Paused::new(pids[victim]);
                    // What it waits for may come meanwhile.
                    let mut looks = (0..3).map(|_| cluster.sql(&holds));
                    looks.any(|held| held == "1").then_some(paused)
                })
                .expect("a client that is stopped between two trips")
        };
        let round = |_| {
            let victim = dice.below(WRITERS as u64) as usize;
            let paused = pause(victim);
            writers.longest();
            writers.until_others_have_more(victim, 3);
            let longest = writers.longest_but(victim);
            drop(paused);
            writers.until_each_has_more(3);
            longest
        };
        let longest = (0..rounds()).map(round).max().unwrap();
        let failures = writers.failures();
        assert!(failures.is_empty(), "{failures:?}");
        longest
    });
    assert!(longest < WAIT, "{longest:?}");
    eprintln!(
        "{} pauses in a write, {writes} acknowledged writes, each there once; the longest wait of the others \
         {longest:.1?} of {WAIT:?}",
        rounds()
    );
}
