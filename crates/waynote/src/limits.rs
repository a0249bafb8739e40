//! Limits of what is written: the quotas of a notebook (source 002) and the size of a directory's own note. They are
//! checked inside the transaction of the write.

use crate::address::Address;
use crate::content::Content;
use crate::error::{Error, Result};

/// The caps of notes. Zero or less is no cap. Entries of a log have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes of a keyed note's content.
    pub max_bytes: i64,
    /// The most bytes of a directory's own note, which holds more than a keyed one.
    pub max_place_bytes: i64,
    /// The most notes; only a new key is held to it.
    pub max_notes: i64,
}

impl Limits {
    /// No caps: for imports, which keep what another program allowed.
    pub const NONE: Self = Self {
        max_bytes: 0,
        max_place_bytes: 0,
        max_notes: 0,
    };

    /// Checks a content about to be saved.
    ///
    /// # Errors
    /// [`Error::NoteTooLarge`] when it is over the cap; the cap itself is allowed.
    pub fn check_bytes(self, address: &Address, content: &Content) -> Result<()> {
        let (limit, cap) = match address {
            Address::Place(_) => ("max_place_bytes", self.max_place_bytes),
            _ => ("max_bytes", self.max_bytes),
        };
        match u64::try_from(cap) {
            Ok(most) if most > 0 && content.len() as u64 > most => Err(Error::NoteTooLarge {
                bytes: content.len(),
                max_bytes: cap,
                limit,
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

/// Source 002: 4,096 bytes, 64 notes. 64 KiB for a directory's own note: more than any prompt has room for.
impl Default for Limits {
    fn default() -> Self {
        Self {
            max_bytes: 4096,
            max_place_bytes: 65_536,
            max_notes: 64,
        }
    }
}
