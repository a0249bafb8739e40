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
    -          decision  through  session:demo#03g56gadhc9giz28d0293uvpd

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
       through

    $ waynote --session demo --iteration 2 context --only iterations --style faithful
    exit 0
    ## Notes from Previous Iterations
    STUCK:
      - [#1] wall
    $ waynote log sessions
    exit 0
    SESSION  NOTES
    demo     3

    $ waynote log list
    exit 2
    error: no session is named
      name one with `--session NAME` or WAYNOTE_SESSION
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
    error: the last change added session:s#03g56gadhc9giz28czzxeif1v, and a session's log is append-only
      name the note whose last change is meant: `waynote undo ADDRESS`
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
