//! Telling whether an agent changed something: the commits and references of its repository, and every file that git does
//! not ignore.
//!
//! git says the names ([`waynote_system::git`]); files are looked at here, because git would run filters that the
//! repository names, and an agent can write those.

mod look;
mod own;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use look::Look;

pub(crate) use look::{Fingerprint, LookOptions};
pub use own::FileId;
pub(crate) use own::OwnFiles;

/// The longest that a look may take. A tree that takes longer is not looked at in every iteration.
const PATIENCE: Duration = Duration::from_secs(5);

/// The state of the work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TreeState {
    /// There is no repository.
    NoRepository,
    Known(Fingerprint),
    /// There is one, and its state cannot be told: why.
    Unknown(String),
}

/// The state of the repository that a directory is in, without the files that the loop writes itself.
pub(crate) fn state(directory: &Path, looking: &LookOptions) -> TreeState {
    let has_git = |folder: &&Path| folder.join(".git").symlink_metadata().is_ok();
    let root = directory.ancestors().find(has_git);
    let Some(root) = root.and_then(|root| root.canonicalize().ok()) else {
        return TreeState::NoRepository;
    };
    let (looking, by) = (looking.clone(), Instant::now() + PATIENCE);
    let (sender, receiver) = channel();
    // In a thread that can be abandoned: a file system may hang.
    let started = std::thread::Builder::new()
        .name("tree".into())
        .spawn(move || {
            let _ = sender.send(Look::new(&looking, by).at(&root));
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

fn too_long() -> String {
    format!("looking at it took longer than {} s", PATIENCE.as_secs())
}
