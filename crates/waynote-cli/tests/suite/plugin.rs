//! `waynote plugin`: what the folder holds, and that a plugin and `install` are one to a session.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::common::{Scratch, has};

fn read(folder: &Path, path: &str) -> Value {
    let text = fs::read_to_string(folder.join(path)).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn every_client_gets_what_install_would_enter() {
    let scratch = Scratch::new();
    let folder = scratch.home().join("market");
    let said = scratch.json("--json --agent night plugin ../market");
    let files: Vec<&str> = said["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file.as_str().unwrap())
        .collect();
    assert_eq!(
        files,
        [
            ".claude-plugin/marketplace.json",
            ".agents/plugins/marketplace.json",
            "waynote/.claude-plugin/plugin.json",
            "waynote/hooks/claude-code.json",
            "waynote/mcp/claude-code.json",
            "waynote/.codex-plugin/plugin.json",
            "waynote/hooks/codex.json",
            "waynote/mcp/codex.json",
            "waynote/plugin.json",
            "waynote/hooks/vscode.json",
            "waynote/mcp/vscode.json",
            "gemini/waynote/gemini-extension.json",
            "gemini/waynote/hooks/hooks.json",
            "antigravity/waynote/plugin.json",
            "antigravity/waynote/hooks.json",
            "antigravity/waynote/mcp_config.json",
            "waynote/README.md",
            "waynote/skills/waynote/SKILL.md",
            "gemini/waynote/skills/waynote/SKILL.md",
            "opencode/waynote/skills/waynote/SKILL.md",
            "antigravity/waynote/skills/waynote/SKILL.md",
            "opencode/waynote/package.json",
            "opencode/waynote/index.js",
            "opencode/waynote/waynote.js",
            "waynote/commands/note.md",
            "gemini/waynote/commands/waynote/note.toml",
            "waynote/commands/why.md",
            "gemini/waynote/commands/waynote/why.toml",
            "waynote/commands/status.md",
            "gemini/waynote/commands/waynote/status.toml",
        ]
    );
    for file in files.iter().filter(|file| file.ends_with(".json")) {
        read(&folder, file);
    }
    let own = env!("CARGO_BIN_EXE_waynote");
    for (client, settings) in [
        ("claude-code", ".claude/settings.json"),
        ("codex", ".codex/hooks.json"),
        ("vscode", ".copilot/hooks/waynote.json"),
    ] {
        scratch.ok(&format!("--agent night install {client}"));
        let hooks = read(&folder, &format!("waynote/hooks/{client}.json"));
        assert_eq!(hooks, read(&scratch.home(), settings), "{client}");
        has(
            hooks.to_string(),
            format!("{own} --agent night hook {client} SessionStart"),
        );
        let server = &read(&folder, &format!("waynote/mcp/{client}.json"))["mcpServers"]["waynote"];
        assert_eq!(server["command"], own, "{client}");
        assert_eq!(
            server["args"],
            json!(["--agent", "night", "mcp"]),
            "{client}"
        );
        assert_eq!(server["env"]["WAYNOTE_AUTHOR"], format!("agent:{client}"));
    }
    scratch.ok("--agent night install gemini");
    let (extension, hooks) = (
        read(&folder, "gemini/waynote/gemini-extension.json"),
        read(&folder, "gemini/waynote/hooks/hooks.json"),
    );
    let settings = read(&scratch.home(), ".gemini/settings.json");
    assert_eq!(
        extension["mcpServers"]["waynote"]["command"],
        settings["mcpServers"]["waynote"]["command"]
    );
    assert_eq!(hooks["hooks"], settings["hooks"]);
    // Antigravity reads hooks only at the root, below a name of their own.
    let hooks = read(&folder, "antigravity/waynote/hooks.json");
    let hook = hooks["waynote"]["PreInvocation"][0]["command"].as_str();
    let expected = format!("{own} --agent night hook antigravity PreInvocation --no-search");
    assert_eq!(hook, Some(&*expected));
    // opencode's package has its entries in a program.
    scratch.ok("--agent night install opencode");
    let index = fs::read_to_string(folder.join("opencode/waynote/index.js")).unwrap();
    let installed = read(&scratch.home(), ".config/opencode/opencode.json");
    has(&index, format!("const server = {:#};", installed["mcp"]));
    has(&index, "waynote:why");
    let notes = fs::read_to_string(folder.join("opencode/waynote/waynote.js")).unwrap();
    let installed = scratch.home().join(".config/opencode/plugins/waynote.js");
    let installed = fs::read_to_string(installed).unwrap();
    assert_eq!(installed.split_once('\n').unwrap().1, notes);
    // A manifest names only files that are there.
    for (manifest, plugin) in [
        (".claude-plugin/plugin.json", "waynote"),
        (".codex-plugin/plugin.json", "waynote"),
        ("plugin.json", "waynote"),
    ] {
        let manifest = read(&folder, &format!("{plugin}/{manifest}"));
        for part in ["hooks", "mcpServers"] {
            let path = folder.join(plugin).join(manifest[part].as_str().unwrap());
            assert!(path.is_file(), "{}", path.display());
        }
        assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    }
}

#[test]
fn a_skill_fits_a_page_and_commands_name_the_program() {
    let scratch = Scratch::new();
    scratch.ok("plugin ../market");
    let text =
        |path: &str| fs::read_to_string(scratch.home().join("market/waynote").join(path)).unwrap();
    let skill = text("skills/waynote/SKILL.md");
    assert!(skill.lines().count() <= 40 && skill.starts_with("---\nname: waynote\ndescription: "));
    let described = skill.lines().nth(2).unwrap().len();
    assert!(described <= 1024, "{described}");
    let why = text("commands/why.md");
    has(
        &why,
        format!(
            "allowed-tools: Bash({} why:*)",
            env!("CARGO_BIN_EXE_waynote")
        ),
    );
    has(text("commands/note.md"), "$ARGUMENTS");
}

#[test]
fn a_plugin_and_install_deliver_once() {
    let scratch = Scratch::new();
    scratch.ok("place write canary");
    scratch.ok("plugin ../market");
    scratch.ok("install claude-code");
    let command = |file: &Path| {
        let hooks: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
        hooks["hooks"]["SessionStart"][0]["hooks"][0]["command"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let plugin = command(&scratch.home().join("market/waynote/hooks/claude-code.json"));
    let installed = command(&scratch.home().join(".claude/settings.json"));
    let started =
        json!({ "session_id": "one", "cwd": scratch.home().join("work"), "source": "startup" });
    // Both at once, as a client runs them.
    let script =
        format!("for hook in '{plugin}' '{installed}'; do echo '{started}' | $hook & done; wait");
    let output = scratch.shell(&script);
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(said.matches("canary").count(), 1, "{said}");
}

#[test]
fn a_folder_of_somebody_elses_is_refused() {
    let scratch = Scratch::new();
    scratch.put("work/mine/a.txt", "mine");
    let output = scratch.run("plugin mine").output();
    let said = String::from_utf8(output.stderr).unwrap();
    has(&said, "work/mine has other files in it");
    has(&said, "name a new or an empty folder");
    assert!(!scratch.home().join("work/mine/waynote").exists());
    // Its own is written again.
    scratch.ok("plugin ../market");
    scratch.ok("--agent other plugin ../market");
    let hooks = fs::read_to_string(scratch.home().join("market/waynote/hooks/codex.json")).unwrap();
    has(&hooks, "--agent other");
}

/// The lines of `doctor` about a plugin, about what is wrong, and about tools that a loop lacks.
fn doctor(scratch: &Scratch, client: &str) -> String {
    let output = scratch.run(&format!("doctor {client}")).output();
    let said = String::from_utf8(output.stdout).unwrap();
    let mut lines = Vec::from_iter(said.lines());
    lines.retain(|line| {
        ["plugin", "WRONG", "has no tools"]
            .iter()
            .any(|part| line.contains(part))
    });
    lines
        .join("\n")
        .replace(env!("CARGO_BIN_EXE_waynote"), "WAYNOTE")
}

#[test]
fn doctor_knows_the_plugin_that_a_client_has() {
    const CODEX: &str = "[plugins.\"waynote@waynote\"]\nenabled = true\n";
    let scratch = Scratch::new();
    scratch.ok("plugin ../market");
    let market = scratch.home().join("market");
    let copy = |of: &str, at: &str| {
        let at = scratch.home().join(at);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(market.join(of), at).unwrap();
    };
    copy("waynote", ".codex/plugins/cache/waynote/waynote/0.1.0");
    copy("gemini/waynote", ".gemini/extensions/waynote");
    scratch.put(".codex/config.toml", CODEX);
    let settings = json!({
        "enabledPlugins": { "waynote@waynote": true },
        "extraKnownMarketplaces": { "waynote": { "source": { "source": "directory", "path": market } } },
    });
    scratch.put(".copilot/settings.json", settings.to_string());
    let untrusted = "\nWRONG Codex: these hooks are not trusted yet, and silently skipped: SessionStart, SubagentStart, \
                     UserPromptSubmit, PreToolUse, PostToolUse";
    for (client, title, name, more) in [
        ("codex", "Codex", "waynote@waynote", untrusted),
        ("copilot", "Copilot CLI", "waynote@waynote", ""),
        ("gemini", "Gemini CLI", "waynote", ""),
    ] {
        let fine = format!("ok    {title}: the plugin {name} starts WAYNOTE{more}");
        assert_eq!(doctor(&scratch, client), fine);
    }
    // Codex trusts a plugin's hooks by its name.
    let mut trusted = CODEX.to_owned();
    for event in [
        "session_start",
        "subagent_start",
        "user_prompt_submit",
        "pre_tool_use",
        "post_tool_use",
    ] {
        let key = format!("waynote@waynote:hooks/codex.json:{event}:0:0");
        trusted += &format!("[hooks.state.\"{key}\"]\ntrusted_hash = \"sha256:0\"\n");
    }
    scratch.put(".codex/config.toml", &trusted);
    assert!(!doctor(&scratch, "codex").contains("WRONG"));
    // What is switched off brings nothing.
    scratch.put(".codex/config.toml", CODEX.replace("true", "false"));
    scratch.put(
        ".copilot/settings.json",
        settings.to_string().replace("true", "false"),
    );
    let rules =
        json!({ "waynote": { "overrides": ["/*", format!("!{}/*", scratch.home().display())] } });
    scratch.put(
        ".gemini/extensions/extension-enablement.json",
        rules.to_string(),
    );
    for client in ["codex", "copilot", "gemini"] {
        assert!(!doctor(&scratch, client).contains("plugin"), "{client}");
    }
}

#[test]
fn doctor_knows_the_plugin_of_claude_code() {
    let scratch = Scratch::new();
    scratch.ok("plugin ../market");
    let settings = |text: &str| scratch.put(".claude/settings.json", text);
    settings(r#"{ "enabledPlugins": { "waynote@waynote": true } }"#);
    let doctor = || doctor(&scratch, "claude-code");
    has(
        doctor(),
        "WRONG Claude Code: the plugin does not start waynote: waynote@waynote",
    );
    let folder = scratch.home().join("market/waynote");
    let installed = json!({ "plugins": { "waynote@waynote": [{ "installPath": folder }] } });
    scratch.put(
        ".claude/plugins/installed_plugins.json",
        installed.to_string(),
    );
    assert_eq!(
        doctor(),
        "ok    Claude Code: the plugin waynote@waynote starts WAYNOTE"
    );
    scratch.ok("install claude-code");
    has(
        doctor(),
        "note  Claude Code: it has waynote by the plugin and by `install`",
    );
    // A program that has moved.
    let entry = folder.join("mcp/claude-code.json");
    let text = fs::read_to_string(&entry).unwrap();
    fs::write(
        &entry,
        text.replace(env!("CARGO_BIN_EXE_waynote"), "/gone/waynote"),
    )
    .unwrap();
    has(
        doctor(),
        "WRONG Claude Code: the plugin does not start waynote: /gone/waynote",
    );
}
