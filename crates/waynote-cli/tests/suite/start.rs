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
fn what_is_named_is_taken_and_agents_are_set_up() {
    let scratch = used_before();
    let first = scratch.ok("start --take all");
    for said in [
        "serena: 1 added",
        // The memory bank says the same as Serena, and its other file holds a credential.
        "cline: 0 added",
        ".claude/settings.json (hooks): changed",
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
    lacks(&again, "settings.json");
    // What was deleted does not come again.
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
    has(&screen, "Set up Claude Code (MCP server and hooks)?");
    lacks(&screen, "settings.json (hooks): changed");
    let chosen = typed(&scratch, "start", "none\ny\n\n");
    has(
        &chosen,
        "It costs one turn, only when files changed and nothing was noted.",
    );
    has(&chosen, "settings.json (hooks): changed");
    // Enter is a yes to the question at the end of a session.
    has(
        std::fs::read_to_string(scratch.home().join(".claude/settings.json")).unwrap(),
        "Stop",
    );
}
