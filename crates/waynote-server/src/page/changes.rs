//! The journal as the views read it: in stretches that take bounded time for any reader.

use waynote::{Position, Reader, Result, Revision};
use waynote_access::{NarrowedStore, Stretch};

/// Reads the part of a store's journal that a reader may see.
pub(crate) trait Changes {
    /// The changes before a position (none: up to now), latest first, at most `limit`. A reader with a narrowed grant
    /// may get fewer although there are more: the number of other changes that are skipped is bounded.
    ///
    /// # Errors
    /// As [`Reader::read`].
    fn before(&self, before: Option<Position>, limit: usize)
    -> Result<Stretch<Revision, Position>>;
}

impl<R: Reader> Changes for NarrowedStore<R> {
    fn before(
        &self,
        before: Option<Position>,
        limit: usize,
    ) -> Result<Stretch<Revision, Position>> {
        if self.grant().is_narrowed() {
            return self.journal_stretch(before, limit);
        }
        let items = self.journal(before, limit)?;
        Ok(Stretch {
            reached: items.last().and_then(|last| last.position),
            is_last: items.len() < limit,
            items,
            damaged: Vec::new(),
        })
    }
}
