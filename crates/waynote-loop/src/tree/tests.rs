use std::io::Write;
use std::process::Command;
use std::time::SystemTime;

use super::*;

/// Runs git in a folder; its words are separated by blanks.
fn git(folder: &Path, words: &str) {
    const USER: &str = "-c user.name=a -c user.email=a@example.org -c core.quotePath=true";
    let words = USER.split(' ').chain(words.split(' '));
    let mut git = Command::new("git");
    let output = git.args(words).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// A repository in a folder, with a commit.
fn repository(folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    git(folder, "init -q");
    git(folder, "commit -q --allow-empty -m first");
}

fn looking(own: &OwnFiles) -> LookOptions {
    LookOptions {
        own: own.clone(),
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
    git(&folder, "init -q");
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
    git(&folder, "add .");
    assert!(is_new("it is staged"));
    git(&folder, "commit -qm first");
    assert!(is_new("a commit"));
    git(&folder, "commit -q --allow-empty -m second");
    assert!(is_new("an empty commit"));
    std::fs::rename(&file, below.join("b")).unwrap();
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
    git(&tree, "init -q");
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
fn work_in_a_repository_within_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let (part, whole) = (folder.join("part"), folder.join("whole"));
    repository(&part);
    repository(&whole);
    let allow = "-c protocol.file.allow=always";
    git(
        &whole,
        &format!("{allow} submodule --quiet add ../part sub"),
    );
    git(&whole, "commit -qm submodule");
    git(&folder, "clone -q part whole/untracked");
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
            git(&inner, "add .");
            git(&inner, &format!("commit -qm {text}"));
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

#[test]
fn repositories_below_a_plain_folder_count() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let (one, two) = (folder.join("one"), folder.join("deep/er/two"));
    repository(&one);
    repository(&two);
    // One that is broken takes nothing from the others.
    let broken = folder.join("broken");
    std::fs::create_dir(&broken).unwrap();
    std::fs::write(broken.join(".git"), "gitdir: nowhere").unwrap();
    let state = || known(&folder, &OwnFiles::default());
    let before = state();
    assert_eq!(before.to_string(), "3 repositories, 0 files");
    git(&two, "commit -q --allow-empty -m second");
    let committed = state();
    assert_ne!(committed, before);
    std::fs::write(one.join("file"), "x").unwrap();
    assert_ne!(state(), committed);
}

#[test]
fn a_commit_elsewhere_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let tree = folder.join("tree");
    repository(&tree);
    for (name, how) in [("branch", "-bother"), ("detached", "--detach")] {
        git(&tree, &format!("worktree add -q {how} ../{name}"));
        let before = known(&tree, &OwnFiles::default());
        git(&folder.join(name), "commit -q --allow-empty -m second");
        assert_ne!(known(&tree, &OwnFiles::default()), before, "{name}");
    }
}

fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// What an agent plants in a tree holds nothing up, and leads nowhere else.
#[test]
fn pipes_devices_and_links_hold_nothing_up() {
    use std::os::unix::fs::symlink;

    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path().canonicalize().unwrap();
    git(&tree, "init -q");
    std::fs::create_dir(tree.join("deep")).unwrap();
    std::fs::write(tree.join("deep/file"), "one").unwrap();
    std::fs::write(tree.join("file"), "one").unwrap();
    git(&tree, "add .");
    git(&tree, "commit -qm first");
    let at = |name: &str| tree.join(name);
    std::fs::remove_file(at("file")).unwrap();
    fifo(&at("file"));
    fifo(&at("pipe"));
    symlink("/dev/zero", at("zero")).unwrap();
    symlink("/", at("all")).unwrap();
    std::fs::remove_dir_all(at("deep")).unwrap();
    symlink("/proc/self", at("deep")).unwrap();
    let large = std::fs::File::create(at("large")).unwrap();
    large.set_len(1 << 40).unwrap();
    let begin = Instant::now();
    known(&tree, &OwnFiles::default());
    assert!(begin.elapsed() < PATIENCE, "it waits");
    // One of git's own files is a pipe: the state cannot be told, and the look ends.
    fifo(&at(".gitignore"));
    let begin = Instant::now();
    let state = state(&tree, &looking(&OwnFiles::default()));
    assert_eq!(state, TreeState::Unknown(too_long()));
    assert!(begin.elapsed() < 4 * PATIENCE);
}

#[test]
fn an_entry_that_leads_out_leads_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let tree = folder.join("tree");
    std::fs::create_dir(&tree).unwrap();
    let options = looking(&OwnFiles::default());
    std::fs::write(folder.join("secret"), "one").unwrap();
    for name in ["../secret", "/etc/hostname", "..", "a/../../secret"] {
        let mut look = Look::new(&options, Instant::now() + PATIENCE);
        look.entry(&tree, name.as_bytes(), 1).unwrap();
        assert_eq!(look.files, 0, "{name}");
    }
}

#[test]
fn what_git_ignores_is_no_work_unless_it_is_tracked() {
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path().canonicalize().unwrap();
    git(&tree, "init -q");
    std::fs::write(tree.join("kept.log"), "x").unwrap();
    git(&tree, "add .");
    std::fs::write(tree.join(".gitignore"), "*.log\n").unwrap();
    let state = || known(&tree, &OwnFiles::default());
    let before = state();
    std::fs::write(tree.join("a.log"), "x").unwrap();
    assert_eq!(state(), before);
    std::fs::write(tree.join("kept.log"), "y").unwrap();
    assert_ne!(state(), before);
}
