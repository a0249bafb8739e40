//! Where the contents of frames are: an xs store keeps a text under its hash, apart from its frame.

use std::path::{Path, PathBuf};

use waynote::{ContentHash, Error, Result};

/// Where the contents of frames are.
pub trait Contents {
    /// The bytes of a content; none when they are not there.
    ///
    /// # Errors
    /// [`Error::File`] when they cannot be read; [`FormatError::NoXs`](crate::FormatError::NoXs) when no xs answers.
    fn content(&self, hash: &ContentHash) -> Result<Option<Vec<u8>>>;
}

/// The contents in the folder of an xs store, read as files.
pub struct ContentFolder {
    folder: PathBuf,
}

impl ContentFolder {
    /// The contents of the xs store in that folder.
    pub fn of_store(store: &Path) -> Self {
        Self {
            folder: store.join("cacache/content-v2/sha256"),
        }
    }
}

impl Contents for ContentFolder {
    fn content(&self, hash: &ContentHash) -> Result<Option<Vec<u8>>> {
        let hex = hash.to_string();
        let path = self.folder.join(&hex[..2]).join(&hex[2..4]).join(&hex[4..]);
        match std::fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::file(path, "read", error)),
        }
    }
}
