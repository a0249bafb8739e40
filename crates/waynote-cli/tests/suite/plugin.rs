//! `waynote plugin`: what the folder holds, and that a plugin and `install` are one to a session.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::common::{Scratch, fields, has, lacks};

fn read(folder: &Path, path: &str) -> Value {
    let text = fs::read_to_string(folder.join(path)).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn every_client_gets_what_install_would_enter() {
    let scratch = Scratch::new();
    let folder = scratch.home().join("market");
    let said = scratch.json("--json --agent night plugin ../market");
    for file in said["files"].as_array().unwrap() {
        let file = file.as_str().unwrap();
        assert!(folder.join(file).is_file(), "{file}");
        if file.ends_with(".json") {
            read(&folder, file);
        }
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
        let hook = format!("{own} --agent night hook {client} SessionStart");
        has(hooks.to_string(), hook);
        let server = read(&folder, &format!("waynote/mcp/{client}.json"));
        let server = &server["mcpServers"]["waynote"];
        assert_eq!(
            fields(server, "command args env/WAYNOTE_AUTHOR"),
            format!(r#"{own} ["--agent","night","mcp"] agent:{client}"#)
        );
    }
    scratch.ok("--agent night install gemini");
    let extension = read(&folder, "gemini/waynote/gemini-extension.json");
    let hooks = read(&folder, "gemini/waynote/hooks/hooks.json");
    let settings = read(&scratch.home(), ".gemini/settings.json");
    let command = "mcpServers/waynote/command";
    assert_eq!(fields(&extension, command), fields(&settings, command));
    assert_eq!(hooks["hooks"], settings["hooks"]);
    // Antigravity reads hooks only at the root, below a name of their own.
    let hooks = read(&folder, "antigravity/waynote/hooks.json");
    let hook = hooks["waynote"]["PreInvocation"][0]["command"].as_str();
    let expected = format!("{own} --agent night hook antigravity PreInvocation --no-search");
    assert_eq!(hook, Some(&*expected));
    // opencode's package has its entries in a program.
    scratch.ok("--agent night install opencode");
    let text = |path: &str| fs::read_to_string(scratch.home().join(path)).unwrap();
    let installed = read(&scratch.home(), ".config/opencode/opencode.json");
    let server = format!("const server = {:#};", installed["mcp"]);
    has(text("market/opencode/waynote/index.js"), server);
    let installed = text(".config/opencode/plugins/waynote.js");
    let notes = text("market/opencode/waynote/waynote.js");
    assert_eq!(installed.split_once('\n').unwrap().1, notes);
    // A manifest names only files that are there.
    let folder = folder.join("waynote");
    for manifest in [".claude-plugin", ".codex-plugin", "."] {
        let manifest = read(&folder, &format!("{manifest}/plugin.json"));
        for part in ["hooks", "mcpServers"] {
            let path = folder.join(manifest[part].as_str().unwrap());
            assert!(path.is_file(), "{}", path.display());
        }
        assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    }
}

#[test]
fn a_skill_fits_a_page_and_commands_name_the_program() {
    let scratch = Scratch::new();
    scratch.ok("plugin ../market");
    let folder = scratch.home().join("market/waynote");
    let text = |path: &str| fs::read_to_string(folder.join(path)).unwrap();
    let skill = text("skills/waynote/SKILL.md");
    assert!(skill.lines().count() <= 40 && skill.starts_with("---\nname: waynote\ndescription: "));
    assert!(skill.lines().nth(2).unwrap().len() <= 1024);
    let own = env!("CARGO_BIN_EXE_waynote");
    let allowed = format!("allowed-tools: Bash({own} why:*)");
    has(text("commands/why.md"), allowed);
    has(text("commands/note.md"), "$ARGUMENTS");
}

#[test]
fn a_folder_of_somebody_elses_is_refused() {
    let scratch = Scratch::new();
    scratch.put("work/mine/a.txt", "mine");
    let said = scratch.run("plugin mine").said();
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
    let lines = said.replace(env!("CARGO_BIN_EXE_waynote"), "WAYNOTE");
    let parts = ["plugin", "WRONG", "has no tools"];
    let lines = lines
        .lines()
        .filter(|line| parts.iter().any(|part| line.contains(part)));
    lines.collect::<Vec<_>>().join("\n")
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
    let events = "session_start subagent_start user_prompt_submit pre_tool_use post_tool_use";
    for event in events.split(' ') {
        let key = format!("waynote@waynote:hooks/codex.json:{event}:0:0");
        trusted += &format!("[hooks.state.\"{key}\"]\ntrusted_hash = \"sha256:0\"\n");
    }
    scratch.put(".codex/config.toml", &trusted);
    assert!(!doctor(&scratch, "codex").contains("WRONG"));
    // One that is switched off brings nothing.
    scratch.put(".codex/config.toml", CODEX.replace("true", "false"));
    lacks(doctor(&scratch, "codex"), "plugin");
}

#[test]
fn doctor_knows_the_plugin_of_claude_code() {
    let scratch = Scratch::new();
    scratch.ok("plugin ../market");
    let settings = |text: &str| scratch.put(".claude/settings.json", text);
    settings(r#"{ "enabledPlugins": { "waynote@waynote": true } }"#);
    let doctor = || doctor(&scratch, "claude-code");
    let wrong = "WRONG Claude Code: the plugin does not start waynote: ";
    has(doctor(), format!("{wrong}waynote@waynote"));
    let folder = scratch.home().join("market/waynote");
    let installed = json!({ "plugins": { "waynote@waynote": [{ "installPath": folder }] } });
    let installed = installed.to_string();
    scratch.put(".claude/plugins/installed_plugins.json", installed);
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
    let moved = text.replace(env!("CARGO_BIN_EXE_waynote"), "/gone/waynote");
    fs::write(&entry, moved).unwrap();
    has(doctor(), format!("{wrong}/gone/waynote"));
}
