//! Other files that are kept of a store, beside its last blocks: they go when the blocks go.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::{SignedDuration, Timestamp};

use crate::files;
use crate::keep::{Keep, hash, is_old, store};

/// The place of one file that is kept of a store.
#[derive(Clone, Debug)]
pub struct Slot {
    keep: Keep,
    path: PathBuf,
}

impl Keep {
    /// The place of a file of this kind (a word) for this key. The store is named by its address.
    pub fn slot(&self, url: &str, kind: &str, key: &str) -> Slot {
        let name = format!("{}-{}.{kind}", store(url), hash(key));
        Slot {
            keep: self.clone(),
            path: self.folder.join(name),
        }
    }

    /// The files of this kind that are kept of a store.
    pub fn slots(&self, url: &str, kind: &str) -> Vec<Slot> {
        let (begin, end) = (format!("{}-", store(url)), format!(".{kind}"));
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let named = entries.filter(|entry| {
            let name = entry.file_name();
            let name = name.to_str();
            name.is_some_and(|name| name.starts_with(&begin) && name.ends_with(&end))
        });
        named
            .map(|entry| Slot {
                keep: self.clone(),
                path: entry.path(),
            })
            .collect()
    }
}

impl Slot {
    /// What the file holds. None where there is none, where somebody else could have written it, or where it is older
    /// than a day.
    pub fn read(&self) -> Option<Vec<u8>> {
        let written = self.written()?;
        match is_old(Timestamp::try_from(written).ok()?, (self.keep.now)()) {
            true => None,
            false => files::read(&self.path),
        }
    }

    /// Writes the file. Nothing depends on whether that works.
    pub fn write(&self, bytes: &[u8]) {
        if bytes.len() as u64 <= files::LONGEST {
            let _ = files::write(&self.keep.folder, &self.path, bytes, (self.keep.now)());
        }
    }

    /// When it was written; none where there is none.
    pub fn written(&self) -> Option<SystemTime> {
        self.path.symlink_metadata().ok()?.modified().ok()
    }

    /// Whether there is none that was written within so long.
    pub fn is_older_than(&self, age: SignedDuration) -> bool {
        let written = self.written().and_then(|at| Timestamp::try_from(at).ok());
        written.is_none_or(|at| (self.keep.now)().duration_since(at).abs() > age)
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What tells this file from one that takes its place; none where there is none.
    pub fn mark(&self) -> Option<impl PartialEq + use<>> {
        let file = self.path.symlink_metadata().ok()?;
        Some((file.ino(), file.ctime(), file.ctime_nsec()))
    }

    /// Removes the file.
    pub fn remove(&self) {
        let _ = fs::remove_file(&self.path);
    }

    /// The file of another kind for the same key.
    #[must_use]
    pub fn beside(&self, kind: &str) -> Self {
        Self {
            keep: self.keep.clone(),
            path: self.path.with_extension(kind),
        }
    }
}

/// What stands for a text where that must not be seen.
pub fn hashed(text: &str) -> String {
    hash(text)
}
