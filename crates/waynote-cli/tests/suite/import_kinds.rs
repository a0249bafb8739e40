//! What a person has from other programs, in the forms that they really have.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::common::{Scratch, assert_transcript, has};

fn pipe(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::RWXU, 0).unwrap();
}

#[test]
fn agents_md_does_not_feed_itself() {
    let scratch = Scratch::new();
    let file = scratch.put("work/AGENTS.md", "# Shop\r\n\r\nUse pnpm.\r\n");
    symlink("AGENTS.md", scratch.home().join("work/CLAUDE.md")).unwrap();
    scratch.ok("key save --at . build make");
    scratch.ok("key save --at . pnpm 'Use pnpm.'");
    let mut sizes = Vec::new();
    for _ in 0..3 {
        scratch.ok("import agents-md");
        scratch.run("import claude-code").said();
        scratch.ok("export agents-md");
        sizes.push(fs::metadata(&file).unwrap().len());
    }
    assert_eq!(sizes[0], sizes[2]);
    let text = fs::read_to_string(&file).unwrap();
    assert!(
        text.starts_with("# Shop\r\n\r\nUse pnpm.\r\n\n<!-- waynote: begin"),
        "{text}"
    );
    assert_eq!(text.matches("Use pnpm").count(), 1);
    let block = scratch.ok("context");
    assert_eq!(block.matches("# Shop").count(), 1, "{block}");
    assert_eq!(
        scratch.ok("key show --at . agents-md"),
        "# Shop\r\n\r\nUse pnpm.\r\n"
    );
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
    fs::remove_file(at("work/AGENTS.md")).unwrap();
    pipe(&at("work/AGENTS.md"));
    has(
        scratch.run("export agents-md").said(),
        "it is no regular file",
    );
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

#[test]
fn a_rule_for_some_files_becomes_a_note_of_their_directory_or_names_them() {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.home().join("work/src/api")).unwrap();
    for (name, text) in [
        (
            "api.mdc",
            "---\ndescription: Handlers\nglobs: src/api/**/*.ts\nalwaysApply: false\n---\nNever block.\n",
        ),
        (
            "all.mdc",
            "---\ndescription:\nglobs: *.ts,*.tsx\n---\n\n# Types\n",
        ),
        ("always.md", "---\nalwaysApply: true\n---\nUse pnpm.\n"),
        ("react.md", "one\n"),
        ("react.mdc", "two\n"),
    ] {
        scratch.put(&format!("work/.cursor/rules/{name}"), text);
    }
    assert_transcript!(scratch, @"
    $ waynote import cursor-rules
    imported place:~/work#cursor-rule-all
    imported place:~/work#cursor-rule-always
    imported place:~/work/src/api#cursor-rule-api
    imported place:~/work#cursor-rule-react
    imported place:~/work#cursor-rule-react-9e9c2c3a
    5 added, 0 updated, 0 unchanged, 0 skipped
    under keys of their own:
      place:~/work#cursor-rule-react-9e9c2c3a: place:~/work#cursor-rule-react is another note
    ");
    assert_eq!(
        scratch.ok("key show --at src/api cursor-rule-api"),
        "Handlers\n\nNever block.\n\nApplies to: `src/api/**/*.ts`"
    );
    assert_eq!(
        scratch.ok("key show --at . cursor-rule-all"),
        "# Types\n\nApplies to: `*.ts`, `*.tsx`"
    );
}

#[test]
fn a_file_in_another_encoding_is_read_or_named() {
    let scratch = Scratch::new();
    scratch.put("work/AGENTS.md", "\u{FEFF}Grüße\n");
    scratch.put("work/GEMINI.md", b"Gr\xFC\xDFe\n");
    assert_transcript!(scratch, @"
    $ waynote import agents-md
    imported place:~/work#agents-md
    1 added, 0 updated, 0 unchanged, 0 skipped

    $ waynote key show --at . agents-md
    Grüße

    $ waynote import gemini-md
    exit 1
    0 added, 0 updated, 0 unchanged, 1 skipped
    skipped 1:
      HOME/work/GEMINI.md: it is not UTF-8: byte 0xFC at offset 2; convert it to UTF-8
    ");
}

#[test]
fn sources_are_found_from_a_subdirectory_and_from_a_linked_worktree() {
    let scratch = Scratch::new();
    let at = |path: &str| scratch.home().join(path);
    fs::create_dir_all(at("shop/src")).unwrap();
    let git = |words: &str| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@b"])
            .args(words.split(' '));
        git.current_dir(at("shop")).env("HOME", scratch.home());
        assert!(git.output().unwrap().status.success(), "{words}");
    };
    git("init -q");
    scratch.put("shop/AGENTS.md", "Use pnpm.");
    scratch.put("shop/src/AGENTS.md", "Below.");
    git("add .");
    git("commit -qm one");
    git("worktree add -q ../tree");
    scratch.put("shop/.serena/memories/build.md", "make all");
    let folder = at("shop")
        .to_string_lossy()
        .replace(|char: char| !char.is_ascii_alphanumeric(), "-");
    scratch.put(
        &format!(".claude/projects/{folder}/memory/MEMORY.md"),
        "remembered",
    );
    for directory in ["shop/src", "tree/src"] {
        let listed = scratch.run("start").cwd(at(directory)).ok();
        for (name, notes) in [("claude-memory", 1), ("agents-md", 2), ("serena", 1)] {
            let line = listed
                .lines()
                .find(|line| line.contains(name))
                .unwrap_or_default();
            let expected = format!("{name} {notes}");
            let line: Vec<&str> = line.split_whitespace().skip(1).take(2).collect();
            assert_eq!(line.join(" "), expected, "{directory}: {listed}");
        }
        let imported = scratch
            .run("import claude-memory --dry-run")
            .cwd(at(directory))
            .ok();
        has(&imported, "would import place:~/shop#memory");
    }
    scratch.run("import agents-md").cwd(at("tree/src")).ok();
    assert_eq!(scratch.ok("key show --at ~/shop agents-md"), "Use pnpm.");
    assert_eq!(scratch.ok("key show --at ~/shop/src agents-md"), "Below.");
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
