//! Telling whether an agent changed the working tree: HEAD, the index, and every file that git would not ignore.
//!
//! git is not run for it. `git status` runs what the repository's own configuration names (`core.fsmonitor`, filters,
//! hooks), and an agent can write that configuration. So the few files of git that matter are read here, and the tree is
//! walked.

mod git;
mod own;
mod walk;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod traps;

use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use walk::{PATIENCE, Walk, too_long};

pub use own::FileId;
pub(crate) use own::OwnFiles;
pub(crate) use walk::{Fingerprint, LookOptions};

/// The state of a working tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TreeState {
    /// There is no repository.
    NoRepository,
    Known(Fingerprint),
    /// There is one, and its state cannot be told: why.
    Unknown(String),
}

/// Stack for the walk: each level of folders takes some, and a path may have thousands.
const STACK_BYTES: usize = 32 * 1024 * 1024;

/// The state of the repository that a directory is in, without the files that the loop writes itself.
pub(crate) fn state(directory: &Path, looking: &LookOptions) -> TreeState {
    let mut above = directory.ancestors();
    let Some(root) = above.find(|folder| folder.join(".git").symlink_metadata().is_ok()) else {
        return TreeState::NoRepository;
    };
    let (root, looking) = (root.to_owned(), looking.clone());
    let (sender, receiver) = channel();
    // In a thread that can be abandoned: a file system may hang.
    let started = std::thread::Builder::new()
        .name("tree".into())
        .stack_size(STACK_BYTES)
        .spawn(move || {
            let walk = Walk::new(&looking, Instant::now() + PATIENCE);
            let _ = sender.send(walk.repository(&root));
        });
    if let Err(error) = started {
        return TreeState::Unknown(error.to_string());
    }
    match receiver.recv_timeout(PATIENCE + Duration::from_secs(1)) {
        Ok(Ok(fingerprint)) => TreeState::Known(fingerprint),
        Ok(Err(why)) => TreeState::Unknown(why),
        Err(RecvTimeoutError::Timeout) => TreeState::Unknown(too_long()),
        Err(RecvTimeoutError::Disconnected) => TreeState::Unknown("looking at it failed".into()),
    }
}
