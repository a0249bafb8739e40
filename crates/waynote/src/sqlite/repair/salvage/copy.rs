//! The copy of a damaged store that is read: what opens a database may write to it.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::sqlite::file::queue::Queue;
use crate::sqlite::options::Options;

/// A folder with the copy, removed when it goes.
pub(super) struct Copy {
    folder: PathBuf,
    path: PathBuf,
}

impl Copy {
    /// Copies the file and its WAL into a folder beside the new store, while no writer of the old one can run.
    pub(super) fn of(old: &Path, new: &Path, options: &Options) -> Result<Self> {
        let mut folder = new.as_os_str().to_owned();
        folder.push(format!("-salvage-{}", std::process::id()));
        let folder = PathBuf::from(folder);
        DirBuilder::new()
            .mode(0o700)
            .create(&folder)
            .map_err(|error| Error::file(&folder, "made", error))?;
        let copy = Self {
            path: folder.join("notes.db"),
            folder,
        };
        let queue = Queue::beside(old);
        // Without this file nobody has written since it was removed; none is made beside the old store.
        let has_queue = beside(old, "-lock").try_exists().unwrap_or_default();
        let turn = has_queue
            .then(|| queue.turn(old, options.wait))
            .transpose()?;
        for suffix in ["", "-wal"] {
            let from = beside(old, suffix);
            let is_there = suffix.is_empty() || from.try_exists().unwrap_or_default();
            if is_there {
                std::fs::copy(&from, beside(&copy.path, suffix))
                    .map_err(|error| Error::file(&from, "read", error))?;
            }
        }
        drop(turn);
        Ok(copy)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut beside = path.as_os_str().to_owned();
    beside.push(suffix);
    beside.into()
}

impl Drop for Copy {
    fn drop(&mut self) {
        // Nothing depends on it, and its name tells what it is.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
