//! `waynote search` as its user meets it.

use super::common::{Scratch, assert_transcript, has};

fn filled() -> Scratch {
    let scratch = Scratch::new();
    for words in [
        "place write --at ~/shop 'Rust workspace; the tests need a frozen clock.'",
        "key save flaky-tests 'checkout::retries fails about once in 40 runs'",
        "key save build 'make all, then run_tests' --at ~/shop",
        "--session nightly --iteration 3 log add --type learning 'Tests pass with --no-cache\n\u{1b}[31mand in red'",
        "key save old 'the first wording'",
        "key save old 'another text'",
    ] {
        scratch.ok(words);
    }
    scratch
}

#[test]
fn what_is_found_is_shown_best_first() {
    assert_transcript!(filled(), @r#"
    $ waynote search failing tests
    agent:default#flaky-tests (2026-05-17)
      checkout::retries «fails» about once in 40 runs
    place:~/shop#build (2026-05-17)
      make all, then run_«tests»
    session:nightly#03g56gadhc9giz28czys5oltw (2026-05-17, learning #3)
      «Tests» pass with --no-cache <U+001B>[31mand in red
    place:~/shop (2026-05-17)
      Rust workspace; the «tests» need a frozen clock.

    $ waynote search '"frozen clock"'
    place:~/shop (2026-05-17)
      …workspace; the tests need a «frozen» «clock».

    $ waynote search 'tests -cache' --kind log
    no notes found for `tests -cache`; paths are not searched: `waynote ls --at PATH` lists the notes of one

    $ waynote search -- tests -cache
    place:~/shop#build (2026-05-17)
      make all, then run_«tests»
    place:~/shop (2026-05-17)
      Rust workspace; the «tests» need a frozen clock.
    agent:default#flaky-tests (2026-05-17)
      checkout::retries fails about once in 40 runs

    $ waynote search tests --at ~/shop/api
    place:~/shop#build (2026-05-17)
      make all, then run_«tests»
    place:~/shop (2026-05-17)
      Rust workspace; the «tests» need a frozen clock.

    $ waynote search first wording
    no notes found for `first wording`; paths are not searched: `waynote ls --at PATH` lists the notes of one

    $ waynote search first wording --history
    agent:default#old@1 (2026-05-17)
      the «first» «wording»

    $ waynote search
    exit 2
    error: the following required arguments were not provided:
      <QUERY>

    $ waynote search x --kind note
    exit 2
    error: invalid value 'note' for '--kind <KIND>'
      [possible values: place, key, log]
    "#);
}

#[test]
fn a_program_gets_everything() {
    let scratch = filled();
    let hits = scratch.json("search retries --json");
    insta::assert_snapshot!(serde_json::to_string_pretty(&hits).unwrap(), @r#"
    [
      {
        "address": "agent:default#flaky-tests",
        "matches": [
          [
            10,
            17
          ]
        ],
        "note": {
          "address": "agent:default#flaky-tests",
          "author": "person",
          "content": "checkout::retries fails about once in 40 runs",
          "created_at": "2026-05-17T12:00:00Z",
          "iteration": null,
          "key": "flaky-tests",
          "pinned": false,
          "preview": "checkout::retries fails about once in 40 runs",
          "revision": 1,
          "scope": "agent:default",
          "type": null,
          "updated_at": "2026-05-17T12:00:00Z"
        },
        "revision": 1,
        "score": 1.4202722311019897,
        "snippet": "checkout::retries fails about once in 40 runs"
      }
    ]
    "#);
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
