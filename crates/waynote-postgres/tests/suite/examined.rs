//! The examination of a store and its server.

use std::time::{Duration, Instant};

use waynote_postgres::Options;
use waynote_postgres::doctor::{Grade, examine};
use waynote_postgres::stores::{self, Access};
use waynote_test_postgres::{
    Bouncer, Cluster, Setup, has_pgbouncer, has_postgres, skipped, store_at, with_store,
};
use waynote_testing::has;

#[test]
fn what_a_server_is_set_to_is_found() {
    if !has_postgres() {
        return skipped("what_a_server_is_set_to_is_found");
    }
    let cluster = Cluster::start(&Setup {
        tcp: true,
        fsync: true,
        ..Setup::default()
    });
    let port = cluster.port();
    let at = |user: &str, connections| {
        let options = Options::of_url(&store_at(user, port)).unwrap();
        options.connections(connections)
    };
    stores::create(at("waynote", 1)).unwrap();
    cluster.sql("CREATE ROLE app LOGIN; GRANT USAGE ON SCHEMA waynote TO app; GRANT SELECT ON ALL TABLES IN SCHEMA waynote TO app");
    let mut connections = 1;
    let mut found = |user: &str| {
        connections += 1;
        let found = examine(at(user, connections)).unwrap().into_iter();
        let wrong = found.filter(|found| found.grade != Grade::Well);
        let wrong: Vec<String> = wrong.map(|found| found.what).collect();
        wrong.join("\n").replace(&port.to_string(), "PORT")
    };
    assert_eq!(found("waynote"), "");
    insta::assert_snapshot!(found("app"), @"
    the user app lacks the right DELETE on block, content, event, journal, note, scope, segment, side, store
    the user app lacks the right INSERT on block, content, event, journal, note, scope, segment, side, store
    the user app lacks the right UPDATE on block, content, event, journal, note, scope, segment, side, store
    the server of postgres://app@127.0.0.1:PORT/postgres?store=s does not allow it: permission denied for table store
    ");
    for sql in stores::grants("waynote", "app", Access::App).unwrap() {
        cluster.sql(&sql);
    }
    assert_eq!(found("app"), "");
    for sql in stores::grants("waynote", "app", Access::ReadOnly).unwrap() {
        cluster.sql(&sql);
    }
    has(found("app"), "lacks the right INSERT");
    // Neither has it the rights of before to tables that come later.
    cluster.sql("CREATE TABLE waynote.later (n int)");
    let may = "SELECT has_table_privilege('app', 'waynote.later', 'INSERT')";
    assert_eq!(cluster.sql(may).trim(), "f");
    cluster.sql("DROP TABLE waynote.later");
    for (setting, undo, expected) in [
        (
            "ALTER SYSTEM SET fsync = off",
            "ALTER SYSTEM RESET fsync",
            "fsync is off",
        ),
        (
            "ALTER SYSTEM SET full_page_writes = off",
            "ALTER SYSTEM RESET full_page_writes",
            "full_page_writes is off",
        ),
        (
            "ALTER ROLE waynote SET synchronous_commit = off",
            "ALTER ROLE waynote RESET synchronous_commit",
            "synchronous_commit is off",
        ),
        (
            "ALTER ROLE waynote SET default_transaction_read_only = on",
            "SET transaction_read_only = off; ALTER ROLE waynote RESET default_transaction_read_only",
            "transactions of this user only read",
        ),
    ] {
        cluster.sql(setting);
        cluster.sql("SELECT pg_reload_conf()");
        let until = Instant::now() + Duration::from_secs(10);
        let mut wrong = String::new();
        while !wrong.contains(expected) {
            assert!(Instant::now() < until, "{setting}: {wrong}");
            wrong = found("waynote");
        }
        cluster.sql(undo);
        cluster.sql("SELECT pg_reload_conf()");
    }
    let said = |options: Options| examine(options).unwrap()[0].what.clone();
    let direct = said(at("waynote", 50));
    assert!(
        direct.starts_with("PostgreSQL 1") && direct.ends_with(", without TLS, directly"),
        "{direct}"
    );
    if has_pgbouncer() {
        let bouncer = Bouncer::start(&cluster, 2);
        let pooled = said(Options::of_url(&with_store(&bouncer.url(), "s")).unwrap());
        assert!(!pooled.contains("directly"), "{pooled}");
    }
}
