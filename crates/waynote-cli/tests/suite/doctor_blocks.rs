//! Obstacles between a complete installation and the client's model: `doctor` names each one.

use std::fs;

use super::common::Scratch;

/// The problems and remarks of `doctor` about a client, but for those that every scratch home has.
fn found(scratch: &Scratch, words: &str) -> String {
    let run = scratch.run(words).env("PATH", "/usr/bin:/bin");
    // Other tests keep the processors busy, too.
    let said = run.env("WAYNOTE_HOOK_WAIT", "60").said();
    let mut seen = Vec::new();
    let mut is_kept = false;
    for line in said.lines() {
        if !line.starts_with("      next:") {
            let is_usual = line.contains("is not on the path") || line.contains("store: ");
            is_kept = !line.starts_with("ok") && !is_usual;
        }
        if is_kept {
            seen.push(line.to_owned());
        }
    }
    seen.join("\n")
}

/// Installs a client and writes the files of a person; with `+` in front the text is added to the file, in place of its
/// first `{`.
fn with(client: &str, files: &[(&str, &str)]) -> Scratch {
    let scratch = Scratch::new();
    scratch
        .run(&format!("install {client}"))
        .env("PATH", "/usr/bin:/bin")
        .ok();
    for (name, text) in files {
        let path = scratch.home().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text = match text.strip_prefix('+') {
            Some(more) => {
                let there = fs::read_to_string(&path).unwrap();
                match there.strip_prefix('{') {
                    Some(rest) => format!("{{\n{more},{rest}"),
                    None => format!("{more}{there}"),
                }
            }
            None => (*text).to_owned(),
        };
        fs::write(path, text).unwrap();
    }
    scratch
}

#[test]
fn claude_code() {
    let scratch = with(
        "claude-code",
        &[
            (".claude/settings.json", "+  \"disableAllHooks\": true"),
            (
                "work/.claude/settings.local.json",
                "{\n  \"permissions\": {\n    \"deny\": [\"Bash(rm *)\", \"mcp__waynote__note_add\"]\n  },\n  \"allowedMcpServers\": [{ \"serverName\": \"other\" }]\n}\n",
            ),
            (
                "work/.claude/settings.json",
                "{ \"permissions\": { \"ask\": [\"mcp__waynote\"] }, \"deniedMcpServers\": [{ \"serverName\": \"waynote\" }] }\n",
            ),
        ],
    );
    let work = scratch.home().join("work");
    let state = scratch.home().join(".claude.json");
    let text = fs::read_to_string(&state).unwrap();
    let off = format!(
        "{{\n  \"projects\": {{ {:?}: {{ \"disabledMcpServers\": [\"waynote\"] }} }},",
        work.to_str().unwrap()
    );
    fs::write(&state, text.replacen('{', &off, 1)).unwrap();
    insta::assert_snapshot!(found(&scratch, "doctor claude-code"), @r#"
    exit 1
    WRONG Claude Code: only listed servers are started, and waynote is not listed: `allowedMcpServers` in HOME/work/.claude/settings.local.json, line 5
          next: add {"serverName": "waynote"} to it
    WRONG Claude Code: a rule denies waynote's tools: `permissions.deny` in HOME/work/.claude/settings.local.json, line 3
          next: take "mcp__waynote__note_add" out of it
    WRONG Claude Code: the server is denied: `deniedMcpServers` in HOME/work/.claude/settings.json, line 1
          next: take `waynote` out of that list
    note  Claude Code: a rule makes every call of waynote's tools need a confirmation, which nobody gives in a loop: `permissions.ask` in HOME/work/.claude/settings.json, line 1
          next: take "mcp__waynote" out of it
    WRONG Claude Code: all hooks are switched off, so no session starts with the notes: `disableAllHooks` in HOME/.claude/settings.json, line 2
          next: take it out, or set it to false
    WRONG Claude Code: the server is switched off in this directory: `projects.HOME/work.disabledMcpServers` in HOME/.claude.json, line 2
          next: switch it on in `/mcp`, or take `waynote` out of that list
    note  Claude Code: without a person to ask (`claude -p`), it refuses waynote's tools: no rule in `permissions.allow` names them
          next: `waynote loop --with claude-code` allows them for its runs; elsewhere add `--allowedTools mcp__waynote`, or "mcp__waynote" to `permissions.allow`
    note  Claude Code: in a loop, the agent may not use waynote's tools: Claude Code denies `mcp__waynote__note_add`
          next: for `waynote loop --with claude-code`: take that rule out of `permissions.deny` in its settings, or out of the command line
    note  Claude Code: in a loop, the agent may not edit files or run commands: Claude Code asks, and nobody is there to answer
          next: for `waynote loop --with claude-code`: add `-- --permission-mode acceptEdits --allowedTools 'Bash(make *)'` or what it needs
    "#);
    let scratch = with(
        "claude-code",
        &[(
            ".claude/settings.json",
            "+  \"permissions\": { \"allow\": [\"mcp__waynote\"] }",
        )],
    );
    insta::assert_snapshot!(found(&scratch, "doctor claude-code"), @"
    note  Claude Code: in a loop, the agent may not edit files or run commands: Claude Code asks, and nobody is there to answer
          next: for `waynote loop --with claude-code`: add `-- --permission-mode acceptEdits --allowedTools 'Bash(make *)'` or what it needs
    ");
}

#[test]
fn codex() {
    let scratch = with(
        "codex",
        &[(".codex/config.toml", "+[features]\nhooks = false\n\n")],
    );
    let config = scratch.home().join(".codex/config.toml");
    let text = fs::read_to_string(&config).unwrap();
    let entry = "enabled = false # for now\nenabled_tools = [\"note_list\"]\ndisabled_tools = [\"note_add\"]\ndefault_tools_approval_mode = \"prompt\"\nenv_vars";
    let hooks = scratch.home().join(".codex/hooks.json");
    let state = format!(
        "\n[hooks.state.\"{}:session_start:0:0\"]\nenabled = false\n",
        hooks.display()
    );
    fs::write(&config, text.replace("env_vars", entry) + &state).unwrap();
    insta::assert_snapshot!(found(&scratch, "doctor codex"), @r#"
    exit 1
    WRONG Codex: hooks are switched off, so no session starts with the notes: `features.hooks` in HOME/.codex/config.toml, line 2
          next: take it out, or set it to true
    WRONG Codex: the server is switched off: `mcp_servers.waynote.enabled` in HOME/.codex/config.toml, line 8
          next: take it out, or set it to true
    note  Codex: only these tools are offered: note_list: `mcp_servers.waynote.enabled_tools` in HOME/.codex/config.toml, line 9
          next: take it out to have all; a loop needs session_complete and blocked
    note  Codex: these tools are not offered: note_add: `mcp_servers.waynote.disabled_tools` in HOME/.codex/config.toml, line 10
          next: take out those that the agent should have
    note  Codex: every call of waynote's tools needs a confirmation, which nobody gives in `codex exec`: `mcp_servers.waynote.default_tools_approval_mode` in HOME/.codex/config.toml, line 11
          next: set it to "approve"; `waynote loop --with codex` does so for its runs
    WRONG Codex: a hook is switched off: `hooks.state.HOME/.codex/hooks.json:session_start:0:0` in HOME/.codex/config.toml, line 37
          next: switch it on in `/hooks`
    WRONG Codex: the hooks are not trusted yet: Codex silently skips them
          next: start Codex, open `/hooks` and trust them
    note  Codex: in a loop, the agent may only read: Codex runs it in a read-only sandbox
          next: for `waynote loop --with codex`: add `-- --sandbox workspace-write` or what it needs
    note  Codex: in a loop, Codex does not start outside a git repository
          next: for `waynote loop --with codex`: run `git init`, or add `-- --skip-git-repo-check`
    "#);
}

#[test]
fn gemini() {
    let scratch = with(
        "gemini",
        &[
            (
                ".gemini/settings.json",
                "+  \"hooksConfig\": { \"enabled\": false, \"disabled\": [\"waynote\"] },\n  \"mcp\": { \"excluded\": [\"waynote\"] }",
            ),
            (
                "work/.gemini/settings.json",
                "{ \"mcp\": { \"allowed\": [\"other\"] }, \"tools\": { \"exclude\": [\"mcp_waynote_note_add\"] } }\n",
            ),
            (
                ".gemini/mcp-server-enablement.json",
                "{ \"waynote\": { \"enabled\": false } }\n",
            ),
        ],
    );
    let trust = format!(
        "{{ {:?}: \"DO_NOT_TRUST\" }}\n",
        scratch.home().join("work")
    );
    scratch.put(".gemini/trustedFolders.json", trust);
    insta::assert_snapshot!(found(&scratch, "doctor gemini"), @r#"
    exit 1
    WRONG Gemini CLI: only listed servers are started, and waynote is not listed: `mcp.allowed` in HOME/work/.gemini/settings.json, line 1
          next: add "waynote" to it
    WRONG Gemini CLI: tools are excluded: `tools.exclude` in HOME/work/.gemini/settings.json, line 1
          next: take mcp_waynote_note_add out of it
    WRONG Gemini CLI: hooks are switched off, so no session gets the notes: `hooksConfig.enabled` in HOME/.gemini/settings.json, line 2
          next: take it out, or set it to true
    WRONG Gemini CLI: waynote's hooks are switched off: `hooksConfig.disabled` in HOME/.gemini/settings.json, line 2
          next: `/hooks enable waynote`, or take it out of that list
    WRONG Gemini CLI: the server is excluded: `mcp.excluded` in HOME/.gemini/settings.json, line 3
          next: take `waynote` out of that list
    WRONG Gemini CLI: the server is switched off: `waynote.enabled` in HOME/.gemini/mcp-server-enablement.json, line 1
          next: take it out, or set it to true
    note  Gemini CLI: without a person to ask (`gemini -p`), it refuses waynote's tools: nothing allows them
          next: `waynote loop --with gemini` allows them for its runs; elsewhere set `"trust": true` in the entry `mcpServers.waynote`
    WRONG Gemini CLI: this directory is not trusted: no server is started here: `HOME/work` in HOME/.gemini/trustedFolders.json, line 1
          next: trust it with `/permissions`
    note  Gemini CLI: its files do not show whether it is switched on there
          next: restart Gemini CLI
    note  Gemini CLI: in a loop, the agent may not edit files or run commands: Gemini CLI asks, and nobody is there to answer
          next: for `waynote loop --with gemini`: add `-- --approval-mode auto_edit --allowed-tools 'run_shell_command(make)'` or what it needs
    note  Gemini CLI: in a loop, Gemini CLI does not start in a directory that it does not trust
          next: for `waynote loop --with gemini`: trust this one when it asks in a terminal, or add `-- --skip-trust`
    "#);
}

#[test]
fn opencode() {
    let scratch = with(
        "opencode",
        &[(
            "work/opencode.json",
            "{\n  \"mcp\": { \"waynote\": { \"enabled\": false } },\n  \"tools\": { \"waynote_*\": false },\n  \"permission\": { \"edit\": \"ask\", \"waynote_note_add\": \"deny\", \"*\": \"ask\" }\n}\n",
        )],
    );
    insta::assert_snapshot!(found(&scratch, "doctor opencode"), @r#"
    exit 1
    WRONG opencode: the server is switched off: `mcp.waynote.enabled` in HOME/work/opencode.json, line 2
          next: take it out, or set it to true
    WRONG opencode: tools are switched off: `tools.waynote_*` in HOME/work/opencode.json, line 3
          next: take it out, or set it to true
    note  opencode: every call of waynote's tools needs a confirmation, which nobody gives in `opencode run`: `permission.*` in HOME/work/opencode.json, line 4
          next: add `"waynote_*": "allow"` below it
    WRONG opencode: waynote's tools are denied: `permission.waynote_note_add` in HOME/work/opencode.json, line 4
          next: set it to "allow", or add `"waynote_*": "allow"` below it
    note  opencode: it has not fetched @opencode-ai/plugin into HOME/.config/opencode yet, which plugins need: without the registry, a start waits 75 seconds for it
          next: start opencode once with a network, or `npm install --prefix HOME/.config/opencode @opencode-ai/plugin`
    note  opencode: in a loop, the agent may not edit files or run commands: opencode asks or denies it, and nobody is there to answer
          next: for `waynote loop --with opencode`: allow it by `permission` in its configuration
    "#);
    // Once the package is installed, a start has nothing to wait for.
    let folder = scratch.home().join(".config/opencode");
    fs::create_dir(folder.join("node_modules")).unwrap();
    fs::write(
        folder.join("package-lock.json"),
        "{ \"packages\": { \"\": { \"dependencies\": { \"@opencode-ai/plugin\": \"1.18.33\" } } } }",
    )
    .unwrap();
    fs::remove_file(scratch.home().join("work/opencode.json")).unwrap();
    insta::assert_snapshot!(found(&scratch, "doctor opencode"), @"");
}

#[test]
fn the_others() {
    let scratch = with(
        "goose",
        &[(".config/goose/config.yaml", "+GOOSE_MODE: chat\n")],
    );
    let config = scratch.home().join(".config/goose/config.yaml");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, text.replace("enabled: true", "enabled: false")).unwrap();
    let goose = found(&scratch, "doctor goose");
    let lines = goose.lines().filter(|line| line.contains(".yaml"));
    insta::assert_snapshot!(lines.collect::<Vec<_>>().join("\n"), @"
    WRONG Goose: the server is switched off: `extensions.waynote.enabled` in HOME/.config/goose/config.yaml, line 9
    WRONG Goose: in this mode it uses no tools: `GOOSE_MODE` in HOME/.config/goose/config.yaml, line 1
    ");
    let scratch = with(
        "cursor",
        &[(
            "work/.cursor/cli.json",
            "{ \"permissions\": { \"deny\": [\"Mcp(waynote:*)\"] } }\n",
        )],
    );
    let servers = scratch.home().join(".cursor/mcp.json");
    let text = fs::read_to_string(&servers).unwrap();
    fs::write(
        &servers,
        text.replace("\"command\"", "\"disabled\": true, \"command\""),
    )
    .unwrap();
    insta::assert_snapshot!(found(&scratch, "doctor cursor"), @r#"
    exit 1
    WRONG Cursor: the server is switched off: `mcpServers.waynote.disabled` in HOME/.cursor/mcp.json, line 4
          next: take it out, or set it to false
    WRONG Cursor: a rule denies waynote's tools: `permissions.deny` in HOME/work/.cursor/cli.json, line 1
          next: take "Mcp(waynote:*)" out of it
    note  Cursor: its files do not show whether it is switched on there
          next: restart Cursor, and switch `waynote` on under Settings, MCP, if it is off
    "#);
    let scratch = with(
        "vscode",
        &[(
            ".config/Code/User/settings.json",
            "{\n  // mine\n  \"chat.mcp.access\": \"none\",\n  \"chat.useHooks\": false\n}\n",
        )],
    );
    insta::assert_snapshot!(found(&scratch, "doctor vscode"), @"
    exit 1
    WRONG VS Code: servers are switched off: `chat.mcp.access` in HOME/.config/Code/User/settings.json, line 3
          next: take it out
    WRONG VS Code: hooks are switched off, so no session starts with the notes: `chat.useHooks` in HOME/.config/Code/User/settings.json, line 4
          next: take it out
    note  VS Code: its files do not show whether it is switched on there
          next: start the server with `MCP: List Servers` in VS Code and trust it when it asks; hooks are a preview there and may have to be switched on
    ");
}
