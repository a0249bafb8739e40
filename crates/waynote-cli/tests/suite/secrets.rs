//! Credentials: refused when a caller writes them, kept, flagged and masked when they come from elsewhere.

use super::common::{Plays, Run, Scratch, assert_transcript, has};

/// Assembled at run time, so that no file of ours holds a text like a token.
fn token() -> String {
    format!("gh{}_{}", 'p', "aZ3kQ9xW7m".repeat(4).split_at(36).0)
}

fn key() -> String {
    format!("AK{}{}", "IA", "Q7RZ4TJ2M5LW6XKC")
}

/// A home whose commands are typed with `TOKEN` and `KEY` for credentials, which they never print.
struct Secretive(Scratch);

impl Secretive {
    fn run(&self, words: &str) -> Run {
        self.0
            .run(&words.replace("TOKEN", &token()).replace("KEY", &key()))
    }
}

impl Plays for Secretive {
    fn plays(&self, words: &str) -> String {
        let said = self.run(words).said();
        assert!(!said.contains(&token()) && !said.contains(&key()), "{said}");
        said
    }
}

#[test]
fn a_write_that_holds_a_credential_is_refused() {
    let typed = Secretive(Scratch::new());
    let text = format!("deploy with\n  `{}`", token());
    let place = typed.0.waynote(["place", "write", &text]);
    insta::assert_snapshot!(place.said(), @"
    exit 1
    error: the text holds a credential (github-token) at line 2, column 4
      write where the credential is kept (a variable, a vault), not the credential itself; or allow it with `--allow-secret`, or always allow `github-token` with the setting `allow_secrets`
    ");
    assert_transcript!(typed, @r#"
    $ waynote key save deploy TOKEN --json
    exit 1
    {"error":{"hint":"write where the credential is kept (a variable, a vault), not the credential itself; or allow it with `--allow-secret`, or always allow `github-token` with the setting `allow_secrets`","kind":"holds_secret","message":"the text holds a credential (github-token) at line 1, column 1"}}

    $ waynote --session s log add TOKEN --type tip
    exit 1
    error: the text holds a credential (github-token) at line 1, column 1
      write where the credential is kept (a variable, a vault), not the credential itself; or allow it with `--allow-secret`, or always allow `github-token` with the setting `allow_secrets`

    $ waynote place list
    no notes on any directory
    "#);
}

#[test]
fn a_flag_the_environment_or_the_configuration_allow_it() {
    let typed = Secretive(Scratch::new());
    typed
        .run("key save flag 'push with TOKEN' --allow-secret")
        .ok();
    let by_variable = typed.run("key save variable 'push with TOKEN'");
    by_variable
        .env("WAYNOTE_ALLOW_SECRETS", "jwt, github-token")
        .ok();
    let config = "allow_secrets = [\"github-token\"]\n";
    typed.0.put(".config/waynote/config.toml", config);
    // Another rule's are still refused. One note's exact text is printed as it is stored; lists mask it.
    assert_transcript!(typed, @"
    $ waynote key save file 'push with TOKEN'
    saved agent:default#file (new key)

    $ waynote key save other 'id KEY'
    exit 1
    error: the text holds a credential (aws-access-key) at line 1, column 4
      write where the credential is kept (a variable, a vault), not the credential itself; or allow it with `--allow-secret`, or always allow `aws-access-key` with the setting `allow_secrets`

    $ waynote key list
    NOTE                    UPDATED               PINNED  PREVIEW
    agent:default#file      2026-05-17T12:00:00Z          push with [masked: github-token]
    agent:default#flag      2026-05-17T12:00:00Z          push with [masked: github-token]
    agent:default#variable  2026-05-17T12:00:00Z          push with [masked: github-token]
    ");
    let config = typed.0.json("config --json");
    assert_eq!(config["settings"]["allow_secrets"]["value"], "github-token");
    // A rule that there is not allows nothing, and is named.
    let third = typed.run("key save third 'id KEY'");
    let said = third.env("WAYNOTE_ALLOW_SECRETS", "githubtoken").said();
    insta::assert_snapshot!(said.lines().nth(1).unwrap(), @"warning: WAYNOTE_ALLOW_SECRETS: `githubtoken` is not a credential rule; run `waynote doctor` for details");
    assert_eq!(
        typed.0.ok("key show flag"),
        format!("push with {}", token())
    );
    assert_eq!(
        typed.0.json("key show flag --json")["secrets"][0],
        "github-token"
    );
}

#[test]
fn lists_and_replies_mask_what_was_allowed() {
    let typed = Secretive(Scratch::new());
    assert_transcript!(typed, @"
    $ waynote place write 'push with TOKEN' --allow-secret
    saved place:~/work (revision 1)

    $ waynote --session s --iteration 1 log add 'push with TOKEN' --type tip --allow-secret
    Note added: [tip] push with [masked: github-token]

    $ waynote place all
    place:~/work
    push with [masked: github-token]

    $ waynote place list
    NOTE          UPDATED               PREVIEW
    place:~/work  2026-05-17T12:00:00Z  push with [masked: github-token]

    $ waynote --session s log show

    SESSION NOTES

    TIP
      [#1] push with [masked: github-token]

    $ waynote --session s log list
    ITERATION  TYPE  PREVIEW                           NOTE
    #1         tip   push with [masked: github-token]  session:s#03g56gadhc9giz28czzxeif1v

    $ waynote history place:~/work
    place:~/work
    REVISION  ACTION  AUTHOR  RECORDED              PREVIEW
    1         save    person  2026-05-17T12:00:00Z  push with [masked: github-token]

    $ waynote key save k 'push with TOKEN' --allow-secret
    saved agent:default#k (new key)

    $ waynote key save k x --if-revision 0
    exit 1
    error: agent:default#k has changed: it is at revision 1, no such note was expected
      look at the current text, then write again expecting revision 1; that is `--if-revision 1`
    the current text of agent:default#k@1:
    push with [masked: github-token]
    ");
    for words in [
        "key save TOKEN x",
        "key save k x TOKEN",
        "key save k x TOKEN --json",
        "show agent:a#TOKEN",
        "key save k x --if-revision 0 --json",
    ] {
        let said = typed.plays(words);
        assert!(said.contains("[masked: github-token]"), "{words}: {said}");
    }
    // Its history is no write of a caller.
    for words in [
        "place write nothing",
        "restore place:~/work@1",
        "undo place:~/work",
    ] {
        typed.0.ok(words);
    }
    assert_eq!(
        typed.0.ok("show place:~/work@3"),
        format!("push with {}", token())
    );
    assert!(typed.0.ok("verify").contains("is sound"));
}

#[test]
fn what_is_imported_is_kept_and_flagged() {
    let scratch = Scratch::new();
    let text = format!("push with {}", token());
    let notes =
        serde_json::json!({ "~/a": text, "~/b": format!("id {}", key()), "~/c": "nothing" });
    scratch.put("notes.json", notes.to_string());
    insta::assert_snapshot!(scratch.waynote(["import", "zrb", "../notes.json"]).said(), @"
    imported place:~/a
    imported place:~/b
    imported place:~/c
    3 added, 0 updated, 0 unchanged, 0 skipped
    warning: 2 notes taken in from outside hold a credential:
      place:~/a: github-token
      place:~/b: aws-access-key
      rotate it (create a new one, revoke the old one), then run `waynote forget ADDRESS`; prompts and lists mask it
    ");
    assert_eq!(scratch.ok("place read --at ~/a"), text);
    // Nothing is new the second time.
    insta::assert_snapshot!(scratch.waynote(["import", "zrb", "../notes.json"]).said(), @"0 added, 0 updated, 3 unchanged, 0 skipped");
    let other = Scratch::new();
    std::fs::write(other.home().join("notes.json"), notes.to_string()).unwrap();
    let run = other.waynote(["import", "zrb", "../notes.json", "--json"]);
    insta::assert_snapshot!(run.env("WAYNOTE_ALLOW_SECRETS", "aws-access-key").said(), @r#"
    {
      "added": 3,
      "updated": 0,
      "unchanged": 0,
      "skipped": [],
      "secrets": [
        {
          "address": "place:~/a",
          "rules": [
            "github-token"
          ]
        },
        {
          "address": "place:~/b",
          "rules": [
            "aws-access-key"
          ]
        }
      ],
      "written": [
        "place:~/a@1",
        "place:~/b@1",
        "place:~/c@1"
      ]
    }
    {"warning":{"hint":"rotate it (create a new one, revoke the old one), then run `waynote forget ADDRESS`; prompts and lists mask it","kind":"holds_secret","message":"1 note taken in from outside holds a credential","notes":[{"address":"place:~/a","rules":["github-token"]}]}}
    "#);
}

#[test]
fn what_a_file_brings_is_kept_and_flagged() {
    let scratch = Scratch::new();
    let file = scratch.home().join("notes.json");
    let notes = serde_json::json!({ "~/a": format!("push with {}", token()) });
    std::fs::write(&file, notes.to_string()).unwrap();
    let write = |text: &str| {
        scratch
            .waynote(["place", "write", text])
            .env("ZRB_LLM_NOTE_FILE", &file)
    };
    insta::assert_snapshot!(write("fine").said(), @"
    saved place:~/work (revision 1)
    warning: 1 note taken in from outside holds a credential:
      place:~/a: github-token
      rotate it (create a new one, revoke the old one), then run `waynote forget ADDRESS`; prompts and lists mask it
    ");
    insta::assert_snapshot!(write("better").said(), @"saved place:~/work (overwrote revision 1; `waynote undo place:~/work` brings it back)");
    let refused = write(&format!("id {}", key())).said();
    insta::assert_snapshot!(refused, @"
    exit 1
    error: the text holds a credential (aws-access-key) at line 1, column 4
      write where the credential is kept (a variable, a vault), not the credential itself; or allow it with `--allow-secret`, or always allow `aws-access-key` with the setting `allow_secrets`
    ");
    assert!(std::fs::read_to_string(&file).unwrap().contains(&token()));
}

#[test]
fn no_block_shows_one() {
    let typed = Secretive(Scratch::new());
    // A long text before it, so that a preview would cut it in two.
    for words in [
        "place write 'LONG TOKEN' --allow-secret",
        "key save pinned 'LONG TOKEN' --allow-secret --pin",
        "key save listed 'LONG TOKEN' --allow-secret",
        "--session s --iteration 1 log add 'LONG TOKEN' --type tip --allow-secret",
    ] {
        typed.run(&words.replace("LONG", &"x".repeat(50))).ok();
    }
    for style in ["stable", "faithful"] {
        let block = typed.plays(&format!("--session s context --style {style}"));
        let masks = block.matches("[masked: github-token]").count();
        assert_eq!(masks, if style == "stable" { 4 } else { 5 }, "{block}");
        assert!(!block.contains("aZ3k"), "{block}");
    }
    let small = typed.plays("--session s context --budget 140");
    assert!(!small.contains("aZ3k"), "{small}");
}

#[test]
fn names_hold_none_either() {
    let typed = Secretive(Scratch::new());
    for words in [
        "place write --at ~/TOKEN text",
        "--agent TOKEN key save k text",
        "--session TOKEN log add text --type tip",
    ] {
        let said = typed.plays(words);
        assert!(said.contains("holds a credential (github-token)"), "{said}");
        assert!(!said.contains("aZ3k"), "{said}");
    }
    assert_transcript!(typed, @"
    $ waynote --author TOKEN key save k text
    exit 1
    error: the author holds a credential (github-token)
      use another name: a name cannot be forgotten later; `--allow-secret` allows it anyway
    ");
}

/// An import may bring one.
#[test]
fn a_credential_in_an_address_is_masked_wherever_it_is_shown() {
    let scratch = Scratch::new();
    let key = format!("glp{}-{}", "at", "k3q9x7w2m5z8r4t6y1ab");
    scratch
        .run(&format!(
            "key save '{key}' 'release notes' --pin --allow-secret"
        ))
        .ok();
    let place = format!("~/{}", token());
    scratch
        .run(&format!(
            "place write --at '{place}' 'release place' --allow-secret"
        ))
        .ok();
    let address = format!("agent:default#{key}");
    for (words, count) in [
        (&["context", "--at", &place][..], 2),
        (&["context", "--style", "faithful", "--at", &place], 2),
        (&["key", "list"], 1),
        (&["place", "list"], 1),
        (&["place", "all", "--at", &place], 1),
        (&["search", "release"], 2),
        (&["history", &address], 1),
    ] {
        let said = scratch.waynote(words.iter().copied()).said();
        let masked = said.matches("[masked: git").count();
        assert!(masked >= count, "{words:?}: {said}");
        assert!(
            !said.contains("k3q9") && !said.contains("aZ3k"),
            "{words:?}: {said}"
        );
    }
    // A person finds the address for `forget`.
    assert!(scratch.ok("key list --json").contains(&address));
    scratch.waynote(["forget", &address, "--yes"]).ok();
}

#[test]
fn a_device_is_no_configuration() {
    let scratch = Scratch::new();
    let run = scratch.run("config").env("WAYNOTE_CONFIG", "/dev/zero");
    let said = run.said();
    has(
        &said,
        "/dev/zero: the configuration file cannot be read: it is no regular file",
    );
}
