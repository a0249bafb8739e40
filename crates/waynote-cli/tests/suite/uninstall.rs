//! Clients' files are as they were before, to the byte.

use std::fs;

use super::client_files::{CLIENTS, OTHERS, files, found, run};
use super::common::Scratch;

#[test]
fn uninstalling_puts_every_byte_back() {
    let odd = found();
    for name in [".claude.json", ".codex/config.toml"] {
        let file = odd.home().join(name);
        let text = fs::read_to_string(&file).unwrap();
        // As an editor of Windows may leave it: with a mark at its beginning, and no end of the last line.
        fs::write(&file, format!("\u{feff}{}", text.trim_end())).unwrap();
    }
    for scratch in [found(), odd, Scratch::new()] {
        for reach in ["", " --project"] {
            fs::create_dir_all(scratch.home().join(".local/share")).unwrap();
            let before = files(&scratch);
            // They have no files of a project.
            let has_none = ["windsurf", "cline"];
            let has_files = |client: &&str| reach.is_empty() || !has_none.contains(client);
            let clients = CLIENTS.into_iter().chain(OTHERS);
            for client in clients.clone().filter(has_files) {
                run(&scratch, &format!("install {client}{reach}")).ok();
            }
            assert_ne!(files(&scratch), before);
            // Backwards, since the first made folders that the later ones use.
            for client in clients.rev() {
                run(&scratch, &format!("uninstall {client}{reach}")).ok();
            }
            assert_eq!(files(&scratch), before);
        }
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
    Gemini CLI runs without waynote from its next session; the notes stay in HOME/.local/share/waynote/notes.db
    Gemini CLI runs without waynote from its next session; the notes stay in HOME/.local/share/waynote/notes.db
    these files have no entries of waynote
    ");
}
