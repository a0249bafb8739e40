//! The limits on writes: the size of a note, and the number of notes in a notebook. Checked inside the transaction of
//! the write.

use crate::address::Address;
use crate::content::Content;
use crate::error::{Error, Result};
use crate::limits::Limits;

impl Limits {
    /// Checks the size of a text that is about to be saved.
    ///
    /// # Errors
    /// [`Error::NoteTooLarge`] when it is over the limit; the limit itself is allowed.
    pub fn check_bytes(self, address: &Address, content: &Content) -> Result<()> {
        let (limit, cap) = match address {
            Address::Place(_) => ("max_place_bytes", self.max_place_bytes),
            _ => ("max_bytes", self.max_bytes),
        };
        match u64::try_from(cap) {
            Ok(most) if most > 0 && content.len() as u64 > most => Err(Error::NoteTooLarge {
                bytes: content.len(),
                max_bytes: cap,
                limit: limit.into(),
            }),
            _ => Ok(()),
        }
    }

    /// Checks that the notebook, which has `notes` notes, has room for one more.
    ///
    /// # Errors
    /// [`Error::TooManyNotes`] when it is full.
    pub(crate) fn check_notes(self, notes: u64) -> Result<()> {
        match u64::try_from(self.max_notes) {
            Ok(cap) if cap > 0 && notes >= cap => Err(Error::TooManyNotes {
                notes,
                max_notes: self.max_notes,
            }),
            _ => Ok(()),
        }
    }
}
