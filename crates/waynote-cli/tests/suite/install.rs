//! Clients' files as people have them: edited, shown, put back.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use serde_json::Value;

use super::common::{Run, Scratch};

const CLIENTS: [&str; 7] = [
    "claude-code",
    "codex",
    "cursor",
    "opencode",
    "gemini",
    "goose",
    "vscode",
];

/// Files as they are found: comments, odd blanks, other people's entries.
const FOUND: [(&str, &str); 9] = [
    (
        ".claude.json",
        "{\n  \"numStartups\": 12,\n  \"projects\": {\n    \"/home/u/p\": { \"allowedTools\": [] }\n  }\n}\n",
    ),
    (
        ".claude/settings.json",
        "{\n\t// what I allow\n\t\"permissions\": { \"allow\": [\"Bash(ls:*)\"], },\n\t\"hooks\": {\n\t\t\"SessionStart\": [ { \"matcher\": \"startup\", \"hooks\": [ { \"type\": \"command\", \"command\": \"date\" } ] } ] // mine\n\t}\n}",
    ),
    (
        ".codex/config.toml",
        "model = \"o3\"   # the good one\n\n[mcp_servers.other]\ncommand = \"other\" # kept\n\n[tui]\nnotifications = true\n",
    ),
    (".cursor/mcp.json", "{ \"mcpServers\": { } }\n"),
    (
        ".cursor/hooks.json",
        "{\"version\":1,\"hooks\":{\"stop\":[{\"command\":\"./x.sh\"}]}}",
    ),
    (
        ".config/opencode/opencode.jsonc",
        "{\r\n  \"$schema\": \"https://opencode.ai/config.json\", // schema\r\n  \"theme\": \"dark\"\r\n}\r\n",
    ),
    (".gemini/settings.json", "{}"),
    (
        ".config/goose/config.yaml",
        "GOOSE_PROVIDER: openai\nextensions:\n  # built in\n  developer:\n    enabled: true\n    type: builtin\n",
    ),
    (
        ".config/Code/User/mcp.json",
        "{\n    \"servers\": {\n        \"a\": { \"command\": \"a\" }\n    },\n    \"inputs\": []\n}\n",
    ),
];

fn found() -> Scratch {
    let scratch = Scratch::new();
    for (path, text) in FOUND {
        let path = scratch.home().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    scratch
}

fn run(scratch: &Scratch, words: &str) -> Run {
    scratch.run(words).env("PATH", "/usr/bin:/bin")
}

/// What is said, with the program's path written as `WAYNOTE`.
fn said(scratch: &Scratch, words: &str) -> String {
    let said = run(scratch, words).said();
    said.replace(env!("CARGO_BIN_EXE_waynote"), "WAYNOTE")
}

/// Every file below home but waynote's own, by name.
fn files(scratch: &Scratch) -> Vec<(String, String)> {
    fn collect(folder: &Path, files: &mut Vec<(String, String)>, home: &Path) {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            let name = path.strip_prefix(home).unwrap().display().to_string();
            if name.starts_with(".local/share/waynote") {
            } else if path.is_dir() {
                files.push((name, "folder".into()));
                collect(&path, files, home);
            } else {
                files.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    let mut all = Vec::new();
    collect(&scratch.home(), &mut all, &scratch.home());
    all.sort();
    all
}

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
    insta::assert_snapshot!(seen, @r#"
    $ waynote install claude-code
    exit 0
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
      +         ]
            }
    copies of the files as they were: HOME/.local/share/waynote/installed
    next: start a new session of Claude Code
    then: waynote doctor claude-code

    $ waynote install codex
    exit 0
    HOME/.codex/config.toml (server): changed
        
      + [mcp_servers.waynote]
      + command = "WAYNOTE"
      + args = ["mcp"]
      + env = { WAYNOTE_AUTHOR = "agent:codex" }
      + env_vars = ["WAYNOTE_STORE", "WAYNOTE_CONFIG", "WAYNOTE_AGENT", "WAYNOTE_SESSION", "WAYNOTE_ITERATION"]
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
      +     ]
      +   }
      + }
    copies of the files as they were: HOME/.local/share/waynote/installed
    next: start Codex, open `/hooks` and trust waynote's hooks: it skips untrusted ones without a word
    then: waynote doctor codex

    $ waynote install cursor
    exit 0
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
      +     ]
      +   }}
    copies of the files as they were: HOME/.local/share/waynote/installed
    next: restart Cursor, and switch `waynote` on under Settings, MCP, if it is off
    then: waynote doctor cursor

    $ waynote install opencode
    exit 0
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
      + // waynote: puts the notes into opencode's system prompt. Written by `waynote install opencode`, removed by `waynote uninstall opencode`.
      + import { spawn } from "node:child_process";
      + 
      + const program = "WAYNOTE";
      + 
      + // The text that the hook prints, or nothing: whatever goes wrong must not hold a prompt up.
      + const notes = (input) =>
      +   new Promise((resolve) => {
      +     let text = "";
      +     const child = spawn(program, ["hook", "opencode", "SessionStart"], { stdio: ["pipe", "pipe", "ignore"] });
      +     const late = setTimeout(() => child.kill("SIGKILL"), 2000);
      +     const done = (text) => {
      +       clearTimeout(late);
      +       resolve(text);
      +     };
      +     child.on("error", () => done(""));
      +     child.stdin.on("error", () => {});
      +     child.stdout.setEncoding("utf8");
      +     child.stdout.on("data", (chunk) => (text += chunk));
      +     child.on("close", (code) => done(code === 0 ? text : ""));
      +     child.stdin.end(JSON.stringify(input));
      +   });
      + 
      + export const Waynote = async ({ directory, worktree }) => {
      +   // One text for each session, so that the prompt's beginning stays the same and can be cached; a compaction takes a new one.
      +   const sessions = new Map();
      +   return {
      +     "experimental.chat.system.transform": async (input, output) => {
      +       const session = input?.sessionID ?? "";
      +       if (!sessions.has(session)) {
      +         sessions.set(session, notes({ session_id: session, cwd: directory ?? worktree }));
      +       }
      +       const text = await sessions.get(session);
      +       if (text) output.system.push(text);
      +     },
      +     event: async ({ event }) => {
      +       const session = event?.properties?.sessionID ?? event?.properties?.info?.id;
      +       if (event?.type === "session.compacted" || event?.type === "session.deleted") sessions.delete(session);
      +     },
      +   };
      + };
    copies of the files as they were: HOME/.local/share/waynote/installed
    next: start opencode anew
    then: waynote doctor opencode

    $ waynote install gemini
    exit 0
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
      +     "SessionStart": [
      +       {
      +         "hooks": [
      +           {
      +             "type": "command",
      +             "command": "WAYNOTE hook gemini SessionStart",
      +             "name": "waynote",
      +             "timeout": 10000
      +           }
      +         ]
      +       }
      +     ]
      +   }
      + }
    copies of the files as they were: HOME/.local/share/waynote/installed
    next: start Gemini CLI anew
    then: waynote doctor gemini

    $ waynote install goose
    exit 0
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
    HOME/.agents/plugins/waynote/plugin.json (plugin): made
      + {
      +   "description": "Keeps the notes of waynote in the file that GOOSE_MOIM_MESSAGE_FILE names",
      +   "name": "waynote",
      +   "version": "0.1.0"
      + }
    HOME/.agents/plugins/waynote/hooks/hooks.json (hooks): made
      + {
      +   "hooks": {
      +     "SessionStart": [
      +       {
      +         "hooks": [
      +           {
      +             "type": "command",
      +             "command": "WAYNOTE hook goose SessionStart",
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
      +             "command": "WAYNOTE hook goose UserPromptSubmit",
      +             "timeout": 10
      +           }
      +         ]
      +       }
      +     ]
      +   }
      + }
    copies of the files as they were: HOME/.local/share/waynote/installed
    next: add `export GOOSE_MOIM_MESSAGE_FILE=HOME/.local/share/waynote/goose.md` to your shell's profile: Goose takes no text from hooks, it reads that file at every turn
    then: waynote doctor goose

    $ waynote install vscode
    exit 0
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
      +     ]
      +   }
      + }
    copies of the files as they were: HOME/.local/share/waynote/installed
    next: start the server with `MCP: List Servers` in VS Code and trust it when it asks; hooks are a preview there and may have to be switched on
    then: waynote doctor vscode
    "#);
}

#[test]
fn uninstalling_puts_every_byte_back() {
    for scratch in [found(), Scratch::new()] {
        for reach in ["", " --project"] {
            fs::create_dir_all(scratch.home().join(".local/share")).unwrap();
            let before = files(&scratch);
            for client in CLIENTS {
                run(&scratch, &format!("install {client}{reach}")).ok();
            }
            assert_ne!(files(&scratch), before);
            // Backwards, since the first made folders that the later ones use.
            for client in CLIENTS.iter().rev() {
                run(&scratch, &format!("uninstall {client}{reach}")).ok();
            }
            assert_eq!(files(&scratch), before);
        }
    }
}

#[test]
fn installing_again_changes_nothing() {
    let scratch = found();
    for client in CLIENTS {
        for flags in ["", " --project", " --every-prompt"] {
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
    insta::assert_snapshot!(said(&scratch, "install gemini --dry-run"), @r#"
    exit 0
    HOME/.gemini/settings.json (server and hooks): would be changed
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
      +     "SessionStart": [
      +       {
      +         "hooks": [
      +           {
      +             "type": "command",
      +             "command": "WAYNOTE hook gemini SessionStart",
      +             "name": "waynote",
      +             "timeout": 10000
      +           }
      +         ]
      +       }
      +     ]
      +   }
      + }
    next: start Gemini CLI anew
    then: waynote doctor gemini
    "#);
}

#[test]
fn what_others_write_meanwhile_stays() {
    let scratch = found();
    for client in CLIENTS {
        run(&scratch, &format!("install {client}")).ok();
    }
    let change = |path: &str, from: &str, to: &str| {
        let path = scratch.home().join(path);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(&path, text.replace(from, to)).unwrap();
    };
    change(".claude.json", "\"numStartups\": 12", "\"numStartups\": 13");
    change(
        ".claude/settings.json",
        "// what I allow",
        "// what I allow now",
    );
    change(
        ".codex/config.toml",
        "notifications = true",
        "notifications = false",
    );
    change(".config/goose/config.yaml", "openai", "anthropic");
    change(".cursor/hooks.json", "./x.sh", "./y.sh");
    for client in CLIENTS {
        run(&scratch, &format!("uninstall {client}")).ok();
    }
    for (path, text) in FOUND {
        let expected = text
            .replace("\"numStartups\": 12", "\"numStartups\": 13")
            .replace("// what I allow", "// what I allow now")
            .replace("notifications = true", "notifications = false")
            .replace("openai", "anthropic")
            .replace("./x.sh", "./y.sh");
        let now = fs::read_to_string(scratch.home().join(path)).unwrap();
        let squeezed = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(squeezed(&now), squeezed(&expected), "{path}");
        assert!(!now.contains("waynote"), "{now}");
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

#[test]
fn links_are_followed_and_modes_stay() {
    let scratch = found();
    let real = scratch.home().join("dotfiles.json");
    fs::rename(scratch.home().join(".claude.json"), &real).unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("dotfiles.json", scratch.home().join(".claude.json")).unwrap();
    run(&scratch, "install claude-code").ok();
    let link = fs::symlink_metadata(scratch.home().join(".claude.json")).unwrap();
    assert!(link.is_symlink());
    assert!(fs::read_to_string(&real).unwrap().contains("waynote"));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&real), 0o640);
    run(&scratch, "uninstall claude-code").ok();
    assert_eq!(fs::read_to_string(&real).unwrap(), FOUND[0].1);
    assert_eq!(mode(&real), 0o640);
    run(&scratch, "install codex").ok();
    assert_eq!(mode(&scratch.home().join(".codex/hooks.json")), 0o600);
    run(&scratch, "install codex --project").ok();
    assert_eq!(mode(&scratch.home().join("work/.codex/hooks.json")), 0o644);
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
    exit 0
    CLIENT       FOUND  USER    THIS DIRECTORY
    claude-code  yes    set up  -
    codex        yes    -       in part
    cursor       yes    -       -
    opencode     yes    -       -
    gemini       yes    -       -
    goose        yes    -       -
    vscode       yes    -       -

    waynote install CLIENT sets one up; waynote doctor checks those that are
    ");
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
