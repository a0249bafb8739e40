//! The options of `install` are in the client's entry and hooks: its notebook, its session, its store, its style.

use std::fs;

use insta::assert_snapshot;
use serde_json::Value;

use super::client_files::{CLIENTS, run, said, written};
use super::common::{Scratch, has, lacks};

/// The answer of the installed hook for a session's start. A shell runs its command from the files as they are.
fn hooked(scratch: &Scratch, file: &str, event: &str) -> String {
    let text = fs::read_to_string(scratch.home().join(file)).unwrap();
    let settings: Value = serde_json::from_str(&text).unwrap();
    let entry = &settings["hooks"][event][0];
    let command = entry["hooks"][0]["command"].as_str();
    let command = command.or(entry["command"].as_str()).unwrap();
    // The program and all that it is started with come from the file.
    let words = std::process::Command::new("sh")
        .args([
            "-c",
            &format!("for word in {command}; do printf '%s\\n' \"$word\"; done"),
        ])
        .output()
        .unwrap();
    let words = String::from_utf8(words.stdout).unwrap();
    let hook = scratch.waynote(words.lines().skip(1));
    let hook = hook
        .stdin(format!("{{\"session_id\": \"{file}\"}}"))
        .patient();
    String::from_utf8(hook.output().stdout).unwrap()
}

#[test]
fn two_clients_have_two_notebooks() {
    let scratch = Scratch::new();
    scratch.ok("--agent claude key save mine canary-claude --pin");
    scratch.ok("--agent codex key save mine canary-codex --pin");
    run(&scratch, "--agent claude install claude-code").ok();
    run(&scratch, "--agent codex install codex").ok();
    for (file, mine, other) in [
        (".claude/settings.json", "canary-claude", "canary-codex"),
        (".codex/hooks.json", "canary-codex", "canary-claude"),
    ] {
        let told = hooked(&scratch, file, "SessionStart");
        has(&told, mine);
        lacks(&told, other);
    }
    has(
        said(&scratch, "doctor claude-code"),
        "what it starts has `--agent claude`",
    );
    // It stays so, until another one is named.
    has(said(&scratch, "install claude-code"), "already set up");
    let changed = said(&scratch, "--agent zed install claude-code --dry-run");
    let changed = changed.lines().filter(|line| line.contains("--agent"));
    assert_snapshot!(changed.take(2).collect::<Vec<_>>().join("\n"), @r#"
    -       "args": ["--agent", "claude", "mcp"],
    +       "args": ["--agent", "zed", "mcp"],
    "#);
}

#[test]
fn what_counts_here_counts_for_the_client() {
    let scratch = Scratch::new();
    for client in CLIENTS {
        let words =
            format!("--agent a --session nightly --store ./a.db --set budget=900 install {client}");
        run(&scratch, &words).env("WAYNOTE_STYLE", "faithful").ok();
        let all = "--store HOME/work/a.db --agent a --session nightly --set style=faithful --set budget=900";
        has(written(&scratch).replace("\", \"", " "), all);
        let again = run(&scratch, &format!("install {client}")).ok();
        has(again, "already set up");
    }
    // The store is made where it was named.
    scratch.ok("--store ./a.db --agent a key save fact canary --pin");
    has(
        hooked(&scratch, ".claude/settings.json", "SessionStart"),
        "canary",
    );
    has(
        said(&scratch, "doctor gemini"),
        "Gemini CLI: the store HOME/work/a.db answers",
    );
}

#[test]
fn what_a_client_will_not_see_is_named() {
    let scratch = Scratch::new();
    let config = scratch.put("config.toml", "budget = 7\n");
    let run = scratch
        .run("--iteration 3 install claude-code --dry-run")
        .env("WAYNOTE_TOKEN_FILE", "/x/token")
        .env("WAYNOTE_CONFIG", &config)
        .env("XDG_DATA_HOME", scratch.home().join("data"))
        .env("WAYNOTE_HOOK_WAIT", "2");
    let said = run.said();
    let next = said.lines().filter(|line| line.starts_with("next: "));
    assert_snapshot!(next.collect::<Vec<_>>().join("\n"), @"next: run `waynote config set token_file /x/token` if Claude Code should use this token_file: it sees WAYNOTE_TOKEN_FILE only if it is started from this shell");
}

/// The loop would never read notes that its agent writes elsewhere.
#[test]
fn in_a_loop_the_loops_store_and_notebook_count() {
    let scratch = Scratch::new();
    scratch.ok("--agent looped key save fact canary-loop --pin");
    scratch.ok("--store elsewhere.db --agent claude key save fact canary-claude --pin");
    let hook = |is_in_loop: bool| {
        let words =
            "--agent claude --session day --store elsewhere.db hook claude-code SessionStart";
        let run = scratch.run(words).stdin(r#"{"session_id": "s"}"#);
        let run = match is_in_loop {
            true => run
                .env("WAYNOTE_LOOP", "night")
                .env("WAYNOTE_AGENT", "looped")
                .env("WAYNOTE_STORE", scratch.store()),
            false => run,
        };
        String::from_utf8(run.patient().output().stdout).unwrap()
    };
    has(hook(false), "canary-claude");
    let looped = hook(true);
    has(&looped, "canary-loop");
    lacks(&looped, "canary-claude");
}

/// Cursor takes two slashes for the beginning of a comment, even within a text.
#[test]
fn cursors_hooks_survive_its_comments() {
    let scratch = Scratch::new();
    run(&scratch, "install cursor --store /x///y//z/notes.db").ok();
    let text = fs::read_to_string(scratch.home().join(".cursor/hooks.json")).unwrap();
    let cut = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default());
    let read: Value = serde_json::from_str(&cut.collect::<String>()).unwrap();
    let command = read["hooks"]["sessionStart"][0]["command"].to_string();
    has(
        command.replace('\'', ""),
        "--store /x///y//z/notes.db hook cursor sessionStart",
    );
}

#[test]
fn hooks_at_tools_are_installed_and_taken_back() {
    let scratch = Scratch::new();
    let theirs = r#"{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"theirs"}]}]}}"#;
    let path = scratch.put(".claude/settings.json", theirs);
    let events = |of: &str| {
        let file: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        file["hooks"][of].clone()
    };
    scratch.ok("install claude-code --by-server --ask");
    let before = events("PreToolUse");
    assert_eq!(
        before[0]["hooks"][0]["command"], "theirs",
        "a hook of ours stands behind theirs"
    );
    assert_snapshot!(before[1], @r#"{"hooks":[{"input":{"agent_id":"${agent_id}","client":"claude-code","command":"${tool_input.command}","cwd":"${cwd}","event":"PreToolUse","file_path":"${tool_input.file_path}","notebook_path":"${tool_input.notebook_path}","session_id":"${session_id}","tool_name":"${tool_name}"},"server":"waynote","timeout":10,"tool":"hook","type":"mcp_tool"}],"matcher":"Read|Edit|Write|MultiEdit|NotebookEdit|Bash"}"#);
    assert!(
        events("Stop")[0]["hooks"][0]["command"]
            .as_str()
            .unwrap()
            .ends_with("hook claude-code Stop")
    );
    // Without the option what is there stays.
    let written = std::fs::read_to_string(&path).unwrap();
    scratch.ok("install claude-code");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), written);
    scratch.ok("uninstall claude-code");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), theirs);
}
