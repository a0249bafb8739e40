//! Notes in the database of another program, beside its own tables.

use super::common::{Scratch, assert_transcript};

#[test]
fn the_database_of_an_agent_takes_our_tables_where_that_is_asked_for() {
    let scratch = Scratch::new();
    let path = scratch.home().join("work/memory.db");
    let conn = rusqlite::Connection::open(&path).unwrap();
    conn.execute_batch(
        "CREATE TABLE messages (text TEXT); INSERT INTO messages VALUES ('hello');
         CREATE TABLE notes (key TEXT PRIMARY KEY, content TEXT NOT NULL, preview TEXT NOT NULL DEFAULT '',
             created_at TIMESTAMP, updated_at TIMESTAMP, in_context INTEGER NOT NULL DEFAULT 0);
         INSERT INTO notes VALUES ('k', 'theirs', '', '2026-01-01', '2026-01-01 00:00:00', 0)",
    )
    .unwrap();
    assert_transcript!(scratch, @"
    $ waynote --store memory.db key save mine text
    exit 1
    error: memory.db is the SQLite database of another program
      add `--attach` once to keep notes in it, in tables of their own; or give another file with `--store`

    $ waynote --store memory.db --attach key save mine text
    saved agent:default#mine (new, in every project)

    $ waynote --store memory.db import openotters memory.db
    imported agent:default#k
    1 added, 0 updated, 0 unchanged, 0 skipped

    $ waynote --store memory.db verify
    memory.db is sound: 2 notes, 2 revisions, 2 distinct texts
    store id ID

    $ waynote --store memory.db forget agent:default#mine --yes
    exit 1
    forgot 1 revision of agent:default#mine
    error: no note has the text any more, but the store's files may: it holds tables of another program, so it was not rebuilt
      end the programs that have the database open, then run `VACUUM` and `PRAGMA wal_checkpoint(TRUNCATE)` on it with sqlite3
    ");
    let hello = "SELECT text FROM messages WHERE (SELECT count(*) FROM notes) = 1";
    let hello: String = conn.query_row(hello, [], |row| row.get(0)).unwrap();
    assert_eq!(hello, "hello");
}

#[test]
fn a_store_of_our_own_is_nothing_to_import() {
    let scratch = Scratch::new();
    scratch.ok("--store old.db key save k text");
    insta::assert_snapshot!(scratch.run("import openotters old.db").said(), @"
    exit 1
    error: old.db has nothing to import: it is a waynote store, which can be used as it is
      name an openotters agent's memory.db, or its daemon's daemon.db with one of its agents or none
    ");
}
