//! The library on real files, with real processes.

mod suite {
    mod attach;
    mod conformance;
    mod processes;
    mod worker;
}
