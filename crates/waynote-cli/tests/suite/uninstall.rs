//! Clients' files put back, whoever has written to them meanwhile.

use std::fs;

use super::client_files::{CLIENTS, FOUND, files, found, run};
use super::common::Scratch;

#[test]
fn uninstalling_puts_every_byte_back() {
    for scratch in [found(), Scratch::new()] {
        for reach in ["", " --project"] {
            fs::create_dir_all(scratch.home().join(".local/share")).unwrap();
            let before = files(&scratch);
            for client in CLIENTS {
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
