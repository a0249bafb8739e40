//! Clients that are set up for a store on a server: by the program with that store, or by the server's own endpoint.

use std::fs;

use insta::assert_snapshot;

use super::client_files::{CLIENTS, files, found, run, said};
use super::common::Scratch;

const URL: &str = "https://notes.example/s/team";

/// What an installation for every client changes, and what it says.
fn shown(scratch: &Scratch, options: &str) -> String {
    CLIENTS
        .iter()
        .map(|client| {
            let words = format!("install {client} {options}");
            let planned = said(scratch, &format!("{words} --dry-run"));
            let planned: String = planned
                .lines()
                .filter(|line| line.starts_with("  "))
                .map(|line| format!("{line}\n"))
                .collect();
            format!("$ {words}\n{planned}{}\n", said(scratch, &words))
        })
        .collect()
}

#[test]
fn the_program_is_told_the_store() {
    let scratch = Scratch::new();
    let shown = shown(&scratch, &format!("--store {URL}"));
    // The rest is as without a store.
    let told: Vec<&str> = shown
        .lines()
        .filter(|line| line.replace("\\/", "/").contains(URL) || line.contains("token"))
        .collect();
    assert_snapshot!(told.join("\n"), @r#"
    $ install claude-code --store https://notes.example/s/team
      +       "args": ["--store", "https://notes.example/s/team", "mcp"],
      +             "command": "WAYNOTE --store https://notes.example/s/team hook claude-code SessionStart",
      +             "command": "WAYNOTE --store https://notes.example/s/team hook claude-code SubagentStart",
      +             "command": "WAYNOTE --store https://notes.example/s/team hook claude-code UserPromptSubmit --no-search",
      +             "command": "WAYNOTE --store https://notes.example/s/team hook claude-code PreToolUse",
      +             "command": "WAYNOTE --store https://notes.example/s/team hook claude-code PostToolUseFailure",
    next: if the server wants a token: write it into a file that only you can read, and run `waynote config set token_file FILE`
    $ install codex --store https://notes.example/s/team
      + args = ["--store", "https://notes.example/s/team", "mcp"]
      +             "command": "WAYNOTE --store https://notes.example/s/team hook codex SessionStart",
      +             "command": "WAYNOTE --store https://notes.example/s/team hook codex SubagentStart",
      +             "command": "WAYNOTE --store https://notes.example/s/team hook codex UserPromptSubmit --no-search",
      +             "command": "WAYNOTE --store https://notes.example/s/team hook codex PreToolUse",
      +             "command": "WAYNOTE --store https://notes.example/s/team hook codex PostToolUse",
    next: if the server wants a token: write it into a file that only you can read, and run `waynote config set token_file FILE`
    $ install cursor --store https://notes.example/s/team
      +       "args": ["--store", "https://notes.example/s/team", "mcp"],
      +         "command": "WAYNOTE --store https:/\/notes.example/s/team hook cursor sessionStart"
      +         "command": "WAYNOTE --store https:/\/notes.example/s/team hook cursor postToolUse",
      +         "command": "WAYNOTE --store https:/\/notes.example/s/team hook cursor postToolUseFailure",
    next: if the server wants a token: write it into a file that only you can read, and run `waynote config set token_file FILE`
    $ install opencode --store https://notes.example/s/team
      +       "command": ["WAYNOTE", "--store", "https://notes.example/s/team", "mcp"],
      +     const child = spawn(program, ["--store", "https://notes.example/s/team", "hook", "opencode", event], { stdio: ["pipe", "pipe", "ignore"] });
    next: if the server wants a token: write it into a file that only you can read, and run `waynote config set token_file FILE`
    $ install gemini --store https://notes.example/s/team
      +       "args": ["--store", "https://notes.example/s/team", "mcp"],
      +             "command": "WAYNOTE --store https://notes.example/s/team hook gemini BeforeAgent --no-search",
      +             "command": "WAYNOTE --store https://notes.example/s/team hook gemini AfterTool",
    next: if the server wants a token: write it into a file that only you can read, and run `waynote config set token_file FILE`
    $ install vscode --store https://notes.example/s/team
      +       "args": ["--store", "https://notes.example/s/team", "mcp"],
      +         "command": "WAYNOTE --store https://notes.example/s/team hook vscode SessionStart",
      +         "command": "WAYNOTE --store https://notes.example/s/team hook vscode SubagentStart",
      +         "command": "WAYNOTE --store https://notes.example/s/team hook vscode PostToolUse",
      +         "command": "WAYNOTE --store https://notes.example/s/team hook vscode PostToolUseFailure",
    next: if the server wants a token: write it into a file that only you can read, and run `waynote config set token_file FILE`
    "#);
}

#[test]
fn the_endpoint_takes_the_place_of_the_program() {
    let scratch = Scratch::new();
    let shown = shown(
        &scratch,
        &format!("--store {URL} --agent builder --remote-mcp"),
    );
    // What else is to be done is as without a server.
    let lines = shown.lines().filter(|line| {
        let is_usual = line.starts_with("then: ") || line.starts_with("next: ");
        !is_usual || line.contains("WAYNOTE_TOKEN")
    });
    assert_snapshot!(lines.collect::<Vec<_>>().join("\n"), @r#"
    $ install claude-code --store https://notes.example/s/team --agent builder --remote-mcp
      + {
      +   "mcpServers": {
      +     "waynote": {
      +       "type": "http",
      +       "url": "https://notes.example/s/team/mcp?home=HOME&agent=builder",
      +       "headers": {
      +         "Authorization": "Bearer ${WAYNOTE_TOKEN}"
      +       }
      +     }
      +   }
      + }
    HOME/.claude.json (server): made
    next: set WAYNOTE_TOKEN to the token in the environment that Claude Code is started with: its entry refers to it

    $ install codex --store https://notes.example/s/team --agent builder --remote-mcp
      + [mcp_servers.waynote]
      + url = "https://notes.example/s/team/mcp?home=HOME&agent=builder"
      + bearer_token_env_var = "WAYNOTE_TOKEN"
    HOME/.codex/config.toml (server): made
    next: set WAYNOTE_TOKEN to the token in the environment that Codex is started with: its entry refers to it

    $ install cursor --store https://notes.example/s/team --agent builder --remote-mcp
      + {
      +   "mcpServers": {
      +     "waynote": {
      +       "url": "https://notes.example/s/team/mcp?home=HOME&agent=builder",
      +       "headers": {
      +         "Authorization": "Bearer ${env:WAYNOTE_TOKEN}"
      +       }
      +     }
      +   }
      + }
    HOME/.cursor/mcp.json (server): made
    next: set WAYNOTE_TOKEN to the token in the environment that Cursor is started with: its entry refers to it

    $ install opencode --store https://notes.example/s/team --agent builder --remote-mcp
      + {
      +   "mcp": {
      +     "waynote": {
      +       "type": "remote",
      +       "url": "https://notes.example/s/team/mcp?home=HOME&agent=builder",
      +       "headers": {
      +         "Authorization": "Bearer {env:WAYNOTE_TOKEN}"
      +       },
      +       "enabled": true,
      +       "oauth": false
      +     }
      +   }
      + }
    HOME/.config/opencode/opencode.json (server): made
    next: set WAYNOTE_TOKEN to the token in the environment that opencode is started with: its entry refers to it

    $ install gemini --store https://notes.example/s/team --agent builder --remote-mcp
      + {
      +   "mcpServers": {
      +     "waynote": {
      +       "httpUrl": "https://notes.example/s/team/mcp?home=HOME&agent=builder",
      +       "headers": {
      +         "Authorization": "Bearer ${WAYNOTE_TOKEN}"
      +       }
      +     }
      +   }
      + }
    HOME/.gemini/settings.json (server and hooks): made
    next: set WAYNOTE_TOKEN to the token in the environment that Gemini CLI is started with: its entry refers to it

    $ install vscode --store https://notes.example/s/team --agent builder --remote-mcp
      + {
      +   "servers": {
      +     "waynote": {
      +       "type": "http",
      +       "url": "https://notes.example/s/team/mcp?home=HOME&agent=builder",
      +       "headers": {
      +         "Authorization": "Bearer ${env:WAYNOTE_TOKEN}"
      +       }
      +     }
      +   }
      + }
    HOME/.config/Code/User/mcp.json (server): made
    next: set WAYNOTE_TOKEN to the token in the environment that VS Code is started with: its entry refers to it
    "#);
}

/// The settings that an endpoint takes are in its address, and one of them can be changed alone.
#[test]
fn the_endpoint_is_told_the_settings() {
    let scratch = Scratch::new();
    let url = |words: &str| {
        let shown = said(&scratch, &format!("install cursor {words} --dry-run"));
        run(&scratch, &format!("install cursor {words}")).ok();
        let line = shown.lines().find(|line| line.contains("+       \"url\""));
        line.unwrap_or(&shown).trim().to_owned()
    };
    let first = format!(
        "--store {URL} --remote-mcp --agent builder --session night --set budget=500 --set style=faithful"
    );
    assert_snapshot!(url(&first), @r#"+       "url": "https://notes.example/s/team/mcp?home=HOME&agent=builder&session=night&style=faithful&budget=500","#);
    assert_snapshot!(url("--agent tester"), @r#"+       "url": "https://notes.example/s/team/mcp?home=HOME&session=night&style=faithful&budget=500&agent=tester","#);
}

/// Entries of one kind replace those of another, and in the end every byte is restored.
#[test]
fn every_way_is_taken_back_to_the_byte() {
    let scratch = found();
    let files = |scratch: &Scratch| {
        let mut files = files(scratch);
        files.retain(|(name, _)| !name.starts_with(".local"));
        files
    };
    let before = files(&scratch);
    let ways = [
        String::new(),
        format!(" --store {URL}"),
        format!(" --store {URL} --remote-mcp"),
        format!(" --store {URL} --remote-mcp --agent builder"),
        " --store postgres://u@h,i:5433/d?store=/s/team&sslmode=require".into(),
        format!(" --store {URL}"),
    ];
    for client in CLIENTS {
        for way in &ways {
            let words = format!("install {client}{way}");
            run(&scratch, &words).ok();
            let after = files(&scratch);
            let again = run(&scratch, &words).ok();
            assert!(again.contains("already set up"), "{words}: {again}");
            // It stays the same without being named again.
            let again = run(&scratch, &format!("install {client}")).ok();
            assert!(again.contains("already set up"), "{words}: {again}");
            assert_eq!(files(&scratch), after, "{words}");
            let text: String = after.iter().map(|(_, text)| text.as_str()).collect();
            let store = way.split(' ').nth(2);
            assert_eq!(store.is_some(), text.contains("/s/team"), "{words}");
            assert_eq!(
                way.contains("remote"),
                text.contains("/s/team/mcp"),
                "{words}: {text}"
            );
            if way.contains("remote") {
                assert!(
                    !text.contains("hook claude") && !text.contains("\"hook\""),
                    "{words}: {text}"
                );
            }
        }
        run(&scratch, &format!("uninstall {client}")).ok();
        assert_eq!(files(&scratch), before, "{client}");
    }
}

#[test]
fn no_token_gets_into_a_file() {
    let scratch = Scratch::new();
    let secret = "wn_0123456789abcdef_0123456789abcdef0123456789abcdef";
    for project in ["", " --project"] {
        for remote in ["", " --remote-mcp"] {
            for client in CLIENTS {
                let words = format!("install {client} --store {URL}{project}{remote}");
                let said = run(&scratch, &words).env("WAYNOTE_TOKEN", secret).said();
                assert!(
                    !said.starts_with("exit ") && !said.contains(secret),
                    "{said}"
                );
            }
        }
    }
    let data = scratch.home().join(".local/share/waynote");
    let mut folders = vec![scratch.home(), data];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            match entry.path().is_dir() {
                true => folders.push(entry.path()),
                false => assert!(!fs::read_to_string(entry.path()).unwrap().contains(secret)),
            }
        }
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let scratch = Scratch::new();
    assert_snapshot!(said(&scratch, "install codex --remote-mcp"), @"
    exit 2
    error: `--remote-mcp` needs a store on a server
      name it: `--store https://HOST/s/NAME`
    ");
    assert_snapshot!(said(&scratch, "install codex --remote-mcp --store http://notes.example/s/team"), @"
    exit 2
    error: `http://notes.example/s/team` is not the address of a store on a server: http:// is not encrypted: use https://
      write it as https://HOST/s/NAME
    ");
    assert_snapshot!(said(&scratch, "install goose --project --remote-mcp --store https://notes.example/s/team"), @"
    exit 2
    error: Goose reads servers only from the user's file
      leave that option out
    ");
}

/// The loop would never read notes that its agent writes elsewhere.
#[test]
fn in_a_loop_the_loops_store_counts() {
    let scratch = Scratch::new();
    scratch.ok("place write run");
    let store = scratch.store();
    let hook = |is_in_loop: bool| {
        let words = String::from("--store http://127.0.0.1:1/s/team hook claude-code SessionStart");
        let run = scratch.run(&words).stdin(r#"{"session_id": "s"}"#);
        let run = run.env("WAYNOTE_STORE", &store);
        let run = match is_in_loop {
            true => run.env("WAYNOTE_LOOP", "night").patient(),
            false => run,
        };
        String::from_utf8(run.output().stdout).unwrap()
    };
    assert!(!hook(false).contains("run"), "{}", hook(false));
    assert!(hook(true).contains("run"), "{}", hook(true));
}
