//! Clients' files that are not as they should be: named, and left alone.

use std::fs;

use super::client_files::{found, said};
use super::common::Scratch;

#[test]
fn a_file_that_cannot_be_read_is_named_and_left_alone() {
    let scratch = found();
    let damage = |path: &str, text: &[u8]| fs::write(scratch.home().join(path), text).unwrap();
    damage(".claude/settings.json", b"{\n  \"a\": 1\n  \"b\": 2\n}\n");
    damage(".codex/config.toml", b"a = 1\nb = \n");
    damage(".cursor/mcp.json", b"[]\n");
    damage(".gemini/settings.json", b"{\"mcpServers\": 5}");
    damage(".config/goose/config.yaml", b"a: [\n");
    damage(".config/Code/User/mcp.json", b"{\n\"a\": \"\xff\"}");
    let before = scratch.home().join(".claude.json");
    let before = fs::read_to_string(before).unwrap();
    let mut seen = String::new();
    for client in [
        "claude-code",
        "codex",
        "cursor",
        "gemini",
        "goose",
        "vscode",
    ] {
        for command in ["install", "uninstall"] {
            seen += &format!(
                "$ {command} {client}: {}",
                said(&scratch, &format!("{command} {client}"))
            );
        }
    }
    seen += &said(&scratch, "install");
    insta::assert_snapshot!(seen, @"
    $ install claude-code: exit 1
    error: HOME/.claude/settings.json is damaged: line 2: expected comma
      mend it or move it away; nothing was written to it
    $ uninstall claude-code: exit 1
    error: HOME/.claude/settings.json is damaged: line 2: expected comma
      mend it or move it away; nothing was written to it
    $ install codex: exit 1
    error: HOME/.codex/config.toml is damaged: line 2: string values must be quoted, expected literal string
      mend it or move it away; nothing was written to it
    $ uninstall codex: exit 1
    error: HOME/.codex/config.toml is damaged: line 2: string values must be quoted, expected literal string
      mend it or move it away; nothing was written to it
    $ install cursor: exit 1
    error: HOME/.cursor/mcp.json is damaged: line 1: it is not a JSON object
      mend it or move it away; nothing was written to it
    $ uninstall cursor: exit 0
    HOME/.cursor/mcp.json (server): unchanged
    HOME/.cursor/hooks.json (hooks): unchanged
    $ install gemini: exit 1
    error: HOME/.gemini/settings.json is damaged: `mcpServers` in it is not an object
      mend it or move it away; nothing was written to it
    $ uninstall gemini: exit 0
    HOME/.gemini/settings.json (server and hooks): unchanged
    $ install goose: exit 1
    error: HOME/.config/goose/config.yaml is damaged: line 2: while parsing a node, did not find expected node content
      mend it or move it away; nothing was written to it
    $ uninstall goose: exit 1
    error: HOME/.config/goose/config.yaml is damaged: line 2: while parsing a node, did not find expected node content
      mend it or move it away; nothing was written to it
    $ install vscode: exit 1
    error: HOME/.config/Code/User/mcp.json is damaged: line 2: it is not UTF-8
      mend it or move it away; nothing was written to it
    $ uninstall vscode: exit 1
    error: HOME/.config/Code/User/mcp.json is damaged: line 2: it is not UTF-8
      mend it or move it away; nothing was written to it
    exit 0
    CLIENT       FOUND  USER     THIS DIRECTORY
    claude-code  yes    damaged  -
    codex        yes    damaged  -
    cursor       yes    damaged  -
    opencode     yes    -        -
    gemini       yes    damaged  -
    goose        yes    damaged  -
    vscode       yes    damaged  -
    HOME/.claude/settings.json is damaged: line 2: expected comma
    HOME/.codex/config.toml is damaged: line 2: string values must be quoted, expected literal string
    HOME/.cursor/mcp.json is damaged: line 1: it is not a JSON object
    HOME/.gemini/settings.json is damaged: `mcpServers` in it is not an object
    HOME/.config/goose/config.yaml is damaged: line 2: while parsing a node, did not find expected node content
    HOME/.config/Code/User/mcp.json is damaged: line 2: it is not UTF-8

    waynote install CLIENT sets one up; waynote doctor checks those that are
    ");
    let after = fs::read_to_string(scratch.home().join(".claude.json")).unwrap();
    assert_eq!(after, before);
}

/// An entry that a person made under the same name is theirs.
#[test]
fn somebody_elses_entry_is_left_alone() {
    let scratch = Scratch::new();
    let files = [
        (
            "cursor",
            ".cursor/mcp.json",
            r#"{"mcpServers":{"waynote":{"command":"/opt/my-wrapper","args":["--store","/x"],"env":{"T":"1"}}}}"#,
        ),
        (
            "codex",
            ".codex/config.toml",
            "# c1\n[mcp_servers.waynote]\ncommand = \"/opt/wrap\" # why\n\n[mcp_servers.waynote.env]\nTOKEN = \"x\"\n",
        ),
        (
            "goose",
            ".config/goose/config.yaml",
            "extensions:\n  waynote:\n    enabled: false\n    type: stdio\n    cmd: /opt/wrap\n    args: []\n    envs: {TOKEN: x}\n    timeout: 5\n",
        ),
        (
            "claude-code",
            ".claude/settings.json",
            r#"{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"cd /x && /usr/bin/waynote hook claude-code SessionStart | tee log"}]}]}}"#,
        ),
    ];
    for (client, name, text) in files {
        let file = scratch.home().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
        scratch.run(&format!("uninstall {client}")).output();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text, "{client}");
        let installed = scratch.run(&format!("install {client}")).output();
        if client != "claude-code" {
            assert!(!installed.status.success(), "{client}");
            let said = String::from_utf8(installed.stderr).unwrap();
            assert!(said.contains("an entry named `waynote` is in it"), "{said}");
        }
        scratch.run(&format!("uninstall {client}")).output();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text, "{client}");
    }
}
