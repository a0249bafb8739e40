//! Traps that an agent plants in a repository for every program that looks at it.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

use super::walk::{MAX_PATTERNS, Walk};
use super::{LookOptions, OwnFiles, TreeState, state};

fn looking() -> LookOptions {
    LookOptions {
        own: OwnFiles::default(),
        ignored: None,
        since: SystemTime::UNIX_EPOCH,
    }
}

fn git(folder: &Path, words: &[&str]) -> bool {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=a", "-c", "user.email=a@example.org"]);
    // The test's own git commands must not spring its traps.
    git.args([
        "-c",
        "core.fsmonitor=false",
        "-c",
        "core.hooksPath=/dev/null",
    ]);
    let output = git.args(words).current_dir(folder).output().unwrap();
    output.status.success()
}

fn fifo(path: &Path) {
    let _ = std::fs::remove_file(path);
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// A repository in which every setting that names a program names one that leaves a mark.
fn trapped(folder: &Path, mark: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    assert!(git(folder, &["init", "-q"]));
    std::fs::write(folder.join("file.x"), "one").unwrap();
    assert!(git(folder, &["add", "."]) && git(folder, &["commit", "-qm", "first"]));
    let trap = folder.join(".git/trap");
    let script = format!("#!/bin/sh\ntouch '{}'\ncat\n", mark.display());
    std::fs::write(&trap, script).unwrap();
    std::fs::set_permissions(&trap, PermissionsExt::from_mode(0o755)).unwrap();
    let trap = trap.to_str().unwrap();
    for name in [
        "core.fsmonitor",
        "core.sshCommand",
        "core.pager",
        "core.editor",
        "diff.external",
        "diff.x.textconv",
        "diff.x.command",
        "filter.x.clean",
        "filter.x.smudge",
        "merge.x.driver",
        "credential.helper",
        "gpg.program",
        "core.alternateRefsCommand",
        "submodule.sub.update",
        "alias.status",
    ] {
        assert!(git(folder, &["config", name, trap]), "{name}");
    }
    assert!(git(folder, &["config", "core.hooksPath", ".git"]));
    assert!(git(folder, &["config", "include.path", "more"]));
    let more = format!("[filter \"y\"]\n\tprocess = {trap}\n\tclean = {trap}\n");
    std::fs::write(folder.join(".git/more"), more).unwrap();
    std::fs::copy(trap, folder.join(".git/post-index-change")).unwrap();
    std::fs::create_dir_all(folder.join(".git/info")).unwrap();
    std::fs::write(folder.join(".git/info/attributes"), "*.x filter=x diff=x\n").unwrap();
    std::fs::write(folder.join(".gitattributes"), "*.y filter=y\n").unwrap();
    // As long as before, so that only the text differs.
    std::fs::write(folder.join("file.x"), "two").unwrap();
}

#[test]
fn nothing_that_a_repository_names_is_run() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let (mark, whole) = (folder.join("ran"), folder.join("whole"));
    trapped(&whole, &mark);
    trapped(&whole.join("nested"), &mark);
    std::fs::create_dir(whole.join("folder")).unwrap();
    trapped(&whole.join("folder/deep"), &mark);
    let _ = std::fs::remove_file(&mark);
    let TreeState::Known(before) = state(&whole, &looking()) else {
        panic!("it is a repository");
    };
    std::fs::write(whole.join("nested/file.x"), "six").unwrap();
    assert_ne!(state(&whole, &looking()), TreeState::Known(before));
    assert!(!mark.exists(), "something was run");
    // They are traps.
    for tree in [whole.join("nested"), whole] {
        let status = Command::new("git")
            .arg("status")
            .current_dir(&tree)
            .output();
        status.unwrap();
        assert!(mark.exists(), "nothing was run in {}", tree.display());
        std::fs::remove_file(&mark).unwrap();
    }
}

/// The state of a tree, which must come soon.
fn soon(tree: &Path) -> TreeState {
    let begin = Instant::now();
    let state = state(tree, &looking());
    assert!(begin.elapsed() < Duration::from_secs(4), "it waits");
    state
}

#[test]
fn pipes_devices_and_links_in_its_place_hold_nobody_up() {
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path().canonicalize().unwrap();
    assert!(git(&tree, &["init", "-q"]));
    std::fs::write(tree.join("file"), "one").unwrap();
    assert!(git(&tree, &["add", "."]) && git(&tree, &["commit", "-qm", "first"]));
    let at = |name: &str| -> PathBuf { tree.join(name) };
    for name in [
        ".gitignore",
        "pipe",
        ".git/index",
        ".git/packed-refs",
        ".git/commondir",
    ] {
        fifo(&at(name));
        assert!(matches!(soon(&tree), TreeState::Known(_)), "{name}");
    }
    std::fs::create_dir(at("folder")).unwrap();
    fifo(&at("folder/.git"));
    symlink("/dev/zero", at("folder/.gitignore")).unwrap();
    symlink("/dev/zero", at("zero")).unwrap();
    symlink("/", at("all")).unwrap();
    assert!(matches!(soon(&tree), TreeState::Known(_)));
    // A pattern that takes for ever, and one that is all of memory.
    std::fs::remove_file(at("folder/.gitignore")).unwrap();
    std::fs::write(at("folder/.gitignore"), format!("{}b\n", "*a".repeat(40))).unwrap();
    std::fs::write(at("folder").join("a".repeat(200)), "").unwrap();
    let large = std::fs::File::create(at("large")).unwrap();
    large.set_len(1 << 40).unwrap();
    assert!(matches!(soon(&tree), TreeState::Known(_)));
    fifo(&at(".git/HEAD"));
    assert!(matches!(soon(&tree), TreeState::Unknown(_)));
    std::fs::remove_dir_all(at(".git")).unwrap();
    fifo(&at(".git"));
    assert!(matches!(soon(&tree), TreeState::Unknown(_)));
}

/// A folder of many files and many patterns takes long by itself.
#[test]
fn a_walk_ends_at_its_time_within_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path().canonicalize().unwrap();
    assert!(git(&tree, &["init", "-q"]));
    let patterns: String = (0..MAX_PATTERNS / 2)
        .map(|number| format!("a*{number}x\n"))
        .collect();
    std::fs::write(tree.join(".gitignore"), patterns).unwrap();
    for number in 0..2000 {
        std::fs::write(tree.join(format!("aaaaaaaaaaaaaaaa{number}")), "").unwrap();
    }
    let looking = looking();
    let walk = Walk::new(&looking, Instant::now() + Duration::from_millis(50));
    assert_eq!(walk.repository(&tree).unwrap_err(), super::walk::too_long());
}

#[test]
fn more_patterns_than_can_be_matched_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path().canonicalize().unwrap();
    assert!(git(&tree, &["init", "-q"]));
    std::fs::create_dir(tree.join("folder")).unwrap();
    let patterns = |count: usize| "a\n".repeat(count);
    std::fs::write(tree.join(".gitignore"), patterns(MAX_PATTERNS)).unwrap();
    assert!(matches!(soon(&tree), TreeState::Known(_)));
    std::fs::write(tree.join("folder/.gitignore"), patterns(1)).unwrap();
    let TreeState::Unknown(why) = soon(&tree) else {
        panic!("they are not limited");
    };
    assert_eq!(
        why,
        "git's files of what to ignore have more than 10000 patterns"
    );
}

#[test]
fn a_packed_reference_behind_an_endless_line_is_not_looked_for() {
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path().canonicalize().unwrap();
    assert!(git(&tree, &["init", "-q"]));
    std::fs::write(tree.join(".git/HEAD"), "ref: refs/heads/main").unwrap();
    let commit = "0123456789012345678901234567890123456789";
    let packed = |before: &str| {
        let text = format!("{before}\n{commit} refs/heads/main\n");
        std::fs::write(tree.join(".git/packed-refs"), text).unwrap();
        match soon(&tree) {
            TreeState::Known(known) => known.to_string(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(packed("# pack-refs"), "HEAD 0123456, 0 files");
    assert_eq!(packed(&"x".repeat(100_000)), "no commit yet, 0 files");
}

#[test]
fn a_reference_names_no_file_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path().canonicalize().unwrap();
    assert!(git(&tree, &["init", "-q"]));
    let secret = "0123456789012345678901234567890123456789";
    std::fs::write(tree.join("secret"), secret).unwrap();
    for head in [
        "ref: refs/../../secret",
        "ref: ../secret",
        "ref: /etc/hostname",
        "words",
    ] {
        std::fs::write(tree.join(".git/HEAD"), head).unwrap();
        let TreeState::Known(known) = soon(&tree) else {
            panic!("{head}");
        };
        assert_eq!(known.to_string(), "no commit yet, 1 file", "{head}");
    }
}

#[test]
fn what_git_ignores_is_no_work() {
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path().canonicalize().unwrap();
    assert!(git(&tree, &["init", "-q"]));
    let write = |path: &str, text: &str| {
        let path = tree.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write(".gitignore", "*.log\n!kept.log\n/target/\n");
    write("part/.gitignore", "*.tmp\n/own\n");
    write(".git/info/exclude", "mine\n");
    let everywhere = tree.join(".git/everywhere");
    std::fs::write(&everywhere, "*.swp\n").unwrap();
    let looking = LookOptions {
        ignored: Some(everywhere),
        ..looking()
    };
    let mut last = state(&tree, &looking);
    let mut is_seen = |path: &str, text: &str| {
        write(path, text);
        let now = state(&tree, &looking);
        std::mem::replace(&mut last, now.clone()) != now
    };
    for path in [
        "a.log",
        "part/deep/a.log",
        "target/kept.log",
        "part/a.tmp",
        "part/own/file",
        "mine",
        "part/mine",
        "a.swp",
    ] {
        assert!(!is_seen(path, "x"), "{path}");
    }
    for path in ["kept.log", "part/target/a", "a.tmp", "part/deep/own", "own"] {
        assert!(is_seen(path, "x"), "{path}");
        // Written again as it was, it is nothing new.
        assert!(!is_seen(path, "x"), "{path}");
    }
}
