use std::io::Write;
use std::process::Command;
use std::time::SystemTime;

use super::*;

fn git(folder: &Path, words: &[&str]) {
    let mut git = Command::new("git");
    git.args([
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@example.org",
        "-c",
        "core.quotePath=true",
    ]);
    let output = git.args(words).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{words:?}: {output:?}");
}

fn looking(own: &OwnFiles) -> LookOptions {
    LookOptions {
        own: own.clone(),
        ignored: None,
        since: SystemTime::UNIX_EPOCH,
    }
}

fn known(directory: &Path, own: &OwnFiles) -> Fingerprint {
    match state(directory, &looking(own)) {
        TreeState::Known(fingerprint) => fingerprint,
        other => panic!("{other:?}"),
    }
}

#[test]
fn whatever_changes_is_seen_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let below = folder.join("below");
    std::fs::create_dir(&below).unwrap();
    assert_eq!(
        self::state(&below, &looking(&OwnFiles::default())),
        TreeState::NoRepository
    );
    git(&folder, &["init", "-q"]);
    let own = OwnFiles::of(&[&below.join("notes.db")], &[]);
    let state = || known(&below, &own);
    assert_eq!(state().to_string(), "no commit yet, 0 files");
    let mut last = state();
    let mut is_new = |what: &str| {
        let now = state();
        let is_new = now != last;
        assert_eq!(now, state(), "{what}");
        last = now;
        is_new
    };
    let file = folder.join("a file\nwith ü");
    std::fs::write(&file, "one").unwrap();
    assert!(is_new("an untracked file"));
    std::fs::write(&file, "two!").unwrap();
    assert!(is_new("the same file once more"));
    git(&folder, &["add", "."]);
    assert!(is_new("it is staged"));
    git(&folder, &["commit", "-qm", "first"]);
    assert!(is_new("a commit"));
    git(&folder, &["commit", "-q", "--allow-empty", "-m", "second"]);
    assert!(is_new("an empty commit"));
    git(&folder, &["mv", "a file\nwith ü", "below/b"]);
    assert!(is_new("a rename"));
    std::fs::write(below.join("b"), "three").unwrap();
    assert!(is_new("a change of what was renamed"));
    std::fs::remove_file(below.join("b")).unwrap();
    assert!(is_new("it is gone"));
    for name in ["notes.db", "notes.db-wal", "notes.db-lock"] {
        std::fs::write(below.join(name), "ours").unwrap();
    }
    assert!(!is_new("what we write ourselves"));
    std::fs::write(below.join("notes.db.md"), "theirs").unwrap();
    assert!(is_new("what is only called alike"));
    assert!(!is_new("nothing"));
}

#[test]
fn what_we_write_is_ours_by_whatever_path() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let tree = folder.join("tree");
    std::fs::create_dir(&tree).unwrap();
    std::os::unix::fs::symlink(&tree, folder.join("link")).unwrap();
    git(&tree, &["init", "-q"]);
    let (store, logs) = (folder.join("link/notes.db"), folder.join("link/logs/all"));
    let printed = std::fs::File::create(tree.join("nohup.out")).unwrap();
    let own = OwnFiles::of(
        &[&store, &logs],
        &FileId::of(&printed).map_or(vec![], |id| vec![id]),
    );
    let state = || known(&tree, &own);
    let before = state();
    std::fs::write(&store, "ours").unwrap();
    std::fs::create_dir_all(&logs).unwrap();
    std::fs::write(logs.join("1.log"), "ours").unwrap();
    (&printed).write_all(b"said").unwrap();
    assert_eq!(state(), before);
    std::fs::write(tree.join("work"), "the agent's").unwrap();
    assert_ne!(state(), before);
}

#[test]
fn what_is_ours_is_known_through_links() {
    let folder = tempfile::tempdir().unwrap();
    let (real, link) = (folder.path().join("real"), folder.path().join("link"));
    std::fs::create_dir_all(real.join("log")).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    git(&real, &["init", "-q"]);
    let state = || {
        let of = |tree: &Path, own: &Path| known(tree, &OwnFiles::of(&[own], &[]));
        let through_link = of(&link, &real.join("log"));
        assert_eq!(through_link, of(&real, &link.join("log")));
        through_link.to_string()
    };
    std::fs::write(real.join("log/1"), "ours").unwrap();
    assert_eq!(state(), "no commit yet, 0 files");
    std::fs::write(real.join("login.rs"), "theirs").unwrap();
    assert_eq!(state(), "no commit yet, 1 file");
}

#[test]
fn work_in_a_repository_within_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let (part, whole) = (folder.join("part"), folder.join("whole"));
    for tree in [&part, &whole] {
        std::fs::create_dir(tree).unwrap();
        git(tree, &["init", "-q"]);
        git(tree, &["commit", "-q", "--allow-empty", "-m", "first"]);
    }
    let allow = "protocol.file.allow=always";
    git(
        &whole,
        &["-c", allow, "submodule", "--quiet", "add", "../part", "sub"],
    );
    git(&whole, &["commit", "-qm", "with a submodule"]);
    git(&folder, &["clone", "-q", "part", "whole/untracked"]);
    for inner in ["sub", "untracked"].map(|inner| whole.join(inner)) {
        let state = || known(&whole, &OwnFiles::default());
        let mut last = state();
        let mut is_new = || {
            let now = state();
            std::mem::replace(&mut last, now.clone()) != now
        };
        for text in ["one", "two!"] {
            std::fs::write(inner.join("file"), text).unwrap();
            assert!(is_new(), "{text} in {inner:?}");
            git(&inner, &["add", "."]);
            git(&inner, &["commit", "-qm", text]);
            assert!(is_new(), "a commit of {text} in {inner:?}");
        }
        assert!(!is_new(), "nothing in {inner:?}");
    }
}

#[test]
fn a_repository_that_is_none_says_why() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(".git"), "gitdir: nowhere").unwrap();
    let TreeState::Unknown(why) = state(folder.path(), &looking(&OwnFiles::default())) else {
        panic!("it is one");
    };
    assert!(why.contains("nowhere"), "{why}");
}
