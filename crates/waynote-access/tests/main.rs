//! Tests of what somebody with a grant can see and do, over the SQLite store.

mod suite {
    mod all_reads;
    mod all_writes;
    mod damaged;
    mod feed;
    mod tokens;
    mod world;
}
