//! `waynote search` as its user meets it.

use super::common::{Scratch, assert_transcript, fields, has, lacks};

fn filled() -> Scratch {
    let scratch = Scratch::new();
    for words in [
        "place write --at ~/shop 'Rust workspace; the tests need a frozen clock.'",
        "key save flaky-tests 'checkout::retries fails about once in 40 runs'",
        "key save build 'make all, then run_tests' --at ~/shop",
        "--session nightly --iteration 3 log add --type learning 'Tests pass with --no-cache\n\u{1b}[31mand in red'",
    ] {
        scratch.ok(words);
    }
    scratch
}

#[test]
fn what_is_found_is_shown_best_first() {
    let scratch = filled();
    scratch.ok("key save build 'make more' --at ~/shop");
    has(
        scratch.ok("search run_tests --history"),
        "place:~/shop#build@1",
    );
    lacks(scratch.ok("search tests --kind log"), "#build");
    assert_transcript!(filled(), @"
    $ waynote search failing tests
    agent:default#flaky-tests (2026-05-17)
      checkout::retries «fails» about once in 40 runs
    These do not apply here:
    place:~/shop#build (2026-05-17)
      make all, then run_«tests»
    session:nightly#03g56gadhc9giz28czys5oltw (2026-05-17, learning #3)
      «Tests» pass with --no-cache <U+001B>[31mand in red
    place:~/shop (2026-05-17)
      Rust workspace; the «tests» need a frozen clock.

    $ waynote search -- tests -cache
    agent:default#flaky-tests (2026-05-17)
      checkout::retries fails about once in 40 runs
    These do not apply here:
    place:~/shop#build (2026-05-17)
      make all, then run_«tests»
    place:~/shop (2026-05-17)
      Rust workspace; the «tests» need a frozen clock.

    $ waynote search tests --at ~/shop/api
    place:~/shop#build (2026-05-17)
      make all, then run_«tests»
    place:~/shop (2026-05-17)
      Rust workspace; the «tests» need a frozen clock.
    ");
}

#[test]
fn a_program_gets_everything() {
    let scratch = filled();
    let hits = scratch.json("search retries --json");
    insta::assert_snapshot!(fields(&hits, "0/address 0/matches 0/note/key 0/revision 0/snippet 1"), @"agent:default#flaky-tests [[10,17]] flaky-tests 1 checkout::retries fails about once in 40 runs (none)");
    assert!(hits[0]["score"].is_number(), "{hits}");
    assert_eq!(
        scratch.json("search nothing-of-the-kind --json"),
        serde_json::json!([])
    );
}

#[test]
fn without_a_store_nothing_is_found_and_none_is_made() {
    let scratch = Scratch::new();
    has(
        scratch.ok("search anything"),
        "no notes found for `anything`;",
    );
    assert!(!scratch.store().exists());
}
