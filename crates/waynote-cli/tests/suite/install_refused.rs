//! Clients' files that are not as they should be: named, and left alone.

use std::fs;

use super::client_files::{FOUND, found, said};
use super::common::{Scratch, has, lacks};

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
    let mut seen = String::new();
    for (client, name, text) in [
        (
            "claude-code",
            ".claude/settings.json",
            "{\n  \"a\": 1\n  \"b\": 2\n}\n",
        ),
        ("codex", ".codex/config.toml", "a = 1\nb = \n"),
    ] {
        let file = scratch.put(name, text);
        seen += &of_both(&scratch, client);
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
    let before = fs::read_to_string(scratch.home().join(".claude.json")).unwrap();
    assert_eq!(before, FOUND[0].1);
    let list = said(&scratch, "install");
    has(&list, "codex        yes    unreadable  -");
    // A mistake in a part that is not ours does not stop the installation.
    fs::remove_file(scratch.home().join(".claude/settings.json")).unwrap();
    let file = scratch.put(".claude.json", "{\"a\": 1, \"a\": 2}");
    said(&scratch, "install claude-code");
    has(fs::read_to_string(file).unwrap(), "mcpServers");
    insta::assert_snapshot!(seen, @"
    $ install and uninstall claude-code: exit 1
    error: HOME/.claude/settings.json is damaged: line 2: expected comma
      repair it or move it away
    $ install and uninstall codex: exit 1
    error: HOME/.codex/config.toml is damaged: line 2: string values must be quoted, expected literal string
      repair it or move it away
    ");
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
        (".config/opencode/plugins/waynote.js", "// mine\n"),
        // A hook of ours inside another command.
        (
            ".claude/settings.json",
            r#"{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"cd /x && /usr/bin/waynote hook claude-code SessionStart | tee log"}]}]}}"#,
        ),
    ];
    let files = files.map(|(name, text)| (scratch.put(name, text), text));
    for client in ["cursor", "opencode"] {
        let said = of_both(&scratch, client) + &said(&scratch, &format!("doctor {client}"));
        has(&said, "that waynote did not write\n  rename or remove it");
        has(&said, "that waynote did not write; it stays");
        // Other people's programs are not started.
        has(&said, "WRONG");
        lacks(said, "cannot be started");
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
}

#[test]
fn a_file_that_the_client_does_not_load_is_named() {
    for (client, name, text, why) in [
        (
            "claude-code",
            ".claude/settings.json",
            "{\n// a\n}\n",
            "it takes no comments",
        ),
        (
            "claude-code",
            ".claude/settings.json",
            "{\"model\": 5}\n",
            "`model` is not a text",
        ),
        (
            "codex",
            ".codex/hooks.json",
            "{\"version\": 1}\n",
            "`version` is no member of it",
        ),
    ] {
        let scratch = Scratch::new();
        let file = scratch.put(name, text);
        let warned = said(&scratch, &format!("install {client}"));
        has(&warned, "warning: the client does not load this file: ");
        has(warned, why);
        let doctor = said(&scratch, &format!("doctor {client}"));
        has(&doctor, format!(" does not load HOME/{name}: "));
        has(&doctor, format!("{why}\n"));
        has(fs::read_to_string(&file).unwrap(), "waynote");
    }
}
