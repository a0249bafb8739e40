//! The options that a loop adds to a client's command line, so that its agent may use waynote's own tools, and the
//! rights that it reports as missing.

use super::common::{Run, Scratch, has, lacks};

/// A client that prints its arguments, opencode's permissions, and the policy for this run.
const CLIENT: &str = r#"#!/bin/sh
cat > /dev/null
echo "$(basename "$0")$(printf ' [%s]' "$@")" | sed 's|policy=/[^]]*/waynote-[^]]*/|policy=RUN/|'
test -z "$OPENCODE_PERMISSION" || echo "OPENCODE_PERMISSION=$OPENCODE_PERMISSION"
for word; do
  case "$word" in --policy=*/waynote.toml) cat "${word#--policy=}" ;; esac
done
"#;

/// A home with every client on the path, and a project that is a git repository.
fn scratch() -> Scratch {
    let scratch = Scratch::new();
    let clients = [
        "claude", "codex", "gemini", "opencode", "goose", "copilot", "qwen",
    ];
    for client in clients {
        scratch.script(&format!("bin/{client}"), CLIENT);
    }
    std::fs::create_dir_all(scratch.home().join("work/.git")).unwrap();
    scratch
}

/// One iteration with a client and further words for it, both parted by blanks.
fn with(scratch: &Scratch, client: &str, words: &str) -> Run {
    let path = format!("{}:/usr/bin:/bin", scratch.home().join("bin").display());
    let words =
        format!("--session s loop --iterations 1 --stall 0 --json --with {client} -- {words}");
    let words = words.trim_end().split(' ').map(String::from);
    scratch.waynote(words).env("PATH", path)
}

/// Its standard error: the notes of the loop, then the agent's own words.
fn said(run: Run) -> String {
    let output = run.output();
    let said = String::from_utf8(output.stderr).unwrap();
    let lines = said.lines().filter(|line| !line.starts_with("── "));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn claude_code_may_use_our_tools_and_nothing_else() {
    let scratch = scratch();

    insta::assert_snapshot!(said(with(&scratch, "claude-code", "")), @"
    note: Claude Code is not set up, so its agent cannot add notes or end the loop; run `waynote install claude-code`
    note: Claude Code may ask before it edits files or runs commands, and no person answers in a loop; add `-- --permission-mode acceptEdits --allowedTools 'Bash(make *)'`, or what the agent needs
    claude [-p] [--allowedTools=mcp__waynote,mcp__plugin_waynote_waynote]
    ");
    scratch.ok("install claude-code");
    insta::assert_snapshot!(said(with(&scratch, "claude-code", "--permission-mode acceptEdits")), @"claude [-p] [--allowedTools=mcp__waynote,mcp__plugin_waynote_waynote] [--permission-mode] [acceptEdits]");
    insta::assert_snapshot!(said(with(&scratch, "claude-code", "--allowedTools Edit Bash")), @"claude [-p] [--allowedTools=mcp__waynote,mcp__plugin_waynote_waynote] [--allowedTools] [Edit] [Bash]");
}

#[test]
fn codex_is_told_about_our_server_where_it_knows_one() {
    let scratch = scratch();
    insta::assert_snapshot!(said(with(&scratch, "codex", "--sandbox workspace-write")), @"
    note: Codex is not set up, so its agent cannot add notes or end the loop; run `waynote install codex`
    codex [exec] [--sandbox] [workspace-write] [-]
    ");
    scratch.ok("install codex");
    insta::assert_snapshot!(said(with(&scratch, "codex", "")), @r#"
    note: Codex may ask before it edits files or runs commands, and no person answers in a loop; add `-- --sandbox workspace-write`, or what the agent needs
    codex [exec] [-c] [mcp_servers.waynote.default_tools_approval_mode="approve"] [-]
    "#);

    // A project's entry counts where Codex trusts the directory: of a server that it does not know it takes no setting.
    let scratch = self::scratch();
    scratch.ok("install codex --project");
    lacks(said(with(&scratch, "codex", "")), "approval_mode");
    let home = scratch.home().display().to_string();
    let trust = format!("[projects.\"{home}/work\"]\ntrust_level = \"trusted\"\n");
    scratch.put(".codex/config.toml", &trust);
    has(said(with(&scratch, "codex", "")), "approval_mode");
    // The settings of a plugin's server are below the plugin.
    let scratch = self::scratch();
    let copy = ".codex/plugins/cache/waynote/waynote/0.1.0/mcp/codex.json";
    scratch.put(copy, "{}");
    let plugin =
        "sandbox_mode = \"workspace-write\"\n[plugins.\"waynote@waynote\"]\nenabled = true\n";
    scratch.put(".codex/config.toml", plugin);
    insta::assert_snapshot!(said(with(&scratch, "codex", "")), @r#"
    note: Codex may ask before it edits files or runs commands, and no person answers in a loop; add `-- --sandbox workspace-write`, or what the agent needs
    codex [exec] [-c] [plugins.waynote@waynote.mcp_servers.waynote.default_tools_approval_mode="approve"] [-]
    "#);
}

#[test]
fn geminis_own_policies_stay() {
    let scratch = scratch();
    scratch.ok("install gemini");
    let yolo = "--skip-trust --approval-mode yolo";
    insta::assert_snapshot!(said(with(&scratch, "gemini", "")), @r#"
    note: Gemini CLI may ask before it edits files or runs commands, and no person answers in a loop; add `-- --approval-mode auto_edit --allowed-tools 'run_shell_command(make)'`, or what the agent needs
    gemini [--policy=RUN/waynote.toml]
    # Written by `waynote loop` for one run.
    [[rule]]
    mcpName = "waynote"
    toolName = "*"
    decision = "allow"
    priority = 310
    "#);

    std::fs::create_dir_all(scratch.home().join(".gemini/policies")).unwrap();
    let home = scratch.home().display().to_string();
    let of_user = said(with(&scratch, "gemini", yolo)).replace(&home, "HOME");
    insta::assert_snapshot!(of_user.lines().next().unwrap(), @"gemini [--policy=RUN/waynote.toml] [--policy=HOME/.gemini/policies] [--skip-trust] [--approval-mode] [yolo]");
    // A project that names policies keeps them: then the loop adds none.
    scratch.put(
        "work/.gemini/settings.json",
        r#"{ "policyPaths": ["planted"], "security": { "folderTrust": { "enabled": false } } }"#,
    );
    let of_project = said(with(&scratch, "gemini", "--approval-mode yolo"));
    has(of_project, "gemini [--approval-mode] [yolo]");
    std::fs::remove_file(scratch.home().join("work/.gemini/settings.json")).unwrap();
    let named = said(with(&scratch, "gemini", &format!("{yolo} --policy mine")));
    insta::assert_snapshot!(named.lines().next().unwrap(), @"gemini [--policy=RUN/waynote.toml] [--skip-trust] [--approval-mode] [yolo] [--policy] [mine]");
}

#[test]
fn opencodes_permissions_are_added_to() {
    let scratch = scratch();
    scratch.ok("install opencode");
    let own = with(&scratch, "opencode", "").env("OPENCODE_PERMISSION", r#"{"bash":"ask"}"#);
    insta::assert_snapshot!(said(own), @r#"
    opencode [run]
    OPENCODE_PERMISSION={"bash":"ask","waynote_*":"allow"}
    "#);
}

/// They have an option for the tools of a server, and say what else they would ask for.
#[test]
fn copilot_and_qwen_may_use_our_tools() {
    let scratch = scratch();
    for client in ["copilot", "qwen"] {
        scratch.ok(&format!("install {client}"));
    }
    let runs = [
        ("copilot", ""),
        ("copilot", "--allow-tool=write,shell(make:*)"),
        ("copilot", "--allow-all-tools"),
        ("qwen", ""),
        ("qwen", "--approval-mode auto-edit"),
        (
            "qwen",
            "--approval-mode auto-edit --allowed-tools run_shell_command(make)",
        ),
        ("qwen", "--yolo"),
    ];
    let all = runs.map(|(client, words)| said(with(&scratch, client, words)));
    insta::assert_snapshot!(all.join("\n"), @"
    note: Copilot CLI may ask before it edits files or runs commands, and no person answers in a loop; add `-- --allow-tool=write --allow-tool='shell(make:*)'`, or what the agent needs
    copilot [--allow-tool=waynote]
    copilot [--allow-tool=waynote] [--allow-tool=write,shell(make:*)]
    copilot [--allow-tool=waynote] [--allow-all-tools]
    note: Qwen Code may ask before it edits files or runs commands, and no person answers in a loop; add `-- --approval-mode auto-edit --allowed-tools 'run_shell_command(make)'`, or what the agent needs
    qwen [--allowed-tools=mcp__waynote]
    qwen [--allowed-tools=mcp__waynote] [--approval-mode] [auto-edit]
    qwen [--allowed-tools=mcp__waynote] [--approval-mode] [auto-edit] [--allowed-tools] [run_shell_command(make)]
    qwen [--allowed-tools=mcp__waynote] [--yolo]
    ");
}
