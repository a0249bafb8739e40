//! The copy of a damaged store that is read instead of the store, because opening a database may write to it.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::error::{Error, Result};
use crate::sqlite::file::queue::Queue;
use crate::sqlite::file::side_files::beside;
use crate::sqlite::options::Options;

/// Copies the file and its WAL into a folder beside the new store, while no writer of the old one can run. The folder
/// goes with the first value; the second is the copy.
pub(super) fn copied(old: &Path, new: &Path, options: &Options) -> Result<(TempDir, PathBuf)> {
    let failed = |error| Error::file(new, "made", error);
    let above = std::path::absolute(new).map_err(failed)?;
    let mut prefix = new.file_name().unwrap_or_default().to_owned();
    prefix.push(".salvage-");
    let folder = tempfile::Builder::new()
        .prefix(&prefix)
        .permissions(Permissions::from_mode(0o700))
        .tempdir_in(above.parent().unwrap_or(Path::new("/")))
        .map_err(failed)?;
    let copy = folder.path().join("notes.db");
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
            std::fs::copy(&from, beside(&copy, suffix))
                .map_err(|error| Error::file(&from, "read", error))?;
        }
    }
    drop(turn);
    Ok((folder, copy))
}
