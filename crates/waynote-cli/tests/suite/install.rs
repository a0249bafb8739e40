//! Edits of realistic client files: the output, and the result.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::Value;

use super::client_files::{CLIENTS, files, found, run, said};
use super::common::Scratch;

#[test]
fn installing_shows_what_changes() {
    let scratch = found();
    let mut seen = String::new();
    for client in CLIENTS {
        seen += &format!(
            "$ waynote install {client}\n{}\n",
            said(&scratch, &format!("install {client}"))
        );
    }
    // The plugin is a file of the repository.
    let (before, plugin) = seen.split_once("  + const program = ").unwrap();
    let (plugin, after) = plugin.split_once("  + };\ncopies").unwrap();
    assert!(plugin.contains("export const Waynote"), "{plugin}");
    let seen = format!("{before}  + PLUGIN\ncopies{after}");
    insta::assert_snapshot!(seen, @r#"
    $ waynote install claude-code
    HOME/.claude.json (server): changed
            "/home/u/p": { "allowedTools": [] }
      +   },
      +   "mcpServers": {
      +     "waynote": {
      +       "type": "stdio",
      +       "command": "WAYNOTE",
      +       "args": ["mcp"],
      +       "env": {
      +         "WAYNOTE_AUTHOR": "agent:claude-code"
      +       }
      +     }
          }
    HOME/.claude/settings.json (hooks): changed
            "hooks": {
      -         "SessionStart": [ { "matcher": "startup", "hooks": [ { "type": "command", "command": "date" } ] } ] // mine
      +         "SessionStart": [ { "matcher": "startup", "hooks": [ { "type": "command", "command": "date" } ] },
      +             {
      +                 "hooks": [
      +                     {
      +                         "type": "command",
      +                         "command": "WAYNOTE hook claude-code SessionStart",
      +                         "timeout": 10
      +                     }
      +                 ]
      +             } ], // mine
      +         "SubagentStart": [
      +             {
      +                 "hooks": [
      +                     {
      +                         "type": "command",
      +                         "command": "WAYNOTE hook claude-code SubagentStart",
      +                         "timeout": 10
      +                     }
      +                 ]
      +             }
      +         ],
      +         "UserPromptSubmit": [
      +             {
      +                 "hooks": [
      +                     {
      +                         "type": "command",
      +                         "command": "WAYNOTE hook claude-code UserPromptSubmit --no-search",
      +                         "timeout": 10
      +                     }
      +                 ]
      +             }
      +         ],
      +         "PreToolUse": [
      +             {
      +                 "matcher": "Read|Edit|Write|MultiEdit|NotebookEdit|Bash",
      +                 "hooks": [
      +                     {
      +                         "type": "command",
      +                         "command": "WAYNOTE hook claude-code PreToolUse",
      +                         "timeout": 10
      +                     }
      +                 ]
      +             }
      +         ],
      +         "PostToolUseFailure": [
      +             {
      +                 "matcher": "Bash",
      +                 "hooks": [
      +                     {
      +                         "type": "command",
      +                         "command": "WAYNOTE hook claude-code PostToolUseFailure",
      +                         "timeout": 10
      +                     }
      +                 ]
      +             }
      +         ]
            }
    copies of the previous files: HOME/.local/share/waynote/installed
    next: start a new session of Claude Code
    then: waynote doctor claude-code

    $ waynote install codex
    HOME/.codex/config.toml (server): changed
        
      + [mcp_servers.waynote]
      + command = "WAYNOTE"
      + args = ["mcp"]
      + env = { WAYNOTE_AUTHOR = "agent:codex" }
      + env_vars = [
      +   "WAYNOTE_STORE",
      +   "WAYNOTE_AGENT",
      +   "WAYNOTE_SESSION",
      +   "WAYNOTE_MAX_BYTES",
      +   "WAYNOTE_MAX_NOTES",
      +   "WAYNOTE_MAX_PLACE_BYTES",
      +   "ZRB_LLM_NOTE_FILE",
      +   "WAYNOTE_STYLE",
      +   "WAYNOTE_BUDGET",
      +   "WAYNOTE_TOKEN_FACTOR",
      +   "WAYNOTE_LOCK_WAIT",
      +   "WAYNOTE_CA_FILE",
      +   "WAYNOTE_ACTION_ROOTS",
      +   "WAYNOTE_ALLOW_SECRETS",
      +   "WAYNOTE_CONFIG",
      +   "WAYNOTE_ITERATION",
      +   "WAYNOTE_LOOP",
      +   "XDG_DATA_HOME",
      +   "XDG_CONFIG_HOME",
      +   "XDG_STATE_HOME",
      +   "PGPASSFILE",
      +   "PGPASSWORD",
      + ]
      + 
        [tui]
    HOME/.codex/hooks.json (hooks): made
      + {
      +   "hooks": {
      +     "SessionStart": [
      +       {
      +         "hooks": [
      +           {
      +             "type": "command",
      +             "command": "WAYNOTE hook codex SessionStart",
      +             "timeout": 10
      +           }
      +         ]
      +       }
      +     ],
      +     "SubagentStart": [
      +       {
      +         "hooks": [
      +           {
      +             "type": "command",
      +             "command": "WAYNOTE hook codex SubagentStart",
      +             "timeout": 10
      +           }
      +         ]
      +       }
      +     ],
      +     "UserPromptSubmit": [
      +       {
      +         "hooks": [
      +           {
      +             "type": "command",
      +             "command": "WAYNOTE hook codex UserPromptSubmit --no-search",
      +             "timeout": 10
      +           }
      +         ]
      +       }
      +     ],
      +     "PreToolUse": [
      +       {
      +         "matcher": "Bash|apply_patch",
      +         "hooks": [
      +           {
      +             "type": "command",
      +             "command": "WAYNOTE hook codex PreToolUse",
      +             "timeout": 10
      +           }
      +         ]
      +       }
      +     ],
      +     "PostToolUse": [
      +       {
      +         "matcher": "Bash",
      +         "hooks": [
      +           {
      +             "type": "command",
      +             "command": "WAYNOTE hook codex PostToolUse",
      +             "timeout": 10
      +           }
      +         ]
      +       }
      +     ]
      +   }
      + }
    copies of the previous files: HOME/.local/share/waynote/installed
    next: start Codex, open `/hooks` and trust waynote's hooks, after an upgrade the new ones: it silently skips untrusted hooks
    then: waynote doctor codex

    $ waynote install cursor
    HOME/.cursor/mcp.json (server): changed
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
    HOME/.cursor/hooks.json (hooks): changed
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
    copies of the previous files: HOME/.local/share/waynote/installed
    next: restart Cursor, and switch `waynote` on under Settings, MCP, if it is off
    then: waynote doctor cursor

    $ waynote install opencode
    HOME/.config/opencode/opencode.jsonc (server): changed
          "$schema": "https://opencode.ai/config.json", // schema
      -   "theme": "dark"
      +   "theme": "dark",
      +   "mcp": {
      +     "waynote": {
      +       "type": "local",
      +       "command": ["WAYNOTE", "mcp"],
      +       "enabled": true,
      +       "environment": {
      +         "WAYNOTE_AUTHOR": "agent:opencode"
      +       }
      +     }
      +   }
        }
    HOME/.config/opencode/plugins/waynote.js (plugin): made
      + // waynote: puts the notes into opencode's system prompt, and beside the results of tools. Written by `waynote install opencode`, removed by `waynote uninstall opencode`.
      + import { spawn } from "node:child_process";
      + 
      + PLUGIN
    copies of the previous files: HOME/.local/share/waynote/installed
    next: restart opencode, the first time with network access: it fetches @opencode-ai/plugin, and until it has that package, a start without the npm registry waits about 75 seconds
    then: waynote doctor opencode

    $ waynote install gemini
    HOME/.gemini/settings.json (server and hooks): changed
      - {}
      + {
      +   "mcpServers": {
      +     "waynote": {
      +       "command": "WAYNOTE",
      +       "args": ["mcp"],
      +       "env": {
      +         "WAYNOTE_AUTHOR": "agent:gemini"
      +       }
      +     }
      +   },
      +   "hooks": {
      +     "BeforeAgent": [
      +       {
      +         "hooks": [
      +           {
      +             "type": "command",
      +             "command": "WAYNOTE hook gemini BeforeAgent --no-search",
      +             "name": "waynote",
      +             "timeout": 10000
      +           }
      +         ]
      +       }
      +     ],
      +     "AfterTool": [
      +       {
      +         "matcher": "^(read_file|write_file|replace|run_shell_command)$",
      +         "hooks": [
      +           {
      +             "type": "command",
      +             "command": "WAYNOTE hook gemini AfterTool",
      +             "name": "waynote",
      +             "timeout": 10000
      +           }
      +         ]
      +       }
      +     ]
      +   }
      + }
    copies of the previous files: HOME/.local/share/waynote/installed
    next: restart Gemini CLI
    then: waynote doctor gemini

    $ waynote install goose
    HOME/.config/goose/config.yaml (server): changed
        extensions:
      +   waynote:
      +     name: waynote
      +     type: stdio
      +     cmd: "WAYNOTE"
      +     args: ["mcp"]
      +     envs: { WAYNOTE_AUTHOR: "agent:goose" }
      +     enabled: true
      +     timeout: 300
          # built in
    copies of the previous files: HOME/.local/share/waynote/installed
    next: start a new session of Goose
    then: waynote doctor goose

    $ waynote install vscode
    HOME/.config/Code/User/mcp.json (server): changed
            "servers": {
      -         "a": { "command": "a" }
      +         "a": { "command": "a" },
      +         "waynote": {
      +             "type": "stdio",
      +             "command": "WAYNOTE",
      +             "args": ["mcp"],
      +             "env": {
      +                 "WAYNOTE_AUTHOR": "agent:vscode"
      +             }
      +         }
            },
    HOME/.copilot/hooks/waynote.json (hooks): made
      + {
      +   "version": 1,
      +   "hooks": {
      +     "SessionStart": [
      +       {
      +         "type": "command",
      +         "command": "WAYNOTE hook vscode SessionStart",
      +         "timeout": 10
      +       }
      +     ],
      +     "SubagentStart": [
      +       {
      +         "type": "command",
      +         "command": "WAYNOTE hook vscode SubagentStart",
      +         "timeout": 10
      +       }
      +     ],
      +     "PostToolUse": [
      +       {
      +         "type": "command",
      +         "command": "WAYNOTE hook vscode PostToolUse",
      +         "timeout": 10,
      +         "matcher": "view|edit|create|bash|powershell|read_file|create_file|replace_string_in_file|run_in_terminal"
      +       }
      +     ],
      +     "PostToolUseFailure": [
      +       {
      +         "type": "command",
      +         "command": "WAYNOTE hook vscode PostToolUseFailure",
      +         "timeout": 10,
      +         "matcher": "bash|powershell|run_in_terminal"
      +       }
      +     ]
      +   }
      + }
    copies of the previous files: HOME/.local/share/waynote/installed
    next: start the server with `MCP: List Servers` in VS Code and trust it when it asks; hooks are a preview there and may have to be switched on
    then: waynote doctor vscode
    "#);
}

#[test]
fn installing_again_changes_nothing() {
    let scratch = found();
    for client in CLIENTS {
        for flags in ["", " --project", " --every-prompt"] {
            let takes_prompts = ["claude-code", "codex", "gemini"].contains(&client);
            let is_refused = match flags {
                " --every-prompt" => !takes_prompts,
                " --project" => client == "goose",
                _ => false,
            };
            if is_refused {
                continue;
            }
            let words = format!("install {client}{flags}");
            run(&scratch, &words).ok();
            let once = files(&scratch);
            let again: Value = run(&scratch, &format!("{words} --json")).json();
            for file in again["files"].as_array().unwrap() {
                assert_eq!(file["action"], "unchanged", "{file}");
            }
            assert_eq!(files(&scratch), once);
        }
    }
}

#[test]
fn a_dry_run_changes_nothing() {
    let scratch = found();
    let before = files(&scratch);
    for client in CLIENTS {
        run(&scratch, &format!("install {client} --dry-run")).ok();
        run(&scratch, &format!("uninstall {client} --dry-run")).ok();
    }
    assert_eq!(files(&scratch), before);
    assert!(!scratch.home().join(".local").exists());
    let said = said(&scratch, "install gemini --dry-run");
    let lines = said.lines().filter(|line| !line.starts_with("  "));
    insta::assert_snapshot!(lines.collect::<Vec<_>>().join("\n"), @"
    HOME/.gemini/settings.json (server and hooks): would be changed
    nothing was written: this was a dry run
    ");
}

#[test]
fn a_teams_files_start_the_program_by_its_name() {
    let scratch = Scratch::new();
    run(&scratch, "install claude-code --project").ok();
    let file = fs::read_to_string(scratch.home().join("work/.mcp.json")).unwrap();
    let file: Value = serde_json::from_str(&file).unwrap();
    assert_eq!(file["mcpServers"]["waynote"]["command"], "waynote");
    // On the path by a link, as a package manager has it: the link, which stays right.
    let bin = scratch.home().join("my bin");
    fs::create_dir(&bin).unwrap();
    symlink(env!("CARGO_BIN_EXE_waynote"), bin.join("waynote")).unwrap();
    scratch.run("install claude-code").env("PATH", &bin).ok();
    let file = fs::read_to_string(scratch.home().join(".claude.json")).unwrap();
    let file: Value = serde_json::from_str(&file).unwrap();
    assert_eq!(
        file["mcpServers"]["waynote"]["command"],
        bin.join("waynote").to_str().unwrap()
    );
    let hooks = fs::read_to_string(scratch.home().join(".claude/settings.json")).unwrap();
    let quoted = format!(
        "'{}' hook claude-code SessionStart",
        bin.join("waynote").display()
    );
    assert!(hooks.contains(&quoted), "{hooks}");
}

#[test]
fn without_a_name_all_are_listed() {
    let scratch = found();
    run(&scratch, "install claude-code").ok();
    run(&scratch, "install codex --project").ok();
    fs::remove_file(scratch.home().join("work/.codex/hooks.json")).unwrap();
    insta::assert_snapshot!(said(&scratch, "install"), @"
    CLIENT       FOUND  USER    THIS DIRECTORY
    claude-code  yes    set up  -
    codex        yes    -       in part
    cursor       yes    -       -
    opencode     yes    -       -
    gemini       yes    -       -
    goose        yes    -       -
    vscode       yes    -       -
    copilot      -      -       -
    qwen         -      -       -
    crush        -      -       -
    amp          -      -       -
    kiro         -      -       -
    zed          -      -       -
    windsurf     -      -       -
    cline        -      -       -
    roo          -      -       -
    junie        -      -       -

    waynote install CLIENT sets one up; waynote doctor checks those that are
    ");
}

/// The output warns of surprises.
#[test]
fn what_comes_next_is_said() {
    let scratch = Scratch::new();
    let steps = |words: &str| {
        let said = said(&scratch, words);
        let steps = said
            .lines()
            .filter(|line| !line.starts_with([' ', '/', 'H']));
        format!("$ {words}\n{}\n", steps.collect::<Vec<_>>().join("\n"))
    };
    let mut seen = steps("install claude");
    seen += &steps("install claude");
    seen += &steps("install goose --project");
    seen += &steps("--store /x/notes.db install codex");
    seen += &steps("install cursor --every-prompt");
    seen += &said(&scratch, "doctor goose --project");
    let home = run(&scratch, "install cursor --project").cwd(scratch.home());
    seen += &home.said();
    let json: Value = run(&scratch, "install opencode --json").json();
    seen += &json["next"].to_string();
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_waynote"))
        .parent()
        .unwrap();
    seen = seen.replace(folder.to_str().unwrap(), "BIN");
    insta::assert_snapshot!(seen, @r#"
    $ install claude
    next: install Claude Code: it was not found on this machine; its files are ready for it
    next: start a new session of Claude Code
    then: waynote doctor claude-code
    $ install claude
    already set up; `waynote doctor claude-code` checks it
    $ install goose --project
    exit 2
    error: Goose reads servers only from the user's file
    $ --store /x/notes.db install codex
    next: install Codex: it was not found on this machine; its files are ready for it
    next: start Codex, open `/hooks` and trust waynote's hooks, after an upgrade the new ones: it silently skips untrusted hooks
    then: waynote doctor codex
    $ install cursor --every-prompt
    exit 2
    error: Cursor takes no notes at prompts
    note  `waynote` is not on the path
          next: add BIN to PATH: files shared by a team start it by its name
    ok    store: HOME/.local/share/waynote/notes.db, created by the first write
    note  Goose reads servers only from the user's file
          next: leave out `--project`
    exit 1
    error: HOME is your home directory, not a project's directory
      go to the project's directory first, or leave out `--project`
    ["install opencode: it was not found on this machine; its files are ready for it","restart opencode, the first time with network access: it fetches @opencode-ai/plugin, and until it has that package, a start without the npm registry waits about 75 seconds"]
    "#);
}
