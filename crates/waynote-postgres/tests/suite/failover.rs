//! A primary with a synchronous standby that dies under its writers.

use std::time::Duration;

use waynote_postgres::Options;
use waynote_test_postgres::{Cluster, Does, Proxy, has_postgres, skipped};

use super::writers::{rounds, threads_write_under, until};

/// The kind of the primary's failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PrimaryFailure {
    Killed,
    CutOff,
    /// The only address that clients know leads to the standby from then on, before that one can be written.
    AddressMoved,
}

/// Writers write while the primary fails and the standby is promoted. Returns the number of writes and the longest wait.
fn round(goes: PrimaryFailure) -> (u32, Duration) {
    let mut primary = Cluster::tcp();
    let standby = Cluster::standby_of(&primary);
    let ports = [Proxy::start(primary.port()), Proxy::start(standby.port())];
    let hosts = ports.iter().map(|of| format!("127.0.0.1:{}", of.port()));
    let (named, attributes) = match goes {
        PrimaryFailure::AddressMoved => (1, ""),
        _ => (2, "&target_session_attrs=read-write"),
    };
    let hosts = hosts.take(named).collect::<Vec<_>>().join(",");
    let url = format!(
        "postgres://waynote@{hosts}/postgres?store=s&sslmode=disable&connect_timeout=2{attributes}"
    );
    primary.sql("ALTER SYSTEM SET synchronous_standby_names = 'standby'");
    primary.sql("SELECT pg_reload_conf()");
    let is_synchronous = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
    until("no standby", || primary.sql(is_synchronous) == "1");
    let second = Duration::from_secs(1);
    let options = |_| {
        let options = Options::of_url(&url).unwrap();
        options.wait(3 * second).answer(3 * second)
    };
    let (acknowledged, longest) = threads_write_under(8, options, Duration::ZERO, |writers| {
        writers.until_each_has_more(5);
        match goes {
            PrimaryFailure::Killed => primary.kill(),
            PrimaryFailure::CutOff => ports[0].does(Does::Nothing),
            PrimaryFailure::AddressMoved => {
                ports[0].replace(0, standby.port());
                primary.kill();
                until("nobody has come to the standby", || {
                    standby.log().contains("during recovery")
                });
            }
        }
        if goes == PrimaryFailure::CutOff {
            // The standby is cut off as well: the primary acknowledges none of its commits.
            primary.sql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
            primary.sql("SELECT pg_reload_conf()");
        }
        standby.promote();
        writers.until_each_has_more(5);
        writers.longest()
    });
    eprintln!("{goes:?}: {acknowledged} acknowledged, the longest wait {longest:.1?}");
    assert!(longest < Duration::from_secs(60), "{longest:?}");
    (acknowledged, longest)
}

#[test]
fn a_primary_that_dies_takes_nothing_with_it() {
    if !has_postgres() {
        return skipped("a_primary_that_dies_takes_nothing_with_it");
    }
    for _ in 0..rounds() {
        // At once: most of their time is waiting.
        std::thread::scope(|scope| {
            for goes in [PrimaryFailure::Killed, PrimaryFailure::CutOff] {
                scope.spawn(move || round(goes));
            }
        });
    }
}

/// As a virtual address, or the balancer of Patroni.
#[test]
fn an_address_that_moves_to_the_standby_loses_nothing() {
    if !has_postgres() {
        return skipped("an_address_that_moves_to_the_standby_loses_nothing");
    }
    let all: Vec<(u32, Duration)> = (0..rounds())
        .map(|_| round(PrimaryFailure::AddressMoved))
        .collect();
    let writes: u32 = all.iter().map(|(writes, _)| writes).sum();
    let longest = all.iter().map(|(_, longest)| longest).max().unwrap();
    eprintln!(
        "{} moves of the only address, {writes} acknowledged writes, each there once; the longest wait {longest:.1?}",
        all.len()
    );
}
