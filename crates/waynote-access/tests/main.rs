//! Tests of the access that a grant gives, over the SQLite store.

mod suite {
    mod all_reads;
    mod all_writes;
    mod damaged;
    mod feed;
    mod tokens;
    mod world;
}
