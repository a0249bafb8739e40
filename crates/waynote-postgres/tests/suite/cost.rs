//! The cost of reads and writes: round trips, and how the server finds rows.

use waynote::context::{Budget, Request, render};
use waynote::{
    EngineStore, EntryType, LocalStore, Reader as _, SearchRequest, SessionLog, Stamp, Store as _,
};

use waynote_postgres::{Options, Postgres, open, stores};
use waynote_test_postgres::{Cluster, Setup, has_postgres, skipped, with_store};

use super::stores::{its_server, new_store};
use waynote_testing::values::{self, entry, key, save_pinned, text};

fn stamp() -> Stamp {
    Stamp::new(jiff::Timestamp::now(), "person".parse().unwrap())
}

fn save(store: &dyn LocalStore, of: &str, said: &str) {
    store
        .apply(&[values::save(key(of), said)], &stamp())
        .unwrap();
}

/// So many keyed notes and entries, in few writes.
fn fill(store: &EngineStore<Postgres>, notes: u32) {
    let mut changes = Vec::new();
    for number in 0..notes {
        let content = |what: &str| format!("{what} {number}: running tests {}", number * 31);
        changes.push(save_pinned(
            key(&format!("k{number}")),
            &content("note"),
            number < 5,
        ));
        changes.push(entry(
            EntryType::ALL[number as usize % 4].clone(),
            1 + i64::from(number) / 10,
            &content("entry"),
        ));
    }
    for changes in changes.chunks(500) {
        store.apply(changes, &stamp()).unwrap();
    }
}

fn block(store: &EngineStore<Postgres>) -> String {
    let request = Request::new("a".parse().unwrap(), values::place("~/x"), stamp().now)
        .session(Some("s".parse().unwrap()))
        .iteration(Some(1_000_000))
        .budget(Budget::default().tokens(8000));
    render(store, &request).unwrap().text
}

#[test]
fn a_block_takes_three_round_trips_and_a_write_two() {
    let Some(server) = its_server() else {
        return;
    };
    let url = server.store_url();
    new_store(&url);
    let store = open(Options::of_url(&url).unwrap()).unwrap();
    fill(&store, 600);
    let trips = |work: &dyn Fn()| {
        let before = store.engine().round_trips();
        work();
        store.engine().round_trips() - before
    };
    assert!(trips(&|| assert!(block(&store).contains("running tests"))) <= 3);
    // The state of the index is known after the first.
    save(&store, "one", "words");
    assert_eq!(trips(&|| save(&store, "one", "other words")), 2);
    assert_eq!(trips(&|| save(&store, "another", "words")), 2);
}

/// The plans of everything that a session does, as the server made them.
#[test]
fn rows_are_found_by_index() {
    if !has_postgres() {
        return skipped("rows_are_found_by_index");
    }
    let cluster = Cluster::start(&Setup {
        settings: "session_preload_libraries = 'auto_explain'
auto_explain.log_min_duration = 0
                   auto_explain.log_nested_statements = on"
            .into(),
        ..Setup::default()
    });
    let of = |name: &str| Options::of_url(&with_store(&cluster.url(), name)).unwrap();
    for other in 0..40 {
        stores::create(of(&format!("other-{other}"))).unwrap();
        fill(&open(of(&format!("other-{other}"))).unwrap(), 30);
    }
    stores::create(of("main")).unwrap();
    let store = open(of("main")).unwrap();
    fill(&store, 1000);
    // With statistics, and before them, when nothing is known of the tables.
    for statistics in [false, true] {
        if statistics {
            cluster.sql("ANALYZE");
        }
        let seen = cluster.log().len();
        for _ in 0..3 {
            block(&store);
            save(&store, "k7", "other words");
            let log = SessionLog::new(&store, "s".parse().unwrap());
            log.add(
                EntryType::Tip,
                Some(200),
                text("entry 3: running tests 93"),
                &stamp(),
            )
            .unwrap();
            assert!(
                !store
                    .search(&SearchRequest::new("running 17"))
                    .unwrap()
                    .is_empty()
            );
            store.history(&"agent:a#k7".parse().unwrap()).unwrap();
            store.journal(None, 20).unwrap();
            store.feed(None, 20).unwrap();
            store.leases().unwrap();
            store.kinds(&"s".parse().unwrap()).unwrap();
            store.last_iteration(&"s".parse().unwrap()).unwrap();
            store.scopes(waynote::ScopeKind::Session).unwrap();
        }
        let log = cluster.log();
        let plans = &log[seen..];
        // Their values are numbers.
        assert!(
            plans.contains("Index") && plans.contains("store = $1"),
            "{plans}"
        );
        let scans: Vec<&str> = plans
            .lines()
            .filter(|line| {
                // It has one row.
                let is_scan = line.contains("Seq Scan") && !line.contains(" version v ");
                is_scan || line.contains("Hash Join")
            })
            .collect();
        assert!(
            scans.is_empty(),
            "statistics: {statistics}: {scans:#?}\n{plans}"
        );
        // The entry before one is looked up by its key, not among all that the log has.
        let lines: Vec<&str> = plans.lines().collect();
        let mut looked_up = lines
            .windows(2)
            .filter(|lines| lines[0].contains("journal_note on journal f"))
            .peekable();
        assert!(looked_up.peek().is_some(), "{plans}");
        for lines in looked_up {
            assert!(lines[1].contains("key = "), "{lines:?}");
        }
    }
}
