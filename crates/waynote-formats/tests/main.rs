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
    mod stores;
    mod upgrade;

    // The conformance suite, run on the stores of `stores.rs`.
    #[path = "../../../waynote/tests/suite/conformance.rs"]
    mod conformance;
    #[path = "../../../waynote/tests/suite/loops.rs"]
    mod loops;
    #[path = "../../../waynote/tests/suite/old_store.rs"]
    #[allow(dead_code, reason = "the core's own tests use the rest")]
    mod old_store;
    #[path = "../../../waynote/tests/suite/one_order.rs"]
    mod one_order;
    #[path = "../../../waynote/tests/suite/processes.rs"]
    mod processes;
    #[path = "../../../waynote/tests/suite/runs.rs"]
    mod runs;
    #[path = "../../../waynote/tests/suite/search.rs"]
    #[allow(dead_code, reason = "the core's own tests use the rest")]
    mod search;
    #[path = "../../../waynote/tests/suite/undo.rs"]
    mod undo;
    #[path = "../../../waynote/tests/suite/worker.rs"]
    mod worker;
}
