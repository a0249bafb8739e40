//! Clients' files that are not as they should be: named, and left alone.

use std::fs;

use super::client_files::{found, said};
use super::common::{Scratch, has};

/// The output of `install` and `uninstall`.
fn of_both(scratch: &Scratch, client: &str) -> String {
    let [installed, removed] =
        ["install", "uninstall"].map(|command| said(scratch, &format!("{command} {client}")));
    match installed == removed {
        true => format!("$ install and uninstall {client}: {installed}"),
        false => format!("$ install {client}: {installed}$ uninstall {client}: {removed}"),
    }
}

#[test]
fn a_file_that_cannot_be_read_is_named_and_left_alone() {
    let scratch = found();
    let damage = |path: &str, text: &[u8]| fs::write(scratch.home().join(path), text).unwrap();
    damage(".claude/settings.json", b"{\n  \"a\": 1\n  \"b\": 2\n}\n");
    damage(".codex/config.toml", b"a = 1\nb = \n");
    damage(".cursor/mcp.json", b"[]\n");
    damage(".gemini/settings.json", b"{\"mcpServers\": 5}");
    damage(".config/Code/User/mcp.json", b"{\n\"a\": \"\xff\"}");
    let before = scratch.home().join(".claude.json");
    let before = fs::read_to_string(before).unwrap();
    let mut seen: String = ["claude-code", "codex", "cursor", "gemini", "vscode"]
        .map(|client| of_both(&scratch, client))
        .concat();
    seen += &said(&scratch, "install");
    insta::assert_snapshot!(seen, @"
    $ install and uninstall claude-code: exit 1
    error: HOME/.claude/settings.json is damaged: line 2: expected comma
      repair it or move it away; nothing was written
    $ install and uninstall codex: exit 1
    error: HOME/.codex/config.toml is damaged: line 2: string values must be quoted, expected literal string
      repair it or move it away; nothing was written
    $ install cursor: exit 1
    error: HOME/.cursor/mcp.json is damaged: line 1: it is not a JSON object
      repair it or move it away; nothing was written
    $ uninstall cursor: HOME/.cursor/mcp.json (server): unchanged
    HOME/.cursor/hooks.json (hooks): unchanged
    these files have no entries of waynote
    $ install gemini: exit 1
    error: HOME/.gemini/settings.json is damaged: `mcpServers` in it is not an object
      repair it or move it away; nothing was written
    $ uninstall gemini: HOME/.gemini/settings.json (server and hooks): unchanged
    these files have no entries of waynote
    $ install and uninstall vscode: exit 1
    error: HOME/.config/Code/User/mcp.json is damaged: line 2: it is not UTF-8
      repair it or move it away; nothing was written
    CLIENT       FOUND  USER       THIS DIRECTORY
    claude-code  yes    see below  -
    codex        yes    see below  -
    cursor       yes    see below  -
    opencode     yes    -          -
    gemini       yes    see below  -
    antigravity  -      -          -
    goose        -      -          -
    vscode       yes    see below  -
    copilot      -      -          -
    qwen         -      -          -
    crush        -      -          -
    amp          -      -          -
    kiro         -      -          -
    zed          -      -          -
    windsurf     -      -          -
    cline        -      -          -
    roo          -      -          -
    junie        -      -          -

    HOME/.claude/settings.json is damaged: line 2: expected comma
      repair it or move it away

    HOME/.codex/config.toml is damaged: line 2: string values must be quoted, expected literal string
      repair it or move it away

    HOME/.cursor/mcp.json is damaged: line 1: it is not a JSON object
      repair it or move it away

    HOME/.gemini/settings.json is damaged: `mcpServers` in it is not an object
      repair it or move it away

    HOME/.config/Code/User/mcp.json is damaged: line 2: it is not UTF-8
      repair it or move it away

    waynote install CLIENT sets one up; waynote doctor checks those that are
    ");
    let after = fs::read_to_string(scratch.home().join(".claude.json")).unwrap();
    assert_eq!(after, before);
}

/// The message names the existing entry, and says that it belongs to the user.
#[test]
fn somebody_elses_entry_is_called_so() {
    let scratch = Scratch::new();
    let files = [
        (
            ".cursor/mcp.json",
            r#"{"mcpServers":{"waynote":{"command":"/opt/my-wrapper"}}}"#,
        ),
        (
            ".codex/config.toml",
            "# c1\n[mcp_servers.waynote]\nurl = \"https://notes.example.com\" # why\n",
        ),
        (".config/opencode/plugins/waynote.js", "// mine\n"),
        // A hook of ours inside another command.
        (
            ".claude/settings.json",
            r#"{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"cd /x && /usr/bin/waynote hook claude-code SessionStart | tee log"}]}]}}"#,
        ),
    ];
    let files = files.map(|(name, text)| (scratch.put(name, text), text));
    let mut seen = String::new();
    for client in ["cursor", "codex", "opencode"] {
        seen += &of_both(&scratch, client);
        let doctor = said(&scratch, &format!("doctor {client}"));
        // Other people's programs are not started.
        assert!(!doctor.contains("cannot be started"), "{doctor}");
        let of_files = doctor.lines().skip_while(|line| !line.contains("WRONG"));
        seen += &format!(
            "$ doctor {client}\n{}\n",
            of_files.collect::<Vec<_>>().join("\n")
        );
    }
    for command in ["uninstall", "install", "uninstall"] {
        scratch.run(&format!("{command} claude-code")).output();
    }
    for (file, text) in files {
        assert_eq!(
            fs::read_to_string(&file).unwrap(),
            text,
            "{}",
            file.display()
        );
    }
    insta::assert_snapshot!(seen, @"
    $ install cursor: exit 1
    error: HOME/.cursor/mcp.json has a server named `waynote` that waynote did not write
      rename or remove it, then run the command again; nothing was written
    $ uninstall cursor: HOME/.cursor/mcp.json (server): unchanged
      it has a server named `waynote` that waynote did not write; it stays
    HOME/.cursor/hooks.json (hooks): unchanged
    these files have no entries of waynote
    $ doctor cursor
    WRONG Cursor: HOME/.cursor/mcp.json has a server named `waynote` that waynote did not write
          next: rename or remove it, then run the command again
    WRONG Cursor: no hooks in HOME/.cursor/hooks.json
          next: `waynote install cursor` sets it up
    $ install codex: exit 1
    error: HOME/.codex/config.toml has a server named `waynote` that waynote did not write
      rename or remove it, then run the command again; nothing was written
    $ uninstall codex: HOME/.codex/config.toml (server): unchanged
      it has a server named `waynote` that waynote did not write; it stays
    HOME/.codex/hooks.json (hooks): unchanged
    these files have no entries of waynote
    $ doctor codex
    WRONG Codex: HOME/.codex/config.toml has a server named `waynote` that waynote did not write
          next: rename or remove it, then run the command again
    WRONG Codex: no hooks in HOME/.codex/hooks.json
          next: `waynote install codex` sets it up
    $ install opencode: exit 1
    error: HOME/.config/opencode/plugins/waynote.js has a text that waynote did not write
      rename or remove it, then run the command again; nothing was written
    $ uninstall opencode: HOME/.config/opencode/opencode.json (server): unchanged
    HOME/.config/opencode/plugins/waynote.js (plugin): unchanged
      it has a text that waynote did not write; it stays
    these files have no entries of waynote
    $ doctor opencode
    WRONG opencode: no server in HOME/.config/opencode/opencode.json
          next: `waynote install opencode` sets it up
    WRONG opencode: HOME/.config/opencode/plugins/waynote.js has a text that waynote did not write
          next: rename or remove it, then run the command again
    ");
}

#[test]
fn a_mistake_in_a_part_that_is_not_ours_stops_nothing() {
    let scratch = found();
    scratch.put(".claude.json", "{\"a\": 1, \"a\": 2}");
    said(&scratch, "install claude-code");
    let now = fs::read_to_string(scratch.home().join(".claude.json")).unwrap();
    has(&now, "mcpServers");
    has(&now, "\"a\": 1");
}

/// A file that the client does not load is wrong, however well our editor reads it.
#[test]
fn a_file_that_the_client_does_not_load_is_named() {
    let mut seen = String::new();
    for (client, words, name, text) in [
        (
            "claude-code",
            "",
            ".claude/settings.json",
            "{\n  \"a\": 1,\n  \"b\": 2,\n}\n",
        ),
        (
            "claude-code",
            "",
            ".claude/settings.json",
            "{\n  // mine\n  \"a\": 1\n}\n",
        ),
        (
            "claude-code",
            "",
            ".claude/settings.json",
            "{\n\n  \"model\": 5\n}\n",
        ),
        (
            "claude-code",
            "",
            ".claude/settings.json",
            "{ \"permissions\": { \"allow\": \"x\" } }\n",
        ),
        (
            "claude-code",
            " --project",
            "work/.mcp.json",
            "{\n  \"mcpServers\": {} // mine\n}\n",
        ),
        ("codex", "", ".codex/hooks.json", "{\n  \"version\": 1\n}\n"),
        (
            "gemini",
            "",
            ".gemini/settings.json",
            "{ // mine\n  \"a\": 1,\n}\n",
        ),
        ("cursor", "", ".cursor/mcp.json", "{ /* mine */ }\n"),
    ] {
        let scratch = Scratch::new();
        let file = scratch.put(name, text);
        let installed = said(&scratch, &format!("install {client}{words}"));
        let warning = installed.lines().find(|line| line.contains("warning"));
        seen += &format!("{}\n", warning.unwrap_or("no warning").trim());
        let doctor = said(&scratch, &format!("doctor {client}{words}"));
        let wrong = doctor.lines().find(|line| line.contains("does not load"));
        seen += &format!("{}\n", wrong.unwrap_or(&doctor));
        assert!(fs::read_to_string(&file).unwrap().contains("waynote"));
    }
    insta::assert_snapshot!(seen, @"
    warning: the client does not load this file: line 4: trailing comma
    WRONG Claude Code does not load HOME/.claude/settings.json: line 63: trailing comma
    warning: the client does not load this file: line 2: it takes no comments
    WRONG Claude Code does not load HOME/.claude/settings.json: line 2: it takes no comments
    warning: the client does not load this file: `model` is not a text
    WRONG Claude Code does not load HOME/.claude/settings.json: `model` is not a text
    warning: the client does not load this file: `permissions.allow` is not a list
    WRONG Claude Code does not load HOME/.claude/settings.json: `permissions.allow` is not a list
    warning: the client does not load this file: line 2: it takes no comments
    WRONG Claude Code does not load HOME/work/.mcp.json: line 11: it takes no comments
    warning: the client does not load this file: `version` is no member of it
    WRONG Codex does not load HOME/.codex/hooks.json: `version` is no member of it
    warning: the client does not load this file: line 2: trailing commas are not allowed
    WRONG Gemini CLI does not load HOME/.gemini/settings.json: line 38: trailing commas are not allowed
    warning: the client does not load this file: line 1: it takes no comments
    WRONG Cursor does not load HOME/.cursor/mcp.json: line 2: it takes no comments
    ");
}
