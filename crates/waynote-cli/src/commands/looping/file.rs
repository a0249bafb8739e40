//! The store's file while a loop runs: whether it is still the one that the loop has open.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::error::{Failure, Outcome};

/// The file as it was when the loop began. What is written to one that was removed is lost with it.
pub(super) struct StoreFile {
    path: PathBuf,
    /// Its device and its number there.
    identity: (u64, u64),
}

impl StoreFile {
    pub(super) fn of(path: &Path) -> Outcome<Self> {
        let identity = identity(path).map_err(|error| Failure::file(path, "read", error))?;
        Ok(Self {
            path: path.to_owned(),
            identity,
        })
    }

    /// Refuses to go on without the file.
    pub(super) fn check(&self) -> Outcome {
        let store = waynote::visible::visible(&self.path.to_string_lossy());
        let (what, hint) = match identity(&self.path) {
            Ok(identity) if identity == self.identity => return Ok(()),
            Ok(_) => (
                format!("the store {store} was replaced while the loop ran"),
                "put the store back that the loop began with, or see what the new one holds (`waynote log sessions`); \
                 then go on with the same command",
            ),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => (
                format!("the store {store} was removed while the loop ran"),
                "put it back from a copy, then go on with the same command; without one, the same command begins anew",
            ),
            Err(error) => return Err(Failure::file(&self.path, "read", error)),
        };
        Err(Failure::refused("store_gone", what, hint))
    }
}

fn identity(path: &Path) -> std::io::Result<(u64, u64)> {
    let file = path.metadata()?;
    Ok((file.dev(), file.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_goes_or_is_another_one_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.db");
        std::fs::write(&path, "").unwrap();
        let file = StoreFile::of(&path).unwrap();
        std::fs::write(&path, "more").unwrap();
        file.check().unwrap();
        let other = folder.path().join("other");
        std::fs::write(&other, "").unwrap();
        std::fs::rename(&other, &path).unwrap();
        let said = file.check().unwrap_err().what();
        assert!(said.ends_with("was replaced while the loop ran"), "{said}");
        std::fs::remove_file(&path).unwrap();
        let said = file.check().unwrap_err().what();
        assert!(said.ends_with("was removed while the loop ran"), "{said}");
    }
}
