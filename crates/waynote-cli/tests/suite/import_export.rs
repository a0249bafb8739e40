//! Other programs' notes, in and out.

use std::fs;

use super::common::{Scratch, assert_transcript, has};

#[test]
fn zrb_there_and_back() {
    let scratch = Scratch::new();
    let file = scratch.put(
        ".zrb/notes.json",
        r#"{"~": "home", "~/p": "caf\u00e9", "p": "odd", "/x": null}"#,
    );
    assert_transcript!(scratch, @"
    $ waynote import zrb
    imported place:~
    imported place:~/p
    2 added, 0 updated, 0 unchanged, 2 skipped
    skipped 2:
      /x: its value is no text
      p: no path resolves to that key

    $ waynote place write --at ~/p newer
    saved place:~/p (overwrote revision 1; `waynote undo place:~/p` brings it back)

    $ waynote import zrb
    0 added, 0 updated, 1 unchanged, 3 skipped
    skipped 3:
      /x: its value is no text
      p: no path resolves to that key
      place:~/p: it was imported before and changed since; `waynote restore place:~/p@1` brings it back

    $ waynote export zrb
    wrote 1 note to HOME/.zrb/notes.json, 1 unchanged
    ");
    insta::assert_snapshot!(fs::read_to_string(&file).unwrap(), @r#"
    {
      "/x": null,
      "p": "odd",
      "~": "home",
      "~/p": "newer"
    }
    "#);
    insta::assert_snapshot!(scratch.run("import zrb missing.json").said(), @"
    exit 1
    error: missing.json cannot be read: No such file or directory (os error 2)
      check the path
    ");
    fs::write(&file, "{\n\"~\": 1,\n").unwrap();
    insta::assert_snapshot!(scratch.run("import zrb").said(), @"
    exit 1
    error: HOME/.zrb/notes.json is damaged: line 3: EOF while parsing a value
      mend it or move it away
    ");
    has(scratch.run("export zrb").said(), "is damaged: line 3");
    assert_eq!(fs::read_to_string(&file).unwrap(), "{\n\"~\": 1,\n");
}

#[test]
fn openotters_there_and_back() {
    let scratch = Scratch::new();
    let path = scratch.home().join("work/memory.db");
    let conn = rusqlite::Connection::open(&path).unwrap();
    // The table before its migration.
    conn.execute_batch(
        "CREATE TABLE messages (text TEXT);
         CREATE TABLE notes (key TEXT PRIMARY KEY, content TEXT NOT NULL, preview TEXT NOT NULL DEFAULT '',
             created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
         INSERT INTO notes VALUES ('k', 'old text', 'old text', '2026-01-01 00:00:00+00:00', '2026-02-01 00:00:00.5+00:00'),
             ('Bad Key', 'x', 'x', NULL, NULL), ('untimed', 'y', 'y', NULL, NULL)",
    )
    .unwrap();
    assert_transcript!(scratch, @"
    $ waynote import openotters memory.db
    imported agent:default#k
    imported agent:default#untimed
    2 added, 0 updated, 0 unchanged, 1 skipped
    skipped 1:
      Bad Key: `Bad Key` is not a valid key

    $ waynote key list
    NOTE                   UPDATED               PINNED  PREVIEW
    agent:default#untimed  2026-05-17T12:00:00Z          y
    agent:default#k        2026-02-01T00:00:00Z          old text
    ");
    scratch.ok("key pin k");
    scratch.ok("key save mine here");
    has(
        scratch.ok("export openotters memory.db"),
        "wrote 3 notes to memory.db, 0 unchanged",
    );
    let rows = "SELECT group_concat(key || ': ' || content || ', ' || in_context || ', ' || CAST(updated_at AS TEXT), '; ')
        FROM (SELECT * FROM notes WHERE updated_at NOT NULL ORDER BY key)";
    let rows: String = conn.query_row(rows, [], |row| row.get(0)).unwrap();
    let time = "2026-05-17 12:00:00+00:00";
    let expected = format!("k: old text, 1, {time}; mine: here, 0, {time}; untimed: y, 0, {time}");
    assert_eq!(rows, expected);
    // A later text there is not overwritten, and a value that is not text is left as it is.
    conn.execute_batch(
        "UPDATE notes SET content = 'EVEN NEWER', updated_at = '2028-01-01 00:00:00' WHERE key = 'mine';
         INSERT INTO notes VALUES ('bytes', CAST(x'61ff62' AS TEXT), '', '2026-01-01 00:00:00', '2026-01-01 00:00:00', 0)",
    )
    .unwrap();
    scratch.run("import openotters memory.db").ok();
    scratch.ok("key delete untimed");
    insta::assert_snapshot!(scratch.run("import openotters memory.db").said(), @"
    0 added, 0 updated, 3 unchanged, 2 skipped
    skipped 2:
      Bad Key: `Bad Key` is not a valid key
      agent:default#untimed: it was imported before and deleted since; `waynote restore agent:default#untimed@1` brings it back
    ");
    scratch
        .run("key save mine older")
        .env("WAYNOTE_NOW", "2027-01-01T00:00:00Z")
        .ok();
    insta::assert_snapshot!(scratch.run("export openotters memory.db").said(), @"
    wrote 0 notes to memory.db, 2 unchanged, 1 skipped
    skipped 1:
      agent:default#mine: the text in the target is newer and stays; `waynote import openotters` brings it here
    ");
    let stored = |key: &str| -> Vec<u8> {
        let sql = "SELECT CAST(content AS BLOB) FROM notes WHERE key = ?1";
        conn.query_row(sql, [key], |row| row.get(0)).unwrap()
    };
    assert_eq!(stored("bytes"), b"a\xffb");
    assert_eq!(stored("mine"), b"EVEN NEWER");
    scratch.put("work/text.db", "no database at all, but text".repeat(60));
    insta::assert_snapshot!(scratch.run("import openotters text.db").said(), @"
    exit 1
    error: text.db cannot be read: file is not a database
      fix the cause and try again
    ");
    let empty = rusqlite::Connection::open(scratch.home().join("work/empty.db")).unwrap();
    empty.execute_batch("CREATE TABLE other (x)").unwrap();
    insta::assert_snapshot!(scratch.run("import openotters empty.db").said(), @"
    exit 1
    error: empty.db has nothing to import: it has no table `notes` or `agent_notes`
      name an openotters agent's memory.db, or its daemon's daemon.db with one of its agents or none
    ");
}

#[test]
fn a_daemon_of_openotters_has_a_notebook_for_each_agent() {
    let scratch = Scratch::new();
    let conn = rusqlite::Connection::open(scratch.home().join("work/daemon.db")).unwrap();
    conn.execute_batch(
        "CREATE TABLE agents (id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE);
         CREATE TABLE agent_notes (agent_id TEXT NOT NULL, key TEXT NOT NULL, content TEXT NOT NULL,
             preview TEXT NOT NULL DEFAULT '', in_context INTEGER NOT NULL DEFAULT 0,
             created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
             PRIMARY KEY (agent_id, key));
         INSERT INTO agents VALUES ('id-1', 'otter'), ('id-2', 'beaver');
         INSERT INTO agent_notes VALUES ('id-1', 'build', 'make', '', 1, '2026-01-01 00:00:00', '2026-01-01 00:00:00'),
             ('id-2', 'build', 'cargo', '', 0, NULL, NULL)",
    )
    .unwrap();
    assert_transcript!(scratch, @"
    $ waynote --agent otter import openotters daemon.db
    imported agent:otter#build
    1 added, 0 updated, 0 unchanged, 0 skipped

    $ waynote import openotters daemon.db
    imported agent:beaver#build
    1 added, 0 updated, 1 unchanged, 0 skipped

    $ waynote --agent mole import openotters daemon.db
    exit 1
    error: daemon.db has nothing to import: it has no notes of an agent `mole`, but those of beaver, otter
      name an openotters agent's memory.db, or its daemon's daemon.db with one of its agents or none

    $ waynote export openotters daemon.db
    exit 1
    error: daemon.db cannot be written: it is the database of an openotters daemon; name the memory.db of one agent
      fix the cause and try again
    ");
    assert_eq!(
        scratch.json("show agent:otter#build --json")["pinned"],
        true
    );
}
