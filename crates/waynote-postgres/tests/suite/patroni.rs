//! A cluster as `docs/fleet.md` sets it up, and everything that may happen to it.

use std::time::{Duration, Instant};

use waynote_postgres::Options;
use waynote_test_postgres::{Failure, PatroniCluster, has_patroni, with_store};

use super::writers::{rounds, threads_write_under};

/// The page that shows the files of the cluster.
const PAGE: &str = include_str!("../../../../docs/fleet.md");

/// Half of them write through HAProxy, the others to the one of several hosts that leads.
const WRITERS: usize = 4;

/// The time between two writes of one writer: machines with several such clusters have to do more than write.
const PACE: Duration = Duration::from_millis(20);

fn under(failure: Failure, rounds: usize) {
    let mut cluster = PatroniCluster::start(PAGE);
    let urls = [cluster.balanced_url(), cluster.hosts_url()];
    let options = |number: usize| {
        let url = with_store(&urls[number % 2], "team");
        Options::of_url(&format!("{url}&connect_timeout=2"))
            .unwrap()
            .password("of-waynote".to_owned())
            .answer(Duration::from_secs(3))
    };
    let begin = Instant::now();
    let (acknowledged, mut waits) = threads_write_under(WRITERS, options, PACE, |writers| {
        let round = |_| {
            writers.until_each_has_more(10);
            writers.longest();
            let leader = cluster.fail(failure);
            writers.until_each_has_more(10);
            cluster.heal(failure, leader);
            writers.until_each_has_more(10);
            writers.longest()
        };
        (0..rounds).map(round).collect::<Vec<_>>()
    });
    waits.sort();
    eprintln!(
        "{failure:?}: {rounds} rounds in {:.0?}, {acknowledged} acknowledged writes, each there once; the longest wait \
         of a writer {:.1?} in the usual round, {:.1?} in the worst",
        begin.elapsed(),
        waits[rounds / 2],
        waits[rounds - 1],
    );
}

#[test]
#[ignore = "takes minutes and needs Patroni: cargo xtask prove postgres cluster"]
fn a_cluster_that_breaks_loses_nothing() {
    assert!(
        has_patroni(),
        "apt-get install patroni etcd-server haproxy postgresql"
    );
    // At once: most of their time is waiting.
    std::thread::scope(|scope| {
        for failure in Failure::ALL {
            scope.spawn(move || under(failure, rounds() as usize));
        }
    });
}
