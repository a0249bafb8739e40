//! The library on real files, with real processes.

#![allow(
    clippy::disallowed_methods,
    reason = "tests may look at the clock and the environment"
)]

mod suite {
    mod action;
    mod apart;
    mod attach;
    mod backup;
    mod block;
    mod block_anew;
    mod block_changes;
    mod conformance;
    mod copy;
    mod counting;
    #[cfg(feature = "sqlite")]
    mod damage;
    mod distant;
    mod expected;
    #[cfg(feature = "sqlite")]
    mod facade;
    #[cfg(feature = "search")]
    mod failure;
    mod golden;
    mod head;
    mod history_pages;
    mod isolation;
    mod loops;
    mod memory;
    mod old_store;
    mod one_order;
    mod opening;
    mod processes;
    #[cfg(feature = "sqlite")]
    mod random_damage;
    mod reference;
    mod replaced;
    mod runs;
    #[cfg(feature = "sqlite")]
    mod salvage;
    mod search;
    mod search_index;
    mod second_name;
    mod secret_forms;
    mod store_id;
    mod stores;
    mod threads;
    mod together;
    mod token;
    mod trips;
    mod undo;
    mod upgrade;
    mod verify;
    mod worker;
    mod write_trips;
}
