//! `waynote log` as its user meets it.

use super::common::{Scratch, assert_transcript, fields};

#[test]
fn a_day_with_a_session() {
    let scratch = Scratch::new();
    assert_transcript!(scratch, @"
    $ waynote --session demo log show
    exit 1
    error: there is no session:demo
      no session has begun yet

    $ waynote --session demo --iteration 1 log add --type stuck wall
    Note added: [stuck] wall

    $ waynote --session demo --iteration 2 log add --type tip ladder
    Note added: [tip] ladder

    $ waynote --session demo log add --type decision through
    Note added: [decision] through

    $ waynote --session demo log list
    ITERATION  TYPE      PREVIEW  NOTE
    #1         stuck     wall     session:demo#03g56gadhc9giz28czyb1mrr5
    #2         tip       ladder   session:demo#03g56gadhc9giz28d00a2qtq9
    #2         decision  through  session:demo#03g56gadhc9giz28d0293uvpd

    $ waynote --session demo log list --type tip
    ITERATION  TYPE  PREVIEW  NOTE
    #2         tip   ladder   session:demo#03g56gadhc9giz28d00a2qtq9

    $ waynote --session demo log show

    SESSION NOTES

    STUCK
      [#1] wall

    TIP
      [#2] ladder

    DECISION
      [#2] through

    $ waynote log sessions
    SESSION  STATE            LAST ITERATION  NOTES  DETAIL
    demo     no loop has run  -               3

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
    let undone = scratch.waynote(["undo", &address]).said();
    insta::assert_snapshot!(undone, @"
    exit 1
    error: session:s#03g56gadhc9giz28czzxeif1v cannot be changed: a session's log is append-only
      add an entry that corrects it
    ");
    let restored = scratch.waynote(["restore", &address, "--revision", "1"]);
    assert_eq!(restored.said(), undone);
}

#[test]
fn a_text_that_was_noted_before_is_counted() {
    let scratch = Scratch::new();
    assert_transcript!(scratch, @"
    $ waynote --session s --iteration 3 log add --type stuck wall
    Note added: [stuck] wall

    $ waynote --session s --iteration 3 log add --type tip ladder
    Note added: [tip] ladder

    $ waynote --session s --iteration 4 --author agent:b log add --type stuck wall
    already noted at #3, seen 2 times

    $ waynote --session s log add --type stuck wall
    already noted at #3, seen 3 times

    $ waynote --session s --iteration 6 log add --type tip wall
    Note added: [tip] wall

    $ waynote --session s log list
    ITERATION  TYPE   PREVIEW              NOTE
    #3         stuck  wall (seen 3 times)  session:s#03g56gadhc9giz28czzxeif1v
    #3         tip    ladder               session:s#03g56gadhc9giz28d01wfmh0z
    #6         tip    wall                 session:s#03g56gadhc9giz28d03vgqj03

    $ waynote --session s log show

    SESSION NOTES

    STUCK
      [#3] wall (3 times)

    TIP
      [#3] ladder
      [#6] wall
    ");
    let list = scratch.json("--session s log list --json");
    let address = list[0]["address"].as_str().unwrap();
    let history = scratch.ok(&format!("history {address}"));
    insta::assert_snapshot!(history.replace(address, "ADDRESS"), @"
    ADDRESS
    REVISION  ACTION  ITERATION  AUTHOR   RECORDED              PREVIEW
    3         repeat  #4         person   2026-05-17T12:00:00Z  wall
    2         repeat  #4         agent:b  2026-05-17T12:00:00Z  wall
    1         save    #3         person   2026-05-17T12:00:00Z  wall
    ");
    // As of any time it is as it was made first.
    let then = scratch.json(&format!("show {address}@3 --json"));
    assert_eq!(fields(&then, "iteration author seen"), "3 person 3");
    let again = scratch.json("--session s --iteration 9 log add --type stuck wall --json");
    assert_eq!(fields(&again, "repeat seen iteration"), "true 4 3");
    let new = scratch.json("--session s log add --type stuck door --json");
    assert_eq!((&new["repeat"], &new["seen"]), (&false.into(), &1.into()));
    let key = scratch.json("key save k v --json");
    assert!(key.get("seen").is_none());
}
