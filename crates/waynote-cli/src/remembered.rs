//! What this program remembers on this machine for its user, in files that nobody else can read: how loops were started,
//! and how far the user has looked.

use std::io;
use std::path::PathBuf;

use waynote::{Content, StoreId};
use waynote_files::replace_private;
use waynote_system::plain;

use crate::error::Outcome;
use crate::home::environment;

/// As much of a file as is read, in bytes.
const MOST: u64 = 1 << 20;

/// A thing to remember about a store; `of` tells several of the kind apart.
pub(crate) struct Remembered(PathBuf);

impl Remembered {
    /// None without a home directory.
    pub(crate) fn new(kind: &str, store: StoreId, of: &str) -> Outcome<Option<Self>> {
        // A name may be longer than that of a file, or hold a slash.
        let name = Content::text(of)?.hash();
        let folder = environment().state()?;
        Ok(folder.map(|folder| Self(folder.join(format!("waynote/{kind}/{store}/{name}")))))
    }

    /// What was written last; none if there is nothing, or if another user could have written it.
    pub(crate) fn read(&self) -> Option<Vec<u8>> {
        plain::read_own(&self.0, MOST)
    }

    pub(crate) fn write(&self, bytes: &[u8]) -> io::Result<()> {
        if let Some(folder) = self.0.parent() {
            plain::make_private_folder(folder)?;
        }
        replace_private(&self.0, bytes, None)
    }
}
