//! Files that the loop writes itself: its store, its logs, and the files that its output goes to.

use std::fs::{File, Metadata};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Files that the loop writes itself, which are no work of the agent.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnFiles {
    /// These, all below them, and a store's side files (`notes.db-wal`); without symbolic links.
    paths: Vec<PathBuf>,
    /// Files that our output is redirected to (`nohup.out`).
    outputs: Vec<FileId>,
}

/// A file by device and number, whatever its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileId(u64, u64);

impl FileId {
    /// Of an open file: none of a terminal or a pipe.
    pub fn of(open: impl AsFd) -> Option<Self> {
        let file = File::from(open.as_fd().try_clone_to_owned().ok()?);
        let what = file.metadata().ok()?;
        what.is_file().then(|| Self::found(&what))
    }

    fn found(what: &Metadata) -> Self {
        Self(what.dev(), what.ino())
    }
}

impl OwnFiles {
    pub(crate) fn of(paths: &[&Path], outputs: &[FileId]) -> Self {
        Self {
            paths: paths.iter().filter_map(|path| resolved(path)).collect(),
            outputs: outputs.to_vec(),
        }
    }

    pub(super) fn holds(&self, path: &Path, what: &Metadata) -> bool {
        self.paths.iter().any(|own| is_of(path, own)) || self.outputs.contains(&FileId::found(what))
    }
}

/// The path without symbolic links; its missing end stays as it is.
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

/// The endings of a store's side files.
const BESIDE: [&[u8]; 4] = [b"-wal", b"-shm", b"-journal", b"-lock"];

/// True if a path is one of ours: it, below it, or a file of the store (`notes.db-wal`).
fn is_of(path: &Path, own: &Path) -> bool {
    let rest = path.as_os_str().as_bytes();
    let rest = rest.strip_prefix(own.as_os_str().as_bytes());
    path.starts_with(own) || rest.is_some_and(|rest| BESIDE.contains(&rest))
}
