//! Completions in the real shells, with what the store has.

use std::process::Command;

use super::common::{Scratch, has, lacks};

/// The replies of bash for a line that ends at the cursor.
fn in_bash(scratch: &Scratch, line: &str) -> String {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_waynote"));
    let path = format!("{}:/usr/bin:/bin", program.parent().unwrap().display());
    let script = "source <(waynote completions bash)\nCOMP_LINE=\"$LINE\" COMP_POINT=${#LINE}\n_waynote\nprintf '%s\\n' \"${COMPREPLY[@]}\"";
    let output = Command::new("bash")
        .args(["--norc", "-c", script])
        .env_clear()
        .env("HOME", scratch.home())
        .env("PATH", path)
        .env("LINE", line)
        .current_dir(scratch.home().join("work"))
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn bash_completes_what_the_store_has() {
    let scratch = Scratch::new();
    let ask = |line: &str| in_bash(&scratch, line);
    assert_eq!(ask("waynote key show k").trim(), "");
    assert!(!scratch.store().exists(), "a completion makes no store");
    scratch.ok("key save flaky-tests one");
    scratch.ok("key save build two");
    scratch.ok("--agent painter key save blue three");
    scratch.ok("--session nightly log add here --type tip");
    scratch.ok("--session 'a night' log add here --type tip");
    scratch.ok("key save --at . zebra four");
    scratch.ok("key save zero five");
    scratch.ok("key delete zero");
    for (line, replies) in [
        ("waynote key show fl", "flaky-tests"),
        ("waynote --agent painter key show b", "blue"),
        // Readline has `agent:` as a word of its own.
        ("waynote show agent:default#f", "default#flaky-tests"),
        ("waynote edit fl", "flaky-tests"),
        ("waynote share fl", "flaky-tests"),
        ("waynote show z", "zebra"),
        ("waynote undo agent:default#z", "default#zero"),
        ("waynote answer a", r"a\ night"),
        ("waynote answer n", "nightly"),
        ("waynote loop --continue n", "nightly"),
        ("waynote --session n", "nightly"),
        ("waynote --agent pai", "painter"),
        ("waynote ans", "answer"),
    ] {
        assert_eq!(ask(line).trim_end(), replies, "{line}");
    }
    lacks(ask("waynote "), "loop-guard");
    // What cannot be read says nothing.
    scratch.put(".local/share/waynote/notes.db", "no store");
    assert_eq!(ask("waynote key show b").trim(), "");
}

#[test]
fn other_shells_can_read_theirs() {
    let scratch = Scratch::new();
    for shell in ["zsh", "fish"] {
        let text = scratch.ok(&format!("completions {shell}"));
        has(&text, "WAYNOTE_COMPLETE");
        let file = scratch.put("completions", &text);
        // Where the shell is there.
        let checked = Command::new(shell).arg("-n").arg(file).output();
        assert!(
            checked.is_err() || checked.unwrap().status.success(),
            "{shell}"
        );
    }
    has(scratch.ok("completions elvish"), "waynote");
}
