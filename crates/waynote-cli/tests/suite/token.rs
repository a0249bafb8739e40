//! `waynote token`.

use super::common::{Run, Scratch, assert_transcript, fields, has};
use super::loop_stops::looping;

/// A command at a minute of its own.
fn at(scratch: &Scratch, minute: u32, words: &str) -> Run {
    let now = format!("2026-05-17T12:{minute:02}:00Z");
    scratch.run(words).env("WAYNOTE_NOW", now)
}

/// The output, with `TOKEN` for the random part of a token, and the token.
fn said(run: Run) -> (String, String) {
    let said = run.said();
    let token: String = match said.find("wn_") {
        Some(at) => said[at..].chars().take(51).collect(),
        None => return (said, String::new()),
    };
    let is_of_token = |char: char| char.is_ascii_alphanumeric() || "_-".contains(char);
    assert!(token.chars().all(is_of_token), "{token}");
    (said.replace(&token, "wn_TOKEN"), token)
}

#[test]
fn a_token_is_shown_once_listed_and_revoked() {
    let scratch = Scratch::new();
    let create = "token create pipeline --holder ci --for-agent --write --expires 30d";
    let (created, token) = said(at(&scratch, 1, create));
    insta::assert_snapshot!(created, @"
    created token pipeline of agent ci: it may read and write until 2026-06-16T12:01:00Z

      wn_TOKEN

    It is not shown again. A client sends it with each request:

      Authorization: Bearer wn_TOKEN
    ");
    at(&scratch, 2, "token create boss --admin").ok();
    let watcher = "token create watcher --holder ann --read --expires 2026-06-30 --json";
    let json = at(&scratch, 3, watcher).json();
    insta::assert_snapshot!(fields(&json, "name holder rights expires_at is_agents last_used"), @"watcher ann read 2026-07-01T00:00:00Z false null");
    assert_eq!(
        fields(&json, "header"),
        format!("Authorization: Bearer {}", fields(&json, "token"))
    );
    insta::assert_snapshot!(at(&scratch, 4, "token list").said(), @"
    NAME      HOLDER    RIGHTS  CREATED               EXPIRES               LAST USED
    boss      boss      admin   2026-05-17T12:02:00Z  never                 never
    pipeline  agent ci  write   2026-05-17T12:01:00Z  2026-06-16T12:01:00Z  never
    watcher   ann       read    2026-05-17T12:03:00Z  2026-07-01T00:00:00Z  never
    ");
    insta::assert_snapshot!(at(&scratch, 5, "token revoke watcher").said(), @"revoked token watcher");

    // Neither the store nor any other output has a part of the secret.
    let secret = &token[15..];
    for words in ["token list --json", "verify"] {
        assert!(!scratch.ok(words).contains(secret));
    }
    for file in ["notes.db", "notes.db-wal"] {
        let bytes = std::fs::read(scratch.store().with_file_name(file)).unwrap_or_default();
        let mut parts = bytes.windows(secret.len());
        assert!(!parts.any(|part| part == secret.as_bytes()), "{file}");
    }
    // And no note takes it.
    let refused = scratch
        .waynote(["key", "save", "k", &format!("use {token}")])
        .said();
    assert!(refused.contains("(waynote-token)"), "{refused}");
}

#[test]
fn a_token_that_makes_no_sense_is_refused() {
    let scratch = Scratch::new();
    has(
        scratch.run("token create ci --read --store new.db").said(),
        "created the store new.db, which was not there",
    );
    scratch.ok("token create ci --read");
    assert_transcript!(scratch, @"
    $ waynote token create ci --write
    exit 1
    error: there is a token ci already
      revoke it first, or use another name

    $ waynote token create x --read --expires soon
    exit 2
    error: `soon` is no time at which a token expires
      write a time with its unit (30d, 12h), a date (2027-01-31), or a time (2027-01-31T12:00:00Z)
    ");
    insta::assert_snapshot!(Scratch::new().ok("token list"), @"no tokens: `waynote token create NAME --read` creates one");
}

#[test]
fn a_store_is_opened_again_by_a_person() {
    let scratch = Scratch::new();
    scratch.ok("token create ci --read");
    scratch.ok("token create boss --admin");
    insta::assert_snapshot!(scratch.run("token clear").said(), @"
    exit 1
    error: without tokens, everybody on this machine can use the store over a server, and there is no terminal to confirm it
      add `--yes`
    ");
    insta::assert_snapshot!(scratch.ok("token clear --yes"), @"removed 2 tokens: the store needs none now. Restart a server that is running");
    assert_eq!(scratch.ok("token list --json"), "[]\n");
}

#[test]
fn an_agent_in_a_loop_creates_no_token() {
    let scratch = Scratch::new();
    scratch.ok("token create ci --read");
    let script = "\"$WAYNOTE\" token create mine --admin; \"$WAYNOTE\" token revoke ci; \"$WAYNOTE\" token clear --yes; true";
    let said = looping(&scratch, "--iterations 1", script).said();
    let refused = said
        .matches("administration is refused inside a loop")
        .count();
    assert_eq!(refused, 3, "{said}");
    assert!(scratch.ok("token list").contains("ci"));
}
