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

/// The latest changes that `holds` picks, at most `limit`, from a bounded part of the journal. `holds` says none where
/// the reading ends.
///
/// # Errors
/// As [`Changes::before`].
pub(crate) fn picked(
    changes: &dyn Changes,
    mut before: Option<Position>,
    limit: usize,
    holds: &dyn Fn(&Revision) -> Option<bool>,
) -> Result<Stretch<Revision, Position>> {
    /// The most reads of the journal for one page.
    const READS: usize = 6;
    let part = |items, reached, is_last| Stretch {
        items,
        reached,
        is_last,
        damaged: Vec::new(),
    };
    let mut items = Vec::new();
    for _ in 0..READS {
        let stretch = changes.before(before, limit)?;
        // Skipping the changes of others takes most of the time of a page, so it is done only once.
        let is_over_others = stretch.items.len() < limit;
        for change in stretch.items {
            before = change.position;
            match holds(&change) {
                None => return Ok(part(items, before, true)),
                Some(true) => items.push(change),
                Some(false) => {}
            }
            if items.len() == limit {
                return Ok(part(items, before, false));
            }
        }
        before = stretch.reached;
        if stretch.is_last || is_over_others {
            return Ok(part(items, before, stretch.is_last));
        }
    }
    Ok(part(items, before, false))
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
