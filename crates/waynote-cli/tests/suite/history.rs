//! History, undo, restore, as-of, verify.

use super::common::{Scratch, assert_transcript, fields};

#[test]
fn nothing_is_lost() {
    let scratch = Scratch::new();
    assert_transcript!(scratch, @"
    $ waynote key save k one
    saved agent:default#k (new key)

    $ waynote --author agent:b key save k two --pin
    saved agent:default#k (overwrote revision 1; `waynote undo agent:default#k` brings it back) (pinned)

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
      see `waynote place list`, `key list` or `log list`

    $ waynote restore agent:default#k
    exit 2
    error: no revision given
      add `--revision N`; `waynote history ADDRESS` lists them

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
      see `waynote place list`, `key list` or `log list`

    $ waynote show agent:default#k --as-of 2
    two

    $ waynote show agent:default#k --as-of 2026-05-17T12:00:00Z
    two

    $ waynote show agent:default#k --as-of 2026-05-01T00:00:00Z
    exit 1
    error: there is no agent:default#k at 2026-05-01T00:00:00Z
      see `waynote place list`, `key list` or `log list`

    $ waynote show agent:default#k --as-of yesterday
    exit 2
    error: `yesterday` is neither a revision nor a time
      for example 3 or 2026-05-17T12:00:00Z

    $ waynote verify
    HOME/.local/share/waynote/notes.db is sound: 1 note, 6 revisions, 3 contents
    store id ID
    ");
}

/// The output of `verify` for a damaged copy of the store.
fn verified_after(scratch: &Scratch, sql: &str) -> String {
    let copy = scratch.path("copy.db");
    let source = rusqlite::Connection::open(scratch.store()).unwrap();
    let _ = std::fs::remove_file(&copy);
    source
        .execute("VACUUM INTO ?1", [copy.to_str().unwrap()])
        .unwrap();
    rusqlite::Connection::open(&copy)
        .unwrap()
        .execute_batch(sql)
        .unwrap();
    let store = copy.to_string_lossy().into_owned();
    scratch
        .waynote(["verify", "--store", &store])
        .said()
        .replace(&store, "STORE")
}

#[test]
fn verify_names_what_is_damaged() {
    let scratch = Scratch::new();
    scratch.ok("key save k one");
    scratch.ok("place write here");
    let damaged = [
        "UPDATE waynote_content SET body = 'two' WHERE body = CAST('one' AS BLOB)",
        "UPDATE waynote_note SET pinned = 1 WHERE key = 'k'",
        "DELETE FROM waynote_note WHERE key = 'k'",
        "PRAGMA foreign_keys = OFF; DELETE FROM waynote_content",
        "UPDATE waynote_journal SET revision = 3 WHERE key = 'k'",
    ]
    .map(|sql| format!("{sql}\n{}\n", verified_after(&scratch, sql)));
    insta::assert_snapshot!(damaged.concat(), @r#"
    UPDATE waynote_content SET body = 'two' WHERE body = CAST('one' AS BLOB)
    exit 1
    damaged: the content of agent:default#k@1 does not match its hash
    damaged: agent:default#k has a wrong preview
    STORE has 2 problems: 1 note, 2 revisions, 1 content
    store id ID

    UPDATE waynote_note SET pinned = 1 WHERE key = 'k'
    exit 1
    damaged: agent:default#k (row 1, "k" of waynote_note) does not match its checksum
    STORE has 1 problem: 1 note, 2 revisions, 1 content
    store id ID

    DELETE FROM waynote_note WHERE key = 'k'
    exit 1
    damaged: agent:default#k has revisions in the journal that belong to no note
    damaged: agent:default has a wrong count of notes
    STORE has 2 problems: 1 note, 2 revisions, 1 content
    store id ID

    PRAGMA foreign_keys = OFF; DELETE FROM waynote_content
    exit 1
    damaged: agent:default#k has a revision whose content is missing
    damaged: place:~/work has a revision whose content is missing
    damaged: agent:default#k@1 (row 1 of waynote_journal) does not match its checksum
    damaged: place:~/work@1 (row 2 of waynote_journal) does not match its checksum
    damaged: agent:default#k (row 1, "k" of waynote_note) does not match its checksum
    damaged: place:~/work (row 2, "" of waynote_note) does not match its checksum
    STORE has 6 problems: 0 notes, 2 revisions, 0 contents
    store id ID

    UPDATE waynote_journal SET revision = 3 WHERE key = 'k'
    exit 1
    damaged: agent:default#k@3 (row 1 of waynote_journal) does not match its checksum
    damaged: agent:default#k has a gap in its revisions
    damaged: agent:default#k@1 is damaged
    STORE has 3 problems: 2 notes, 2 revisions, 1 content
    store id ID
    "#);
    let ok = scratch.json("verify --json");
    assert_eq!(fields(&ok, "ok problems"), "true []");
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

/// A row that cannot be read is a finding, and the rest is checked.
#[test]
fn verify_goes_on_after_a_row_that_cannot_be_read() {
    let scratch = Scratch::new();
    scratch.ok("--session s --iteration 1 log add --type stuck wall");
    scratch.ok("--session s --iteration 2 log add --type learning round --resolves wall");
    let said = verified_after(
        &scratch,
        "UPDATE waynote_note SET author = '' WHERE kind = 'stuck';
         UPDATE waynote_search_segment SET last = 0",
    );
    insta::assert_snapshot!(said, @r#"
    exit 1
    damaged: session:s#03g56gadhc9giz28czzxeif1v (row 1, "03g56gadhc9giz28czzxeif1v" of waynote_note) does not match its checksum
    STORE has 1 problem: 1 note, 2 revisions, 1 content
    store id ID
    "#);
}

#[test]
fn verify_names_what_is_damaged_of_repeats_and_of_what_is_forgotten() {
    let scratch = Scratch::new();
    scratch.ok("--session s --iteration 1 log add --type tip wall");
    scratch.ok("--session s --iteration 2 --author agent:b log add --type tip wall");
    scratch.ok("--session s --iteration 3 log add --type tip wall");
    scratch.ok("--session s log add --type tip door");
    scratch.ok("key save k one");
    scratch.ok("key save k two");
    scratch.ok("forget --yes agent:default#k@1");
    let entry = scratch.json("--session s log list --json")[0]["key"].clone();
    let damage = |sql: &str| {
        let said = verified_after(&scratch, sql);
        said.replace(entry.as_str().unwrap(), "ENTRY")
    };
    assert!(damage("SELECT 1").starts_with("STORE is sound"));
    for column in [
        "iteration = 3",
        "author = 'agent:b'",
        "updated_at = updated_at + 1",
        "revision = 2",
    ] {
        let said = damage(&format!(
            "UPDATE waynote_note SET {column} WHERE revision = 3 AND kind = 'tip'"
        ));
        assert!(
            said.contains("session:s#ENTRY (row") && said.contains("does not match its checksum"),
            "{column}: {said}"
        );
    }
    let damaged = [
        "UPDATE waynote_journal SET content = (SELECT content FROM waynote_note WHERE key = 'k')
         WHERE action = 'repeat' AND revision = 2",
        "UPDATE waynote_journal SET forgotten_by = NULL",
        "DROP TRIGGER waynote_journal_forget;
         UPDATE waynote_journal SET forgotten_at = NULL, forgotten_by = NULL; DELETE FROM waynote_note WHERE key = 'k'",
        "INSERT INTO waynote_content SELECT 1, zeroblob(32), x'00'",
    ]
    .map(damage);
    insta::assert_snapshot!(damaged.concat(), @"
    exit 1
    damaged: session:s#ENTRY@2 (row 2 of waynote_journal) does not match its checksum
    STORE has 1 problem: 3 notes, 6 revisions, 2 contents
    store id ID
    exit 1
    damaged: agent:default#k has a revision that is only half forgotten
    damaged: agent:default#k@1 (row 5 of waynote_journal) does not match its checksum
    STORE has 2 problems: 3 notes, 6 revisions, 2 contents
    store id ID
    exit 1
    damaged: agent:default#k has revisions in the journal that belong to no note
    damaged: agent:default#k@1 (row 5 of waynote_journal) does not match its checksum
    damaged: agent:default has a wrong count of notes
    STORE has 3 problems: 2 notes, 6 revisions, 2 contents
    store id ID
    exit 1
    damaged: the content of no note does not match its hash
    damaged: contents without a revision: 1
    STORE has 2 problems: 3 notes, 6 revisions, 3 contents
    store id ID
    ");
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
    let line = format!("/notes.db, id {id}\n");
    let overview = scratch.waynote::<_, &str>([]).ok();
    assert!(overview.contains(&line), "{overview}");
    scratch.ok("key save k w");
    assert_eq!(scratch.json("verify --json")["store_id"], id);
}
