//! `waynote log` as its user meets it.

use super::common::Scratch;

#[test]
fn a_day_with_a_session() {
    let scratch = Scratch::new();
    let mut seen = String::new();
    for words in [
        "--session demo log show",
        "--session demo --iteration 1 log add --type stuck wall",
        "--session demo --iteration 2 log add --type tip ladder",
        "--session demo log add --type decision through",
        "--session demo log list",
        "--session demo log list --type tip",
        "--session demo log list --type warning",
        "--session demo log show",
        "--session demo --iteration 2 context --only iterations --style faithful",
        "log sessions",
        "log list",
    ] {
        seen += &format!("$ waynote {words}\n{}\n", scratch.run(words).said());
    }
    insta::assert_snapshot!(seen, @"
    $ waynote --session demo log show
    exit 0
    session:demo is empty; `waynote log sessions` lists the sessions

    $ waynote --session demo --iteration 1 log add --type stuck wall
    exit 0
    Note added: [stuck] wall

    $ waynote --session demo --iteration 2 log add --type tip ladder
    exit 0
    Note added: [tip] ladder

    $ waynote --session demo log add --type decision through
    exit 0
    Note added: [decision] through

    $ waynote --session demo log list
    exit 0
    ITERATION  TYPE      PREVIEW  NOTE
    #1         stuck     wall     session:demo#03g56gadhc9giz28czyb1mrr5
    #2         tip       ladder   session:demo#03g56gadhc9giz28d00a2qtq9
    #2         decision  through  session:demo#03g56gadhc9giz28d0293uvpd

    $ waynote --session demo log list --type tip
    exit 0
    ITERATION  TYPE  PREVIEW  NOTE
    #2         tip   ladder   session:demo#03g56gadhc9giz28d00a2qtq9

    $ waynote --session demo log list --type warning
    exit 0
    no notes in session:demo

    $ waynote --session demo log show
    exit 0

    SESSION NOTES

    STUCK
      [#1] wall

    TIP
      [#2] ladder

    DECISION
      [#2] through

    $ waynote --session demo --iteration 2 context --only iterations --style faithful
    exit 0
    ## Notes from Previous Iterations
    STUCK:
      - [#1] wall
    $ waynote log sessions
    exit 0
    SESSION  NOTES  LAST ITERATION  STATE
    demo     3      -               no loop has run

    $ waynote log list
    exit 2
    error: no session is set
      use `--session NAME` or set WAYNOTE_SESSION
    ");
}

#[test]
fn the_log_is_append_only() {
    let scratch = Scratch::new();
    scratch.ok("--session s log add --type tip one");
    let address = scratch.json("--session s log list --json")[0]["address"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(scratch.waynote(["show", &address]).ok(), "one");
    insta::assert_snapshot!(scratch.waynote(["undo", &address]).said(), @"
    exit 1
    error: session:s#03g56gadhc9giz28czzxeif1v cannot be changed: a session's log is append-only
      add an entry that corrects it
    ");
    insta::assert_snapshot!(scratch.waynote(["restore", &address, "--revision", "1"]).said(), @"
    exit 1
    error: session:s#03g56gadhc9giz28czzxeif1v cannot be changed: a session's log is append-only
      add an entry that corrects it
    ");
    insta::assert_snapshot!(scratch.run("undo").said(), @"
    exit 1
    error: your last write is session:s#03g56gadhc9giz28czzxeif1v, which `undo` cannot take back: a log is append-only
      name the note to undo: `waynote undo ADDRESS`; `waynote forget session:s#03g56gadhc9giz28czzxeif1v` removes the text of the entry
    ");
}

#[test]
fn ids_are_in_the_order_of_adding() {
    let scratch = Scratch::new();
    for (text, now) in [
        ("a", "2026-05-17T12:00:00Z"),
        ("b", "2026-05-17T12:00:00Z"),
        ("c", "2026-05-01T00:00:00Z"),
    ] {
        let run = scratch.waynote(["--session", "s", "log", "add", "--type", "tip", text]);
        run.env("WAYNOTE_NOW", now).ok();
    }
    let list = scratch.json("--session s log list --json");
    let list = list.as_array().unwrap();
    let texts: Vec<&str> = list
        .iter()
        .map(|note| note["content"].as_str().unwrap())
        .collect();
    assert_eq!(texts, ["a", "b", "c"]);
    let ids: Vec<&str> = list
        .iter()
        .map(|note| note["key"].as_str().unwrap())
        .collect();
    assert!(ids.is_sorted() && ids[0] != ids[1]);
}

#[test]
fn a_text_that_was_noted_before_is_counted() {
    let scratch = Scratch::new();
    let mut seen = String::new();
    for words in [
        "--session s --iteration 3 log add --type stuck wall",
        "--session s --iteration 3 log add --type tip ladder",
        "--session s log list",
        "--session s --iteration 4 --author agent:b log add --type stuck wall",
        "--session s --iteration 5 log add --type stuck wall",
        "--session s log add --type stuck wall",
        "--session s log add --type decision through",
        "--session s log add --type decision through",
        "--session s --iteration 6 log add --type tip wall",
        "--session other --iteration 6 log add --type stuck wall",
        "--session s log list",
        "--session s log show",
        "log sessions",
        "--session s --iteration 4 context --only iterations",
        "undo",
        "verify",
    ] {
        seen += &format!("$ waynote {words}\n{}\n", scratch.run(words).said());
    }
    insta::assert_snapshot!(seen, @"
    $ waynote --session s --iteration 3 log add --type stuck wall
    exit 0
    Note added: [stuck] wall

    $ waynote --session s --iteration 3 log add --type tip ladder
    exit 0
    Note added: [tip] ladder

    $ waynote --session s log list
    exit 0
    ITERATION  TYPE   PREVIEW  NOTE
    #3         stuck  wall     session:s#03g56gadhc9giz28czzxeif1v
    #3         tip    ladder   session:s#03g56gadhc9giz28d01wfmh0z

    $ waynote --session s --iteration 4 --author agent:b log add --type stuck wall
    exit 0
    already noted at #3, seen 2 times

    $ waynote --session s --iteration 5 log add --type stuck wall
    exit 0
    already noted at #3, seen 3 times

    $ waynote --session s log add --type stuck wall
    exit 0
    already noted at #3, seen 4 times

    $ waynote --session s log add --type decision through
    exit 0
    Note added: [decision] through

    $ waynote --session s log add --type decision through
    exit 0
    already noted at #5, seen 2 times

    $ waynote --session s --iteration 6 log add --type tip wall
    exit 0
    Note added: [tip] wall

    $ waynote --session other --iteration 6 log add --type stuck wall
    exit 0
    Note added: [stuck] wall

    $ waynote --session s log list
    exit 0
    ITERATION  TYPE      SEEN  PREVIEW  NOTE
    #3         stuck     4     wall     session:s#03g56gadhc9giz28czzxeif1v
    #3         tip       1     ladder   session:s#03g56gadhc9giz28d01wfmh0z
    #5         decision  2     through  session:s#03g56gadhc9giz28d03vgqj03
    #6         tip       1     wall     session:s#03g56gadhc9giz28d05uhukz7

    $ waynote --session s log show
    exit 0

    SESSION NOTES

    STUCK
      [#3] wall (4 times)

    TIP
      [#3] ladder
      [#6] wall

    DECISION
      [#5] through (2 times)

    $ waynote log sessions
    exit 0
    SESSION  NOTES  LAST ITERATION  STATE
    other    1      -               no loop has run
    s        4      -               no loop has run

    $ waynote --session s --iteration 4 context --only iterations
    exit 0
    ## Notes from previous iterations

    STUCK:
    - [#3, by a person] `wall`

    TIP:
    - [#3, by a person] `ladder`

    44 of 2,000 tokens

    $ waynote undo
    exit 1
    error: your last write is session:other#03g56gadhc9giz28czy9qxe1d, which `undo` cannot take back: a log is append-only
      name the note to undo: `waynote undo ADDRESS`; `waynote forget session:other#03g56gadhc9giz28czy9qxe1d` removes the text of the entry

    $ waynote verify
    exit 0
    HOME/.local/share/waynote/notes.db is sound: 5 notes, 9 revisions, 3 contents
    store id ID
    ");
    let list = scratch.json("--session s log list --json");
    let address = list[0]["address"].as_str().unwrap();
    let history = scratch.ok(&format!("history {address}"));
    insta::assert_snapshot!(history.replace(address, "ADDRESS"), @"
    ADDRESS
    REVISION  ACTION  ITERATION  AUTHOR   RECORDED              PREVIEW
    4         repeat  #5         person   2026-05-17T12:00:00Z  wall
    3         repeat  #5         person   2026-05-17T12:00:00Z  wall
    2         repeat  #4         agent:b  2026-05-17T12:00:00Z  wall
    1         save    #3         person   2026-05-17T12:00:00Z  wall
    ");
    // As of any time it is as it was made first.
    let then = scratch.json(&format!("show {address}@3 --json"));
    assert_eq!(
        (&then["iteration"], &then["author"], &then["seen"]),
        (&3.into(), &"person".into(), &3.into())
    );
    let again = scratch.json("--session s --iteration 9 log add --type stuck wall --json");
    assert_eq!(
        (&again["repeat"], &again["seen"], &again["iteration"]),
        (&true.into(), &5.into(), &3.into())
    );
    let new = scratch.json("--session s log add --type stuck door --json");
    assert_eq!((&new["repeat"], &new["seen"]), (&false.into(), &1.into()));
    let key = scratch.json("key save k v --json");
    assert!(key.get("seen").is_none());
}
