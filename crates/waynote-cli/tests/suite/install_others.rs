//! Clients that most others' ways fit: their files, and installing into all that are here.

use serde_json::Value;

use super::client_files::{CLIENTS, OTHERS, files, found, run, said};
use super::common::Scratch;

/// Each file with its text in one line, the program's path written as `WAYNOTE`.
fn written(scratch: &Scratch) -> String {
    let line = |(name, text): (String, String)| {
        let text = text.replace(env!("CARGO_BIN_EXE_waynote"), "WAYNOTE");
        let text: Vec<&str> = text.split_whitespace().collect();
        format!("{name}: {}\n", text.join(" "))
    };
    let files = files(scratch).into_iter();
    let files = files.filter(|(_, text)| text.starts_with('{'));
    files.map(line).collect()
}

#[test]
fn each_client_gets_its_own_form() {
    let scratch = Scratch::new();
    for client in CLIENTS.into_iter().chain(OTHERS) {
        run(&scratch, &format!("install {client}")).ok();
        let doctor = run(&scratch, &format!("doctor {client}")).said();
        assert!(doctor.contains("the server answers"), "{doctor}");
        let has_hooks = CLIENTS.contains(&client) || ["copilot", "qwen", "crush"].contains(&client);
        assert_eq!(
            doctor.contains("hook at tools works"),
            has_hooks,
            "{doctor}"
        );
        assert_eq!(
            doctor.contains("hook after a failure works"),
            has_hooks && client != "crush",
            "{doctor}"
        );
        let shows_all = doctor.contains("the server's instructions have the notes");
        assert_eq!(shows_all, client == "crush", "{doctor}");
    }
    insta::assert_snapshot!(written(&scratch), @r#"
    .claude.json: { "mcpServers": { "waynote": { "type": "stdio", "command": "WAYNOTE", "args": ["mcp"], "env": { "WAYNOTE_AUTHOR": "agent:claude-code" } } } }
    .claude/settings.json: { "hooks": { "SessionStart": [ { "hooks": [ { "type": "command", "command": "WAYNOTE hook claude-code SessionStart", "timeout": 10 } ] } ], "SubagentStart": [ { "hooks": [ { "type": "command", "command": "WAYNOTE hook claude-code SubagentStart", "timeout": 10 } ] } ], "UserPromptSubmit": [ { "hooks": [ { "type": "command", "command": "WAYNOTE hook claude-code UserPromptSubmit --no-search", "timeout": 10 } ] } ], "PreToolUse": [ { "matcher": "Read|Edit|Write|MultiEdit|NotebookEdit|Bash", "hooks": [ { "type": "command", "command": "WAYNOTE hook claude-code PreToolUse", "timeout": 10 } ] } ], "PostToolUseFailure": [ { "matcher": "Bash", "hooks": [ { "type": "command", "command": "WAYNOTE hook claude-code PostToolUseFailure", "timeout": 10 } ] } ] } }
    .cline/data/settings/cline_mcp_settings.json: { "mcpServers": { "waynote": { "command": "WAYNOTE", "args": ["mcp"], "env": { "WAYNOTE_AUTHOR": "agent:cline" } } } }
    .codeium/windsurf/mcp_config.json: { "mcpServers": { "waynote": { "command": "WAYNOTE", "args": ["mcp"], "env": { "WAYNOTE_AUTHOR": "agent:windsurf" } } } }
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
fn all_that_are_here_are_set_up() {
    let scratch = found();
    let before = files(&scratch);
    let shown = said(&scratch, "install --all --dry-run --every-prompt");
    assert_eq!(files(&scratch), before);
    assert!(
        shown.contains("Claude Code:\n") && shown.contains("would be"),
        "{shown}"
    );
    for client in ["Qwen Code", "Amp", "Zed"] {
        assert!(!shown.contains(client), "{shown}");
    }
    let set_up = run(&scratch, "--json install --all --every-prompt").ok();
    let set_up: Value = serde_json::from_str(&set_up).unwrap();
    let set_up = set_up.as_array().unwrap().iter();
    let words: Vec<&str> = set_up.map(|of| of["client"].as_str().unwrap()).collect();
    assert_eq!(words, CLIENTS);
    let list = said(&scratch, "install");
    assert_eq!(list.matches("yes    set up").count(), words.len(), "{list}");
    let none = said(&Scratch::new(), "install --all");
    assert!(none.contains("no agent was found here"), "{none}");
}

#[test]
fn all_that_are_set_up_are_removed_and_no_other_is_taken_for_one_of_them() {
    let scratch = Scratch::new();
    insta::assert_snapshot!(said(&scratch, "uninstall"), @"
    exit 2
    error: no agent is named: nothing was removed
      none is set up here
    ");
    run(&scratch, "install vscode").ok();
    run(&scratch, "install gemini").ok();
    let list = said(&scratch, "install");
    let copilot = list.lines().find(|line| line.starts_with("copilot"));
    insta::assert_snapshot!(copilot.unwrap(), @"copilot      -      -       -");
    insta::assert_snapshot!(said(&scratch, "uninstall"), @"
    exit 2
    error: no agent is named: nothing was removed
      set up here: vscode, gemini; `--all` means every one of them
    ");
    let removed = said(&scratch, "uninstall --all");
    let removed = removed.replace(&*scratch.home().to_string_lossy(), "HOME");
    let told = removed.lines().filter(|line| !line.starts_with("  - "));
    insta::assert_snapshot!(told.collect::<Vec<_>>().join("\n"), @"
    VS Code:
    HOME/.config/Code/User/mcp.json (server): removed
    HOME/.copilot/hooks/waynote.json (hooks): removed
    VS Code runs without waynote from its next session; the notes stay in HOME/.local/share/waynote/notes.db
    Gemini CLI:
    HOME/.gemini/settings.json (server and hooks): removed
    Gemini CLI runs without waynote from its next session; the notes stay in HOME/.local/share/waynote/notes.db
    ");
    insta::assert_snapshot!(said(&scratch, "uninstall --all"), @"no agent was found here");
}

/// One that cannot be set up keeps no other from it, and is named.
#[test]
fn one_that_fails_keeps_no_other_from_it() {
    let scratch = found();
    std::fs::write(scratch.home().join(".cursor/mcp.json"), "{ \"a\": ").unwrap();
    let told = said(&scratch, "install --all");
    let (_, error) = told.split_once("error: ").unwrap();
    let error = error.replace(&*scratch.home().to_string_lossy(), "HOME");
    insta::assert_snapshot!(error, @"
    Cursor: HOME/.cursor/mcp.json is damaged: line 1: expected value after colon in object property; done: Claude Code, Codex, opencode, Gemini CLI, VS Code
      repair it or move it away
    ");
    let list = said(&scratch, "install");
    assert_eq!(
        list.matches("yes    set up").count(),
        CLIENTS.len() - 1,
        "{list}"
    );
}

#[test]
fn no_token_is_written_where_no_variable_is_read() {
    let words = "install zed --remote-mcp --store https://notes.example/s/team";
    insta::assert_snapshot!(said(&Scratch::new(), words), @"
    exit 2
    error: Zed cannot read an endpoint's token from a variable
      leave that option out
    ");
}
