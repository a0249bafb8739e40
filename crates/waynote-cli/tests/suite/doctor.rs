//! The findings of `doctor`, with a server that a script plays.

use std::fs;
use std::path::{Path, PathBuf};

use super::common::{Run, Scratch, has};

/// Puts a server in the place of the one that was installed.
fn stand_in(scratch: &Scratch, script: &str) -> PathBuf {
    let program = scratch.script("stand-in/waynote", &format!("#!/bin/sh\n{script}\n"));
    scratch
        .run("install claude-code")
        .env("PATH", "/usr/bin:/bin")
        .ok();
    let path = scratch.home().join(".claude.json");
    let text = fs::read_to_string(&path).unwrap();
    let text = text.replace(env!("CARGO_BIN_EXE_waynote"), program.to_str().unwrap());
    fs::write(path, text).unwrap();
    program
}

const ANSWERS: &str = r#"
read line; echo '{"jsonrpc":"2.0","method":"notifications/message","params":{}}'
echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"stand-in"}}}'
read line; read line
echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"note_save"},{"name":"note_list"}]}}'
cat > /dev/null"#;

fn said(scratch: &Scratch, words: &str) -> String {
    let run: Run = scratch
        .run(words)
        .env("PATH", "/usr/bin:/bin")
        // Other tests keep the processors busy, too.
        .env("WAYNOTE_HOOK_WAIT", "60");
    let program = env!("CARGO_BIN_EXE_waynote");
    let folder = Path::new(program).parent().unwrap();
    let said = run.said().replace(program, "WAYNOTE");
    let said = said.replace(folder.to_str().unwrap(), "BIN");
    // A finding of its own, which is the same each time.
    let path = "note  `waynote` is not on the path\n      next: add BIN to PATH: files shared by a team start it by its name\n";
    assert!(said.contains(path), "{said}");
    let said = said.replace(path, "");
    // How long it took is no two times the same.
    let mut parts: Vec<String> = said.split(" ms").map(str::to_owned).collect();
    let last = parts.len() - 1;
    for part in &mut parts[..last] {
        let end = part
            .trim_end_matches(|char: char| char.is_ascii_digit())
            .len();
        part.replace_range(end.., "N");
    }
    parts.join(" ms")
}

#[test]
fn all_is_well() {
    let scratch = Scratch::new();
    stand_in(&scratch, ANSWERS);
    scratch.ok("place write x");
    insta::assert_snapshot!(said(&scratch, "doctor claude-code"), @"
    ok    store: HOME/.local/share/waynote/notes.db, 1 note, sound
    note  Claude Code: server in HOME/.claude.json lacks entries, or starts the program by another path
          next: `waynote install claude-code` brings it up to date; `--dry-run` shows how
    ok    Claude Code: hooks in HOME/.claude/settings.json
    ok    Claude Code: the server answers, with 2 tools
    ok    Claude Code: hook works: N ms (limit: N ms), valid output
    ok    Claude Code: hook at tools works: it brings a note of the path
    ok    Claude Code: hook after a failure works: it brings a note that matches
    note  Claude Code may ask before it edits files or runs commands, and nobody answers in a loop; add `-- --permission-mode acceptEdits --allowedTools 'Bash(make *)'`, or what the agent needs
          next: this is for `waynote loop --with claude-code`
    ");
    let json = scratch
        .run("doctor claude-code --json")
        .env("PATH", "/usr/bin:/bin");
    assert_eq!(json.json()["ok"], true);
    // Nothing of the canary is left.
    assert_eq!(scratch.ok("place list").lines().count(), 2);
}

/// A hook that takes longer than its limit is given up by itself: the session begins without notes.
#[test]
fn a_hook_that_is_too_slow_is_named() {
    let scratch = Scratch::new();
    stand_in(&scratch, ANSWERS);
    let run = scratch
        .run("doctor claude-code")
        .env("PATH", "/usr/bin:/bin")
        .env("WAYNOTE_HOOK_WAIT", "0.001");
    let said = run.said();
    assert!(said.starts_with("exit 1"), "{said}");
    let line = said.lines().find(|line| line.contains("hook is too slow"));
    assert!(line.unwrap().contains("(limit: 1 ms)"), "{said}");
    assert!(said.contains("next: set WAYNOTE_HOOK_WAIT="), "{said}");
}

#[test]
fn each_fault_says_what_to_do() {
    let scratch = Scratch::new();
    let mut seen = String::new();
    for (name, script) in [
        ("ends", "exit 0"),
        ("prints", "echo hello; cat > /dev/null"),
        (
            "refuses",
            "read line; echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"no store\"}}'",
        ),
    ] {
        let program = stand_in(&scratch, script);
        let said = said(&scratch, "doctor claude-code");
        let of_server = said.lines().filter(|line| line.contains("the server"));
        let exit = said.lines().next().unwrap();
        seen += &format!(
            "{name}: {exit}\n{}\n",
            of_server.collect::<Vec<_>>().join("\n")
        );
        fs::remove_file(program).unwrap();
    }
    let said = said(&scratch, "doctor claude-code");
    let lines = said.lines().skip_while(|line| !line.contains("stand-in"));
    seen += &lines.take(2).collect::<Vec<_>>().join("\n");
    insta::assert_snapshot!(seen, @r#"
    ends: exit 1
    WRONG Claude Code: the server `HOME/stand-in/waynote mcp`: it ended without answering `initialize`
    prints: exit 1
    WRONG Claude Code: the server `HOME/stand-in/waynote mcp`: it printed a line that is no message: `hello`
    refuses: exit 1
    WRONG Claude Code: the server `HOME/stand-in/waynote mcp`: it answered `initialize` with an error: no store
    WRONG Claude Code: the server `HOME/stand-in/waynote mcp`: it cannot be started: No such file or directory (os error 2)
          next: run that command by hand; `waynote install` updates the entry if the program has moved
    "#);
}

#[test]
fn a_server_that_says_nothing_is_given_up_and_ended() {
    let scratch = Scratch::new();
    let mark = scratch.home().join("pid");
    stand_in(
        &scratch,
        &format!("echo $$ > {}; sleep 600 & sleep 600", mark.display()),
    );
    let said = said(&scratch, "doctor claude-code");
    assert!(said.contains("did not answer `initialize`"), "{said}");
    let pid = fs::read_to_string(mark).unwrap();
    assert!(
        !PathBuf::from(format!("/proc/{}", pid.trim()))
            .join("exe")
            .exists()
    );
}

#[test]
fn what_is_not_set_up_or_damaged_is_wrong() {
    let scratch = Scratch::new();
    insta::assert_snapshot!(said(&scratch, "doctor"), @"
    ok    store: HOME/.local/share/waynote/notes.db, created by the first write
    note  no agent is set up
          next: `waynote install` lists those on this machine
    ");
    insta::assert_snapshot!(said(&scratch, "doctor codex"), @"
    exit 1
    ok    store: HOME/.local/share/waynote/notes.db, created by the first write
    WRONG Codex: no server in HOME/.codex/config.toml
          next: `waynote install codex` sets it up
    WRONG Codex: no hooks in HOME/.codex/hooks.json
          next: `waynote install codex` sets it up
    ");
    fs::create_dir_all(scratch.home().join(".codex")).unwrap();
    scratch.put(".codex/config.toml", "x = \n");
    fs::create_dir_all(scratch.store().parent().unwrap()).unwrap();
    fs::write(scratch.store(), "no database".repeat(50)).unwrap();
    insta::assert_snapshot!(said(&scratch, "doctor codex"), @"
    exit 1
    WRONG store: HOME/.local/share/waynote/notes.db is not a waynote store: it is not a SQLite database
          next: give another file with `--store`
    WRONG Codex: HOME/.codex/config.toml is damaged: line 1: string values must be quoted, expected literal string
          next: repair it or move it away
    WRONG Codex: no hooks in HOME/.codex/hooks.json
          next: `waynote install codex` sets it up
    ");
}

#[test]
fn the_trust_that_is_missing_is_named() {
    let scratch = Scratch::new();
    scratch
        .run("install codex")
        .env("PATH", "/usr/bin:/bin")
        .ok();
    let before = said(&scratch, "doctor codex");
    assert!(before.contains("not trusted yet"), "{before}");
    let hooks = scratch.home().join(".codex/hooks.json");
    let config = scratch.home().join(".codex/config.toml");
    let text = fs::read_to_string(&config).unwrap();
    let trusted = format!(
        "{text}\n[hooks.state.\"{}:session_start:0:0\"]\ntrusted_hash = \"sha256:x\"\n",
        hooks.display()
    );
    fs::write(&config, &trusted).unwrap();
    // As after an upgrade to a version with more hooks.
    let some = said(&scratch, "doctor codex");
    assert!(
        some.contains("silently skipped: SubagentStart, UserPromptSubmit, PreToolUse, PostToolUse"),
        "{some}"
    );
    let others = [
        "subagent_start",
        "user_prompt_submit",
        "pre_tool_use",
        "post_tool_use",
    ];
    let others = others.map(|event| trusted.replace(&text, "").replace("session_start", event));
    fs::write(&config, trusted + &others.concat()).unwrap();
    assert!(said(&scratch, "doctor codex").contains("are trusted"));
}

/// Zrb's own notes, which a person may believe to be read.
#[test]
fn notes_of_zrb_that_are_not_in_sync_are_named() {
    let scratch = Scratch::new();
    let file = scratch.home().join(".zrb/notes.json");
    fs::create_dir(file.parent().unwrap()).unwrap();
    fs::write(&file, "{}").unwrap();
    let found = said(&scratch, "doctor");
    let found = found.lines().skip_while(|line| !line.contains("Zrb"));
    insta::assert_snapshot!(found.take(2).collect::<Vec<_>>().join("\n"), @"
    note  Zrb's notes in HOME/.zrb/notes.json are not read
          next: `waynote config set notes_file ~/.zrb/notes.json` keeps both in sync
    ");
    scratch.ok("config set notes_file ~/.zrb/notes.json");
    assert!(!said(&scratch, "doctor").contains("Zrb"));
}

/// Set up in a project alone, a client is checked there.
#[test]
fn a_projects_installation_is_found() {
    let scratch = Scratch::new();
    scratch.ok("install codex --project");
    let found = scratch.run("doctor codex").said();
    assert!(found.contains("HOME/work/.codex/config.toml"), "{found}");
    assert!(!found.contains("sets it up"), "{found}");
}

/// Root may write anything, so that only others can see this.
#[test]
fn a_store_that_cannot_be_written_is_named() {
    use std::os::unix::fs::PermissionsExt;

    let scratch = Scratch::new();
    scratch.ok("key save k v");
    let read_only = std::fs::Permissions::from_mode(0o400);
    std::fs::set_permissions(scratch.store(), read_only).unwrap();
    let found = scratch.run("doctor").said();
    let is_root = rustix::process::geteuid().is_root();
    assert_eq!(
        found.contains("its file cannot be written"),
        !is_root,
        "{found}"
    );
}

#[test]
fn a_damaged_file_in_sync_is_named() {
    let scratch = Scratch::new();
    scratch.ok("place write text");
    let file = scratch.home().join("work/notes.json");
    let finding = |json: &str| {
        std::fs::write(&file, json).unwrap();
        let said = scratch.run("doctor").env("ZRB_LLM_NOTE_FILE", &file).said();
        let lines = said.lines();
        let about = |line: &&str| line.contains("notes_file");
        let found: Vec<&str> = lines.skip_while(|line| !about(line)).take(2).collect();
        let exit = said.lines().next().unwrap_or_default();
        format!("{exit}\n{}\n", found.join("\n"))
    };
    insta::assert_snapshot!(finding("{\"~/work\": \"a\""), @"
    exit 1
    WRONG notes_file: HOME/work/notes.json is damaged: line 1: EOF while parsing an object
          next: mend it or move it away
    ");
    insta::assert_snapshot!(finding("{\"~/work\": \"a\"}").lines().nth(1).unwrap(), @"ok    notes_file: HOME/work/notes.json, kept in sync");
}

#[test]
fn certificates_that_cannot_be_read_are_named_also_for_a_file() {
    let scratch = Scratch::new();
    scratch.ok("place write x");
    let run = scratch
        .run("doctor")
        .env("WAYNOTE_CA_FILE", "/nowhere/ca.pem");
    let said = run.said();
    has(
        &said,
        "the setting `ca_file` cannot be used: /nowhere/ca.pem cannot be read",
    );
    has(&said, "next: name a file with the certificate");
}

#[test]
fn hooks_that_cannot_run_are_wrong() {
    let scratch = Scratch::new();
    scratch.ok("install claude-code");
    let file = ".claude/settings.json";
    let hooks = fs::read_to_string(scratch.home().join(file)).unwrap();
    scratch.put(
        file,
        hooks.replace(env!("CARGO_BIN_EXE_waynote"), "/gone/waynote"),
    );
    has(
        said(&scratch, "doctor claude-code"),
        "WRONG Claude Code: hooks in HOME/.claude/settings.json runs /gone/waynote, which does not exist",
    );
}

/// A setting that switches hooks or the server off is named.
#[test]
fn a_setting_that_switches_waynote_off_is_wrong() {
    for (client, name, setting) in [
        ("claude-code", ".claude/settings.json", "disableAllHooks"),
        ("gemini", ".gemini/settings.json", "hooksConfig.enabled"),
        ("cursor", ".cursor/mcp.json", "mcpServers.waynote.disabled"),
        (
            "opencode",
            ".config/opencode/opencode.json",
            "mcp.waynote.enabled",
        ),
        ("vscode", ".config/Code/User/settings.json", "chat.useHooks"),
    ] {
        let scratch = Scratch::new();
        scratch.ok(&format!("install {client}"));
        let file = scratch.home().join(name);
        let text = fs::read_to_string(&file).unwrap_or("{}".into());
        let mut settings: serde_json::Value = serde_json::from_str(&text).unwrap();
        let names: Vec<&str> = match setting {
            "chat.useHooks" => vec![setting],
            setting => setting.split('.').collect(),
        };
        let mut at = &mut settings;
        for name in names {
            at = &mut at[name];
        }
        *at = setting.contains("isable").into();
        fs::write(&file, settings.to_string()).unwrap();
        has(
            said_anyhow(&scratch, &format!("doctor {client}")),
            format!(
                "WRONG {}: a setting switches waynote off: `{setting}` in HOME/{name}",
                match client {
                    "claude-code" => "Claude Code",
                    "gemini" => "Gemini CLI",
                    "cursor" => "Cursor",
                    "vscode" => "VS Code",
                    client => client,
                }
            ),
        );
    }
}

fn said_anyhow(scratch: &Scratch, words: &str) -> String {
    scratch.run(words).env("WAYNOTE_HOOK_WAIT", "60").said()
}
