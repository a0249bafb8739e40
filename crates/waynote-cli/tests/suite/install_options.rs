//! The options of `install` are in the client's entry and hooks: its notebook, its session, its store, its style.

use std::fs;
use std::process::{Command, Stdio};

use insta::assert_snapshot;
use serde_json::Value;

use super::client_files::{CLIENTS, files, found, run, said};
use super::common::{Scratch, has, lacks};

/// The answer of the installed hook for a session's start. A shell runs its command from the files as they are.
fn hooked(scratch: &Scratch, file: &str, event: &str) -> String {
    let text = fs::read_to_string(scratch.home().join(file)).unwrap();
    let settings: Value = serde_json::from_str(&text).unwrap();
    let entry = &settings["hooks"][event][0];
    let command = entry["hooks"][0]["command"].as_str();
    let command = command.or(entry["command"].as_str()).unwrap();
    // The program and all that it is started with come from the file.
    let words = Command::new("sh")
        .args([
            "-c",
            &format!("for word in {command}; do printf '%s\\n' \"$word\"; done"),
        ])
        .stderr(Stdio::inherit())
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
    let clients_files = || {
        let mut all = files(&scratch);
        all.retain(|(name, _)| !name.starts_with(".local"));
        all
    };
    let at_first = clients_files();
    scratch.ok("--agent claude key save mine canary-claude --pin");
    scratch.ok("--agent codex key save mine canary-codex --pin");
    let planned = said(&scratch, "--agent claude install claude-code --dry-run");
    let planned = planned.lines().filter(|line| line.contains("--agent"));
    assert_snapshot!(planned.collect::<Vec<_>>().join("\n"), @r#"
    +       "args": ["--agent", "claude", "mcp"],
    +             "command": "WAYNOTE --agent claude hook claude-code SessionStart",
    +             "command": "WAYNOTE --agent claude hook claude-code SubagentStart",
    +             "command": "WAYNOTE --agent claude hook claude-code UserPromptSubmit --no-search",
    +             "command": "WAYNOTE --agent claude hook claude-code PreToolUse",
    +             "command": "WAYNOTE --agent claude hook claude-code PostToolUseFailure",
    "#);
    run(&scratch, "--agent claude install claude-code").ok();
    run(&scratch, "--agent codex install codex").ok();
    let claude = hooked(&scratch, ".claude/settings.json", "SessionStart");
    has(&claude, "canary-claude");
    lacks(&claude, "canary-codex");
    let codex = hooked(&scratch, ".codex/hooks.json", "SessionStart");
    has(&codex, "canary-codex");
    lacks(&codex, "canary-claude");
    let checked = run(&scratch, "doctor claude-code")
        .env("WAYNOTE_HOOK_WAIT", "60")
        .said();
    let checked = checked
        .lines()
        .filter(|line| line.contains("Claude Code: ") && !line.contains("hook works"));
    let checked = checked.collect::<Vec<_>>().join("\n");
    assert_snapshot!(checked.replace(env!("CARGO_BIN_EXE_waynote"), "WAYNOTE"), @"
    ok    Claude Code: server in HOME/.claude.json
    ok    Claude Code: hooks in HOME/.claude/settings.json
    ok    Claude Code: what it starts has `--agent claude`
    ok    Claude Code: the server answers, with 7 tools
    ok    Claude Code: hook at tools works: it brings a note of the path
    ok    Claude Code: hook after a failure works: it brings a note that matches
    ");
    // It stays so, until another one is named.
    assert_snapshot!(said(&scratch, "install claude-code"), @"
    HOME/.claude.json (server): unchanged
    HOME/.claude/settings.json (hooks): unchanged
    already set up; `waynote doctor claude-code` checks it
    ");
    let changed = said(&scratch, "--agent zed install claude-code --dry-run");
    run(&scratch, "--agent zed install claude-code").ok();
    let changed = changed.lines().filter(|line| line.contains("--agent"));
    assert_snapshot!(changed.take(4).collect::<Vec<_>>().join("\n"), @r#"
    -       "args": ["--agent", "claude", "mcp"],
    +       "args": ["--agent", "zed", "mcp"],
    -             "command": "WAYNOTE --agent claude hook claude-code SessionStart",
    +             "command": "WAYNOTE --agent zed hook claude-code SessionStart",
    "#);
    for client in ["claude-code", "codex"] {
        run(&scratch, &format!("uninstall {client}")).ok();
    }
    assert_eq!(clients_files(), at_first);
}

#[test]
fn what_counts_here_counts_for_the_client() {
    let scratch = Scratch::new();
    for client in CLIENTS {
        let words =
            format!("--agent a --session nightly --store ./a.db --set budget=900 install {client}");
        let with_variables = |words: &str| {
            let run = run(&scratch, words).env("WAYNOTE_STYLE", "faithful");
            run.env("WAYNOTE_ITERATION", "3").said()
        };
        let said = with_variables(&format!("{words} --dry-run"));
        with_variables(&words);
        let said = said.replace(env!("CARGO_BIN_EXE_waynote"), "WAYNOTE");
        let is_like_another = |line: &str| line.contains("Subagent") || line.contains("Prompt");
        let told = |line: &&str| {
            (line.contains("--agent") || line.contains("iteration")) && !is_like_another(line)
        };
        let told: Vec<&str> = said.lines().filter(told).collect();
        match client {
            "claude-code" => assert_snapshot!(told.join("\n"), @r#"
            +       "args": ["--store", "HOME/work/a.db", "--agent", "a", "--session", "nightly", "--set", "style=faithful", "--set", "budget=900", "mcp"],
            +             "command": "WAYNOTE --store HOME/work/a.db --agent a --session nightly --set 'style=faithful' --set 'budget=900' hook claude-code SessionStart",
            +             "command": "WAYNOTE --store HOME/work/a.db --agent a --session nightly --set 'style=faithful' --set 'budget=900' hook claude-code PreToolUse",
            +             "command": "WAYNOTE --store HOME/work/a.db --agent a --session nightly --set 'style=faithful' --set 'budget=900' hook claude-code PostToolUseFailure",
            "#),
            "codex" => assert_snapshot!(told.join("\n"), @r#"
            + args = ["--store", "HOME/work/a.db", "--agent", "a", "--session", "nightly", "--set", "style=faithful", "--set", "budget=900", "mcp"]
            +             "command": "WAYNOTE --store HOME/work/a.db --agent a --session nightly --set 'style=faithful' --set 'budget=900' hook codex SessionStart",
            +             "command": "WAYNOTE --store HOME/work/a.db --agent a --session nightly --set 'style=faithful' --set 'budget=900' hook codex PreToolUse",
            +             "command": "WAYNOTE --store HOME/work/a.db --agent a --session nightly --set 'style=faithful' --set 'budget=900' hook codex PostToolUse",
            "#),
            "opencode" => assert_snapshot!(told.join("\n"), @r#"
            +       "command": ["WAYNOTE", "--store", "HOME/work/a.db", "--agent", "a", "--session", "nightly", "--set", "style=faithful", "--set", "budget=900", "mcp"],
            +     const child = spawn(program, ["--store", "HOME/work/a.db", "--agent", "a", "--session", "nightly", "--set", "style=faithful", "--set", "budget=900", "hook", "opencode", event], { stdio: ["pipe", "pipe", "ignore"] });
            "#),
            _ => {}
        }
        let all = "--store HOME/work/a.db --agent a --session nightly --set style=faithful --set budget=900";
        let all = all.replace("HOME", scratch.home().to_str().unwrap());
        let written: String = files(&scratch).into_iter().map(|(_, text)| text).collect();
        assert!(
            written.replace("\", \"", " ").contains(&all),
            "{client}: {written}"
        );
        let again = run(&scratch, &format!("install {client}")).ok();
        assert!(again.contains("already set up"), "{client}: {again}");
    }
    // The store is made where it was named.
    scratch.ok("--store ./a.db --agent a key save fact canary --pin");
    let hooked = hooked(&scratch, ".claude/settings.json", "SessionStart");
    assert!(hooked.contains("canary"), "{hooked}");
    let checked = run(&scratch, "doctor gemini")
        .env("WAYNOTE_HOOK_WAIT", "60")
        .said();
    has(&checked, "Gemini CLI: the store HOME/work/a.db answers");
}

/// A variable is of this machine, and a team shares these files.
#[test]
fn in_a_projects_files_only_options_count() {
    let scratch = Scratch::new();
    let run = run(
        &scratch,
        "--agent a install claude-code --project --dry-run",
    );
    let said = run
        .env("WAYNOTE_STYLE", "faithful")
        .env("WAYNOTE_STORE", "/x/notes.db")
        .said();
    let told = said
        .lines()
        .filter(|line| line.contains("--") || line.starts_with("next"));
    assert_snapshot!(told.collect::<Vec<_>>().join("\n"), @r#"
      +       "args": ["--agent", "a", "mcp"],
      +             "command": "waynote --agent a hook claude-code SessionStart",
      +             "command": "waynote --agent a hook claude-code SubagentStart",
      +             "command": "waynote --agent a hook claude-code UserPromptSubmit --no-search",
      +             "command": "waynote --agent a hook claude-code PreToolUse",
      +             "command": "waynote --agent a hook claude-code PostToolUseFailure",
    next: run `waynote config set store /x/notes.db` if Claude Code should use this store: it sees WAYNOTE_STORE only if it is started from this shell
    next: run `waynote config set style faithful` if Claude Code should use this style: it sees WAYNOTE_STYLE only if it is started from this shell
    "#);
}

/// The loop would never read notes that its agent writes elsewhere.
#[test]
fn in_a_loop_the_loops_notebook_counts() {
    let scratch = Scratch::new();
    scratch.ok("--agent looped key save fact canary-loop --pin");
    scratch.ok("--agent claude key save fact canary-claude --pin");
    let hook = |is_in_loop: bool| {
        let words = "--agent claude --session day hook claude-code SessionStart";
        let run = scratch
            .run(words)
            .stdin(r#"{"session_id": "s"}"#)
            .env("WAYNOTE_AGENT", "looped");
        let run = match is_in_loop {
            true => run.env("WAYNOTE_LOOP", "night"),
            false => run,
        };
        String::from_utf8(run.patient().output().stdout).unwrap()
    };
    assert!(hook(false).contains("canary-claude"));
    scratch.ok("--agent claude key save fact canary-claude-2 --pin");
    let looped = hook(true);
    has(&looped, "canary-loop");
    lacks(&looped, "canary-claude");
}

#[test]
fn a_setting_is_set_for_one_command() {
    let scratch = Scratch::new();
    scratch.ok("key save fact v --pin");
    let config = scratch.ok("--set budget=500 --set agent=zed config");
    let shown = config.lines().filter(|line| line.contains("--"));
    assert_snapshot!(shown.collect::<Vec<_>>().join("\n"), @"
    agent                      zed                                                 --agent
    budget                     500                                                 --set budget
    ");
    has(scratch.ok("--set budget=500 context"), "of 500 tokens");
    let refused = [
        "--set budget context",
        "--set budgt=5 context",
        "--set budget=x context",
    ];
    let refused: String = refused.map(|words| scratch.run(words).said()).concat();
    assert_snapshot!(refused, @"
    exit 2
    error: `--set budget` gives no value
      write it as `--set NAME=VALUE`
    exit 2
    error: `budgt` is not a setting
      did you mean `budget`?
    exit 2
    error: `x` is not a token budget
      write a number of tokens, for example 2000; 0 means no limit
    ");
}

/// Cursor takes two slashes for the beginning of a comment, even within a text.
#[test]
fn cursors_hooks_survive_its_comments() {
    for url in ["https://notes.example/s/team", "/x///y//z/notes.db"] {
        let scratch = found();
        let file_of = |scratch: &Scratch| {
            let file = scratch.home().join(".cursor/hooks.json");
            fs::read_to_string(file).unwrap()
        };
        let before = file_of(&scratch);
        let words = format!("install cursor --store {url}");
        run(&scratch, &words).ok();
        let text = file_of(&scratch);
        let cut: String = text
            .lines()
            .map(|line| line.split("//").next().unwrap_or_default())
            .collect();
        let read: Value =
            serde_json::from_str(&cut).unwrap_or_else(|error| panic!("{error}: {text}"));
        let command = read["hooks"]["sessionStart"][0]["command"]
            .as_str()
            .unwrap();
        let expected = format!("--store {url} hook cursor sessionStart");
        assert!(command.replace('\'', "").ends_with(&expected), "{command}");
        let again = run(&scratch, &words).ok();
        assert!(again.contains("already set up"), "{again}");
        let checked = run(&scratch, "doctor cursor")
            .env("WAYNOTE_HOOK_WAIT", "60")
            .said();
        has(&checked, "Cursor: hooks in HOME/.cursor/hooks.json");
        run(&scratch, "uninstall cursor").ok();
        assert_eq!(file_of(&scratch), before);
    }
}
