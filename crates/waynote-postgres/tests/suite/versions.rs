//! Tables that become newer and older under the programs that use them.

use std::time::Duration;

use waynote::Reader as _;
use waynote_postgres::{Options, open, stores};
use waynote_test_postgres::{Cluster, Setup, has_postgres, skipped, with_store};

use super::writers::{rounds, threads_write_under, until};

/// A reader that takes the tables in another order than a migration does, and leaves the deadlock to that one.
const IN_THE_WAY: &str = "SET application_name = 'in the way'; SET deadlock_timeout = '1min'; DO $$ BEGIN
    PERFORM FROM waynote.note;
    WHILE NOT EXISTS (SELECT FROM pg_locks WHERE relation = 'waynote.note'::regclass AND NOT granted) LOOP
        PERFORM pg_sleep(0.01);
    END LOOP;
    PERFORM FROM waynote.journal;
END $$";

/// Who may not write is refused by name, and so is who may not read; all others go on.
#[test]
fn tables_that_change_under_writers_lose_nothing() {
    if !has_postgres() {
        return skipped("tables_that_change_under_writers_lose_nothing");
    }
    let cluster = Cluster::start(&Setup::default());
    let options = Options::of_url(&with_store(&cluster.url(), "s")).unwrap();
    let newer = |reader: u32, writer: u32| {
        cluster.sql(&format!(
            "INSERT INTO waynote.migration (version, name, hash, min_reader, min_writer)
             VALUES (1000, 'later', '', {reader}, {writer})
             ON CONFLICT (version) DO UPDATE SET min_reader = {reader}, min_writer = {writer}"
        ))
    };
    let migrate = || {
        let holds = "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)
                     WHERE application_name = 'in the way' AND relation = 'waynote.note'::regclass";
        std::thread::scope(|scope| {
            scope.spawn(|| cluster.sql(IN_THE_WAY));
            until("nobody is in the way", || cluster.sql(holds) == "1");
            stores::migrate(options.clone()).unwrap()
        })
    };
    let deadlocks = || cluster.log().matches("deadlock detected").count();
    let pace = Duration::from_millis(2);
    let (writes, refused) = threads_write_under(
        4,
        |_| options.clone(),
        pace,
        |writers| {
            let store = open(options.clone()).unwrap();
            let mut refused = 0;
            for round in 1..=rounds() {
                writers.until_each_has_more(2);
                newer(4, 4);
                writers.until_each_has_more(2);
                assert!(writers.failures().is_empty());
                newer(4, 1000);
                refused += writers.until_refused("newer_store", false);
                store.version().unwrap();
                newer(1000, 1000);
                refused += writers.until_refused("newer_store", true);
                assert_eq!(store.version().unwrap_err().kind(), "newer_store");
                newer(4, 4);
                writers.until_each_has_more(2);
                assert!(writers.failures().keys().all(|kind| kind == "newer_store"));
                cluster.sql("DELETE FROM waynote.migration WHERE version >= 4");
                refused += writers.until_refused("older_tables", true);
                for table in ["journal", "note"] {
                    cluster.sql(&format!("ALTER TABLE waynote.{table} DROP cites"));
                }
                assert_eq!(migrate(), (3, 4));
                assert_eq!(deadlocks(), round as usize);
                writers.until_each_has_more(2);
                assert!(writers.failures().keys().all(|kind| kind == "older_tables"));
            }
            refused
        },
    );
    eprintln!(
        "{writes} acknowledged writes, each there once; {refused} calls refused by name while tables were newer or \
         older; {} migrations that met a deadlock and were tried again",
        deadlocks()
    );
}
