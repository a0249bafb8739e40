//! Quotas of a notebook (source 002), checked inside the transaction of the write.

use crate::content::Content;
use crate::error::{Error, Result};

/// The caps of a notebook. Zero or less is no cap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes of one note's content.
    pub max_bytes: i64,
    /// The most notes; only a new key is held to it.
    pub max_notes: i64,
}

impl Limits {
    /// No caps: for imports, which keep what another program allowed.
    pub const NONE: Self = Self {
        max_bytes: 0,
        max_notes: 0,
    };

    /// Checks a content about to be saved.
    ///
    /// # Errors
    /// [`Error::NoteTooLarge`] when it is over the cap; the cap itself is allowed.
    pub fn check_bytes(self, content: &Content) -> Result<()> {
        match u64::try_from(self.max_bytes) {
            Ok(cap) if cap > 0 && content.len() as u64 > cap => Err(Error::NoteTooLarge {
                bytes: content.len(),
                max_bytes: self.max_bytes,
            }),
            _ => Ok(()),
        }
    }

    /// Checks that one more note fits beside the `notes` that are there.
    ///
    /// # Errors
    /// [`Error::TooManyNotes`] when it does not.
    pub fn check_notes(self, notes: u64) -> Result<()> {
        match u64::try_from(self.max_notes) {
            Ok(cap) if cap > 0 && notes >= cap => Err(Error::TooManyNotes {
                notes,
                max_notes: self.max_notes,
            }),
            _ => Ok(()),
        }
    }
}

/// Source 002: 4,096 bytes, 64 notes.
impl Default for Limits {
    fn default() -> Self {
        Self {
            max_bytes: 4096,
            max_notes: 64,
        }
    }
}
