//! A store of 5,000 notes alone, and among many others: the cost of a block, an addition and a search.

use std::time::{Duration, Instant};

use waynote::{EngineStore, LocalStore as _, Reader as _, SearchRequest};
use waynote_postgres::Postgres;
use waynote_test_postgres::{Cluster, Setup, has_postgres, skipped, with_store};

use super::cost::{block, fill, save};
use super::stores::new_store;

/// The number of the others, from `WAYNOTE_TEST_STORES`.
fn others() -> u32 {
    let others = std::env::var("WAYNOTE_TEST_STORES").ok();
    others.and_then(|others| others.parse().ok()).unwrap_or(100)
}

fn median(work: impl Fn(u32)) -> Duration {
    let mut times: Vec<Duration> = (0..41)
        .map(|turn| {
            let begin = Instant::now();
            work(turn);
            begin.elapsed()
        })
        .collect();
    times.sort();
    times[times.len() / 2]
}

fn measured(store: &EngineStore<Postgres>, round: u32) -> [Duration; 3] {
    // So that each round has as little to look at beside the index.
    store.rebuild_index().unwrap();
    let block = median(|_| assert!(!block(store).is_empty()));
    let search = median(|turn| {
        let request = SearchRequest::new(format!("running {}", turn * 31));
        assert!(!store.search(&request).unwrap().is_empty());
    });
    let add = median(|turn| {
        let said = format!("added in {round} as {turn}");
        save(store, &format!("r{round}-{turn}"), &said);
    });
    [block, add, search]
}

#[test]
#[ignore = "prints figures"]
fn alone_and_among_others() {
    if !has_postgres() {
        return skipped("alone_and_among_others");
    }
    let cluster = Cluster::start(&Setup {
        settings: "max_wal_size = 4GB\nwal_level = minimal\nmax_wal_senders = 0\nautovacuum = off"
            .into(),
        ..Setup::default()
    });
    let store = new_store(&with_store(&cluster.url(), "main"));
    // A note and an entry each.
    fill(&store, 2500);
    cluster.sql("VACUUM ANALYZE");
    measured(&store, 0);
    let alone = measured(&store, 1);
    for table in [
        "store", "scope", "content", "journal", "note", "event", "segment", "block",
    ] {
        let columns = format!(
            "SELECT string_agg(quote_ident(column_name), ', ') FROM information_schema.columns
             WHERE table_schema = 'waynote' AND table_name = '{table}' AND column_name <> 'store'"
        );
        let columns = cluster.sql(&columns);
        cluster.sql(&format!(
            "INSERT INTO waynote.{table} (store, {columns}) SELECT g.i, {columns} FROM waynote.{table}
             CROSS JOIN generate_series(1, {}) g (i)",
            others()
        ));
    }
    // First without statistics of the new rows.
    let unknown = measured(&store, 2);
    cluster.sql("VACUUM ANALYZE");
    measured(&store, 3);
    let among = measured(&store, 4);
    let size = cluster.sql("SELECT pg_size_pretty(pg_database_size('postgres'))");
    eprintln!(
        "alone and among {} others of 5,000 notes ({size}):",
        others()
    );
    for (index, what) in ["block", "add", "search"].iter().enumerate() {
        let ratio = |time: Duration| time.as_secs_f64() / alone[index].as_secs_f64();
        eprintln!(
            "{what}: {:.1?} alone, {:.1?} among others: {:.2} x; before statistics {:.2} x",
            alone[index],
            among[index],
            ratio(among[index]),
            ratio(unknown[index])
        );
    }
}
