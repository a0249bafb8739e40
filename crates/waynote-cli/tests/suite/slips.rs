//! Slips at the command line: a mistyped flag, an empty pipe, a mistyped command. None of them writes or destroys.

use insta::assert_snapshot;

use super::common::{Scratch, assert_transcript, has};

#[test]
fn an_unknown_flag_is_never_a_text() {
    let scratch = Scratch::new();
    scratch.ok("place write before");
    scratch.ok("key save k before");
    assert_transcript!(scratch, @"
    $ waynote place write --append
    exit 2
    error: unexpected argument '--append' found

      tip: a similar argument exists: '--agent'
      tip: a text that begins with `-` goes after `--`, the value of an option after `=`

    $ waynote note -k build text
    exit 2
    error: unexpected argument '-k' found

      tip: the key of a note is `--key KEY`

    $ waynote note --scope agent text
    exit 2
    error: unexpected argument '--scope' found

      tip: a key is the project's; `--notebook` is the agent's, in every project; `--at PATH` a directory's

    $ waynote note --key k --path --notebook text
    exit 2
    error: a notebook has no path
      leave out `--path` or `--notebook`

    $ waynote place write two words
    exit 2
    error: unexpected argument 'words' found

      tip: a text of several words is quoted: 'like this'

    $ waynote loop --answer --dry-run -- true
    exit 2
    error: a value is required for '--answer <TEXT>' but none was supplied

    $ waynote loop --answer '- a list' -- true
    exit 2
    error: unexpected argument '- ' found

      tip: a text that begins with `-` goes after `--`, the value of an option after `=`

    $ waynote loop claude -p
    exit 2
    error: unexpected argument 'claude' found

      tip: the agent and its words go after `--`, a session before `loop`: `waynote --session NAME loop -- AGENT`

    $ waynote forgot
    exit 2
    error: unrecognized subcommand 'forgot'
    ");
    assert_eq!(scratch.ok("place read"), "before");
    assert_eq!(scratch.ok("key show k"), "before");
    assert_eq!(scratch.ok("log sessions"), "no sessions\n");
}

#[test]
fn a_text_that_begins_like_a_flag_goes_behind_two_dashes() {
    let scratch = Scratch::new();
    scratch.ok("place write -- '- one item'");
    scratch.ok("key save k --pin -- --show");
    scratch.ok("--session s log add --type tip -- -5");
    assert_eq!(scratch.ok("place read"), "- one item");
    assert_eq!(scratch.ok("key show k"), "--show");
    let listed = scratch.json("--session s log list --json");
    assert_eq!(listed[0]["content"], "-5");
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
    let blank = scratch.run("place write -").stdin(" \n").said();
    has(blank, "standard input is blank: nothing was written");
    has(
        scratch.run("key save k ''").said(),
        "the text is empty: nothing",
    );
    for words in ["key save k - --json", "--session s log add --type tip -"] {
        has(nothing(words), "standard input is empty: nothing");
    }
    assert_eq!(scratch.ok("place read"), "before");
    assert_eq!(scratch.ok("key show k"), "before");
    assert_eq!(scratch.ok("log sessions"), "no sessions\n");

    nothing("place write - --allow-empty");
    nothing("key save k - --allow-empty");
    nothing("key save pinned - --pin --allow-empty");
    nothing("--session s log add --type tip - --allow-empty");
    assert_snapshot!(scratch.ok("--session s context"), @"
    ## Pinned notes

    ### `agent:default#pinned`: (empty)

    ## Other notes

    - `agent:default#k`: (empty)

    ## Notes from previous iterations

    TIP:
    - [#0] (empty)

    56 of 2,000 tokens
    ");
}

#[test]
fn a_place_takes_64_kib_and_as_much_as_it_is_allowed() {
    let scratch = Scratch::new();
    let write = |bytes: usize, words: &str| scratch.run(words).stdin("x".repeat(bytes)).said();
    assert_snapshot!(write(65_537, "place write -"), @"
    exit 1
    error: the note is too large: 65537 bytes, the limit is 65536
      shorten it, or split it over several keys; raise the setting `max_place_bytes` (zero or less: no limit)
    ");
    assert!(write(65_537, "place write - --max-bytes 0").starts_with("saved"));
    let key = write(4_097, "key save k - --at .");
    has(key, "4097 bytes, the limit is 4096");
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
    scratch.put("work/notes.json", "\u{feff}{\"~\": \"home\"}");
    has(scratch.ok("import zrb notes.json"), "1 added");
    let entity = r#"{"type":"entity","name":"a","entityType":"","observations":["x"]}"#;
    scratch.put("work/memory.jsonl", format!("\u{feff}{entity}\n"));
    has(scratch.ok("import server-memory memory.jsonl"), "1 added");
}

#[test]
fn nothing_printed_is_explained() {
    let scratch = Scratch::new();
    // No note at all is no problem of the program that asks.
    assert_snapshot!(scratch.run("context").said(), @"");
    scratch.ok("place write here");
    scratch.ok("key save k v");
    assert_snapshot!(scratch.run("context --budget 5").said(), @"nothing printed: 2 notes apply, but none fits the budget of 5 tokens; raise `--budget`");
}

#[test]
fn an_option_with_an_unset_variable_writes_nothing() {
    let scratch = Scratch::new();
    scratch.ok("place write here");
    for words in [
        "place write --at '' lost",
        "key save --at '' k lost",
        "--agent '' key save k lost",
        "--session ' ' log add --type tip lost",
        "--store '' key save k lost",
        "context --at ''",
        "search --at '' note",
    ] {
        let said = scratch.run(words).said();
        assert!(said.starts_with("exit 2"), "{words}: {said}");
        has(said, "it is empty");
    }
    assert_eq!(scratch.ok("show place:~/work"), "here");
}

#[test]
fn a_store_that_a_flag_creates_is_named() {
    let scratch = Scratch::new();
    assert_transcript!(scratch, @"
    $ waynote --store new.db key list
    exit 1
    error: there is no store new.db
      correct `--store`, or make the store by a first note: `waynote note TEXT`

    $ waynote --store new.db key save k v
    saved agent:default#k (new, in every project)
    created the store new.db, which was not there
    ");
}

#[test]
fn a_near_miss_is_named_wherever_a_note_is() {
    let scratch = Scratch::new();
    scratch.ok("key save deploy 'make ship'");
    scratch.ok("key save --at . deploy make");
    scratch.ok("--session nightly log add --type tip one");
    assert_transcript!(scratch, @"
    $ waynote show deploy
    make

    $ waynote undo deplyo
    exit 1
    error: no note here has the key `deplyo`
      did you mean `deploy`? there are: deploy

    $ waynote redo deplyo
    exit 1
    error: no note here has the key `deplyo`
      did you mean `deploy`? there are: deploy

    $ waynote forget deplyo --yes
    exit 1
    error: no note here has the key `deplyo`
      did you mean `deploy`? there are: deploy

    $ waynote history deplyo
    exit 1
    error: no note here has the key `deplyo`
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
    ");
}
