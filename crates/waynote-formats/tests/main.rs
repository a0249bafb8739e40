//! The store that is kept in sync with a file: what every store must do, and what the file adds to it.

#![allow(
    clippy::disallowed_methods,
    reason = "tests may look at the clock and the environment"
)]

mod suite {
    mod as_of;
    mod large;
    mod meanwhile;
    mod only_in_file;
    mod own_keys;
    mod stores;

    use stores::SyncedStores;

    waynote_testing::suites!(SyncedStores; blocks conformance loops one_order others processes runs search undo);
}
