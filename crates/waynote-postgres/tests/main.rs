//! The engine against a server: the tests of every store, and tests of its own.

#![allow(
    clippy::disallowed_methods,
    reason = "tests may look at the clock and the environment"
)]

mod suite {
    mod administrator;
    mod beats;
    mod cap;
    mod copy;
    mod cost;
    mod damage;
    mod failover;
    mod identity;
    mod lost;
    mod patroni;
    mod restored;
    mod retried;
    mod sleeper;
    mod start;
    mod stores;
    mod writers;

    use stores::PostgresStores;

    waynote_testing::suites!(PostgresStores; action apart blocks conformance loops one_order others processes runs search shared together undo verify);
}
