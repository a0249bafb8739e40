//! Edits of realistic client files: the output, and the result.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::Value;

use super::client_files::{CLIENTS, files, found, run, said};
use super::common::Scratch;

#[test]
fn installing_prints_a_line_for_each_file() {
    let scratch = found();
    let mut seen = String::new();
    for words in [
        "install cursor --dry-run",
        "install cursor",
        "install codex",
        "uninstall codex",
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

    $ waynote install codex
    HOME/.codex/config.toml (server): changed
    HOME/.codex/hooks.json (hooks): made
    copies of the previous files: HOME/.local/share/waynote/installed
    next: start Codex, open `/hooks` and trust waynote's hooks, after an upgrade the new ones: it silently skips untrusted hooks
    then: waynote doctor codex

    $ waynote uninstall codex
    HOME/.codex/config.toml (server): changed
    HOME/.codex/hooks.json (hooks): removed
    Codex runs without waynote from its next session; the notes stay in HOME/.local/share/waynote/notes.db
    "#);
}

/// An entry that a person had written before is theirs: uninstalling leaves it.
#[test]
fn an_entry_that_was_there_before_stays() {
    for (client, name, text) in [
        (
            "claude-code",
            ".claude.json",
            "{ \"mcpServers\": { \"waynote\": { \"command\": \"/old/waynote\", \"args\": [\"mcp\"], \"env\": { \"A\": \"mine\" } } } }\n",
        ),
        (
            "claude-code",
            ".claude/settings.json",
            "{ \"hooks\": { \"SessionStart\": [ { \"hooks\": [ { \"type\": \"command\", \"command\": \"/old/waynote hook claude-code SessionStart --budget 500\" } ] } ] } }\n",
        ),
        (
            "codex",
            ".codex/config.toml",
            "[mcp_servers.waynote] # mine\ncommand = '/old/waynote'\nargs = ['mcp']\n",
        ),
    ] {
        for (edits, times) in [("", 1), ("\n", 1), ("\n", 2)] {
            let scratch = Scratch::new();
            let file = scratch.put(name, text);
            run(&scratch, &format!("install {client}")).ok();
            let installed = fs::read_to_string(&file).unwrap();
            assert!(!installed.contains("/old/"), "{installed}");
            // As it was, or edited by a person meanwhile.
            fs::write(&file, installed + edits).unwrap();
            for _ in 0..times {
                let said = said(&scratch, &format!("uninstall {client}"));
                assert!(
                    said.contains("had an entry of waynote before `install`"),
                    "{said}"
                );
            }
            let left = fs::read_to_string(&file).unwrap();
            match edits {
                "" => assert_eq!(left, text),
                _ => assert!(
                    left.contains("waynote") && left.contains("mine") == text.contains("mine"),
                    "{left}"
                ),
            }
            assert!(!left.contains("SubagentStart"), "{left}");
        }
        // One that needs no change stays too.
        let scratch = Scratch::new();
        let now = text.replace("/old/waynote", env!("CARGO_BIN_EXE_waynote"));
        let file = scratch.put(name, &now);
        for command in ["install", "uninstall"] {
            run(&scratch, &format!("{command} {client}")).ok();
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), now);
    }
}

/// A file that a person edited after the installation keeps that edit.
#[test]
fn what_a_person_wrote_meanwhile_stays() {
    for (client, name, before, more) in [
        (
            "codex",
            ".codex/config.toml",
            "model = \"o3\" # mine\n",
            "[tui]\nx = 1 # later\n",
        ),
        (
            "gemini",
            ".gemini/settings.json",
            "{\n  // mine\n  \"a\": 1\n}\n",
            "// later\n",
        ),
        (
            "opencode",
            ".config/opencode/opencode.json",
            "{ \"mcp\": { \"other\": {} } /* mine */ }\n",
            "// later\n",
        ),
    ] {
        let scratch = Scratch::new();
        let file = scratch.put(name, before);
        run(&scratch, &format!("install {client}")).ok();
        let edited = fs::read_to_string(&file).unwrap() + more;
        fs::write(&file, edited).unwrap();
        run(&scratch, &format!("uninstall {client}")).ok();
        let left = fs::read_to_string(&file).unwrap();
        let bare = |text: &str| text.replace([' ', '\n'], "");
        assert_eq!(bare(&left), bare(&format!("{before}{more}")), "{client}");
    }
}

/// A client that rewrites its file while `install` runs loses none of its writes.
#[test]
fn a_client_that_writes_its_file_meanwhile_loses_nothing() {
    let scratch = Scratch::new();
    let file = scratch.put(".claude.json", "{ \"count\": 0 }");
    let write = |count: u64| {
        // As Claude Code does it: read, changed, replaced.
        let text = fs::read_to_string(&file).unwrap();
        let mut state: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(state["count"], count, "a write was lost");
        state["count"] = (count + 1).into();
        let new = file.with_extension("new");
        fs::write(&new, state.to_string()).unwrap();
        fs::rename(&new, &file).unwrap();
    };
    let is_done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let client = scope.spawn(|| {
            let mut count = 0;
            while !is_done.load(std::sync::atomic::Ordering::Relaxed) {
                write(count);
                count += 1;
                // Idle for a while between writes, as a client is.
                std::thread::sleep(std::time::Duration::from_millis(2));
            }
        });
        for _ in 0..5 {
            for command in ["install", "uninstall"] {
                run(&scratch, &format!("{command} claude-code")).output();
            }
        }
        is_done.store(true, std::sync::atomic::Ordering::Relaxed);
        client.join().unwrap();
    });
}

/// A path that goes with an upgrade is in no entry.
#[test]
fn an_entry_has_a_path_that_stays() {
    let own = env!("CARGO_BIN_EXE_waynote");
    for (folder, link, expected) in [
        (
            "opt/waynote-1.2.3/bin",
            Some("tools/waynote"),
            "tools/waynote",
        ),
        (
            ".nvm/versions/node/v22.1.0/bin",
            None,
            ".local/share/waynote/bin/waynote",
        ),
        (
            ".local/share/mise/installs/waynote/1.2.3/bin",
            None,
            ".local/share/waynote/bin/waynote",
        ),
        ("shop/.venv/bin", None, "shop/.venv/bin/waynote"),
    ] {
        let scratch = Scratch::new();
        let home = scratch.home();
        let program = home.join(folder).join("waynote");
        fs::create_dir_all(program.parent().unwrap()).unwrap();
        fs::hard_link(own, &program)
            .or_else(|_| fs::copy(own, &program).map(drop))
            .unwrap();
        let started = link.map_or(program.clone(), |link| home.join(link));
        if started != program {
            fs::create_dir_all(started.parent().unwrap()).unwrap();
            symlink(&program, &started).unwrap();
        }
        let run = scratch.shell(&format!(
            "cd home/work && {} install gemini",
            started.display()
        ));
        assert!(run.status.success(), "{run:?}");
        let text = fs::read_to_string(home.join(".gemini/settings.json")).unwrap();
        let entry: Value = serde_json::from_str(&text).unwrap();
        let command = entry["mcpServers"]["waynote"]["command"].as_str().unwrap();
        assert_eq!(command, home.join(expected).to_str().unwrap(), "{folder}");
    }
}

/// Goose's file is not edited: its lines are printed.
#[test]
fn gooses_lines_are_printed() {
    let scratch = Scratch::new();
    let mut seen = format!("$ install\n{}", said(&scratch, "install goose"));
    let json: Value = run(&scratch, "install goose --json").json();
    let lines = json["add"]["lines"].as_str().unwrap();
    scratch.put(
        ".config/goose/config.yaml",
        format!("extensions:\n{lines}\n  other:\n    enabled: true\n"),
    );
    for words in ["install goose", "doctor goose", "uninstall goose"] {
        let said = said(&scratch, words);
        let lines = said
            .lines()
            .filter(|line| !line.to_lowercase().contains("path"));
        seen += &format!("$ {words}\n{}\n", lines.collect::<Vec<_>>().join("\n"));
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
    $ doctor goose
    ok    store: HOME/.local/share/waynote/notes.db, created by the first write
    ok    Goose: server in HOME/.config/goose/config.yaml
    ok    Goose: the server answers, with 7 tools
    ok    Goose: the server's instructions have the notes
    $ uninstall goose
    remove the entry `waynote` from HOME/.config/goose/config.yaml by hand
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
    antigravity  -      -       -
    goose        -      -       -
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
    exit 1
    error: HOME is your home directory, not a project's directory
      go to the project's directory first, or leave out `--project`
    ["install opencode: it was not found on this machine; its files are ready for it","restart opencode, the first time with network access: it fetches @opencode-ai/plugin, and until it has that package, a start without the npm registry waits about 75 seconds"]
    "#);
}
