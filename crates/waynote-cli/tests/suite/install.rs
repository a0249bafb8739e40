//! Setting clients up: each one's entries, the output, and what else it says.

use std::fs;
use std::os::unix::fs::symlink;

use insta::assert_snapshot;
use serde_json::Value;

use super::client_files::{CLIENTS, OTHERS, files, found, run, said, written};
use super::common::{Scratch, assert_transcript, git, has, lacks};

const REMOTE: &str = "--store https://notes.example/s/team --remote-mcp";

#[test]
fn each_client_gets_its_own_form() {
    let scratch = Scratch::new();
    for client in CLIENTS.into_iter().chain(OTHERS) {
        run(&scratch, &format!("install {client}")).ok();
        let doctor = run(&scratch, &format!("doctor {client}")).said();
        assert!(doctor.contains("the server answers"), "{doctor}");
        let has_hooks = CLIENTS.contains(&client) || ["copilot", "qwen", "crush"].contains(&client);
        for (finding, is_made) in [
            ("hook at tools works", has_hooks),
            ("hook after a failure works", has_hooks && client != "crush"),
            (
                "the server's instructions have the notes",
                client == "crush",
            ),
        ] {
            assert_eq!(doctor.contains(finding), is_made, "{doctor}");
        }
    }
    insta::assert_snapshot!(written(&scratch), @r#"
    .claude.json: { "mcpServers": { "waynote": { "type": "stdio", "command": "WAYNOTE", "args": ["mcp"], "env": { "WAYNOTE_AUTHOR": "agent:claude-code" } } } }
    .claude/settings.json: { "hooks": { "SessionStart": [ { "hooks": [ { "type": "command", "command": "WAYNOTE hook claude-code SessionStart", "timeout": 10 } ] } ], "SubagentStart": [ { "hooks": [ { "type": "command", "command": "WAYNOTE hook claude-code SubagentStart", "timeout": 10 } ] } ], "UserPromptSubmit": [ { "hooks": [ { "type": "command", "command": "WAYNOTE hook claude-code UserPromptSubmit --no-search", "timeout": 10 } ] } ], "PreToolUse": [ { "matcher": "Read|Edit|Write|MultiEdit|NotebookEdit|Bash", "hooks": [ { "type": "command", "command": "WAYNOTE hook claude-code PreToolUse", "timeout": 10 } ] } ], "PostToolUseFailure": [ { "matcher": "Bash", "hooks": [ { "type": "command", "command": "WAYNOTE hook claude-code PostToolUseFailure", "timeout": 10 } ] } ] } }
    .cline/data/settings/cline_mcp_settings.json: { "mcpServers": { "waynote": { "command": "WAYNOTE", "args": ["mcp"], "env": { "WAYNOTE_AUTHOR": "agent:cline" } } } }
    .codeium/windsurf/mcp_config.json: { "mcpServers": { "waynote": { "command": "WAYNOTE", "args": ["mcp"], "env": { "WAYNOTE_AUTHOR": "agent:windsurf" } } } }
    .codex/config.toml: [mcp_servers.waynote] command = "WAYNOTE" args = ["mcp"] env = { WAYNOTE_AUTHOR = "agent:codex" } env_vars = [ "WAYNOTE_STORE", "WAYNOTE_AGENT", "WAYNOTE_SESSION", "WAYNOTE_MAX_BYTES", "WAYNOTE_MAX_NOTES", "WAYNOTE_MAX_PLACE_BYTES", "ZRB_LLM_NOTE_FILE", "WAYNOTE_STYLE", "WAYNOTE_BUDGET", "WAYNOTE_TOKEN_FACTOR", "WAYNOTE_LOCK_WAIT", "WAYNOTE_CA_FILE", "WAYNOTE_ACTION_ROOTS", "WAYNOTE_REPO_NAMES", "WAYNOTE_REPOS", "WAYNOTE_TEAM_STORE", "WAYNOTE_TEAM_REPOSITORIES", "WAYNOTE_ALLOW_SECRETS", "WAYNOTE_CONFIG", "WAYNOTE_ITERATION", "WAYNOTE_LOOP", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "PGPASSFILE", "PGPASSWORD", ]
    .codex/hooks.json: { "hooks": { "SessionStart": [ { "hooks": [ { "type": "command", "command": "WAYNOTE hook codex SessionStart", "timeout": 10, "statusMessage": "waynote: notes for this work" } ] } ], "SubagentStart": [ { "hooks": [ { "type": "command", "command": "WAYNOTE hook codex SubagentStart", "timeout": 10, "statusMessage": "waynote: notes for this work" } ] } ], "UserPromptSubmit": [ { "hooks": [ { "type": "command", "command": "WAYNOTE hook codex UserPromptSubmit --no-search", "timeout": 10, "statusMessage": "waynote: notes for this work" } ] } ], "PreToolUse": [ { "matcher": "Bash|apply_patch", "hooks": [ { "type": "command", "command": "WAYNOTE hook codex PreToolUse", "timeout": 10, "statusMessage": "waynote: notes for this work" } ] } ], "PostToolUse": [ { "matcher": "Bash", "hooks": [ { "type": "command", "command": "WAYNOTE hook codex PostToolUse", "timeout": 10, "statusMessage": "waynote: notes for this work" } ] } ] } }
    .config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json: { "mcpServers": { "waynote": { "command": "WAYNOTE", "args": ["mcp"], "env": { "WAYNOTE_AUTHOR": "agent:roo" } } } }
    .config/Code/User/mcp.json: { "servers": { "waynote": { "type": "stdio", "command": "WAYNOTE", "args": ["mcp"], "env": { "WAYNOTE_AUTHOR": "agent:vscode" } } } }
    .config/amp/settings.json: { "amp.mcpServers": { "waynote": { "command": "WAYNOTE", "args": ["mcp"], "env": { "WAYNOTE_AUTHOR": "agent:amp" } } } }
    .config/crush/crush.json: { "mcp": { "waynote": { "type": "stdio", "command": "WAYNOTE", "args": ["mcp"], "env": { "WAYNOTE_AUTHOR": "agent:crush" } } }, "hooks": { "PreToolUse": [ { "command": "WAYNOTE hook crush PreToolUse", "matcher": "^(bash|edit|multiedit|view|write)$" } ] } }
    .config/opencode/opencode.json: { "mcp": { "waynote": { "type": "local", "command": ["WAYNOTE", "mcp"], "enabled": true, "environment": { "WAYNOTE_AUTHOR": "agent:opencode" } } } }
    .config/zed/settings.json: { "context_servers": { "waynote": { "command": "WAYNOTE", "args": ["mcp"], "env": { "WAYNOTE_AUTHOR": "agent:zed" } } } }
    .copilot/hooks/waynote-copilot.json: { "version": 1, "hooks": { "SessionStart": [ { "type": "command", "command": "WAYNOTE hook copilot SessionStart", "timeout": 10 } ], "SubagentStart": [ { "type": "command", "command": "WAYNOTE hook copilot SubagentStart", "timeout": 10 } ], "PostToolUse": [ { "type": "command", "command": "WAYNOTE hook copilot PostToolUse", "timeout": 10, "matcher": "view|edit|create|bash|powershell|read_file|create_file|replace_string_in_file|run_in_terminal" } ], "PostToolUseFailure": [ { "type": "command", "command": "WAYNOTE hook copilot PostToolUseFailure", "timeout": 10, "matcher": "bash|powershell|run_in_terminal" } ] } }
    .copilot/hooks/waynote.json: { "version": 1, "hooks": { "SessionStart": [ { "type": "command", "command": "WAYNOTE hook vscode SessionStart", "timeout": 10 } ], "SubagentStart": [ { "type": "command", "command": "WAYNOTE hook vscode SubagentStart", "timeout": 10 } ], "PostToolUse": [ { "type": "command", "command": "WAYNOTE hook vscode PostToolUse", "timeout": 10, "matcher": "view|edit|create|bash|powershell|read_file|create_file|replace_string_in_file|run_in_terminal" } ], "PostToolUseFailure": [ { "type": "command", "command": "WAYNOTE hook vscode PostToolUseFailure", "timeout": 10, "matcher": "bash|powershell|run_in_terminal" } ] } }
    .copilot/mcp-config.json: { "mcpServers": { "waynote": { "type": "stdio", "command": "WAYNOTE", "args": ["mcp"], "env": { "WAYNOTE_AUTHOR": "agent:copilot" } } } }
    .cursor/hooks.json: { "version": 1, "hooks": { "sessionStart": [ { "command": "WAYNOTE hook cursor sessionStart" } ], "postToolUse": [ { "command": "WAYNOTE hook cursor postToolUse", "matcher": "^(Shell|Read|Write|Delete)$" } ], "postToolUseFailure": [ { "command": "WAYNOTE hook cursor postToolUseFailure", "matcher": "^Shell$" } ] } }
    .cursor/mcp.json: { "mcpServers": { "waynote": { "command": "WAYNOTE", "args": ["mcp"], "env": { "WAYNOTE_AUTHOR": "agent:cursor" } } } }
    .gemini/settings.json: { "mcpServers": { "waynote": { "command": "WAYNOTE", "args": ["mcp"], "env": { "WAYNOTE_AUTHOR": "agent:gemini" } } }, "hooks": { "BeforeAgent": [ { "hooks": [ { "type": "command", "command": "WAYNOTE hook gemini BeforeAgent --no-search", "name": "waynote", "timeout": 10000 } ] } ], "AfterTool": [ { "matcher": "^(read_file|write_file|replace|run_shell_command)$", "hooks": [ { "type": "command", "command": "WAYNOTE hook gemini AfterTool", "name": "waynote", "timeout": 10000 } ] } ] } }
    .junie/mcp/mcp.json: { "mcpServers": { "waynote": { "command": "WAYNOTE", "args": ["mcp"], "env": { "WAYNOTE_AUTHOR": "agent:junie" } } } }
    .kiro/settings/mcp.json: { "mcpServers": { "waynote": { "command": "WAYNOTE", "args": ["mcp"], "env": { "WAYNOTE_AUTHOR": "agent:kiro" } } } }
    .qwen/settings.json: { "mcpServers": { "waynote": { "command": "WAYNOTE", "args": ["mcp"], "env": { "WAYNOTE_AUTHOR": "agent:qwen" } } }, "hooks": { "SessionStart": [ { "hooks": [ { "type": "command", "command": "WAYNOTE hook qwen SessionStart", "name": "waynote", "timeout": 10000 } ] } ], "UserPromptSubmit": [ { "hooks": [ { "type": "command", "command": "WAYNOTE hook qwen UserPromptSubmit --no-search", "name": "waynote", "timeout": 10000 } ] } ], "PostToolUse": [ { "matcher": "^(read_file|write_file|edit|run_shell_command)$", "hooks": [ { "type": "command", "command": "WAYNOTE hook qwen PostToolUse", "name": "waynote", "timeout": 10000 } ] } ], "PostToolUseFailure": [ { "matcher": "^run_shell_command$", "hooks": [ { "type": "command", "command": "WAYNOTE hook qwen PostToolUseFailure", "name": "waynote", "timeout": 10000 } ] } ] } }
    "#);
}

#[test]
fn the_endpoint_takes_the_place_of_the_program() {
    let scratch = Scratch::new();
    for client in CLIENTS {
        let words = format!("install {client} {REMOTE} --agent builder");
        has(
            said(&scratch, &words),
            "next: set WAYNOTE_TOKEN to the token",
        );
    }
    assert_snapshot!(written(&scratch), @r#"
    .claude.json: { "mcpServers": { "waynote": { "type": "http", "url": "https://notes.example/s/team/mcp?home=HOME&agent=builder", "headers": { "Authorization": "Bearer ${WAYNOTE_TOKEN}" } } } }
    .codex/config.toml: [mcp_servers.waynote] url = "https://notes.example/s/team/mcp?home=HOME&agent=builder" bearer_token_env_var = "WAYNOTE_TOKEN"
    .config/Code/User/mcp.json: { "servers": { "waynote": { "type": "http", "url": "https://notes.example/s/team/mcp?home=HOME&agent=builder", "headers": { "Authorization": "Bearer ${env:WAYNOTE_TOKEN}" } } } }
    .config/opencode/opencode.json: { "mcp": { "waynote": { "type": "remote", "url": "https://notes.example/s/team/mcp?home=HOME&agent=builder", "headers": { "Authorization": "Bearer {env:WAYNOTE_TOKEN}" }, "enabled": true, "oauth": false } } }
    .cursor/mcp.json: { "mcpServers": { "waynote": { "url": "https://notes.example/s/team/mcp?home=HOME&agent=builder", "headers": { "Authorization": "Bearer ${env:WAYNOTE_TOKEN}" } } } }
    .gemini/settings.json: { "mcpServers": { "waynote": { "httpUrl": "https://notes.example/s/team/mcp?home=HOME&agent=builder", "headers": { "Authorization": "Bearer ${WAYNOTE_TOKEN}" } } } }
    "#);
    // The settings that an endpoint takes are in its address, and one of them can be changed alone.
    run(&scratch, "install cursor --set style=faithful").ok();
    run(&scratch, "install cursor --set budget=500").ok();
    let address = "/mcp?home=HOME&agent=builder&style=faithful&budget=500";
    has(written(&scratch), address);
}

#[test]
fn installing_prints_a_line_for_each_file() {
    let scratch = found();
    let mut seen = String::new();
    for words in [
        "install cursor --dry-run",
        "install cursor",
        "uninstall cursor",
    ] {
        seen += &format!("$ waynote {words}\n{}\n", said(&scratch, words));
    }
    insta::assert_snapshot!(seen, @r#"
    $ waynote install cursor --dry-run
    HOME/.cursor/mcp.json (server): would be changed
      - { "mcpServers": { } }
      + { "mcpServers": {
      +     "waynote": {
      +       "command": "WAYNOTE",
      +       "args": ["mcp"],
      +       "env": {
      +         "WAYNOTE_AUTHOR": "agent:cursor"
      +       }
      +     }
      +   } }
    HOME/.cursor/hooks.json (hooks): would be changed
      - {"version":1,"hooks":{"stop":[{"command":"./x.sh"}]}}
      + {"version":1,"hooks":{
      +     "stop":[{"command":"./x.sh"}],
      +     "sessionStart": [
      +       {
      +         "command": "WAYNOTE hook cursor sessionStart"
      +       }
      +     ],
      +     "postToolUse": [
      +       {
      +         "command": "WAYNOTE hook cursor postToolUse",
      +         "matcher": "^(Shell|Read|Write|Delete)$"
      +       }
      +     ],
      +     "postToolUseFailure": [
      +       {
      +         "command": "WAYNOTE hook cursor postToolUseFailure",
      +         "matcher": "^Shell$"
      +       }
      +     ]
      +   }}
    nothing was written: this was a dry run

    $ waynote install cursor
    HOME/.cursor/mcp.json (server): changed
    HOME/.cursor/hooks.json (hooks): changed
    copies of the previous files: HOME/.local/share/waynote/installed
    next: restart Cursor, and switch `waynote` on under Settings, MCP, if it is off
    then: waynote doctor cursor

    $ waynote uninstall cursor
    HOME/.cursor/mcp.json (server): changed
    HOME/.cursor/hooks.json (hooks): changed
    Cursor runs without waynote from its next session; the notes stay in HOME/.local/share/waynote/notes.db
    "#);
}

/// Goose's file is not edited: its lines are printed.
#[test]
fn gooses_lines_are_printed() {
    let scratch = Scratch::new();
    let mut seen = format!("$ install\n{}", said(&scratch, "install goose"));
    let json: Value = run(&scratch, "install goose --json").json();
    let lines = json["add"]["lines"].as_str().unwrap();
    let config = format!("extensions:\n{lines}\n  other:\n    enabled: true\n");
    scratch.put(".config/goose/config.yaml", config);
    for words in ["install goose", "uninstall goose"] {
        seen += &format!("$ {words}\n{}", said(&scratch, words));
    }
    insta::assert_snapshot!(seen, @r#"
    $ install
    add these lines to HOME/.config/goose/config.yaml, below `extensions:`:
      waynote:
        name: waynote
        type: stdio
        cmd: "WAYNOTE"
        args: ["mcp"]
        envs: { WAYNOTE_AUTHOR: "agent:goose" }
        enabled: true
        timeout: 300
    next: install Goose: it was not found on this machine; its files are ready for it
    next: start a new session of Goose
    then: waynote doctor goose
    $ install goose
    already set up; `waynote doctor goose` checks it
    $ uninstall goose
    remove the entry `waynote` from HOME/.config/goose/config.yaml by hand
    "#);
}

#[test]
fn a_dry_run_changes_nothing() {
    let scratch = found();
    let before = files(&scratch);
    for client in CLIENTS {
        run(&scratch, &format!("install {client} --dry-run")).ok();
        run(&scratch, &format!("uninstall {client} --dry-run")).ok();
    }
    run(&scratch, "install --all --dry-run --every-prompt").ok();
    assert_eq!(files(&scratch), before);
    assert!(!scratch.home().join(".local").exists());
}

#[test]
fn a_teams_files_start_the_program_by_its_name() {
    let scratch = Scratch::new();
    // A variable is of this machine, and a team shares these files: only options count there.
    let shared =
        run(&scratch, "--agent a install claude-code --project").env("WAYNOTE_STYLE", "faithful");
    let said = shared.env("WAYNOTE_STORE", "/x/notes.db").said();
    let next = said.lines().filter(|line| line.starts_with("next: run"));
    assert_snapshot!(next.collect::<Vec<_>>().join("\n"), @"
    next: run `waynote config set store /x/notes.db` if Claude Code should use this store: it sees WAYNOTE_STORE only if it is started from this shell
    next: run `waynote config set style faithful` if Claude Code should use this style: it sees WAYNOTE_STYLE only if it is started from this shell
    ");
    let team = written(&scratch);
    has(
        &team,
        r#""command": "waynote", "args": ["--agent", "a", "mcp"]"#,
    );
    has(
        &team,
        r#""command": "waynote --agent a hook claude-code SessionStart""#,
    );
    // On the path by a link, as a package manager has it: the link, which stays right.
    let bin = scratch.home().join("my bin");
    fs::create_dir(&bin).unwrap();
    symlink(env!("CARGO_BIN_EXE_waynote"), bin.join("waynote")).unwrap();
    scratch.run("install claude-code").env("PATH", &bin).ok();
    for (file, command) in [
        (".claude.json", r#""command": "HOME/my bin/waynote""#),
        (
            ".claude/settings.json",
            r#""'HOME/my bin/waynote' hook claude-code SessionStart""#,
        ),
    ] {
        let text = fs::read_to_string(scratch.home().join(file)).unwrap();
        has(
            text,
            command.replace("HOME", scratch.home().to_str().unwrap()),
        );
    }
}

/// npx and uvx run the program from a cache that they empty.
#[test]
fn agents_start_a_copy_of_a_program_that_may_go() {
    let scratch = Scratch::new();
    let cache = "_npx/1f/node_modules/waynote-linux-x64/bin";
    let copy = scratch.home().join(".local/share/waynote/bin/waynote");
    let shell = |script: &str| {
        let output = scratch.shell(&format!("cd home; {script}"));
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    shell(&format!(
        "mkdir -p {cache}; ln \"$WAYNOTE\" {cache} || cp \"$WAYNOTE\" {cache}"
    ));
    shell(&format!("{cache}/waynote install codex --dry-run"));
    assert!(!copy.exists());
    for client in ["codex", "claude-code"] {
        let said = shell(&format!("cd work; ../{cache}/waynote install {client}"));
        has(
            said,
            format!("agents start a copy of the program, {}", copy.display()),
        );
    }
    let entry = fs::read_to_string(scratch.home().join(".claude.json"));
    has(entry.unwrap(), copy.to_str().unwrap());
    shell("rm -r _npx");
    for (client, is_left) in [("codex", true), ("claude-code", false)] {
        shell(&format!(
            ".local/share/waynote/bin/waynote uninstall {client}"
        ));
        assert_eq!(copy.exists(), is_left, "{client}");
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let scratch = Scratch::new();
    let plays = |words: &str| match words.split_once("@home ") {
        Some((_, words)) => run(&scratch, words).cwd(scratch.home()).said(),
        None => said(&scratch, words),
    };
    assert_transcript!(plays, @"
    $ waynote install goose --project --remote-mcp --store https://notes.example/s/team
    exit 2
    error: Goose reads servers only from the user's file
      leave that option out

    $ waynote install cursor --every-prompt
    exit 2
    error: Cursor takes no notes at prompts
      leave that option out

    $ waynote install opencode --ask
    exit 2
    error: opencode lets no hook ask its agent at the end of a turn
      leave that option out

    $ waynote install gemini --by-server
    exit 2
    error: Gemini CLI has no hooks that call a server
      leave that option out

    $ waynote install codex --remote-mcp
    exit 2
    error: `--remote-mcp` needs a store on a server
      name it: `--store https://HOST/s/NAME`

    $ waynote install zed --remote-mcp --store https://notes.example/s/team
    exit 2
    error: Zed cannot read an endpoint's token from a variable
      leave that option out

    $ waynote @home install cursor --project
    exit 1
    error: HOME is no project's directory
      go to the project's directory first, or leave out `--project`
    ");
}

#[test]
fn a_moved_folder_is_written_to() {
    for (client, variable, file) in [
        ("copilot", "COPILOT_HOME", "mcp-config.json"),
        ("qwen", "QWEN_HOME", "settings.json"),
        ("crush", "CRUSH_GLOBAL_CONFIG", "crush.json"),
    ] {
        let scratch = Scratch::new();
        let folder = scratch.path("moved");
        run(&scratch, &format!("install {client}"))
            .env(variable, &folder)
            .ok();
        assert!(folder.join(file).is_file(), "{client}");
        assert_eq!(written(&scratch), "");
    }
}

#[test]
fn all_that_are_here_are_set_up_and_removed_and_no_other() {
    let scratch = found();
    // One that cannot be set up keeps no other from it, and is named.
    let cursors = scratch.home().join(".cursor/mcp.json");
    let text = fs::read_to_string(&cursors).unwrap();
    fs::write(&cursors, "{ \"a\": ").unwrap();
    let told = said(&scratch, "install --all");
    let (_, error) = told.split_once("error: ").unwrap();
    assert_snapshot!(error, @"
    Cursor: HOME/.cursor/mcp.json is damaged: line 1: expected value after colon in object property; done: Claude Code, Codex, opencode, Gemini CLI, VS Code
      repair it or move it away
    ");
    fs::write(&cursors, text).unwrap();
    let set_up: Value = run(&scratch, "--json install --all --every-prompt").json();
    let set_up = set_up.as_array().unwrap().iter();
    let words: Vec<&str> = set_up.map(|of| of["client"].as_str().unwrap()).collect();
    assert_eq!(words, CLIENTS);
    let list = said(&scratch, "install");
    assert_eq!(list.matches("yes    set up").count(), words.len(), "{list}");
    has(
        &list,
        "CLIENT       FOUND  USER    THIS DIRECTORY\nclaude-code  yes    set up  -\n",
    );
    // Copilot reads one of the files of VS Code.
    has(&list, "copilot      -      -       -");
    assert_snapshot!(said(&scratch, "uninstall"), @"
    exit 2
    error: no agent is named: nothing was removed
      set up here: vscode, gemini, opencode, cursor, codex, claude-code; `--all` means every one of them
    ");
    let removed = said(&scratch, "uninstall --all");
    assert_eq!(
        removed.matches("runs without waynote").count(),
        words.len(),
        "{removed}"
    );
    assert_snapshot!(said(&scratch, "uninstall --all"), @"no agent was found here");
    has(
        said(&Scratch::new(), "install --all"),
        "no agent was found here",
    );
}

#[test]
fn a_project_with_a_name_is_named_to_the_endpoint() {
    let scratch = Scratch::new();
    let work = scratch.home().join("work");
    git(&work, "init -q");
    git(&work, "remote add origin https://github.com/acme/shop");
    run(&scratch, &format!("install cursor --project {REMOTE}")).ok();
    let entry = fs::read_to_string(work.join(".cursor/mcp.json")).unwrap();
    has(entry, "place=repo%3Agithub.com/acme/shop");
}

#[test]
fn no_token_gets_into_a_file() {
    let scratch = Scratch::new();
    let secret = "wn_0123456789abcdef_0123456789abcdef0123456789abcdef";
    for project in ["", " --project"] {
        for remote in ["", " --remote-mcp"] {
            for client in CLIENTS {
                let words = format!(
                    "install {client} --store https://notes.example/s/team{project}{remote}"
                );
                let said = run(&scratch, &words).env("WAYNOTE_TOKEN", secret).said();
                assert!(!said.starts_with("exit "), "{said}");
                lacks(said, secret);
            }
        }
    }
    let found = scratch.shell(&format!("grep -rF {secret} home"));
    assert_eq!(found.status.code(), Some(1), "{found:?}");
}
