//! Other programs' notes, in and out.

use std::fs;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::common::{Scratch, assert_transcript};
use super::fake_xs::file_of;

#[test]
fn zrb_there_and_back() {
    let scratch = Scratch::new();
    let file = scratch.put(
        ".zrb/notes.json",
        r#"{"~": "home", "~/p": "caf\u00e9", "p": "odd", "/x": null}"#,
    );
    assert_transcript!(scratch, @r#"
    $ waynote import zrb
    imported place:~
    imported place:~/p
    2 added, 0 updated, 0 unchanged, 2 skipped
    skipped 2:
      /x: its value is no text
      p: no path resolves to that key

    $ waynote import zrb
    0 added, 0 updated, 2 unchanged, 2 skipped
    skipped 2:
      /x: its value is no text
      p: no path resolves to that key

    $ waynote place write --at ~/p newer
    saved place:~/p (overwrote revision 1; `waynote undo place:~/p` brings it back)
    note: Zrb's notes in ~/.zrb/notes.json are not read
      keep both in sync with `waynote config set notes_file ~/.zrb/notes.json`; this is said once

    $ waynote import zrb --json
    {
      "added": 0,
      "updated": 0,
      "unchanged": 1,
      "skipped": [
        {
          "what": "/x",
          "reason": "its value is no text"
        },
        {
          "what": "p",
          "reason": "no path resolves to that key"
        },
        {
          "what": "place:~/p",
          "reason": "it was imported before and changed since; `waynote restore place:~/p@1` brings it back"
        }
      ]
    }
    skipped 3:
      /x: its value is no text
      p: no path resolves to that key
      place:~/p: it was imported before and changed since; `waynote restore place:~/p@1` brings it back

    $ waynote export zrb -
    {
      "~": "home",
      "~/p": "newer"
    }

    $ waynote export zrb
    wrote 1 note to HOME/.zrb/notes.json, 1 unchanged
    "#);
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
      mend it or move it away; nothing was written to it
    ");
    insta::assert_snapshot!(scratch.run("export zrb").said(), @"
    exit 1
    error: HOME/.zrb/notes.json is damaged: line 3: EOF while parsing a value
      mend it or move it away; nothing was written to it
    ");
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

    $ waynote import openotters memory.db
    0 added, 0 updated, 2 unchanged, 1 skipped
    skipped 1:
      Bad Key: `Bad Key` is not a valid key

    $ waynote key list
    NOTE                   UPDATED               PINNED  PREVIEW
    agent:default#untimed  2026-05-17T12:00:00Z          y
    agent:default#k        2026-02-01T00:00:00Z          old text
    ");
    scratch.ok("key pin k");
    scratch.ok("key save mine here");
    insta::assert_snapshot!(scratch.run("export openotters memory.db").said(), @"wrote 3 notes to memory.db, 0 unchanged");
    let rows = "SELECT printf('%s: %s, %d, %s', key, content, in_context, CAST(updated_at AS TEXT)) FROM notes ORDER BY key";
    let mut rows = conn.prepare(rows).unwrap();
    let rows = rows.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let rows: Vec<String> = rows.collect::<rusqlite::Result<_>>().unwrap();
    insta::assert_snapshot!(rows.join("\n"), @"
    Bad Key: x, 0, 
    k: old text, 1, 2026-05-17 12:00:00+00:00
    mine: here, 0, 2026-05-17 12:00:00+00:00
    untimed: y, 0, 2026-05-17 12:00:00+00:00
    ");
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
    let hex = |key: &str| -> String {
        conn.query_row(
            "SELECT hex(content) FROM notes WHERE key = ?1",
            [key],
            |row| row.get(0),
        )
        .unwrap()
    };
    assert_eq!(
        (hex("bytes").as_str(), hex("mine").as_str()),
        ("61FF62", "4556454E204E45574552")
    );
    insta::assert_snapshot!(scratch.run("import openotters missing.db").said(), @"
    exit 1
    error: missing.db cannot be read: No such file or directory (os error 2)
      check the path
    ");
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
fn frames_on_standard_input_and_no_xs() {
    let scratch = Scratch::new();
    let store = super::reference_ralph::xs_store(&scratch)
        .to_string_lossy()
        .into_owned();
    let frames = super::common::reference("ralph/frames.ndjson")
        + "{\"topic\":\"ralph.demo.no\nnot json\n{\"topic\": 3}\n{\"topic\":\"ralph..note\",\"id\":\"x\"}\n{\"topic\":\"ralph. x .note\",\"id\":\"x\"}\n";
    let run = |words: &[&str]| {
        scratch
            .waynote(words)
            .stdin(frames.as_str())
            .said()
            .replace(&store, "STORE")
    };
    let piped = run(&[
        "--session",
        "striter",
        "import",
        "xs",
        "-",
        "--contents",
        &store,
    ]);
    insta::assert_snapshot!(piped, @"
    imported session:striter#03ha3k09cz6nrbzf8vnaynffw
    1 added, 0 updated, 0 unchanged, 6 skipped
    skipped 6:
      frame 03ha3k09dfl8zmpoq9569lsgo of ralph.striter.note: its iteration is a string, not an integer
      line 55: it is no frame: EOF while parsing a string at line 1 column 23
      line 56: it is no frame: expected ident at line 1 column 2
      line 57: it is no frame: it lacks a topic or an id
      frame x of ralph..note: `` is not a valid name: it is empty
      frame x of ralph. x .note: its session's name begins or ends with a blank
    ");
    insta::assert_snapshot!(run(&["import", "xs", "-"]), @"
    exit 2
    error: the texts of frames from standard input are missing
      add `--contents FOLDER`: the xs store's folder
    ");
    insta::assert_snapshot!(run(&["import", "xs", &store]), @"
    exit 1
    error: no xs answers at STORE/sock: No such file or directory (os error 2)
      start it with `xs serve STORE`; or import what `xs cat STORE` prints, with --contents
    ");
    insta::assert_snapshot!(run(&["--session", "demo", "export", "xs", &store]), @"
    exit 1
    error: no xs answers at STORE/sock: No such file or directory (os error 2)
      start it with `xs serve STORE`; or import what `xs cat STORE` prints, with --contents
    ");
}

#[test]
fn a_content_that_is_not_what_its_hash_says_is_skipped() {
    let scratch = Scratch::new();
    let store = super::reference_ralph::xs_store(&scratch);
    let hash = STANDARD
        .decode("R12MNmMnbVmRtYaalOjUFP3E3s7sdE6ppeQlRwd7eZc=")
        .unwrap();
    fs::write(file_of(&store, &hash), "tampered").unwrap();
    let good = STANDARD
        .decode("AQjKbpjWCe9y2n4Ept/1u33tSTmaVu0pMXKYpQVNngk=")
        .unwrap();
    fs::remove_file(file_of(&store, &good)).unwrap();
    let frames = super::common::reference("ralph/frames.ndjson")
        .replace("\"iteration\":\"1\"", "\"iteration\":1");
    let store = store.to_string_lossy().into_owned();
    let run = scratch
        .run(&format!(
            "--session striter import xs - --contents '{store}'"
        ))
        .stdin(frames);
    insta::assert_snapshot!(run.said(), @"
    exit 1
    0 added, 0 updated, 0 unchanged, 2 skipped
    skipped 2:
      frame 03ha3k09cz6nrbzf8vnaynffw of ralph.striter.note: its content is not in the store
      frame 03ha3k09dfl8zmpoq9569lsgo of ralph.striter.note: its content does not match its hash
    ");
}
