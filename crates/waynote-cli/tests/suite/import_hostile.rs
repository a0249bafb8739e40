//! Files that were made to do harm: pipes, links to private files, views, and little that becomes much.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::common::{Scratch, assert_transcript, has, lacks};

fn pipe(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::RWXU, 0).unwrap();
}

/// The unit tests of the formats have folders, pipes and devices.
#[test]
fn no_pipe_is_opened_and_no_link_leads_out() {
    let scratch = Scratch::new();
    let at = |path: &str| scratch.home().join(path);
    fs::create_dir_all(at("work/.claude")).unwrap();
    fs::create_dir(at(".claude")).unwrap();
    scratch.put("private.md", "private");
    scratch.put("rules/shared.md", "shared");
    scratch.put("dotfiles/CLAUDE.md", "Short answers.");
    pipe(&at("work/AGENTS.md"));
    symlink("../private.md", at("work/CLAUDE.md")).unwrap();
    symlink(at("rules"), at("work/.claude/rules")).unwrap();
    // The user's own file may be a link to another one of the user's.
    symlink("../dotfiles/CLAUDE.md", at(".claude/CLAUDE.md")).unwrap();
    rusqlite::Connection::open(at("work/memory.db"))
        .unwrap()
        .execute_batch("CREATE TABLE notes (key, content, created_at, updated_at)")
        .unwrap();
    pipe(&at("work/memory.db-wal"));
    assert_transcript!(scratch, @"
    $ waynote import claude-code
    imported place:~#claude-md
    1 added, 0 updated, 0 unchanged, 2 skipped
    skipped 2:
      HOME/work/CLAUDE.md: it cannot be read: a link leads out of HOME/work; copy the file into that folder to import it
      HOME/work/.claude/rules/shared.md: it cannot be read: a link leads out of HOME/work; copy the file into that folder to import it

    $ waynote import agents-md
    exit 1
    0 added, 0 updated, 0 unchanged, 1 skipped
    skipped 1:
      HOME/work/AGENTS.md: it cannot be read: it is no regular file

    $ waynote import openotters memory.db
    exit 1
    error: memory.db-wal cannot be read: it is no regular file
      fix the cause and try again
    ");
}

#[test]
fn only_stored_tables_are_read() {
    let scratch = Scratch::new();
    let make = |name: &str, sql: &str| {
        let conn = rusqlite::Connection::open(scratch.home().join("work").join(name)).unwrap();
        conn.execute_batch(sql).unwrap();
    };
    make(
        "view.db",
        "CREATE VIEW notes (key, content, created_at, updated_at) AS
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
         SELECT i, i, NULL, NULL FROM n",
    );
    make(
        "computed.db",
        "CREATE TABLE notes (key, created_at, updated_at, content AS (hex(zeroblob(400000000))));
         INSERT INTO notes (key) VALUES ('a')",
    );
    assert_transcript!(scratch, @"
    $ waynote import openotters view.db
    exit 1
    error: view.db has nothing to import: it has no table `notes` or `agent_notes`
      name an openotters agent's memory.db, or its daemon's daemon.db with one of its agents or none

    $ waynote import openotters computed.db
    exit 1
    error: computed.db has nothing to import: it has no table `notes` or `agent_notes`
      name an openotters agent's memory.db, or its daemon's daemon.db with one of its agents or none

    ");
}

/// Runs it with little memory, so that disproportionate growth ends it.
fn in_little_memory(scratch: &Scratch, words: &str) -> String {
    const KIB: u64 = 400 << 10;
    let waynote = scratch.command(words);
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("ulimit -v {KIB}; exec \"$0\" \"$@\"")])
        .arg(waynote.get_program())
        .args(waynote.get_args())
        .current_dir(scratch.home().join("work"))
        .env_clear()
        .envs(
            waynote
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        );
    let output = command.output().unwrap();
    assert!(output.status.code().is_some(), "{words}: {output:?}");
    let said = [output.stdout, output.stderr].concat();
    String::from_utf8_lossy(&said).into_owned()
}

#[test]
fn little_does_not_become_much() {
    const SIZE: usize = 1_200_000;
    let scratch = Scratch::new();
    let write = |name: &str, text: &str| scratch.put(&format!("work/{name}"), text);
    let deep = format!("{}{}", "[".repeat(SIZE / 2), "]".repeat(SIZE / 2));
    write(
        "deep.json",
        &format!("{{\"~\": \"text\", \"~/p\": {deep}}}"),
    );
    let entity = "{\"type\":\"entity\",\"name\":";
    let more = format!("{entity}\"deep\",\"observations\":[\"x\"],\"more\":{deep}}}");
    write(
        "deep.jsonl",
        &format!("{more}\n{entity}\"2\",\"observations\":{deep}}}\n"),
    );
    let id = "3".repeat(24);
    let frame =
        format!("{{\"topic\":\"ralph.s.note\",\"id\":\"0{id}\",\"meta\":{{\"x\":{deep}}}}}\n");
    write("deep.frames", &frame);
    write(
        "kb/head.md",
        &format!("---\ntags: [{}]\n---\ntext\n", "a,".repeat(4 << 20)),
    );
    assert_transcript!(|words: &str| in_little_memory(&scratch, words), @"
    $ waynote import zrb deep.json
    imported place:~
    1 added, 0 updated, 0 unchanged, 1 skipped
    skipped 1:
      ~/p: its value is no text

    $ waynote import server-memory deep.jsonl
    imported agent:default#deep
    1 added, 0 updated, 0 unchanged, 1 skipped
    skipped 1:
      line 2: recursion limit exceeded at line 1 column 170

    $ waynote import xs deep.frames
    0 added, 0 updated, 0 unchanged, 1 skipped
    skipped 1:
      line 1: it is no frame: recursion limit exceeded at line 1 column 195

    $ waynote import basic-memory kb
    imported agent:default#head
    1 added, 0 updated, 0 unchanged, 0 skipped
    ");
}

#[test]
fn a_credential_in_a_path_or_a_key_is_named() {
    let scratch = Scratch::new();
    let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    scratch.put(&format!("work/kb/{token}.md"), "by its file name");
    scratch.put(
        "work/notes.json",
        format!("{{\"~/{token}\": \"by its path\"}}"),
    );
    let entity = format!(
        "{{\"type\":\"entity\",\"name\":\"{token}\",\"observations\":[\"by its name\"]}}\n"
    );
    scratch.put("work/memory.jsonl", entity);
    for words in [
        "import basic-memory kb",
        "import zrb notes.json",
        "import server-memory memory.jsonl --at ~/work",
    ] {
        let said = scratch.run(words).said();
        has(&said, "1 note taken in from outside holds a credential");
        lacks(said.to_lowercase(), token.to_lowercase());
    }
}

#[test]
fn exports_write_through_no_link_that_leads_out() {
    let scratch = Scratch::new();
    let at = |path: &str| scratch.home().join(path);
    scratch.ok("place write text");
    scratch.put("bashrc", "mine");
    symlink("../bashrc", at("work/AGENTS.md")).unwrap();
    fs::create_dir_all(at("work/out/place")).unwrap();
    fs::create_dir_all(at("elsewhere")).unwrap();
    symlink(at("elsewhere"), at("work/out/place/~")).unwrap();
    assert_transcript!(scratch, @"
    $ waynote export agents-md
    exit 1
    error: HOME/work/AGENTS.md cannot be written: a link leads out of HOME/work
      fix the cause and try again

    $ waynote export markdown out
    exit 1
    error: out/place/~/work/note.md cannot be written: a link leads out of out
      fix the cause and try again
    ");
    assert_eq!(fs::read_to_string(at("bashrc")).unwrap(), "mine");
    assert_eq!(fs::read_dir(at("elsewhere")).unwrap().count(), 0);
}

#[test]
fn nothing_without_an_end_is_read() {
    let scratch = Scratch::new();
    pipe(&scratch.home().join("work/pipe"));
    let store = scratch.home().join("new.db").display().to_string();
    for words in [
        "key save k --file /dev/zero",
        "key save k --file pipe",
        "place write --file pipe",
        &format!("--store {store} import json /dev/zero"),
        &format!("--store {store} import json pipe"),
    ] {
        let said = scratch.run(words).said();
        has(&said, "exit 1");
        has(&said, "it is no regular file");
    }
    let token = scratch
        .run("--store http://127.0.0.1:9/s/x ls")
        .env("WAYNOTE_TOKEN_FILE", "pipe");
    has(token.said(), "it is no regular file");
}
