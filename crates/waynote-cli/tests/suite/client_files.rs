//! A home with realistic client files, and the changes that commands make to them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::common::{Run, Scratch};

pub(crate) const CLIENTS: [&str; 6] = [
    "claude-code",
    "codex",
    "cursor",
    "opencode",
    "gemini",
    "vscode",
];

/// Clients whose files are written as those of the others are.
pub(crate) const OTHERS: [&str; 10] = [
    "copilot", "qwen", "crush", "amp", "kiro", "zed", "windsurf", "cline", "roo", "junie",
];

/// Files as they are found: comments, odd blanks, other people's entries.
pub(crate) const FOUND: [(&str, &str); 8] = [
    (
        ".claude.json",
        "{\n  \"numStartups\": 12,\n  \"projects\": {\n    \"/home/u/p\": { \"allowedTools\": [] }\n  }\n}\n",
    ),
    (
        ".claude/settings.json",
        "{\n\t\"permissions\": { \"allow\": [\"Bash(ls:*)\"] },\n\t\"hooks\": {\n\t\t\"SessionStart\": [ { \"matcher\": \"startup\", \"hooks\": [ { \"type\": \"command\", \"command\": \"date\" } ] } ]\n\t}\n}",
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
        ".config/Code/User/mcp.json",
        "{\n    \"servers\": {\n        \"a\": { \"command\": \"a\" }\n    },\n    \"inputs\": []\n}\n",
    ),
];

pub(crate) fn found() -> Scratch {
    let scratch = Scratch::new();
    for (path, text) in FOUND {
        let path = scratch.home().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    scratch
}

/// Runs a command without any client on the path, even if this machine has one.
pub(crate) fn run(scratch: &Scratch, words: &str) -> Run {
    let bin = scratch.path("bin");
    if !bin.exists() {
        fs::create_dir(&bin).unwrap();
        // `doctor` runs hooks by it.
        symlink("/bin/sh", bin.join("sh")).unwrap();
    }
    scratch.run(words).env("PATH", bin)
}

/// The output of a command, with the program's path written as `WAYNOTE`.
pub(crate) fn said(scratch: &Scratch, words: &str) -> String {
    let said = run(scratch, words).said();
    said.replace(env!("CARGO_BIN_EXE_waynote"), "WAYNOTE")
}

/// Every file below home but waynote's own, by name.
pub(crate) fn files(scratch: &Scratch) -> Vec<(String, String)> {
    fn collect(folder: &Path, files: &mut Vec<(String, String)>, home: &Path) {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            let name = path.strip_prefix(home).unwrap().display().to_string();
            if name.starts_with(".local") {
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

/// Each file with its text in one line, the program's path written as `WAYNOTE`. opencode's plugin is left out.
pub(crate) fn written(scratch: &Scratch) -> String {
    let home = scratch.home().display().to_string();
    let line = |(name, text): (String, String)| {
        let text = text.replace(env!("CARGO_BIN_EXE_waynote"), "WAYNOTE");
        let text: Vec<&str> = text.split_whitespace().collect();
        format!("{name}: {}\n", text.join(" ")).replace(&home, "HOME")
    };
    let files = files(scratch).into_iter();
    let files = files.filter(|(name, text)| text != "folder" && !name.ends_with(".js"));
    files.map(line).collect()
}
