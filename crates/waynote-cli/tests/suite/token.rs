//! `waynote token`.

use super::common::{Run, Scratch, assert_transcript};
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
    let first = |said: String| said.lines().next().unwrap().to_owned();
    let boss = at(&scratch, 2, "token create boss --admin").said();
    insta::assert_snapshot!(first(boss), @"created token boss of boss: it may administer");
    let watcher = "token create watcher --holder ann --read --expires 2026-06-30";
    let watcher = at(&scratch, 3, watcher).said();
    insta::assert_snapshot!(first(watcher), @"created token watcher of ann: it may read until 2026-07-01T00:00:00Z");
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
    insta::assert_snapshot!(refused, @"
    exit 1
    error: the text holds a credential (waynote-token) at line 1, column 5
      write where the credential is kept (a variable, a vault), not the credential itself; or allow it with `--allow-secret`, or always allow `waynote-token` with the setting `allow_secrets`
    ");
}

#[test]
fn a_program_gets_the_token_as_json() {
    let scratch = Scratch::new();
    let mut json = at(&scratch, 1, "token create ci --read --json").json();
    let token = json["token"].take();
    let token = token.as_str().unwrap();
    let header = json["header"].take();
    assert_eq!(header, format!("Authorization: Bearer {token}"));
    assert_eq!(json["id"].take(), token[3..15]);
    insta::assert_snapshot!(json, @r#"{"created_at":"2026-05-17T12:01:00Z","expires_at":null,"header":null,"holder":"ci","id":null,"is_agents":false,"last_used":null,"name":"ci","rights":"read","token":null}"#);
    let revoked = scratch.json("token revoke ci --json");
    assert_eq!(revoked["name"], "ci");
    assert_eq!(scratch.ok("token list --json"), "[]\n");
}

#[test]
fn a_token_that_makes_no_sense_is_refused() {
    let scratch = Scratch::new();
    scratch.ok("token create ci --read");
    for words in [
        "token create",
        "token create x --read --write",
        "token create x --read --expires -1d",
    ] {
        assert!(!scratch.run(words).output().status.success(), "{words}");
    }
    let refused = |words: &str| scratch.run(words).said();
    assert_transcript!(refused, @"
    $ waynote token create ci --write
    exit 1
    error: there is a token ci already
      revoke it first, or use another name

    $ waynote token create x --read --holder person
    exit 2
    error: `person` cannot be a holder's name
      write the name of a person or an agent, without a colon; `person` is everyone's

    $ waynote token create x
    exit 2
    error: the following required arguments were not provided:
      <--read|--write|--admin>

    $ waynote token create x --read --expires soon
    exit 2
    error: `soon` is no time at which a token expires
      write a time with its unit (30d, 12h), a date (2027-01-31), or a time (2027-01-31T12:00:00Z)

    $ waynote token create x --read --expires=2026-05-16
    exit 2
    error: the token would expire before it is created
      name a later time

    $ waynote token revoke nobody
    exit 1
    error: there is no token nobody
      the tokens are ci
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
    insta::assert_snapshot!(scratch.ok("token clear --yes"), @"the store has no tokens, and needs none now");
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
