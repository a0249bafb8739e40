//! The engine against a server: the tests of every store, and tests of its own.

#![allow(
    clippy::disallowed_methods,
    reason = "tests may look at the clock and the environment"
)]

mod suite {
    mod among;
    mod beats;
    mod beside;
    mod cap;
    mod copy;
    mod cost;
    mod damage;
    mod failover;
    mod lost;
    mod retried;
    mod sleeper;
    mod start;
    mod stores;
    mod vacuum;

    // The conformance tests of every store, run on the stores of `stores.rs`.
    #[path = "../../../waynote/tests/suite/apart.rs"]
    mod apart;
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
    #[path = "../../../waynote/tests/suite/together.rs"]
    mod together;
    #[path = "../../../waynote/tests/suite/undo.rs"]
    mod undo;
    #[path = "../../../waynote/tests/suite/verify.rs"]
    mod verify;
    #[path = "../../../waynote/tests/suite/worker.rs"]
    mod worker;
    #[path = "../../../waynote/tests/suite/copy/writer.rs"]
    mod writer;
}
