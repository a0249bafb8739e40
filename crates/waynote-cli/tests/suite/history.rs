//! History, undo, restore, as-of, verify.

use super::common::{Scratch, assert_transcript};

#[test]
fn nothing_is_lost() {
    let scratch = Scratch::new();
    assert_transcript!(scratch, @"
    $ waynote key save k one
    saved agent:default#k (new key)

    $ waynote --author agent:b key save k two --pin
    saved agent:default#k (overwrote revision 1; `waynote undo agent:default#k` brings it back, pinned)

    $ waynote key delete k
    deleted agent:default#k

    $ waynote history agent:default#k
    agent:default#k
    REVISION  ACTION  AUTHOR   RECORDED              PREVIEW
    3         delete  person   2026-05-17T12:00:00Z
    2         save    agent:b  2026-05-17T12:00:00Z  two
    1         save    person   2026-05-17T12:00:00Z  one

    $ waynote undo agent:default#k
    undid the last change of agent:default#k (now revision 4: two); `waynote redo agent:default#k` brings it back

    $ waynote key save k three
    saved agent:default#k (overwrote revision 4; `waynote undo agent:default#k` brings it back)

    $ waynote restore agent:default#k --revision 2
    restored revision 2 of agent:default#k (now revision 6: two)

    $ waynote restore agent:default#k --revision 99
    exit 1
    error: there is no agent:default#k@99
      it has the revisions 1 to 6

    $ waynote restore agent:default#k
    exit 2
    error: no revision given
      `waynote history agent:default#k` lists the revisions, `waynote restore agent:default#k@N` restores one

    $ waynote history agent:default#k
    agent:default#k
    REVISION  ACTION     AUTHOR   RECORDED              PREVIEW
    6         restore    person   2026-05-17T12:00:00Z  two
    5         save       person   2026-05-17T12:00:00Z  three
    4         undo of 3  person   2026-05-17T12:00:00Z  two
    3         delete     person   2026-05-17T12:00:00Z
    2         save       agent:b  2026-05-17T12:00:00Z  two
    1         save       person   2026-05-17T12:00:00Z  one

    $ waynote history agent:default#other
    exit 1
    error: there is no history of agent:default#other
      there are: k

    $ waynote show agent:default#k --as-of 2
    two

    $ waynote show agent:default#k --as-of 2026-05-17T12:00:00Z
    two

    $ waynote show agent:default#k --as-of 2026-05-01T00:00:00Z
    exit 1
    error: there is no agent:default#k at 2026-05-01T00:00:00Z
      see `waynote place list`, `key list` or `log list`

    $ waynote show agent:default#k --as-of yesterday
    exit 1
    error: there is no agent:default#k at 2026-05-16T00:00:00Z
      see `waynote place list`, `key list` or `log list`

    $ waynote verify
    HOME/.local/share/waynote/notes.db is sound: 1 note, 6 revisions, 3 distinct texts
    store id ID
    ");
}

/// The library's tests have every kind of damage.
#[test]
fn verify_names_what_is_damaged() {
    let scratch = Scratch::new();
    scratch.ok("key save k one");
    let conn = rusqlite::Connection::open(scratch.store()).unwrap();
    conn.execute_batch("UPDATE waynote_content SET body = 'two'")
        .unwrap();
    insta::assert_snapshot!(scratch.run("verify").said(), @"
    exit 1
    damaged: the content of agent:default#k@1 does not match its hash
    damaged: agent:default#k has a wrong preview
    HOME/.local/share/waynote/notes.db has 2 problems: 0 notes, 1 revision, 0 distinct texts
    store id ID
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
    let value = scratch.json("verify --json");
    let id = value["store_id"].as_str().unwrap();
    assert_eq!(id.len(), 32);
    assert_eq!(scratch.json("--json")["store_id"], id);
    assert!(
        scratch
            .ok("verify")
            .ends_with(&format!("\nstore id {id}\n"))
    );
    scratch.ok("key save k w");
    assert_eq!(scratch.json("verify --json")["store_id"], id);
}
