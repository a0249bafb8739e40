//! Lost connections: every acknowledged write is there, and none is there twice.

use std::time::{Duration, Instant};

use waynote::{Content, EngineStore, EntryType, Reader as _, SessionLog, Store as _};
use waynote_postgres::{Options, Postgres, is_away, open, stores};
use waynote_test_postgres::{Cluster, Does, Proxy, has_postgres, skipped, store_at};
use waynote_testing::values::at;

fn add(store: &EngineStore<Postgres>, said: &str) -> waynote::Result<()> {
    let log = SessionLog::new(store, "s".parse().unwrap());
    let said = Content::text(said).unwrap();
    log.add(EntryType::Learning, None, said, &at(1)).map(drop)
}

/// How often each of the entries was noted.
fn noted(store: &EngineStore<Postgres>) -> Vec<(String, u64)> {
    let log = SessionLog::new(store, "s".parse().unwrap());
    let all = log.list(None).unwrap().into_iter();
    all.map(|note| (note.content.shown().into_owned(), note.revision))
        .collect()
}

struct ClusterBehindProxy {
    cluster: Cluster,
    proxy: Proxy,
}

impl ClusterBehindProxy {
    fn new() -> Option<Self> {
        if !has_postgres() {
            skipped("the tests of lost connections");
            return None;
        }
        let cluster = Cluster::tcp();
        let proxy = Proxy::start(cluster.port());
        Some(Self { cluster, proxy })
    }

    fn url(&self, more: &str) -> String {
        format!("{}{more}", store_at("waynote", self.proxy.port()))
    }

    fn options(&self) -> Options {
        Options::of_url(&self.url("")).unwrap()
    }
}

#[test]
fn a_commit_whose_answer_is_lost_is_carried_out_once() {
    let Some(behind) = ClusterBehindProxy::new() else {
        return;
    };
    stores::create(behind.options()).unwrap();
    let store = open(behind.options()).unwrap();
    add(&store, "first").unwrap();
    for round in 0..5 {
        // The server gets it, and nobody hears of it.
        behind.proxy.does(Does::CutAfter(b"COMMIT".to_vec()));
        add(&store, &format!("kept {round}")).unwrap();
        // The server never gets it.
        behind.proxy.does(Does::CutBefore(b"COMMIT".to_vec()));
        add(&store, &format!("done again {round}")).unwrap();
        // And somebody else writes in between.
        behind
            .proxy
            .does(Does::CutBefore(b"INSERT INTO waynote.journal".to_vec()));
        let other = Options::of_url(&store_at("waynote", behind.cluster.port())).unwrap();
        add(&open(other).unwrap(), &format!("theirs {round}")).unwrap();
        add(&store, &format!("ours {round}")).unwrap();
    }
    assert_eq!(behind.proxy.cuts(), 15);
    let noted = noted(&store);
    assert_eq!(noted.len(), 21);
    // A text that is noted again would be a repeat of its entry.
    assert!(noted.iter().all(|(_, times)| *times == 1), "{noted:?}");
    let report = store.verify().unwrap();
    assert!(report.is_clean(), "{report:?}");
}

#[test]
fn a_connection_that_the_server_has_closed_is_no_error() {
    let Some(mut behind) = ClusterBehindProxy::new() else {
        return;
    };
    stores::create(behind.options()).unwrap();
    let store = open(behind.options()).unwrap();
    add(&store, "before").unwrap();
    for round in 0..3 {
        behind.cluster.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'waynote'");
        add(&store, &format!("after {round}")).unwrap();
        behind.cluster.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'waynote'");
        assert_eq!(noted(&store).len(), 2 + round);
    }
    behind.cluster.kill();
    behind.cluster.run();
    add(&store, "at last").unwrap();
    assert_eq!(noted(&store).len(), 5);
}

#[test]
fn a_network_that_is_cut_is_an_error_in_bounded_time() {
    let Some(behind) = ClusterBehindProxy::new() else {
        return;
    };
    stores::create(behind.options()).unwrap();
    let options = Options::of_url(&behind.url("&connect_timeout=1"))
        .unwrap()
        .wait(Duration::from_millis(500))
        .answer(Duration::from_millis(500));
    let store = open(options).unwrap();
    add(&store, "before").unwrap();
    behind.proxy.does(Does::Nothing);
    let begin = Instant::now();
    for outcome in [add(&store, "lost"), store.version().map(|_| ())] {
        let error = outcome.unwrap_err();
        assert!(is_away(&error), "{error}");
    }
    assert!(begin.elapsed() < Duration::from_secs(8));
    // Many threads that wait for one another get the same error, not one after the other.
    let begin = Instant::now();
    std::thread::scope(|scope| {
        for number in 0..20 {
            let store = &store;
            scope.spawn(move || {
                assert!(is_away(&add(store, &format!("lost {number}")).unwrap_err()));
            });
        }
    });
    assert!(begin.elapsed() < Duration::from_secs(10));
    behind.proxy.does(Does::Forward);
    add(&store, "after").unwrap();
    assert!(store.verify().unwrap().is_clean());
}
