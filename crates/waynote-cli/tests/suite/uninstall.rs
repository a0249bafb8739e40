//! Restores clients' files, even if others have written to them meanwhile.

use std::fs;

use proptest::prelude::*;

use super::client_files::{CLIENTS, FOUND, files, found, run};
use super::common::Scratch;

#[test]
fn uninstalling_puts_every_byte_back() {
    for scratch in [found(), Scratch::new()] {
        for reach in ["", " --project"] {
            fs::create_dir_all(scratch.home().join(".local/share")).unwrap();
            let before = files(&scratch);
            // Goose has no files of a project.
            let has_files = |client: &&str| reach.is_empty() || *client != "goose";
            for client in CLIENTS.iter().filter(|client| has_files(client)) {
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

/// Parts of files in each format, that can follow one another in any choice.
fn parts(client: &str) -> (&'static str, Vec<&'static str>) {
    match client {
        "codex" => (
            ".codex/config.toml",
            vec![
                "a = 1 # kept\n",
                "\n",
                "# kept\n",
                "[mcp_servers.other]\ncommand = 'x'\n",
                "[tui]\nb = \"\"\"\n# text\n\"\"\"\n",
                "# at the end",
            ],
        ),
        "goose" => (
            ".config/goose/config.yaml",
            vec![
                "# kept\n",
                "a: 1\n",
                "extensions: {}\n",
                "\n",
                "list:\n- a\n",
                "# at the end",
            ],
        ),
        _ => (
            ".claude.json",
            vec![
                "// kept\n",
                "\n",
                "{ \"a\": [1,\n2],",
                " /* kept */",
                " \"mcpServers\" : { },\n",
                "}",
            ],
        ),
    }
}

/// The output names installations that are left, and the path of the notes.
#[test]
fn what_is_left_is_said() {
    let scratch = Scratch::new();
    let last = |words: &str| {
        let said = run(&scratch, words).ok();
        let said = said.replace(&*scratch.home().to_string_lossy(), "HOME");
        said.lines().last().unwrap().to_owned() + "\n"
    };
    run(&scratch, "install gemini").ok();
    run(&scratch, "install gemini --project").ok();
    let mut seen = last("uninstall gemini --dry-run");
    seen += &last("uninstall gemini");
    seen += &last("uninstall gemini --project");
    seen += &last("uninstall gemini");
    insta::assert_snapshot!(seen, @"
    nothing was written: this was a dry run
    Gemini CLI still has waynote from this directory's files: `waynote uninstall gemini --project` removes it there
    Gemini CLI runs without waynote from its next session; the notes stay in HOME/.local/share/waynote/notes.db
    these files have no entries of waynote
    ");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]
    #[test]
    fn whatever_a_file_held_comes_back(
        client in prop::sample::select(vec!["codex", "goose", "claude-code"]),
        taken in prop::collection::vec(any::<bool>(), 6),
        has_mark in any::<bool>(),
        is_windows in any::<bool>(),
        says_more in any::<bool>(),
    ) {
        let (name, parts) = parts(client);
        let mut text: String = parts.iter().zip(taken).filter(|(_, taken)| *taken).map(|(part, _)| *part).collect();
        if is_windows {
            text = text.replace('\n', "\r\n");
        }
        if has_mark {
            text.insert(0, '\u{feff}');
        }
        let scratch = Scratch::new();
        let file = scratch.home().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, &text).unwrap();
        let installed = run(&scratch, &format!("install {client}")).output();
        if !installed.status.success() {
            // An unreadable file is left as it is.
            prop_assert_eq!(fs::read_to_string(&file).unwrap(), text);
            return Ok(());
        }
        let now = fs::read_to_string(&file).unwrap();
        prop_assert!(now.contains("WAYNOTE_AUTHOR"));
        let comment = if client == "claude-code" { "\n// more\n" } else { "\n# more\n" };
        if says_more {
            fs::write(&file, format!("{now}{comment}")).unwrap();
        }
        run(&scratch, &format!("uninstall {client}")).ok();
        let back = fs::read_to_string(&file).unwrap();
        if says_more {
            prop_assert!(back.ends_with(comment), "{now}\n---\n{back}");
            prop_assert_eq!(back.matches("kept").count(), text.matches("kept").count());
            prop_assert!(!back.contains("WAYNOTE_AUTHOR"));
        } else {
            prop_assert_eq!(back, text);
        }
    }
}
