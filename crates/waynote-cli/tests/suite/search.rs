//! `waynote search` as its user meets it.

use super::common::Scratch;

fn filled() -> Scratch {
    let scratch = Scratch::new();
    for words in [
        vec![
            "place",
            "write",
            "--at",
            "~/shop",
            "Rust workspace; the tests need a frozen clock.",
        ],
        vec![
            "key",
            "save",
            "flaky-tests",
            "checkout::retries fails about once in 40 runs",
        ],
        vec![
            "key",
            "save",
            "build",
            "make all, then run_tests",
            "--at",
            "~/shop",
        ],
        vec![
            "--session",
            "nightly",
            "--iteration",
            "3",
            "log",
            "add",
            "--type",
            "learning",
            "Tests pass with --no-cache\n\u{1b}[31mand in red",
        ],
        vec!["key", "save", "old", "the first wording"],
        vec!["key", "save", "old", "another text"],
    ] {
        scratch.waynote(words).ok();
    }
    scratch
}

#[test]
fn what_is_found_is_shown_best_first() {
    let scratch = filled();
    let mut seen = String::new();
    for words in [
        vec!["search", "failing", "tests"],
        vec!["search", "\"frozen clock\""],
        vec!["search", "run_tests"],
        vec!["search", "--", "--no-cache"],
        vec!["search", "tests -cache", "--kind", "log"],
        vec!["search", "--kind", "log", "tests"],
        vec!["search", "--", "tests", "-cache"],
        vec!["search", "tests", "--at", "~/shop/api"],
        vec!["search", "tests", "--limit", "1"],
        vec!["search", "chec*"],
        vec!["search", "first wording"],
        vec!["search", "first wording", "--history"],
        vec!["search", "\""],
        vec!["search"],
        vec!["search", "x", "--kind", "note"],
    ] {
        seen += &format!(
            "$ waynote {}\n{}\n",
            words.join(" "),
            scratch.waynote(words).said()
        );
    }
    insta::assert_snapshot!(seen, @r#"
    $ waynote search failing tests
    exit 0
    agent:default#flaky-tests (2026-05-17)
      checkout::retries «fails» about once in 40 runs
    place:~/shop#build (2026-05-17)
      make all, then run_«tests»
    session:nightly#03g56gadhc9giz28czys5oltw (2026-05-17, learning #3)
      «Tests» pass with --no-cache <U+001B>[31mand in red
    place:~/shop (2026-05-17)
      Rust workspace; the «tests» need a frozen clock.

    $ waynote search "frozen clock"
    exit 0
    place:~/shop (2026-05-17)
      …workspace; the tests need a «frozen» «clock».

    $ waynote search run_tests
    exit 0
    place:~/shop#build (2026-05-17)
      make all, then «run_tests»
    session:nightly#03g56gadhc9giz28czys5oltw (2026-05-17, learning #3)
      «Tests» pass with --no-cache <U+001B>[31mand in red
    place:~/shop (2026-05-17)
      Rust workspace; the «tests» need a frozen clock.
    agent:default#flaky-tests (2026-05-17)
      checkout::retries fails about once in 40 runs

    $ waynote search -- --no-cache
    exit 0
    session:nightly#03g56gadhc9giz28czys5oltw (2026-05-17, learning #3)
      Tests pass with --«no-cache» <U+001B>[31mand in red

    $ waynote search tests -cache --kind log
    exit 0
    no notes found for `tests -cache`

    $ waynote search --kind log tests
    exit 0
    session:nightly#03g56gadhc9giz28czys5oltw (2026-05-17, learning #3)
      «Tests» pass with --no-cache <U+001B>[31mand in red

    $ waynote search -- tests -cache
    exit 0
    place:~/shop#build (2026-05-17)
      make all, then run_«tests»
    place:~/shop (2026-05-17)
      Rust workspace; the «tests» need a frozen clock.
    agent:default#flaky-tests (2026-05-17)
      checkout::retries fails about once in 40 runs

    $ waynote search tests --at ~/shop/api
    exit 0
    place:~/shop#build (2026-05-17)
      make all, then run_«tests»
    place:~/shop (2026-05-17)
      Rust workspace; the «tests» need a frozen clock.

    $ waynote search tests --limit 1
    exit 0
    place:~/shop#build (2026-05-17)
      make all, then run_«tests»

    $ waynote search chec*
    exit 0
    agent:default#flaky-tests (2026-05-17)
      «checkout::retries» fails about once in 40 runs

    $ waynote search first wording
    exit 0
    no notes found for `first wording`

    $ waynote search first wording --history
    exit 0
    agent:default#old@1 (2026-05-17)
      the «first» «wording»

    $ waynote search "
    exit 0
    no notes found for `"`

    $ waynote search
    exit 2
    error: the following required arguments were not provided:
      <QUERY>

    Usage: waynote search <QUERY> [WORD]...

    For more information, try '--help'.

    $ waynote search x --kind note
    exit 2
    error: invalid value 'note' for '--kind <KIND>'
      [possible values: place, key, log]

    For more information, try '--help'.
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
    assert_eq!(
        scratch.ok("search anything"),
        "no notes found for `anything`\n"
    );
    assert!(!scratch.store().exists());
}

#[test]
fn the_file_that_is_kept_in_sync_is_searched() {
    let scratch = filled();
    let file = scratch.home().join("notes.json");
    std::fs::write(&file, r#"{"~/shop": "what the file says of clocks"}"#).unwrap();
    let search = |query: &str| scratch.run(query).env("ZRB_LLM_NOTE_FILE", &file).ok();
    assert!(search("search file").starts_with("place:~/shop ("));
    assert_eq!(search("search frozen"), "no notes found for `frozen`\n");
}

#[test]
fn a_store_that_can_only_be_read_is_searched() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = filled();
    let folder = scratch.path("medium");
    std::fs::create_dir(&folder).unwrap();
    let copy = folder.join("notes.db");
    let from = rusqlite::Connection::open(scratch.store()).unwrap();
    from.execute("VACUUM INTO ?1", [copy.to_str().unwrap()])
        .unwrap();
    std::fs::set_permissions(&copy, std::fs::Permissions::from_mode(0o400)).unwrap();
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o500)).unwrap();
    let found = scratch
        .waynote(["--store", copy.to_str().unwrap(), "search", "retries"])
        .ok();
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o700)).unwrap();
    assert!(found.starts_with("agent:default#flaky-tests"), "{found}");
}
