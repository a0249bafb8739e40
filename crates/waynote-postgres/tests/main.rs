//! The engine against a server: the tests of every store, and tests of its own.

#![allow(
    clippy::disallowed_methods,
    reason = "tests may look at the clock and the environment"
)]

mod suite {
    mod beats;
    mod cap;
    mod copy;
    mod cost;
    mod damage;
    mod examined;
    mod failover;
    mod identity;
    mod lost;
    mod partition;
    mod patroni;
    mod pause;
    mod prepared;
    mod restored;
    mod retried;
    mod rogue;
    mod settings;
    mod sleeper;
    mod standby;
    mod start;
    mod stores;
    mod vacuum;
    mod versions;
    mod writers;

    use stores::PostgresStores;

    waynote_testing::suites!(PostgresStores; action apart conformance loops one_order processes runs search together undo verify);
}
