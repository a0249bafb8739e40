//! The first hour: `waynote start` among the notes of other programs.

use super::common::{Scratch, assert_transcript, has, lacks};
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
        (
            "work/.mcp.json",
            r#"{"mcpServers":{"memory":{"env":{"MEMORY_FILE_PATH":"notes/graph.jsonl"}}}}"#,
        ),
        (
            "work/notes/graph.jsonl",
            r#"{"type":"entity","name":"db","entityType":"service","observations":["PostgreSQL 17"]}"#,
        ),
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
    #  SOURCE         NOTES  TOKENS  TAKE  REMARKS
    1  zrb            1      7       yes
    2  claude-code    1      5       -     Claude Code loads it already
    3  agents-md      1      6       -     1 also in a source above
    4  cursor-rules   1      3       yes
    5  serena         1      2       yes
    6  cline          1      3       -     1 also in a source above; 1 left out
    7  server-memory  1      9       yes
    8  basic-memory   1      4       yes
    nothing was written: choose with `waynote start --take all`, `--take NAME`, or `--take none`
    cline: left out:
      place:~/work#cline-key: it holds a credential (github-token)

    $ waynote key list
    no notes in agent:default
    ");
}

#[test]
fn what_is_named_is_taken_once() {
    let scratch = used_before();
    let first = scratch.ok("start --take all");
    has(&first, "serena: 1 added");
    // The memory bank says the same as Serena, and its other file holds a credential.
    has(&first, "cline: 0 added");
    has(&first, "Claude Code:\n");
    has(&first, ".claude/settings.json (hooks): changed");
    has(
        &first,
        "`waynote context` shows what a session here starts with",
    );
    let block = scratch.ok("context");
    has(&block, "make all");
    has(&block, "Grind fine.");
    let notes = scratch.json("search --json --limit 50 make in never postgresql grind");
    lacks(notes.to_string(), "ghp_");
    // Nothing comes twice.
    let again = scratch.ok("start --take all");
    let sources = scratch.json("start --json");
    assert_eq!(sources["sources"][0]["in_store"], 1, "{sources}");
    lacks(&again, "1 added");
    lacks(&again, "Claude Code:\n");
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
    lacks(&screen, "then: waynote doctor");
    let chosen = typed(&scratch, "start", "none\ny\n");
    has(&chosen, "then: waynote doctor claude-code");
}
