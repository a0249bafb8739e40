//! History, undo, restore, as-of, verify.

use super::common::{Scratch, assert_transcript};

/// The guide shows what goes well.
#[test]
fn what_is_not_there_is_said() {
    let scratch = Scratch::new();
    scratch.ok("key save k one");
    scratch.ok("key delete k");
    scratch.ok("undo agent:default#k");
    assert_transcript!(scratch, @"
    $ waynote restore agent:default#k --revision 99
    exit 1
    error: there is no agent:default#k@99
      it has the revisions 1 to 3

    $ waynote restore agent:default#k
    exit 2
    error: no revision given
      `waynote history agent:default#k` lists the revisions, `waynote restore agent:default#k@N` restores one

    $ waynote show agent:default#k --as-of 1
    one

    $ waynote show agent:default#k --as-of 2026-05-01T00:00:00Z
    exit 1
    error: there is no agent:default#k at 2026-05-01T00:00:00Z
      see `waynote place list`, `key list` or `log list`
    ");
}

#[test]
fn verify_says_when_there_is_no_store_and_makes_none() {
    let scratch = Scratch::new();
    insta::assert_snapshot!(scratch.run("verify").said(), @"
    exit 1
    error: there is no store at HOME/.local/share/waynote/notes.db: nothing was checked
      name the store with `--store FILE`; `waynote config` shows where its name comes from
    ");
    assert!(!scratch.store().exists());
}

#[test]
fn verify_and_the_overview_tell_the_stores_id() {
    let scratch = Scratch::new();
    assert!(scratch.json("--json")["store_id"].is_null());
    scratch.ok("key save k v");
    let id = scratch.json("verify --json")["store_id"].clone();
    assert_eq!(scratch.json("--json")["store_id"], id);
    assert!(
        scratch
            .ok("verify")
            .ends_with(&format!("\nstore id {}\n", id.as_str().unwrap()))
    );
}
