//! Reading the contents of frames: an xs store keeps a text under its hash, apart from its frame.

use std::path::Path;

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
pub struct ContentFolder(Folder);

impl ContentFolder {
    /// The contents of the xs store in that folder.
    pub fn of_store(store: &Path) -> Self {
        Self(Folder::of(&store.join("cacache/content-v2/sha256")))
    }
}

impl Contents for ContentFolder {
    fn content(&self, hash: &ContentHash) -> Result<Option<Vec<u8>>> {
        let hex = hash.to_string();
        let below = [&hex[..2], &hex[2..4], &hex[4..]];
        let path = self.0.path().join(below.join("/"));
        match self.0.read(&path) {
            Ok(read) => Ok(read.map(|(bytes, _)| bytes)),
            Err(error) => Err(Error::file(path, "read", error)),
        }
    }
}
