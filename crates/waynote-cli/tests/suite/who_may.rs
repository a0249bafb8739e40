//! Access rights: the answers of `docs/security.md` that no other test shows.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::common::{Scratch, has};
use super::loop_stops::looping;
use super::mcp_client::Client;

#[test]
fn agents_are_not_isolated_from_each_other() {
    let scratch = Scratch::new();
    scratch.ok("--agent victim --author agent:victim key save plan mine");
    let mut client = Client::start(&scratch, "--agent other mcp");
    let address = json!({ "address": "agent:victim#plan" });
    assert!(client.call("note_show", address.clone()).contains("mine"));
    client.call("note_delete", address);
    assert_eq!(scratch.ok("--agent victim key count"), "0\n");
    // The history keeps the removed text, and the author of the removal.
    let history = scratch.ok("history agent:victim#plan");
    has(&history, "delete");
    has(&history, "agent:other");
    scratch.ok("restore agent:victim#plan@1");
    assert_eq!(scratch.ok("--agent victim key show plan"), "mine");
}

#[test]
fn an_author_is_a_claim() {
    let scratch = Scratch::new();
    scratch.ok("--author agent:somebody-else key save k text");
    has(scratch.ok("history agent:default#k"), "agent:somebody-else");
}

#[test]
fn notes_are_on_the_disk_as_they_are() {
    let scratch = Scratch::new();
    scratch.ok("key save k canary-in-plain");
    let mut bytes = fs::read(scratch.store()).unwrap();
    bytes.extend(fs::read(scratch.store().with_extension("db-wal")).unwrap_or_default());
    let needle = b"canary-in-plain";
    assert!(bytes.windows(needle.len()).any(|part| part == needle));
}

/// Every file below a folder, with its mode.
fn modes(folder: &Path) -> Vec<(PathBuf, u32)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let about = entry.metadata().unwrap();
        match about.is_dir() {
            true => all.extend(modes(&entry.path())),
            false => all.push((entry.path(), about.permissions().mode() & 0o777)),
        }
    }
    all
}

#[test]
fn no_other_user_may_read_a_file_with_notes() {
    let scratch = Scratch::new();
    scratch.ok("key save k text");
    scratch.run("install claude-code").ok();
    let logs = scratch.home().join("logs");
    let options = format!("--iterations 1 --logs {}", logs.display());
    looping(&scratch, &options, "echo said").ok();
    let hook = scratch.run("hook claude-code SessionStart");
    hook.stdin(r#"{"session_id":"s","source":"startup"}"#).ok();
    let (local, mut seen) = (scratch.home().join(".local"), BTreeSet::new());
    for (file, mode) in modes(&local).into_iter().chain(modes(&logs)) {
        assert_eq!(mode & 0o077, 0, "{} has mode {mode:o}", file.display());
        let parts = [file.extension(), file.parent().and_then(Path::file_name)];
        seen.extend(parts.into_iter().flatten().map(OsStr::to_owned));
    }
    // The store, the copies of clients' files, the ledgers of delivered notes, the output of agents.
    for of in ["db", "installed", "delivered", "log"] {
        assert!(seen.contains(OsStr::new(of)), "{of}: {seen:?}");
    }
}

#[test]
fn a_project_brings_no_settings() {
    let scratch = Scratch::new();
    let project = scratch.home().join("work");
    let before = scratch.run("config --json").cwd(&project).ok();
    let (settings, variables) = ("budget = 1\nstore = \"evil.db\"\n", "WAYNOTE_BUDGET=1\n");
    for (file, text) in [
        ("waynote.toml", settings),
        (".waynote/config.toml", settings),
        (".config/waynote/config.toml", settings),
        (".env", variables),
    ] {
        scratch.put(&format!("work/{file}"), text);
    }
    assert_eq!(scratch.run("config --json").cwd(&project).ok(), before);
}

/// `docs/security.md` names a test for each answer: `tests of FILE`, the name of a function in a file.
#[test]
fn each_answer_names_a_test_that_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/security.md")).unwrap();
    let mut checked = 0;
    for line in page
        .lines()
        .filter(|line| line.starts_with("| ") && line.contains(".rs`"))
    {
        let shown_by = line.trim_end_matches(" |").rsplit(" | ").next().unwrap();
        let named: Vec<&str> = shown_by.split('`').skip(1).step_by(2).collect();
        for pair in named.chunks(2) {
            let [test, file] = pair else {
                panic!("{shown_by}")
            };
            let text = fs::read_to_string(root.join("crates").join(file));
            let text = text.unwrap_or_else(|error| panic!("{file}: {error}"));
            assert!(
                text.contains(&format!("fn {test}(")),
                "{file} has no test `{test}`"
            );
            checked += 1;
        }
    }
    assert!(checked >= 20, "only {checked} tests are named");
}
