//! Telling whether an agent changed something: the commits and references of its repository, and every file that git does
//! not ignore. Outside of a repository, those below count.
//!
//! git says the names ([`waynote_system::git`]); files are looked at here, because git would run filters that the
//! repository names, and an agent can write those.

mod look;
mod own;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use look::Look;

pub(crate) use look::{Fingerprint, LookOptions};
pub use own::FileId;
pub(crate) use own::OwnFiles;

/// The longest that a look may take. A tree that takes longer is not looked at in every iteration.
const PATIENCE: Duration = Duration::from_secs(5);

/// How far below a directory, and in how many folders, repositories are looked for.
const LEVELS: usize = 4;
const FOLDERS: usize = 5000;

/// The state of the work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TreeState {
    /// There is no repository.
    NoRepository,
    Known(Fingerprint),
    /// There is one, and its state cannot be told: why.
    Unknown(String),
}

/// The state of the repository that a directory is in, else of those below it, without the files that the loop writes
/// itself.
pub(crate) fn state(directory: &Path, looking: &LookOptions) -> TreeState {
    let (directory, looking) = (directory.to_owned(), looking.clone());
    let by = Instant::now() + PATIENCE;
    let (sender, receiver) = channel();
    // In a thread that can be abandoned: a file system may hang.
    let started = std::thread::Builder::new()
        .name("tree".into())
        .spawn(move || {
            let roots = repositories(&directory, by);
            let state = match roots.is_empty() {
                true => Ok(None),
                false => Look::new(&looking, by).at(&roots).map(Some),
            };
            let _ = sender.send(state);
        });
    if let Err(error) = started {
        return TreeState::Unknown(error.to_string());
    }
    match receiver.recv_timeout(PATIENCE + Duration::from_secs(1)) {
        Ok(Ok(Some(fingerprint))) => TreeState::Known(fingerprint),
        Ok(Ok(None)) => TreeState::NoRepository,
        Ok(Err(why)) => TreeState::Unknown(why),
        Err(RecvTimeoutError::Timeout) => TreeState::Unknown(too_long()),
        Err(RecvTimeoutError::Disconnected) => TreeState::Unknown("looking at it failed".into()),
    }
}

/// The top directory of the repository that a directory is in, else those of the ones below it.
fn repositories(directory: &Path, by: Instant) -> Vec<PathBuf> {
    let has_git = |folder: &Path| folder.join(".git").symlink_metadata().is_ok();
    if let Some(root) = directory.ancestors().find(|folder| has_git(folder)) {
        return Vec::from_iter(root.canonicalize());
    }
    let (mut found, mut looked) = (Vec::new(), 0);
    let mut level = Vec::from_iter(directory.canonicalize());
    for _ in 0..LEVELS {
        let mut below = Vec::new();
        for folder in level.iter().flat_map(std::fs::read_dir).flatten().flatten() {
            // A link is not followed.
            if !folder.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            looked += 1;
            if looked > FOLDERS || Instant::now() > by {
                break;
            }
            let path = folder.path();
            match has_git(&path) {
                true => found.push(path),
                false => below.push(path),
            }
        }
        level = below;
    }
    found.sort();
    found
}

fn too_long() -> String {
    format!("looking at it took longer than {} s", PATIENCE.as_secs())
}
