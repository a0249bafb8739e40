//! The working tree as far as it tells whether an agent did anything: HEAD, the index, and every file that git would not
//! ignore.
//!
//! Nothing is run for it. `git status` runs what the repository's own configuration names (`core.fsmonitor`, filters, hooks), and
//! that is the agent's to write. So the few files of git that matter are read here, and the tree is walked.

mod git;
mod walk;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod traps;

use std::fmt;
use std::fs::{File, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant, SystemTime};

use git::Head;
use walk::Walk;

/// A state of a working tree; equal ones are alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    hash: [u8; 32],
    head: Head,
    files: usize,
}

/// In words, for evidence.
impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.head {
            Head::Commit(commit) => write!(f, "HEAD {commit}, ")?,
            Head::Unborn => f.write_str("no commit yet, ")?,
            Head::Elsewhere => {}
        }
        match self.files {
            1 => f.write_str("1 file"),
            many => write!(f, "{many} files"),
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
                .filter(Metadata::is_file)
                .map(|file| (file.dev(), file.ino()))
                .collect(),
        }
    }

    fn holds(&self, path: &Path, what: &Metadata) -> bool {
        self.paths.iter().any(|own| is_of(path, own))
            || self.files.contains(&(what.dev(), what.ino()))
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

/// What the store's files beside it end in.
const BESIDE: [&[u8]; 4] = [b"-wal", b"-shm", b"-journal", b"-lock"];

/// Whether a path is one of ours: it, below it, or a file of the store (`notes.db-wal`).
fn is_of(path: &Path, own: &Path) -> bool {
    let rest = path.as_os_str().as_bytes();
    let rest = rest.strip_prefix(own.as_os_str().as_bytes());
    path.starts_with(own) || rest.is_some_and(|rest| BESIDE.contains(&rest))
}

/// What is known of a working tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Tree {
    /// There is no repository.
    None,
    Known(Fingerprint),
    /// There is one, and its state cannot be told: why.
    Unknown(String),
}

/// How a tree is looked at.
#[derive(Clone, Debug)]
pub(crate) struct Looking {
    pub(crate) own: Own,
    /// The person's own file of what git ignores everywhere.
    pub(crate) ignored: Option<PathBuf>,
    /// Files that were written since then are told apart by what they say, others by when they were written: a file that is
    /// written again as it was is no work.
    pub(crate) since: SystemTime,
}

/// The longest that a look may take. A tree that takes longer is not looked at in every iteration.
const PATIENCE: Duration = Duration::from_secs(5);

/// A folder in a folder takes some of the stack, and a path may have thousands.
const STACK_BYTES: usize = 32 * 1024 * 1024;

/// The state of the repository that a directory is in, but for what is ours.
pub(crate) fn state(directory: &Path, looking: &Looking) -> Tree {
    let mut above = directory.ancestors();
    let Some(root) = above.find(|folder| folder.join(".git").symlink_metadata().is_ok()) else {
        return Tree::None;
    };
    let (root, looking) = (root.to_owned(), looking.clone());
    let (sender, receiver) = channel();
    // In a thread that can be left behind: a file system may stand still.
    let started = std::thread::Builder::new()
        .name("tree".into())
        .stack_size(STACK_BYTES)
        .spawn(move || {
            let walk = Walk::new(&looking, Instant::now() + PATIENCE);
            let _ = sender.send(walk.repository(&root));
        });
    if let Err(error) = started {
        return Tree::Unknown(error.to_string());
    }
    match receiver.recv_timeout(PATIENCE + Duration::from_secs(1)) {
        Ok(Ok(fingerprint)) => Tree::Known(fingerprint),
        Ok(Err(why)) => Tree::Unknown(why),
        Err(RecvTimeoutError::Timeout) => Tree::Unknown(too_long()),
        Err(RecvTimeoutError::Disconnected) => Tree::Unknown("looking at it failed".into()),
    }
}

fn too_long() -> String {
    format!("looking at it took longer than {} s", PATIENCE.as_secs())
}
