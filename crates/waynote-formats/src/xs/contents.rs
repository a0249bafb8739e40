//! Reading the contents of frames: an xs store keeps a text under its hash, apart from its frame.

use std::path::{Path, PathBuf};

use waynote::{ContentHash, Error, Result};

use crate::source::Folder;

/// A source of contents.
pub trait Contents {
    /// The bytes of a content; none when they are not there.
    ///
    /// # Errors
    /// [`Error::File`] when they cannot be read; [`FormatError::NoXs`](crate::FormatError::NoXs) when no xs answers.
    fn content(&self, hash: &ContentHash) -> Result<Option<Vec<u8>>>;
}

/// The contents in the folder of an xs store, read as files.
pub struct ContentFolder {
    path: PathBuf,
    folder: Folder,
}

impl ContentFolder {
    /// The contents of the xs store in that folder.
    pub fn of_store(store: &Path) -> Self {
        let path = store.join("cacache/content-v2/sha256");
        Self {
            folder: Folder::of(&path),
            path,
        }
    }
}

impl Contents for ContentFolder {
    fn content(&self, hash: &ContentHash) -> Result<Option<Vec<u8>>> {
        let hex = hash.to_string();
        let path = self.path.join(&hex[..2]).join(&hex[2..4]).join(&hex[4..]);
        match self.folder.read(&path) {
            Ok(read) => Ok(read.map(|(bytes, _)| bytes)),
            Err(error) => Err(Error::file(path, "read", error)),
        }
    }
}
