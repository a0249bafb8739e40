//! `waynote backup` and `waynote restore FILE`, as a person and a program see them.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use super::common::Scratch;

#[test]
fn a_store_is_backed_up_and_restored() {
    let scratch = Scratch::new();
    let seen = [
        scratch.run("backup b.db").said(),
        {
            scratch.ok("key save k old");
            scratch.run("backup b.db").said()
        },
        scratch.run("backup b.db").said(),
        {
            scratch.ok("key save k new");
            scratch.run("restore b.db").said()
        },
        scratch.run("restore b.db --replace").said(),
        scratch.ok("key show k"),
    ];
    insta::assert_snapshot!(seen.join("\n"), @"
    exit 1
    error: there is no store HOME/.local/share/waynote/notes.db
      there is nothing to back up; name another store with `--store`

    backed up to b.db: 1 note, 1 revision, 1 distinct text up to position 1; verified
    store id ID

    exit 1
    error: b.db cannot be written: there is such a file already
      name another file, or replace this one with `--force`

    exit 1
    error: HOME/.local/share/waynote/notes.db cannot be written: there is such a file already
      replace it with `--replace`, which keeps the old store under another name; or name another one with `--store`

    restored HOME/.local/share/waynote/notes.db: 1 note, 1 revision, 1 distinct text up to position 1; verified
    store id ID
    the store that was there before is HOME/.local/share/waynote/notes.db.before-20260517T120000Z

    old
    ");
    let before = scratch
        .store()
        .with_file_name("notes.db.before-20260517T120000Z");
    let of_before = format!("--store {} key show k", before.display());
    assert_eq!(scratch.ok(&of_before), "new");
    let file = scratch.home().join("work/b.db");
    assert_eq!(
        fs::metadata(file).unwrap().permissions().mode() & 0o777,
        0o600
    );
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
    let before = scratch
        .store()
        .with_file_name("notes.db.before-20260517T120000Z");
    assert_eq!(restored["before"], json!(before));
    assert_eq!(restored["position"], 2);
    let anew = scratch.home().join("work/other.db");
    let restored = scratch.json(&format!("--store {} restore b.db --json", anew.display()));
    assert_eq!(restored["before"], json!(null));
    // The restored store has a new id: other machines' memory of the backed-up store does not apply to it.
    assert_ne!(restored["store_id"], id);
}

#[test]
fn what_cannot_be_restored_is_refused() {
    let scratch = Scratch::new();
    scratch.ok("key save k old");
    // The first write empties the WAL, because the tables are in it.
    scratch.ok("key save k new");
    let store = scratch.store();
    let seen = [
        scratch.run("restore none.db --replace").said(),
        scratch
            .run(&format!("restore {} --replace", store.display()))
            .said(),
        scratch
            .run(&format!("backup {} --force", store.display()))
            .said(),
        scratch.run("restore agent:default#k --replace").said(),
        scratch.run("restore b.db --revision 1").said(),
    ];
    insta::assert_snapshot!(seen.join("\n"), @"
    exit 1
    error: none.db cannot be read: No such file or directory (os error 2)
      check the path

    exit 1
    error: HOME/.local/share/waynote/notes.db cannot be restored: its newest notes are in the WAL beside it, so it is a store and not a backup
      fix the cause and try again

    exit 1
    error: HOME/.local/share/waynote/notes.db cannot be written: it belongs to the store itself
      fix the cause and try again

    exit 1
    error: agent:default#k cannot be read: No such file or directory (os error 2)
      check the path

    exit 2
    error: `b.db` is not a valid key
      a key has 1 to 64 characters (a-z, 0-9, `_`, `-`) and begins with a letter or a digit; for example `b-db`
    ");
}
