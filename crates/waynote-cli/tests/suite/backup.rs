//! `waynote backup` and `waynote restore FILE`, as a person and a program see them.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use super::common::{Scratch, assert_transcript};

#[test]
fn a_store_is_backed_up_and_restored() {
    let scratch = Scratch::new();
    assert_transcript!(scratch, @"
    $ waynote backup b.db
    exit 1
    error: there is no store HOME/.local/share/waynote/notes.db
      there is nothing to back up; name another store with `--store`

    $ waynote key save k old
    saved agent:default#k (new, in every project)

    $ waynote backup b.db
    backed up to b.db: 1 note, 1 revision, 1 distinct text up to position 1; verified
    store id ID

    $ waynote backup b.db
    exit 1
    error: b.db cannot be written: there is such a file already
      name another file, or replace this one with `--force`

    $ waynote key save k new
    saved agent:default#k (overwrote revision 1; `waynote undo agent:default#k` brings it back)

    $ waynote restore b.db
    exit 1
    error: HOME/.local/share/waynote/notes.db cannot be written: there is such a file already
      replace it with `--replace`, which keeps the old store under another name; or name another one with `--store`

    $ waynote restore b.db --replace
    restored HOME/.local/share/waynote/notes.db: 1 note, 1 revision, 1 distinct text up to position 1; verified
    store id ID
    the store that was there before is HOME/.local/share/waynote/notes.db.before-20260517T120000Z

    $ waynote key show k
    old
    ");
    let before = format!("{}.before-20260517T120000Z", scratch.store().display());
    assert_eq!(scratch.ok(&format!("--store {before} key show k")), "new");
    let file = scratch.home().join("work/b.db");
    let mode = fs::metadata(file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn programs_get_counts_and_position() {
    let scratch = Scratch::new();
    scratch.ok("key save k old");
    scratch.ok("key save k new");
    let id = scratch.json("verify --json")["store_id"].clone();
    let file = scratch.home().join("work/b.db");
    let mut backup = scratch.json("backup b.db --json");
    assert_eq!(backup["bytes"], fs::metadata(file).unwrap().len());
    backup["bytes"] = json!(0);
    let expected = json!({
        "backup": "b.db", "store": scratch.store(), "store_id": id, "position": 2,
        "notes": 1, "revisions": 2, "contents": 2, "bytes": 0, "verified": true,
    });
    assert_eq!(backup, expected);
    let restored = scratch.json("restore b.db --replace --json");
    let before = format!("{}.before-20260517T120000Z", scratch.store().display());
    assert_eq!(restored["before"], before);
    // The restored store has a new id: other machines' memory of the backed-up store does not apply to it.
    assert_ne!(restored["store_id"], id);
}

#[test]
fn what_cannot_be_restored_is_refused() {
    let scratch = Scratch::new();
    scratch.ok("--store s.db key save k old");
    // The first write empties the WAL, because the tables are in it.
    scratch.ok("--store s.db key save k new");
    assert_transcript!(scratch, @"
    $ waynote --store s.db restore s.db --replace
    exit 1
    error: s.db cannot be restored: its newest notes are in the WAL beside it, so it is a store and not a backup
      fix the cause and try again

    $ waynote --store s.db backup s.db --force
    exit 1
    error: s.db cannot be written: it belongs to the store itself
      fix the cause and try again
    ");
}
