//! A note that both sides changed: both texts stay, and the counts say so. What an export leaves out is named.

use std::fs;

use super::common::{Scratch, assert_transcript, has};

/// A memory.db with one note, written at a time.
fn memory(scratch: &Scratch, text: &str, updated_at: &str) -> rusqlite::Connection {
    let conn = rusqlite::Connection::open(scratch.home().join("work/memory.db")).unwrap();
    conn.execute_batch(
        "CREATE TABLE IF NOT EXISTS notes (key TEXT PRIMARY KEY, content TEXT NOT NULL, preview TEXT NOT NULL DEFAULT '',
             created_at TIMESTAMP, updated_at TIMESTAMP, in_context INTEGER NOT NULL DEFAULT 0)",
    )
    .unwrap();
    conn.execute(
        "INSERT OR REPLACE INTO notes VALUES ('k', ?1, '', ?2, ?2, 0)",
        [text, updated_at],
    )
    .unwrap();
    conn
}

#[test]
fn an_older_text_of_openotters_becomes_a_revision() {
    let scratch = Scratch::new();
    let conn = memory(&scratch, "theirs", "2026-01-01 00:00:00+00:00");
    scratch.ok("key save k ours --pin");
    assert_transcript!(scratch, @"
    $ waynote import openotters memory.db
    0 added, 0 updated, 0 unchanged, 1 in conflict, 0 skipped
    conflicts 1:
      agent:default#k: the text written here stays current; the imported one is revision 2: `waynote restore agent:default#k@2` makes it current

    $ waynote import openotters memory.db
    0 added, 0 updated, 0 unchanged, 1 skipped
    skipped 1:
      agent:default#k: it was imported before and changed since; `waynote restore agent:default#k@2` brings it back

    $ waynote restore agent:default#k@2
    restored revision 2 of agent:default#k (now revision 4: theirs)

    ");
    // A later text there is a change, and the one here is a revision as well.
    drop(conn);
    memory(&scratch, "theirs, later", "2027-01-01 00:00:00+00:00");
    has(
        scratch.ok("import openotters memory.db --json"),
        "agent:default#k@5",
    );
}

#[test]
fn a_pin_that_was_set_there_later_comes_too() {
    let scratch = Scratch::new();
    scratch.ok("key save k same");
    let conn = memory(&scratch, "same", "2027-01-01 00:00:00+00:00");
    conn.execute_batch("UPDATE notes SET in_context = 1")
        .unwrap();
    assert_transcript!(scratch, @"
    $ waynote import openotters memory.db
    imported agent:default#k
    0 added, 1 updated, 0 unchanged, 0 skipped

    $ waynote import openotters memory.db
    0 added, 0 updated, 1 unchanged, 0 skipped
    ");
    assert_eq!(scratch.json("show agent:default#k --json")["pinned"], true);
}

#[test]
fn what_was_exported_undoes_nothing_that_was_done_here_since() {
    let scratch = Scratch::new();
    scratch.ok("place write --at ~/kept v1");
    scratch.ok("place write --at ~/gone old");
    scratch.ok("key save kept v1");
    scratch.ok("key save gone old");
    scratch.ok("export zrb notes.json");
    scratch.ok("export openotters memory.db");
    for words in [
        "place write --at ~/kept v2",
        "place delete --at ~/gone",
        "key save kept v2",
        "key delete gone",
    ] {
        scratch
            .run(words)
            .env("WAYNOTE_NOW", "2026-06-01T00:00:00Z")
            .ok();
    }
    assert_transcript!(scratch, @"
    $ waynote import zrb notes.json
    0 added, 0 updated, 0 unchanged, 2 skipped
    skipped 2:
      place:~/gone: it is an older text of this note, which was deleted since; `waynote restore place:~/gone@1` brings it back
      place:~/kept: it is an older text of this note, which was changed since; `waynote restore place:~/kept@1` brings it back

    $ waynote import openotters memory.db
    0 added, 0 updated, 0 unchanged, 2 skipped
    skipped 2:
      agent:default#gone: it is an older text of this note, which was deleted since; `waynote restore agent:default#gone@1` brings it back
      agent:default#kept: it is an older text of this note, which was changed since; `waynote restore agent:default#kept@1` brings it back

    ");
    // Both texts there are new ones: the other program has written since.
    scratch.put("work/notes.json", r#"{"~/kept": "v3", "~/gone": "new"}"#);
    let said = scratch.run("import zrb notes.json").said();
    has(
        &said,
        "imported place:~/gone\n1 added, 0 updated, 0 unchanged, 1 in conflict, 0 skipped\n",
    );
    has(
        said,
        "place:~/kept: the imported text is current; the one written here is revision 2",
    );
}

#[test]
fn a_text_of_zrb_is_current_and_the_one_here_a_revision() {
    let scratch = Scratch::new();
    scratch.ok("place write ours");
    scratch.put("work/notes.json", r#"{"~/work": "theirs"}"#);
    assert_transcript!(scratch, @"
    $ waynote import zrb notes.json
    0 added, 0 updated, 0 unchanged, 1 in conflict, 0 skipped
    conflicts 1:
      place:~/work: the imported text is current; the one written here is revision 1: `waynote restore place:~/work@1` makes it current

    $ waynote import zrb notes.json
    0 added, 0 updated, 1 unchanged, 0 skipped

    $ waynote history place:~/work
    place:~/work
    REVISION  ACTION  AUTHOR      RECORDED              PREVIEW
    2         save    import:zrb  2026-05-17T12:00:00Z  theirs
    1         save    person      2026-05-17T12:00:00Z  ours

    ");
}

#[test]
fn a_file_of_an_agent_becomes_a_revision_of_a_note_that_was_changed_here() {
    let scratch = Scratch::new();
    let file = scratch.home().join("work/AGENTS.md");
    fs::write(&file, "first").unwrap();
    scratch.ok("import agents-md");
    fs::write(&file, "second").unwrap();
    // Only the file was changed: no conflict.
    has(
        scratch.ok("import agents-md"),
        "0 added, 1 updated, 0 unchanged, 0 skipped",
    );
    scratch.ok("key save agents-md ours --at ~/work");
    fs::write(&file, "third").unwrap();
    assert_transcript!(scratch, @"
    $ waynote import agents-md
    0 added, 0 updated, 0 unchanged, 1 in conflict, 0 skipped
    conflicts 1:
      place:~/work#agents-md: the text written here stays current; the imported one is revision 4: `waynote restore place:~/work#agents-md@4` makes it current
    ");
}

#[test]
fn an_export_names_what_it_leaves_out() {
    let scratch = Scratch::new();
    scratch.ok("place write one");
    scratch.ok("place write --at ~ two");
    scratch.ok("place write --at ~/odd three");
    scratch.ok("key save build make --at ~/work");
    scratch.ok("key save mine text");
    scratch.put("work/notes.json", r#"{"~/odd": 7, "~": "two"}"#);
    assert_transcript!(scratch, @r#"
    $ waynote export zrb notes.json
    wrote 1 note to notes.json, 1 unchanged, 2 skipped
    skipped 2:
      place:~/odd: the file holds a value under this key that is no text, which stays
      place:~/work#build: a notes.json holds one note for each directory, and no keyed ones

    $ waynote export zrb -
    {
      "~": "two",
      "~/odd": "three",
      "~/work": "one"
    }skipped 1:
      place:~/work#build: a notes.json holds one note for each directory, and no keyed ones
    "#);
}
