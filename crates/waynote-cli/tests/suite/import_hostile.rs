//! Imports of files that somebody made to do harm: pipes, links to private files, views, and little that becomes much.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::common::{Scratch, assert_transcript, has, lacks};

fn pipe(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::RWXU, 0).unwrap();
}

#[test]
fn no_pipe_is_opened_and_no_link_leads_out() {
    let scratch = Scratch::new();
    let at = |path: &str| scratch.home().join(path);
    for folder in "work/kb/sub work/.claude .claude rules dotfiles".split(' ') {
        fs::create_dir_all(at(folder)).unwrap();
    }
    fs::write(at("private.md"), "private").unwrap();
    fs::write(at("rules/shared.md"), "shared").unwrap();
    fs::write(at("dotfiles/CLAUDE.md"), "Short answers.").unwrap();
    fs::write(at("work/kb/sub/note.md"), "a note").unwrap();
    pipe(&at("work/kb/pipe.md"));
    symlink("sub/note.md", at("work/kb/inside.md")).unwrap();
    symlink("../../private.md", at("work/kb/outside.md")).unwrap();
    symlink(at("rules"), at("work/kb/folder")).unwrap();
    pipe(&at("work/AGENTS.md"));
    symlink("../private.md", at("work/CLAUDE.md")).unwrap();
    symlink(at("rules"), at("work/.claude/rules")).unwrap();
    // The user's own file may be a link to another one of the user's.
    symlink("../dotfiles/CLAUDE.md", at(".claude/CLAUDE.md")).unwrap();
    pipe(&at("work/pipe"));
    rusqlite::Connection::open(at("work/memory.db"))
        .unwrap()
        .execute_batch("CREATE TABLE notes (key, content, created_at, updated_at)")
        .unwrap();
    pipe(&at("work/memory.db-wal"));
    assert_transcript!(scratch, @"
    $ waynote import basic-memory kb
    imported agent:default#inside
    imported agent:default#sub-note
    2 added, 0 updated, 0 unchanged, 2 skipped
    skipped 2:
      kb/pipe.md: it is no regular file
      kb/outside.md: it cannot be read: a link leads out of kb; copy the file into that folder to import it

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

    $ waynote import server-memory pipe
    exit 1
    error: pipe cannot be read: it is no regular file
      fix the cause and try again

    $ waynote import zrb pipe
    exit 1
    error: pipe is damaged: it is no regular file
      mend it or move it away; nothing was written to it

    $ waynote import xs pipe
    exit 1
    error: pipe cannot be read: it is no regular file
      fix the cause and try again

    $ waynote import openotters pipe
    exit 1
    error: pipe cannot be read: it is no regular file
      fix the cause and try again

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
    make(
        "large.db",
        "CREATE TABLE notes (key, content, created_at, updated_at);
         INSERT INTO notes (key, content) VALUES ('a', zeroblob(20000000)), ('b', 'text')",
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

    $ waynote import openotters large.db
    imported agent:default#b
    1 added, 0 updated, 0 unchanged, 1 skipped
    skipped 1:
      a: its text is larger than 16 MiB
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
    let write = |name: &str, text: &str| {
        let path = scratch.home().join("work").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let nested = |depth: usize| {
        let inside = "0,".repeat((SIZE - 2 * depth) / 2);
        format!("{}{inside}0{}", "[".repeat(depth), "]".repeat(depth))
    };
    for (name, depth) in [("deep", SIZE / 2), ("allowed", 120)] {
        let value = nested(depth);
        write(
            &format!("{name}.json"),
            &format!("{{\"~\": \"text\", \"~/p\": {value}}}"),
        );
        let entity = format!(
            "{{\"type\":\"entity\",\"name\":\"{name}\",\"observations\":[\"x\"],\"more\":{value}}}"
        );
        let fact = format!("{{\"type\":\"entity\",\"name\":\"{name}2\",\"observations\":{value}}}");
        write(&format!("{name}.jsonl"), &format!("{entity}\n{fact}\n"));
        let frame = format!(
            "{{\"topic\":\"ralph.s.note\",\"id\":\"0{}\",\"meta\":{{\"x\":{value}}}}}\n",
            "3".repeat(24)
        );
        write(&format!("{name}.frames"), &frame);
    }
    write(
        "kb/head.md",
        &format!("---\ntags: [{}]\n---\ntext\n", "a,".repeat(4 << 20)),
    );
    let long = format!(
        "{{\"type\":\"entity\",\"name\":\"l\",\"observations\":[{}\"\"]}}\n",
        "\"\",".repeat(2 << 20)
    );
    write("long.jsonl", &long);
    assert_transcript!(|words: &str| in_little_memory(&scratch, words), @"
    $ waynote import zrb deep.json
    imported place:~
    1 added, 0 updated, 0 unchanged, 1 skipped
    skipped 1:
      ~/p: its value is no text

    $ waynote import zrb allowed.json
    0 added, 0 updated, 1 unchanged, 1 skipped
    skipped 1:
      ~/p: its value is no text

    $ waynote import server-memory deep.jsonl
    imported agent:default#deep
    1 added, 0 updated, 0 unchanged, 1 skipped
    skipped 1:
      line 2: recursion limit exceeded at line 1 column 174

    $ waynote import server-memory long.jsonl
    0 added, 0 updated, 0 unchanged, 1 skipped
    skipped 1:
      line 1: it is longer than 4 MiB

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
    let work = scratch.home().join("work");
    fs::create_dir_all(work.join("kb")).unwrap();
    fs::write(work.join(format!("kb/{token}.md")), "by its file name").unwrap();
    fs::write(
        work.join("notes.json"),
        format!("{{\"~/{token}\": \"by its path\"}}"),
    )
    .unwrap();
    let entity = format!(
        "{{\"type\":\"entity\",\"name\":\"{token}\",\"observations\":[\"by its name\"]}}\n"
    );
    fs::write(work.join("memory.jsonl"), entity).unwrap();
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
