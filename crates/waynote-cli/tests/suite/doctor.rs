//! The findings of `doctor`, with a server that a script plays.

use std::fs;
use std::path::{Path, PathBuf};

use super::common::{Run, Scratch, has, rows};

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
    note  Claude Code may ask before it edits files or runs commands, and no person answers in a loop; add `-- --permission-mode acceptEdits --allowedTools 'Bash(make *)'`, or what the agent needs
          next: this is for `waynote loop --with claude-code`
    ");
    let json = scratch.run("doctor claude-code --json");
    assert_eq!(json.env("WAYNOTE_HOOK_WAIT", "60").json()["ok"], true);
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
        let of_server = said.lines().find(|line| line.contains("the server"));
        seen += &format!("{name}: {}\n", of_server.unwrap());
        fs::remove_file(program).unwrap();
    }
    let said = said(&scratch, "doctor claude-code");
    let lines = said.lines().skip_while(|line| !line.contains("stand-in"));
    seen += &lines.take(2).collect::<Vec<_>>().join("\n");
    insta::assert_snapshot!(seen, @r#"
    ends: WRONG Claude Code: the server `HOME/stand-in/waynote mcp`: it ended without answering `initialize`
    prints: WRONG Claude Code: the server `HOME/stand-in/waynote mcp`: it printed a line that is no message: `hello`
    refuses: WRONG Claude Code: the server `HOME/stand-in/waynote mcp`: it answered `initialize` with an error: no store
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
fn what_is_not_set_up_is_wrong() {
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
}

#[test]
fn the_trust_that_is_missing_is_named() {
    let scratch = Scratch::new();
    scratch.ok("install codex");
    has(said(&scratch, "doctor codex"), "not trusted yet");
    let config = scratch.home().join(".codex/config.toml");
    let hooks = scratch
        .home()
        .join(".codex/hooks.json")
        .display()
        .to_string();
    let trust = |event: &str| {
        let trusted =
            format!("\n[hooks.state.\"{hooks}:{event}:0:0\"]\ntrusted_hash = \"sha256:x\"\n");
        let text = fs::read_to_string(&config).unwrap() + &trusted;
        fs::write(&config, text).unwrap();
    };
    trust("session_start");
    // As after an upgrade to a version with more hooks.
    has(
        said(&scratch, "doctor codex"),
        "silently skipped: SubagentStart, UserPromptSubmit, PreToolUse, PostToolUse",
    );
    for event in [
        "subagent_start",
        "user_prompt_submit",
        "pre_tool_use",
        "post_tool_use",
    ] {
        trust(event);
    }
    has(said(&scratch, "doctor codex"), "are trusted");
}

#[test]
fn what_else_is_wrong_is_named_with_what_to_do() {
    let scratch = Scratch::new();
    scratch.ok("place write text");
    let mut seen = String::new();
    let mut finds = |words: &str, variable: (&str, &str), about: &str| {
        let run = scratch.run(words).env(variable.0, variable.1);
        let said = run.env("WAYNOTE_HOOK_WAIT", "60").said();
        let found = said
            .lines()
            .skip_while(|line| !line.contains(about))
            .take(2);
        seen += &format!("{}\n", found.collect::<Vec<_>>().join("\n"));
    };
    let none = ("WAYNOTE_NOTIFY", "");
    finds("doctor", ("WAYNOTE_CA_FILE", "/nowhere/ca.pem"), "ca_file");
    // Zrb's own notes, which a person may believe to be read.
    scratch.put(".zrb/notes.json", "{\"~/work\": \"a\"");
    finds("doctor", none, "Zrb");
    let synced = ("ZRB_LLM_NOTE_FILE", "~/.zrb/notes.json");
    finds("doctor", synced, "notes_file");
    scratch.put(".zrb/notes.json", "{\"~/work\": \"a\"}");
    finds("doctor", synced, "notes_file");
    // Set up in a project alone, a client is checked there.
    scratch.ok("install codex --project");
    finds("doctor codex", none, "Codex: server in");
    scratch.ok("install claude-code");
    let hooks = scratch.home().join(".claude/settings.json");
    let text = fs::read_to_string(&hooks).unwrap();
    fs::write(
        &hooks,
        text.replace(env!("CARGO_BIN_EXE_waynote"), "/gone/waynote"),
    )
    .unwrap();
    finds("doctor claude-code", none, "/gone/waynote");
    insta::assert_snapshot!(seen, @"


    WRONG notes_file: HOME/.zrb/notes.json is damaged: line 1: EOF while parsing an object
          next: mend it or move it away
    ok    notes_file: HOME/.zrb/notes.json, kept in sync
    note  no agent is set up
    ok    Codex: server in HOME/work/.codex/config.toml
    ok    Codex: hooks in HOME/work/.codex/hooks.json
    WRONG Claude Code: hooks in HOME/.claude/settings.json runs /gone/waynote, which does not exist
          next: `waynote install claude-code` brings it up to date; `--dry-run` shows how
    ");
}

#[test]
fn a_setting_that_switches_waynote_off_is_wrong() {
    let cases = "
        claude-code | Claude Code | .claude/settings.json | /disableAllHooks
        gemini | Gemini CLI | .gemini/settings.json | /hooksConfig/enabled
        cursor | Cursor | .cursor/mcp.json | /mcpServers/waynote/disabled
        opencode | opencode | .config/opencode/opencode.json | /mcp/waynote/enabled
        vscode | VS Code | .config/Code/User/settings.json | /chat.useHooks";
    for [client, title, name, at] in rows(cases) {
        let scratch = Scratch::new();
        scratch.ok(&format!("install {client}"));
        let file = scratch.home().join(name);
        let text = fs::read_to_string(&file).unwrap_or("{}".into());
        let mut settings: serde_json::Value = serde_json::from_str(&text).unwrap();
        let names = at.split('/').skip(1);
        let setting = at[1..].replace('/', ".");
        *names.fold(&mut settings, |at, name| &mut at[name]) = at.contains("isable").into();
        fs::write(&file, settings.to_string()).unwrap();
        let run = scratch
            .run(&format!("doctor {client}"))
            .env("WAYNOTE_HOOK_WAIT", "60");
        has(
            run.said(),
            format!("WRONG {title}: a setting switches waynote off: `{setting}` in HOME/{name}"),
        );
    }
}
