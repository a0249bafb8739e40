//! `waynote log` as its user meets it.

use super::common::{Scratch, assert_transcript, fields};

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
