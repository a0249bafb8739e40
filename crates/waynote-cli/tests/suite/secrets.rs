//! Credentials: refused when a caller writes them, kept, flagged and masked when they come from elsewhere.

use super::common::{Plays, Run, Scratch, assert_transcript, has, lacks};

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
    let said = typed.plays("place write 'deploy with\n  `TOKEN`'");
    insta::assert_snapshot!(said, @"
    exit 1
    error: the text holds a credential (github-token) at line 2, column 4
      write where the credential is kept (a variable, a vault), not the credential itself; or allow it with `--allow-secret`, or always allow `github-token` with the setting `allow_secrets`
    ");
    let said = typed.plays("key save deploy TOKEN --json");
    has(said, r#""kind":"holds_secret","message":"the text holds"#);
    // Names hold none either.
    for words in [
        "place write --at ~/TOKEN text",
        "--agent TOKEN key save k text",
        "--session TOKEN log add text --type tip",
        "--author TOKEN key save k text",
    ] {
        has(typed.plays(words), "holds a credential (github-token)");
    }
}

#[test]
fn a_flag_the_environment_or_the_configuration_allow_it() {
    let typed = Secretive(Scratch::new());
    typed.run("key save k TOKEN --allow-secret").ok();
    let by_variable = |rules: &str| {
        let run = typed.run("key save variable TOKEN");
        run.env("WAYNOTE_ALLOW_SECRETS", rules).said()
    };
    has(by_variable("jwt, github-token"), "saved ");
    // A rule that there is not allows nothing, and is named.
    let said = by_variable("githubtoken");
    has(
        &said,
        "exit 1\nwarning: WAYNOTE_ALLOW_SECRETS: `githubtoken` is not a credential rule; ",
    );
    let config = "allow_secrets = [\"github-token\"]\n";
    typed.0.put(".config/waynote/config.toml", config);
    typed.run("key save file TOKEN").ok();
    // Another rule's are still refused.
    has(typed.plays("key save other KEY"), "(aws-access-key)");
    // One note's exact text is printed as it is stored.
    assert_eq!(typed.0.ok("key show k"), token());
    let json = typed.0.json("key show k --json");
    assert_eq!(json["secrets"][0], "github-token");
}

#[test]
fn lists_and_replies_mask_what_was_allowed() {
    let typed = Secretive(Scratch::new());
    assert_transcript!(typed, @"
    $ waynote place write 'push with TOKEN' --allow-secret
    saved place:~/work (new)

    $ waynote --session s --iteration 1 log add 'push with TOKEN' --type tip --allow-secret
    Note added: [tip] push with [masked: github-token]

    $ waynote key save k 'push with TOKEN' --allow-secret
    saved agent:default#k (new, in every project)

    $ waynote key save k x --if-revision 0
    exit 1
    error: agent:default#k has changed: it is at revision 1, no such note was expected
      look at the current text, then write again expecting revision 1; that is `--if-revision 1`
    the current text of agent:default#k@1:
    push with [masked: github-token]
    ");
    for words in [
        "key save k x TOKEN --json",
        "show agent:a#TOKEN",
        "key save k x --if-revision 0 --json",
    ] {
        has(typed.plays(words), "[masked: github-token]");
    }
    // Its history is no write of a caller.
    typed.0.ok("place write nothing");
    typed.0.ok("restore place:~/work@1");
    let restored = typed.0.ok("show place:~/work@3");
    assert_eq!(restored, format!("push with {}", token()));
}

#[test]
fn what_is_imported_is_kept_and_flagged() {
    let scratch = Scratch::new();
    let text = format!("push with {}", token());
    let notes =
        serde_json::json!({ "~/a": text, "~/b": format!("id {}", key()), "~/c": "nothing" });
    scratch.put("notes.json", notes.to_string());
    insta::assert_snapshot!(scratch.run("import zrb ../notes.json").said(), @"
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
    lacks(scratch.run("import zrb ../notes.json").said(), "warning");
    let other = Scratch::new();
    other.put("notes.json", notes.to_string());
    let run = other.run("import zrb ../notes.json --json");
    let said = run.env("WAYNOTE_ALLOW_SECRETS", "aws-access-key").said();
    insta::assert_snapshot!(said.lines().last().unwrap(), @r#"{"warning":{"hint":"rotate it (create a new one, revoke the old one), then run `waynote forget ADDRESS`; prompts and lists mask it","kind":"holds_secret","message":"1 note taken in from outside holds a credential","notes":[{"address":"place:~/a","rules":["github-token"]}]}}"#);
}

#[test]
fn what_a_file_brings_is_kept_and_flagged() {
    let scratch = Scratch::new();
    let notes = serde_json::json!({ "~/a": format!("push with {}", token()) });
    let file = scratch.put("notes.json", notes.to_string());
    let write = || {
        let run = scratch.run("place write fine");
        run.env("ZRB_LLM_NOTE_FILE", &file).said()
    };
    let warning =
        "warning: 1 note taken in from outside holds a credential:\n  place:~/a: github-token\n";
    has(write(), warning);
    lacks(write(), warning);
    has(std::fs::read_to_string(&file).unwrap(), token());
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
}

/// An import may bring one.
#[test]
fn a_credential_in_an_address_is_masked_wherever_it_is_shown() {
    let scratch = Scratch::new();
    let key = format!("glp{}-{}", "at", "k3q9x7w2m5z8r4t6y1ab");
    let place = format!("~/{}", token());
    scratch.ok(&format!(
        "key save '{key}' 'release notes' --pin --allow-secret"
    ));
    scratch.ok(&format!(
        "place write --at '{place}' 'release place' --allow-secret"
    ));
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
        let said = scratch.waynote(words).said();
        let masked = said.matches("[masked: git").count();
        assert!(masked >= count, "{words:?}: {said}");
        lacks(&said, "k3q9");
        lacks(said, "aZ3k");
    }
    // A person finds the address for `forget`.
    assert!(scratch.ok("key list --json").contains(&address));
    scratch.waynote(["forget", &address, "--yes"]).ok();
}
