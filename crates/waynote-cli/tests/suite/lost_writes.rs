//! A store that has lost acknowledged writes, or that is missing: the output of commands, and the way on.

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use super::common::{Scratch, has, lacks};

fn beside(scratch: &Scratch, ending: &str) -> PathBuf {
    let mut path = scratch.store().into_os_string();
    path.push(ending);
    path.into()
}

/// Three notes, of which a damaged bit of the WAL has taken the last.
fn damaged() -> Scratch {
    let scratch = Scratch::new();
    for key in ["one", "two", "three"] {
        scratch.ok(&format!("key save {key} text"));
    }
    let mut options = fs::OpenOptions::new();
    let wal = options.read(true).write(true);
    let wal = wal.open(beside(&scratch, "-wal")).unwrap();
    let at = wal.metadata().unwrap().len() - 100;
    let mut byte = [0];
    wal.read_exact_at(&mut byte, at).unwrap();
    wal.write_all_at(&[byte[0] ^ 4], at).unwrap();
    scratch
}

#[test]
fn lost_writes_are_named_and_nothing_is_written_until_they_are_accepted() {
    let scratch = damaged();
    insta::assert_snapshot!(scratch.run("key save four text").said(), @"
    exit 1
    error: the store HOME/.local/share/waynote/notes.db has lost acknowledged writes: it was at position 3, and now it is at 2
      restore a backup, or accept the loss to go on with what is left; until then it can only be read; `waynote verify --accept-rollback` accepts it
    ");
    insta::assert_snapshot!(scratch.run("verify").said(), @"
    exit 1
    damaged: acknowledged writes are missing: the last was at position 3, the store is at 2
    HOME/.local/share/waynote/notes.db has 1 problem: 2 notes, 2 revisions, 1 distinct text
    store id ID
    what to do: restore a backup; or `waynote verify --accept-rollback` accepts the store as it is
    ");
    let lost = serde_json::json!({ "acknowledged": 3, "found": 2 });
    assert_eq!(scratch.json("--json")["lost_writes"], lost);
    // The block of a command and of a hook says it, once more on standard error, and doctor names what is wrong.
    let lost = "has lost acknowledged writes: it was at position 3, and now it is at 2";
    let hook = scratch.run("hook claude-code SessionStart");
    let hook = hook.stdin(r#"{"session_id":"s","source":"startup"}"#);
    for said in [scratch.run("context").said(), hook.patient().said()] {
        has(&said, format!("{lost}\n  `waynote doctor` says what to do"));
        assert_eq!(said.matches(lost).count(), 2, "{said}");
    }
    has(scratch.waynote([""; 0]).said(), lost);
    let wrong = format!("WRONG store: HOME/.local/share/waynote/notes.db {lost}");
    has(scratch.run("doctor").said(), wrong);
    assert_eq!(scratch.ok("key count"), "2\n");

    insta::assert_snapshot!(scratch.run("verify --accept-rollback").said(), @"
    exit 1
    error: HOME/.local/share/waynote/notes.db has lost acknowledged writes: it was at position 3, and now it is at 2, and there is no terminal to confirm it
      add `--yes`
    ");
    insta::assert_snapshot!(scratch.run("verify --accept-rollback --yes").said(), @"accepted: HOME/.local/share/waynote/notes.db goes from position 3 back to 2");
    insta::assert_snapshot!(scratch.run("verify --accept-rollback --yes").said(), @"HOME/.local/share/waynote/notes.db has not lost any write: there is nothing to accept");
    scratch.ok("key save four text");
    assert_eq!(scratch.ok("key count"), "3\n");
    assert!(scratch.ok("verify").contains("is sound"));
    lacks(scratch.run("context").said(), "lost");
}

#[test]
fn a_store_that_was_deleted_is_no_new_one() {
    let scratch = damaged();
    fs::remove_file(scratch.store()).unwrap();
    let said = scratch.run("key list").said();
    assert_eq!(scratch.run("key save four text").said(), said);
    insta::assert_snapshot!(said, @"
    exit 1
    error: the store HOME/.local/share/waynote/notes.db has lost acknowledged writes: it was at position 3, and now it is empty or gone
      restore a backup, or accept the loss to go on with what is left; until then it can only be read; `waynote verify --accept-rollback` accepts it
    ");
    fs::remove_file(beside(&scratch, "-wal")).unwrap();
    let accepted = scratch.json("--json verify --accept-rollback --yes");
    assert_eq!(
        accepted,
        serde_json::json!({ "accepted": { "acknowledged": 3, "found": 0 } })
    );
    scratch.ok("key save four text");
}
