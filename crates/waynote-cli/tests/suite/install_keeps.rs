//! A person's changes to our entries survive another installation, and their own text around the entries survives
//! uninstallation too.

use std::fs;

use serde_json::Value;

use super::client_files::{CLIENTS, run};
use super::common::Scratch;

/// An entry as a person made it their own, with the program where it was before.
const TAILORED: [(&str, &str, &str); 5] = [
    (
        "goose",
        ".config/goose/config.yaml",
        "extensions:\n  other:\n    enabled: true\n  # only at work\n  waynote:\n    name: notes\n    type: stdio\n    cmd: /old/waynote # by hand\n    args: [mcp, --tools, all]\n    envs: {WAYNOTE_AGENT: mine}\n    # asked for too often\n    enabled: false\n    timeout: 5\n\n    bundled: null\nGOOSE_MODE: auto\n",
    ),
    (
        "codex",
        ".codex/config.toml",
        "# only at work\n[mcp_servers.waynote] # ours\n# by hand\ncommand = '/old/waynote' # moved\nargs = [ 'mcp', '--tools', 'all' ]\nenabled = false\n\n[mcp_servers.waynote.env]\nWAYNOTE_AGENT = 'mine'\n",
    ),
    (
        "opencode",
        ".config/opencode/opencode.json",
        "{ \"mcp\": { \"waynote\": { \"enabled\": false, \"type\": \"local\", \"command\": [\"/old/waynote\" /* moved */, \"mcp\", \"--tools\", \"all\"] } } }",
    ),
    (
        "vscode",
        ".config/Code/User/mcp.json",
        "{ \"servers\": { \"waynote\": { \"command\": \"/old/waynote\", \"args\": [\"--store\", \"/x.db\", \"mcp\"] } } }",
    ),
    (
        "claude-code",
        ".claude/settings.json",
        "{ \"hooks\": { \"SessionStart\": [ { \"matcher\": \"startup\", \"hooks\": [ { \"command\": \"WAYNOTE_AGENT=mine '/old dir/waynote' hook claude-code SessionStart --budget 500\", \"timeout\": 3, \"type\": \"command\" } ] } ] } }",
    ),
];

#[test]
fn what_a_person_changed_in_our_entries_stays() {
    let program = env!("CARGO_BIN_EXE_waynote");
    for (client, name, text) in TAILORED {
        let scratch = Scratch::new();
        let file = scratch.put(name, text);
        run(&scratch, &format!("install {client}")).ok();
        let now = fs::read_to_string(&file).unwrap();
        // The program is where it is now; nothing else is touched.
        let expected = match client {
            "goose" => text.replace("/old/waynote", &format!("{program:?}")),
            "codex" => text.replace("'/old/waynote'", &format!("{program:?}")),
            "claude-code" => text.replace("'/old dir/waynote'", program),
            _ => text.replace("/old/waynote", program),
        };
        // A missing event is added, which moves blanks and braces. So the comparison ignores them.
        let bare = |text: &str| text.replace([' ', '\n'], "");
        let expected = bare(&expected);
        assert!(
            bare(&now).contains(expected.trim_end_matches('}')),
            "{client}: {now}"
        );
        let is_whole = ["goose", "codex"].contains(&client);
        assert!(!is_whole || bare(&now) == expected, "{client}: {now}");
        let again: Value = run(&scratch, &format!("install {client} --json")).json();
        for file in again["files"].as_array().unwrap() {
            assert_eq!(file["action"], "unchanged", "{file}");
        }
    }
}

#[test]
fn what_a_person_wrote_around_our_entries_stays() {
    for (client, name, before, written, after) in [
        (
            "codex",
            ".codex/config.toml",
            "model = \"o3\"\n",
            (
                "[mcp_servers.waynote]",
                "# my notes\n\n# more\n[mcp_servers.waynote]",
            ),
            "model = \"o3\"\n\n# my notes\n\n# more\n",
        ),
        (
            "goose",
            ".config/goose/config.yaml",
            "extensions: # all\n  a:\n    enabled: true\n",
            ("  waynote:", "  # my notes\n  waynote:"),
            "extensions: # all\n  # my notes\n  a:\n    enabled: true\n",
        ),
        (
            "cursor",
            ".cursor/mcp.json",
            "{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}\n",
            ("    \"waynote\"", "    // my notes\n    \"waynote\""),
            "{\n  \"mcpServers\": {\n    \"a\": {}\n    // my notes\n  }\n}\n",
        ),
    ] {
        let scratch = Scratch::new();
        let file = scratch.put(name, before);
        run(&scratch, &format!("install {client}")).ok();
        let installed = fs::read_to_string(&file).unwrap();
        let edited = installed.replace(written.0, written.1);
        assert_ne!(edited, installed);
        fs::write(&file, edited).unwrap();
        run(&scratch, &format!("uninstall {client}")).ok();
        assert_eq!(fs::read_to_string(&file).unwrap(), after, "{client}");
    }
}

/// A program with an unusual path is recognized.
#[test]
fn a_program_at_an_odd_path_is_known_again() {
    let scratch = Scratch::new();
    let bin = scratch.home().join("it's (my) \"hook\" hook dir $x");
    fs::create_dir(&bin).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_waynote"), bin.join("waynote")).unwrap();
    let odd = |words: &str| scratch.run(words).env("PATH", &bin);
    for client in CLIENTS {
        odd(&format!("install {client}")).ok();
        let again: Value = odd(&format!("install {client} --json")).json();
        for file in again["files"].as_array().unwrap() {
            assert_eq!(file["action"], "unchanged", "{file}");
        }
    }
    fs::remove_dir_all(scratch.home().join(".local")).unwrap();
    for client in CLIENTS {
        odd(&format!("uninstall {client}")).ok();
        let listed: Value = odd("install --json").json();
        let listed = listed.as_array().unwrap();
        let row = listed.iter().find(|row| row["client"] == client).unwrap();
        assert_eq!(row["user"], "-", "{row}");
    }
}

#[test]
fn an_option_of_a_hook_stays_until_another_is_named() {
    let scratch = Scratch::new();
    let path = scratch.home().join(".gemini/settings.json");
    let command = |words: &str| format!("{} {words}", env!("CARGO_BIN_EXE_waynote"));
    let commands = || {
        let text = std::fs::read_to_string(&path).unwrap();
        let file: serde_json::Value = serde_json::from_str(&text).unwrap();
        let mut hooks = file["hooks"].as_object().unwrap().clone();
        hooks.retain(|event, _| event == "BeforeAgent");
        let of = |(event, groups): (String, serde_json::Value)| {
            format!("{event}: {}", groups[0]["hooks"][0]["command"])
        };
        hooks.into_iter().map(of).collect::<Vec<_>>().join("; ")
    };
    run(&scratch, "install gemini").ok();
    let hook = |end: &str| {
        format!(
            "BeforeAgent: \"{}{end}\"",
            command("hook gemini BeforeAgent")
        )
    };
    assert_eq!(commands(), hook(" --no-search"));
    run(&scratch, "install gemini --every-prompt").ok();
    assert_eq!(commands(), hook(""));
    // The chosen option stays.
    run(&scratch, "install gemini").ok();
    assert_eq!(commands(), hook(""));
    run(&scratch, "uninstall gemini").ok();
    let left = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(!left.contains("waynote"), "{left}");
}
