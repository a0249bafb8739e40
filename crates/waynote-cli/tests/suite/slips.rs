//! Slips at the command line: a mistyped flag, an empty pipe, a mistyped command. None of them writes or destroys.

use insta::assert_snapshot;

use super::common::{Scratch, assert_transcript, has};

#[test]
fn an_unknown_flag_is_never_a_text() {
    let scratch = Scratch::new();
    scratch.ok("place write before");
    scratch.ok("key save k before");
    assert_transcript!(scratch, @r#"
    $ waynote place write --append
    exit 2
    error: unexpected argument '--append' found

      tip: a similar argument exists: '--agent'
      tip: a text that begins with `-` goes after `--`: `waynote place write -- '- like this'`

    $ waynote place write '- one item'
    exit 2
    error: unexpected argument '- one item' found

      tip: a text that begins with `-` goes after `--`: `waynote place write -- '- like this'`

    $ waynote place write two words
    exit 2
    error: unexpected argument 'words' found

      tip: a text of several words is quoted: `waynote place write 'like this'`

    $ waynote key save k --show
    exit 2
    error: unexpected argument '--show' found

      tip: a text that begins with `-` goes after `--`: `waynote key save KEY -- '- like this'`

    $ waynote --session s log add --type tip --tip
    exit 2
    error: unexpected argument '--tip' found

      tip: a similar argument exists: '--type'
      tip: a text that begins with `-` goes after `--`: `waynote log add -- '- like this'`

    $ waynote --session s log blocked --why
    exit 2
    error: unexpected argument '--why' found

      tip: a text that begins with `-` goes after `--`: `waynote log blocked -- '- like this'`

    $ waynote search --type stuck 429
    exit 2
    error: unexpected argument '--type' found

      tip: a query that begins with `-` goes after `--`: `waynote search -- -not-this`; or quote it: `waynote search 'this -not-this'`

    $ waynote search clock -lake
    exit 2
    error: unexpected argument '-l' found

      tip: a query that begins with `-` goes after `--`: `waynote search -- -not-this`; or quote it: `waynote search 'this -not-this'`

    $ waynote loop --answer --dry-run -- true
    exit 2
    error: a value is required for '--answer <TEXT>' but none was supplied

    $ waynote key save k --show --json
    exit 2
    {"error":{"hint":"a text that begins with `-` goes after `--`: `waynote key save KEY -- '- like this'`","kind":"usage","message":"unexpected argument '--show' found"}}
    "#);
    assert_eq!(scratch.ok("place read"), "before");
    assert_eq!(scratch.ok("key show k"), "before");
    assert_eq!(scratch.ok("log sessions"), "no sessions\n");
}

#[test]
fn a_text_that_begins_like_a_flag_goes_behind_two_dashes() {
    let scratch = Scratch::new();
    for words in [
        &["place", "write", "--", "- one item"][..],
        &["key", "save", "k", "--pin", "--", "--show"],
        &["--session", "s", "log", "add", "--type", "tip", "--", "-5"],
    ] {
        scratch.waynote(words).ok();
    }
    assert_eq!(scratch.ok("place read"), "- one item");
    assert_eq!(scratch.ok("key show k"), "--show");
    assert_eq!(
        scratch.json("--session s log list --json")[0]["content"],
        "-5"
    );
    scratch.run("place write -").stdin("- piped").ok();
    assert_eq!(scratch.ok("place read"), "- piped");
    scratch.ok("key save clock ticking");
    scratch.ok("key save lake deep");
    let found = |words: &[&str]| scratch.waynote(words).ok();
    assert!(!found(&["search", "--", "-lake"]).contains("#lake"));
    assert_eq!(
        found(&["search", "--limit", "1", "--", "ticking", "-lake"]),
        found(&["search", "--limit", "1", "ticking -lake"])
    );
}

#[test]
fn an_empty_text_overwrites_nothing() {
    let scratch = Scratch::new();
    scratch.ok("place write before");
    scratch.ok("key save k before");
    let nothing = |words: &str| scratch.run(words).stdin("").said();
    assert_snapshot!(nothing("place write -"), @"
    exit 1
    error: standard input is empty: nothing was written
      the command before the pipe may have failed; `--allow-empty` writes it anyway
    ");
    assert_snapshot!(scratch.run("place write -").stdin(" \n").said(), @"
    exit 1
    error: standard input is blank: nothing was written
      the command before the pipe may have failed; `--allow-empty` writes it anyway
    ");
    assert_snapshot!(nothing("key save k - --json"), @r#"
    exit 1
    {"error":{"hint":"the command before the pipe may have failed; `--allow-empty` writes it anyway","kind":"empty","message":"standard input is empty: nothing was written"}}
    "#);
    assert_snapshot!(scratch.waynote(["key", "save", "k", ""]).said(), @"
    exit 1
    error: the text is empty: nothing was written
      `--allow-empty` writes it anyway
    ");
    has(
        nothing("--session s log add --type tip -"),
        "standard input is empty",
    );
    assert_eq!(scratch.ok("place read"), "before");
    assert_eq!(scratch.ok("key show k"), "before");
    assert_eq!(scratch.ok("log sessions"), "no sessions\n");

    assert_snapshot!(nothing("place write - --allow-empty"), @"saved place:~/work (overwrote revision 1; `waynote undo place:~/work` brings it back)");
    assert_snapshot!(nothing("key save k - --allow-empty"), @"saved agent:default#k (overwrote revision 1; `waynote undo agent:default#k` brings it back)");
    nothing("key save pinned - --pin --allow-empty");
    nothing("--session s log add --type tip - --allow-empty");
    assert_snapshot!(scratch.ok("--session s context"), @"
    ## Pinned notes

    ### `agent:default#pinned` (2026-05-17, by a person): (empty)

    ## Other notes

    - `agent:default#k` (2026-05-17, by a person): (empty)

    ## Notes from previous iterations

    TIP:
    - [#0, by a person] (empty)

    84 of 2,000 tokens
    ");
}

#[test]
fn a_mistyped_command_never_leads_to_a_destructive_one() {
    let scratch = Scratch::new();
    assert_transcript!(scratch, @"
    $ waynote merge
    exit 2
    error: unrecognized subcommand 'merge'

      tip: a similar subcommand exists: 'serve'

    $ waynote forgot
    exit 2
    error: unrecognized subcommand 'forgot'

    $ waynote unistall
    exit 2
    error: unrecognized subcommand 'unistall'

    $ waynote place wrte x
    exit 2
    error: unrecognized subcommand 'wrte'

      tip: a similar subcommand exists: 'write'
    ");
}

#[test]
fn a_place_takes_64_kib_and_as_much_as_it_is_allowed() {
    let scratch = Scratch::new();
    let write = |bytes: usize, words: &str| scratch.run(words).stdin("x".repeat(bytes)).said();
    assert_snapshot!(write(65_537, "place write -"), @"
    exit 1
    error: the note is too large: 65537 bytes, the limit is 65536
      shorten it, or split it over several keys; or raise the setting `max_place_bytes` (zero or less: no limit)
    ");
    assert!(write(65_537, "place write - --max-bytes 0").starts_with("saved"));
    let by_variable = scratch
        .run("place write 12345")
        .env("WAYNOTE_MAX_PLACE_BYTES", "4");
    has(by_variable.said(), "5 bytes, the limit is 4");
    has(
        write(4_097, "key save k - --at ."),
        "4097 bytes, the limit is 4096",
    );
}

#[test]
fn a_byte_order_mark_is_dropped_or_named() {
    let scratch = Scratch::new();
    let utf16: Vec<u8> = b"\xff\xfeh\0i\0".to_vec();
    assert_snapshot!(scratch.run("place write -").stdin(utf16).said(), @"
    exit 1
    error: the text is not plain text: it begins with the byte order mark of UTF-16
      a note is UTF-8 text without NUL; convert the text first, or encode other data, for example as base64
    ");
    let file = scratch.path("notes.json");
    std::fs::write(&file, "\u{feff}{\"~\": \"home\"}").unwrap();
    let said = scratch
        .run(&format!("import zrb {}", file.display()))
        .said();
    assert_snapshot!(said.replace(file.to_str().unwrap(), "FILE"), @"
    imported place:~
    1 added, 0 updated, 0 unchanged, 0 skipped
    ");
    let file = scratch.path("memory.jsonl");
    let entity = r#"{"type":"entity","name":"a","entityType":"","observations":["x"]}"#;
    std::fs::write(&file, format!("\u{feff}{entity}\n")).unwrap();
    assert_eq!(
        scratch.ok(&format!("import server-memory {}", file.display())),
        "imported agent:default#a\n1 added, 0 updated, 0 unchanged, 0 skipped\n"
    );
}

#[test]
fn nothing_printed_is_explained() {
    let scratch = Scratch::new();
    assert_snapshot!(scratch.run("place read").said(), @"place:~/work has no note of its own; `waynote place all` prints what applies there");
    assert_snapshot!(scratch.run("place read --json").said(), @"null");
    // No note at all is no problem of the program that asks.
    assert_snapshot!(scratch.run("context").said(), @"");
    scratch.ok("place write here");
    scratch.ok("key save k v");
    assert_snapshot!(scratch.run("context --budget 5").said(), @"nothing printed: 2 notes apply, but none fits the budget of 5 tokens; raise `--budget`");
}

#[test]
fn the_rows_of_the_receipt_sum_to_the_total() {
    let scratch = Scratch::new();
    scratch.ok("place write here");
    scratch.ok("key save steps one-two-three --pin");
    for number in 0..20 {
        scratch.ok(&format!("key save k{number} v{number}"));
        scratch.ok(&format!(
            "--session s log add --type tip about-{number}-more"
        ));
    }
    for flags in [
        "",
        " --budget 0",
        " --budget 100",
        " --budget 300",
        " --only index",
    ] {
        let block = scratch.json(&format!("--session s context --explain --json{flags}"));
        let receipt = &block["receipt"];
        let number = |value: &serde_json::Value| value.as_u64().unwrap();
        let claims = receipt["claims"].as_array().unwrap().iter();
        let notes: u64 = claims.map(|claim| number(&claim["tokens"])).sum();
        let rows = notes + number(&receipt["headings"]) + number(&receipt["last_line"]);
        assert_eq!(rows, number(&receipt["counted"]), "{flags}");
    }
    let listed = scratch
        .run("context --explain --only pinned")
        .env("WAYNOTE_TOKEN_FACTOR", "1.5");
    assert_snapshot!(listed.said(), @"
    SECTION  SHOWN  TOKENS  NOTE                        WHY
    pinned   whole  28      agent:default#steps         fits
                    5       (headings and blank lines)
                    8       (the last line)

    62 tokens (41 by o200k, as listed) of 2000: 1 note shown, 0 shortened to a line, 0 left out
    ");
}

#[test]
fn an_option_with_an_unset_variable_writes_nothing() {
    let scratch = Scratch::new();
    scratch
        .waynote(["place", "write", "the note of this directory"])
        .ok();
    for words in [
        &["place", "write", "--at", "", "lost"][..],
        &["key", "save", "--at", "", "k", "lost"],
        &["--agent", "", "key", "save", "k", "lost"],
        &["--session", " ", "log", "add", "--type", "tip", "lost"],
        &["--store", "", "key", "save", "k", "lost"],
        &["context", "--at", ""],
        &["search", "--at", "", "note"],
    ] {
        let said = scratch.waynote(words).said();
        let is_refused = said.starts_with("exit 2") && said.contains("it is empty");
        assert!(is_refused, "{words:?}: {said}");
    }
    assert_eq!(
        scratch.ok("show place:~/work"),
        "the note of this directory"
    );
}

#[test]
fn a_store_that_a_flag_creates_is_named() {
    let scratch = Scratch::new();
    assert_transcript!(scratch, @"
    $ waynote --store new.db key list
    exit 1
    error: there is no store new.db
      correct `--store`, or make the store by a first note: `waynote place write TEXT`

    $ waynote --store new.db key save k v
    saved agent:default#k (new key)
    created the store new.db, which was not there

    $ waynote --store new.db key save k w
    saved agent:default#k (overwrote revision 1; `waynote undo agent:default#k` brings it back)

    $ waynote search --limit 0 v
    no notes found for `v`; paths are not searched: `waynote ls --at PATH` lists the notes of one
    ");
}

#[test]
fn a_near_miss_is_named_wherever_a_note_is() {
    let scratch = Scratch::new();
    scratch.ok("key save deploy 'make ship'");
    scratch.ok("key save deploy 'make ship now'");
    scratch.ok("--session nightly log add --type tip one");
    assert_transcript!(scratch, @"
    $ waynote undo deplyo
    exit 1
    error: there is no agent:default#deplyo
      did you mean `deploy`? there are: deploy

    $ waynote redo deplyo
    exit 1
    error: there is no agent:default#deplyo
      did you mean `deploy`? there are: deploy

    $ waynote forget deplyo --yes
    exit 1
    error: there is no agent:default#deplyo
      did you mean `deploy`? there are: deploy

    $ waynote history deplyo
    exit 1
    error: there is no history of agent:default#deplyo
      did you mean `deploy`? there are: deploy

    $ waynote restore deploy
    exit 1
    error: deploy cannot be read: No such file or directory (os error 2)
      check the path

    $ waynote restore deplyo
    exit 1
    error: deplyo cannot be read: No such file or directory (os error 2)
      check the path

    $ waynote edit deploy --append ''
    exit 1
    error: the text is empty: nothing was written
      `--allow-empty` writes it anyway

    $ waynote --session nigthly log show
    exit 1
    error: there is no session:nigthly
      did you mean `nightly`? the sessions are: nightly

    $ waynote loop nightly claude -p
    exit 2
    error: unexpected argument 'nightly' found

      tip: the agent and its words go after `--`, a session before `loop`: `waynote --session NAME loop -- AGENT`

    $ waynote loop claude -p
    exit 2
    error: unexpected argument 'claude' found

      tip: the agent and its words go after `--`, a session before `loop`: `waynote --session NAME loop -- AGENT`
    ");
}

#[test]
fn a_key_is_that_of_a_note_of_this_directory_too() {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.home().join("work/deep")).unwrap();
    scratch.ok("key save --at . build make");
    let deep = scratch.home().join("work/deep");
    let below = scratch.run("edit build --append all").cwd(&deep).said();
    assert_snapshot!(below, @"saved place:~/work#build (overwrote revision 1; `waynote undo place:~/work#build` brings it back)");
    scratch.ok("key save other 'in the notebook'");
    assert_transcript!(scratch, @"
    $ waynote show build
    make
    all

    $ waynote key save build 'in the notebook'
    saved agent:default#build (new key)

    $ waynote show build
    exit 1
    error: `build` matches 2 notes
      use one of:
        agent:default#build
        place:~/work#build

    $ waynote edit build --append more
    exit 1
    error: `build` matches 2 notes
      use one of:
        agent:default#build
        place:~/work#build

    $ waynote show other
    in the notebook
    ");
}
