//! The first hour: `waynote start` among the notes of other programs.

use super::common::{Scratch, assert_transcript, fields, has, lacks};
use super::terminal::typed;

/// A project whose person has used other tools, with Claude Code on the machine.
fn used_before() -> Scratch {
    let scratch = Scratch::new();
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    for (path, text) in [
        ("work/CLAUDE.md", "Prices are in cents."),
        ("work/AGENTS.md", "Prices are  in cents."),
        ("work/.cursor/rules/api.mdc", "Never block."),
        ("work/.serena/memories/build.md", "make all"),
        ("work/memory-bank/progress.md", "Make  all"),
        ("work/memory-bank/key.md", token.as_str()),
        ("basic-memory/coffee.md", "Grind fine."),
        (".zrb/notes.json", r#"{"/srv": "It is on the other disk."}"#),
        (".claude/settings.json", "{}"),
    ] {
        scratch.put(path, text);
    }
    scratch
}

#[test]
fn nothing_is_written_where_nobody_can_choose() {
    let scratch = used_before();
    assert_transcript!(scratch, @"
    $ waynote start
    #  SOURCE        NOTES  TOKENS  TAKE  REMARKS
    1  zrb           1      7       yes
    2  claude-code   1      5       -     Claude Code loads it already
    3  agents-md     1      6       -     1 also in a source above
    4  cursor-rules  1      3       yes
    5  serena        1      2       yes
    6  cline         1      3       -     1 also in a source above; 1 left out
    7  basic-memory  1      4       yes
    nothing was written: choose with `waynote start --take all`, `--take NAME`, or `--take none`
    cline: left out:
      place:~/work#cline-key: it holds a credential (github-token)
    ");
}

#[test]
fn what_is_named_is_taken_once() {
    let scratch = used_before();
    let loads = "Claude Code already loads CLAUDE.md here (5 tokens per session)";
    has(scratch.run("doctor").said(), format!("{loads}\n"));
    scratch.ok("start --take claude-code --no-install");
    let twice =
        format!("{loads}; 1 note of it in the store too: the text reaches the agent twice\n");
    has(scratch.run("doctor").said(), &twice);
}

#[test]
fn what_is_named_is_taken_and_one_undo_takes_it_back() {
    let scratch = used_before();
    let settings = || std::fs::read(scratch.home().join(".claude/settings.json")).unwrap();
    let before = settings();
    let first = scratch.ok("start --take all");
    for said in [
        "serena: 1 added",
        // The memory bank says the same as Serena, and its other file holds a credential.
        "cline: 0 added",
        "Claude Code: set up (~/.claude.json, ~/.claude/settings.json)",
        "Claude Code: tested; it receives the notes",
        "`waynote context` shows what a session here starts with",
    ] {
        has(&first, said);
    }
    has(scratch.ok("context"), "make all");
    let notes = scratch.json("search --json --limit 50 make in never postgresql grind");
    lacks(notes.to_string(), "ghp_");
    // Nothing comes twice.
    let again = scratch.ok("start --take all");
    let sources = scratch.json("start --json");
    assert_eq!(fields(&sources, "sources/0/in_store"), "1");
    lacks(&again, "1 added");
    lacks(&again, "set up");
    assert_transcript!(scratch, @"
    $ waynote start --undo
    removed 5 imported notes; restored the settings of Claude Code

    $ waynote start --undo
    exit 1
    error: no `waynote start` in ~/work is left to undo
      `waynote history` lists what was written, `waynote uninstall CLIENT` removes a client's entries

    $ waynote place list
    no notes on any directory
    ");
    assert_eq!(settings(), before);
    // A person who chooses it once more gets it once more. What was deleted does not come again.
    let third = scratch.ok("start --take all --no-install");
    has(&third, "serena: 1 added");
    // A start of another directory is not this one's to take back.
    let elsewhere = scratch.run("start --undo").cwd(scratch.home()).said();
    has(&elsewhere, "the last one was in ~/work: undo it there");
    has(scratch.ok("start --undo"), "removed 5 imported notes");
    scratch.ok("start --take serena --no-install");
    scratch.ok("key delete --at . serena-build");
    let deleted = scratch.run("start --take serena --no-install").said();
    has(&deleted, "serena: 0 added");
    has(&deleted, "deleted since; `waynote restore");
}

#[test]
fn a_person_is_asked_and_names_what_to_take() {
    let scratch = used_before();
    let unknown = typed(&scratch, "start", "serna 9\n");
    has(&unknown, "nothing here is called `serna`");
    has(&unknown, "choose from zrb, claude-code");
    let screen = typed(&scratch, "start", "serena basic-memory\nn\n");
    let (before, _) = screen.split_once("Import which?").unwrap();
    has(before, "REMARKS");
    has(&screen, "serena: 1 added");
    has(&screen, "basic-memory: 1 added");
    lacks(&screen, "cline: 1 added");
    has(&screen, "nothing here is called `serna`");
    has(&screen, "choose from zrb, claude-code");
    has(&screen, "Set up which (MCP server and hooks)?");
    has(&screen, "nothing here is called `cloud`");
    lacks(&screen, "Claude Code: set up");
    let chosen = typed(&scratch, "start", "none\nclaude-code\n");
    has(&chosen, "Claude Code: set up");
}

#[test]
fn a_note_that_was_changed_since_is_kept_by_the_undo() {
    let scratch = used_before();
    scratch.ok("start --take serena --no-install");
    scratch.ok("key save --at . serena-build changed");
    assert_transcript!(scratch, @"
    $ waynote start --undo
    removed 0 imported notes
    place:~/work#serena-build: changed since, and kept as it is
    ");
}
