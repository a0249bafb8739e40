//! The working tree as far as it tells whether an agent did anything: HEAD, and every file that is not as HEAD has it.
//!
//! `git status` alone says of a file that it is changed, and says the same when it is changed once more. So the size and
//! the time of the last write of each file that it names count too.

use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use sha2::{Digest, Sha256};

/// A state of a working tree; equal ones are alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    hash: [u8; 32],
    /// The commit that HEAD is, in short; none before the first.
    head: Option<String>,
    changed: usize,
}

/// In words, for evidence.
impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(head) = &self.head else {
            return match self.changed {
                1 => f.write_str("no commit yet, 1 file"),
                many => write!(f, "no commit yet, {many} files"),
            };
        };
        write!(f, "HEAD {head}")?;
        match self.changed {
            0 => f.write_str(", nothing changed since"),
            1 => f.write_str(", 1 file changed since"),
            many => write!(f, ", {many} files changed since"),
        }
    }
}

/// What we write ourselves, which is no work of the agent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Own {
    /// These, all that is below them, and what a store has beside it (`notes.db-wal`); without symbolic links.
    paths: Vec<PathBuf>,
    /// Files by device and number: where our output is redirected to (`nohup.out`).
    files: Vec<(u64, u64)>,
}

impl Own {
    pub(crate) fn of(paths: &[&Path], outputs: &[&File]) -> Self {
        let outputs = outputs.iter().filter_map(|output| output.metadata().ok());
        Self {
            paths: paths.iter().filter_map(|path| resolved(path)).collect(),
            files: outputs
                .filter(std::fs::Metadata::is_file)
                .map(|file| (file.dev(), file.ino()))
                .collect(),
        }
    }

    fn holds(&self, path: &Path) -> bool {
        let file = std::fs::symlink_metadata(path);
        self.paths.iter().any(|own| is_of(path, own))
            || file.is_ok_and(|file| self.files.contains(&(file.dev(), file.ino())))
    }
}

/// The path without symbolic links, as far as it is there.
fn resolved(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    path.ancestors().find_map(|there| {
        let rest = path.strip_prefix(there).ok()?;
        let there = there.canonicalize().ok()?;
        Some(if rest.as_os_str().is_empty() {
            there
        } else {
            there.join(rest)
        })
    })
}

/// What is known of a working tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Tree {
    /// There is no repository.
    None,
    Known(Fingerprint),
    /// There is one, and git does not say: why.
    Unknown(String),
}

/// The longest that git may take. A tree on which it takes longer is not asked at every iteration.
const PATIENCE: Duration = Duration::from_secs(5);

/// The state of the repository that a directory is in, but for what is ours.
pub(crate) fn state(directory: &Path, own: &Own) -> Tree {
    // Nothing is started where there is no repository.
    let mut above = directory.ancestors();
    let Some(root) = above.find(|folder| folder.join(".git").exists()) else {
        return Tree::None;
    };
    match status(root).and_then(|status| fingerprint(root, &status, own)) {
        Ok(fingerprint) => Tree::Known(fingerprint),
        Err(why) => Tree::Unknown(why),
    }
}

/// What git says of the tree.
fn status(root: &Path) -> Result<Vec<u8>, String> {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(root.as_os_str())
        .args([
            "status",
            "--porcelain=v2",
            "--branch",
            "-z",
            "--untracked-files=all",
        ])
        // It may run beside the agent's own, and shall not be in its way.
        .env("GIT_OPTIONAL_LOCKS", "0")
        // A loop that one of git's hooks started: these name another repository.
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let git = command
        .spawn()
        .map_err(|error| format!("git cannot be started: {error}"))?;
    let process = rustix::process::Pid::from_child(&git);
    let (sender, receiver) = channel();
    let waiting = std::thread::spawn(move || drop(sender.send(git.wait_with_output())));
    let output = receiver.recv_timeout(PATIENCE);
    if output.is_err() {
        let _ = rustix::process::kill_process(process, rustix::process::Signal::KILL);
    }
    let _ = waiting.join();
    match output {
        Ok(Ok(output)) if output.status.success() => Ok(output.stdout),
        Ok(Ok(output)) => {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            Err(said.lines().next().unwrap_or("git failed").to_owned())
        }
        Ok(Err(error)) => Err(format!("git cannot be read: {error}")),
        Err(_) => Err(format!("git took longer than {} s", PATIENCE.as_secs())),
    }
}

fn fingerprint(root: &Path, status: &[u8], own: &Own) -> Result<Fingerprint, String> {
    let root = root.canonicalize().map_err(|error| error.to_string())?;
    let mut hash = Sha256::new();
    let (mut head, mut changed) = (None, 0);
    let mut fields = status
        .split(|byte| *byte == 0)
        .filter(|field| !field.is_empty());
    while let Some(field) = fields.next() {
        if let Some(commit) = field.strip_prefix(b"# branch.oid ") {
            head = Some(String::from_utf8_lossy(commit).chars().take(7).collect());
            head = head.filter(|head: &String| head != "(initia");
            hash.update(commit);
            continue;
        }
        if field.starts_with(b"#") {
            continue;
        }
        // A renamed file's old name is a field of its own.
        let old = field.starts_with(b"2 ").then(|| fields.next()).flatten();
        let Some(path) = path_of(field) else { continue };
        let path = root.join(OsStr::from_bytes(path));
        if own.holds(&path) {
            continue;
        }
        changed += 1;
        for part in [field, old.unwrap_or_default(), &written(&path)] {
            hash.update(part);
            hash.update([0]);
        }
        // A submodule, or a repository that is not tracked: of what changes in it the outer one says only that it does.
        if path.join(".git").exists()
            && let Tree::Known(inner) = state(&path, own)
        {
            hash.update(inner.hash);
        }
    }
    Ok(Fingerprint {
        hash: hash.finalize().into(),
        head,
        changed,
    })
}

/// The path in an entry: behind as many blanks as its kind has fields.
fn path_of(entry: &[u8]) -> Option<&[u8]> {
    let fields = match entry.first()? {
        b'1' => 8,
        b'2' => 9,
        b'u' => 10,
        b'?' | b'!' => 1,
        _ => return None,
    };
    entry.splitn(fields + 1, |byte| *byte == b' ').nth(fields)
}

/// What the store's files beside it end in.
const BESIDE: [&[u8]; 4] = [b"-wal", b"-shm", b"-journal", b"-lock"];

/// Whether a path is one of ours: it, below it, or a file of the store (`notes.db-wal`).
fn is_of(path: &Path, own: &Path) -> bool {
    let rest = path.as_os_str().as_bytes();
    let rest = rest.strip_prefix(own.as_os_str().as_bytes());
    path.starts_with(own) || rest.is_some_and(|rest| BESIDE.contains(&rest))
}

/// Size and time of the last write of what lies there; nothing of what does not.
fn written(path: &Path) -> Vec<u8> {
    match std::fs::symlink_metadata(path) {
        Ok(file) => format!("{} {} {}", file.size(), file.mtime(), file.mtime_nsec()).into_bytes(),
        Err(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

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

    fn known(directory: &Path, own: &Own) -> Fingerprint {
        match state(directory, own) {
            Tree::Known(fingerprint) => fingerprint,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn whatever_changes_is_seen_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        let below = folder.join("below");
        std::fs::create_dir(&below).unwrap();
        assert_eq!(self::state(&below, &Own::default()), Tree::None);
        git(&folder, &["init", "-q"]);
        let own = Own::of(&[&below.join("notes.db")], &[]);
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
        let own = Own::of(&[&store, &logs], &[&printed]);
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
            let of = |tree: &Path, own: &Path| known(tree, &Own::of(&[own], &[]));
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
            let state = || known(&whole, &Own::default());
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
        let Tree::Unknown(why) = state(folder.path(), &Own::default()) else {
            panic!("it is one");
        };
        assert!(why.contains("nowhere"), "{why}");
    }
}
