//! Entries that an earlier version wrote, and settings that a client's processes do not see.

use std::fs;
use std::path::PathBuf;

use super::client_files::run;
use super::common::{Scratch, has};

fn said(scratch: &Scratch, words: &str) -> String {
    let said = run(scratch, words).env("WAYNOTE_HOOK_WAIT", "60").said();
    said.replace(env!("CARGO_BIN_EXE_waynote"), "WAYNOTE")
}

/// Makes the hooks of Claude Code look like those written and recorded by a version with another timeout.
fn as_an_earlier_version(scratch: &Scratch) -> PathBuf {
    run(scratch, "install claude-code").ok();
    let file = scratch.home().join(".claude/settings.json");
    let records = scratch.home().join(".local/share/waynote/installed");
    let mut changed = 0;
    for entry in fs::read_dir(records).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        if text.contains("settings.json") {
            let earlier = text.replace("\"timeout\":10", "\"timeout\":5");
            changed += usize::from(earlier != text);
            fs::write(&path, earlier).unwrap();
        }
    }
    assert_eq!(changed, 1);
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("\"timeout\": 10", "\"timeout\": 5")).unwrap();
    file
}

/// The lines of `doctor` that are about hooks in a file.
fn of_hooks(scratch: &Scratch) -> String {
    let said = said(scratch, "doctor claude-code");
    let lines: Vec<&str> = said.lines().collect();
    let at = lines
        .iter()
        .position(|line| line.contains(": hooks in"))
        .unwrap();
    lines[at..]
        .iter()
        .take(1 + usize::from(!lines[at].starts_with("ok")))
        .copied()
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn what_an_earlier_version_wrote_is_brought_up_to_date() {
    let scratch = Scratch::new();
    let file = as_an_earlier_version(&scratch);
    let mut seen = of_hooks(&scratch);
    assert!(run(&scratch, "install").ok().contains("outdated"));
    seen += &format!("\n{}\n", said(&scratch, "install claude-code"));
    seen += &of_hooks(&scratch);
    insta::assert_snapshot!(seen, @r#"
    note  Claude Code: hooks in HOME/.claude/settings.json is older than this version: `hooks.SessionStart` needs `"timeout": 10` in `hooks.0`; `hooks.SubagentStart` needs `"timeout": 10` in `hooks.0`; `hooks.UserPromptSubmit` needs `"timeout": 10` in `hooks.0`; `hooks.PreToolUse` needs `"timeout": 10` in `hooks.0`; `hooks.PostToolUseFailure` needs `"timeout": 10` in `hooks.0`
          next: `waynote install claude-code` brings it up to date; `--dry-run` shows how
    HOME/.claude.json (server): unchanged
    HOME/.claude/settings.json (hooks): changed
                    "command": "WAYNOTE hook claude-code SessionStart",
      -             "timeout": 5
      +             "timeout": 10
                  }
      …
                    "command": "WAYNOTE hook claude-code SubagentStart",
      -             "timeout": 5
      +             "timeout": 10
                  }
      …
                    "command": "WAYNOTE hook claude-code UserPromptSubmit --no-search",
      -             "timeout": 5
      +             "timeout": 10
                  }
      …
                    "command": "WAYNOTE hook claude-code PreToolUse",
      -             "timeout": 5
      +             "timeout": 10
                  }
      …
                    "command": "WAYNOTE hook claude-code PostToolUseFailure",
      -             "timeout": 5
      +             "timeout": 10
                  }
    copies of the previous files: HOME/.local/share/waynote/installed
    next: start a new session of Claude Code
    next: start Claude Code with WAYNOTE_HOOK_WAIT=60 in its environment if its hooks should wait that long: it sees WAYNOTE_HOOK_WAIT only if it is started from this shell
    then: waynote doctor claude-code

    ok    Claude Code: hooks in HOME/.claude/settings.json
    "#);
    run(&scratch, "uninstall claude-code").ok();
    let left = fs::read_to_string(&file).unwrap();
    assert_eq!(left.split_whitespace().collect::<String>(), "{}");
}

#[test]
fn what_a_person_changed_is_kept_and_named() {
    let scratch = Scratch::new();
    let file = as_an_earlier_version(&scratch);
    let text = fs::read_to_string(&file).unwrap();
    let changed = text.replacen(
        "\"hooks\": [\n          {",
        "\"matcher\": \"startup\",\n        \"hooks\": [\n          {",
        1,
    );
    assert_ne!(changed, text);
    fs::write(&file, &changed).unwrap();
    let mut seen = said(&scratch, "install claude-code");
    seen += &of_hooks(&scratch);
    let kept = seen
        .lines()
        .skip_while(|line| !line.contains("changed by hand"));
    insta::assert_snapshot!(kept.collect::<Vec<_>>().join("\n"), @r#"
      changed by hand, and kept; this version expects:
      - `hooks.SessionStart` needs `"timeout": 10` in `hooks.0`
    copies of the previous files: HOME/.local/share/waynote/installed
    next: start a new session of Claude Code
    next: start Claude Code with WAYNOTE_HOOK_WAIT=60 in its environment if its hooks should wait that long: it sees WAYNOTE_HOOK_WAIT only if it is started from this shell
    then: waynote doctor claude-code
    note  Claude Code: hooks in HOME/.claude/settings.json was changed by hand, and is older than this version: `hooks.SessionStart` needs `"timeout": 10` in `hooks.0`
          next: change those lines by hand; `waynote install` leaves the entry as it is
    "#);
    has(
        fs::read_to_string(&file).unwrap(),
        "\"matcher\": \"startup\"",
    );
}

/// A plugin is a separate file: a person's changes to it are not overwritten.
#[test]
fn a_plugin_that_a_person_changed_is_kept() {
    let scratch = Scratch::new();
    run(&scratch, "install opencode").ok();
    let file = scratch.home().join(".config/opencode/plugins/waynote.js");
    let text = fs::read_to_string(&file).unwrap() + "// mine\n";
    fs::write(&file, &text).unwrap();
    insta::assert_snapshot!(said(&scratch, "install opencode"), @"
    HOME/.config/opencode/opencode.json (server): unchanged
    HOME/.config/opencode/plugins/waynote.js (plugin): unchanged
      changed by hand, and kept; this version expects:
      - the file has another text: to replace it, remove the file and install again
    next: start opencode with WAYNOTE_HOOK_WAIT=60 in its environment if its hooks should wait that long: it sees WAYNOTE_HOOK_WAIT only if it is started from this shell
    already set up; `waynote doctor opencode` checks it
    ");
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}
