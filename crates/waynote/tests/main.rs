//! The library on real files, with real processes.

#![allow(
    clippy::disallowed_methods,
    reason = "tests may look at the clock and the environment"
)]

mod suite {
    mod attach;
    mod backup;
    mod beside;
    mod block;
    mod block_anew;
    mod block_changes;
    mod block_keyed;
    mod copy;
    mod copy_damaged;
    mod counting;
    mod damage;
    mod distant;
    mod events;
    mod expected;
    mod facade;
    mod failure;
    mod golden;
    mod head;
    mod history_pages;
    mod isolation;
    mod opening;
    mod reference;
    mod replaced;
    mod search_index;
    mod second_name;
    mod secret_forms;
    mod store_id;
    mod stores;
    mod threads;
    mod token;
    mod trips;
    mod write_trips;

    use stores::LocalStores;

    waynote_testing::suites!(LocalStores; action apart blocks conformance loops one_order others processes runs search shared together undo verify);
}
