//! The feed and the journal, as far as a grant sees them.

use waynote::store::{Ask, Cursor, FeedEntry, Happened, JournalPage, Mark};
use waynote::{Allowance, Name, Position, Reader, Result, Revision, Scope, StoreId};

use super::Narrowed;
use crate::Grant;

/// How many items are read at once, at least and at most. Most of them may be of others.
const PAGE: std::ops::RangeInclusive<usize> = 64..=1024;

/// After how many rows of the store a stretch ends at the latest, however few of them the grant sees.
const SCANNED: usize = 2048;

/// The sizes of the pages, each larger than the one before.
fn sizes(limit: usize) -> impl Iterator<Item = usize> {
    let first = limit.clamp(*PAGE.start(), *PAGE.end());
    std::iter::successors(Some(first), |size| Some((2 * size).min(*PAGE.end())))
}

/// A part of the feed or the journal. It may have fewer items than were asked for, or none, although there are more:
/// the number of unseen items read for one part is bounded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch<T, P> {
    /// The items that the grant sees.
    pub items: Vec<T>,
    /// How far the store was read: the next stretch begins there. None: nothing was there.
    pub reached: Option<P>,
    /// True if it reaches up to the end.
    pub is_last: bool,
    /// The addresses of damaged items, as far as they are known. These items are left out.
    pub damaged: Vec<String>,
}

/// An item with a text.
pub trait HasText {
    /// How long its text is.
    fn text_bytes(&self) -> usize;
}

impl HasText for Revision {
    fn text_bytes(&self) -> usize {
        self.note().map_or(0, |note| note.content.len())
    }
}

impl HasText for FeedEntry {
    fn text_bytes(&self) -> usize {
        match &self.happened {
            Happened::Changed(revision) => revision.text_bytes(),
            _ => 0,
        }
    }
}

impl<T: HasText, P> Stretch<T, P> {
    fn empty() -> Self {
        Self {
            items: Vec::new(),
            reached: None,
            is_last: false,
            damaged: Vec::new(),
        }
    }

    /// Takes the visible items of a page, until there are as many as were asked for.
    fn take(
        &mut self,
        page: impl IntoIterator<Item = (Option<P>, Option<T>)>,
        limit: usize,
    ) -> Result<bool> {
        for (at, item) in page {
            self.reached = at.or(self.reached.take());
            if let Some(item) = item {
                Allowance::take(item.text_bytes())?;
                self.items.push(item);
            }
            if self.items.len() >= limit {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl<R: Reader> Narrowed<R> {
    /// As [`Reader::mark`], also of an item that the grant does not see.
    ///
    /// # Errors
    /// As [`Reader::read`].
    pub fn whole_mark(&self, at: Cursor) -> Result<(Option<StoreId>, Option<Mark>)> {
        self.shown(self.store.mark(at))
    }

    /// The feed after a point, as far as the grant sees it, at most `limit` items.
    ///
    /// # Errors
    /// As [`Reader::read`].
    pub fn feed_stretch(&self, after: Cursor, limit: usize) -> Result<Stretch<FeedEntry, Cursor>> {
        self.shown(self.feed_from(after, limit))
    }

    fn feed_from(&self, after: Cursor, limit: usize) -> Result<Stretch<FeedEntry, Cursor>> {
        let mut found = Stretch::empty();
        let mut rows = 0;
        for size in sizes(limit) {
            let from = found.reached.unwrap_or(after);
            // Most of it may be of others.
            let page = Allowance::passing(|| self.store.feed(from, size))?;
            rows += page.len();
            let is_last = page.len() < size;
            let page = page
                .into_iter()
                .map(|entry| (Some(entry.at), of_feed(&self.grant, entry)));
            if found.take(page, limit)? {
                break;
            }
            found.is_last = is_last;
            if is_last || rows >= SCANNED {
                break;
            }
        }
        Ok(found)
    }

    /// The feed after a point, as far as the grant sees it: `limit` items if there are as many.
    pub(super) fn feed_after(&self, after: Cursor, limit: usize) -> Result<Vec<FeedEntry>> {
        let mut seen = Vec::new();
        let mut after = after;
        while seen.len() < limit {
            let found = self.feed_from(after, limit - seen.len())?;
            seen.extend(found.items);
            match found.reached.filter(|_| !found.is_last) {
                Some(reached) => after = reached,
                None => break,
            }
        }
        Ok(seen)
    }

    /// The changes before a position (none: up to now), latest first, as far as the grant sees them, at most `limit`.
    ///
    /// # Errors
    /// As [`Reader::read`].
    pub fn journal_stretch(
        &self,
        before: Option<Position>,
        limit: usize,
    ) -> Result<Stretch<Revision, Position>> {
        let mut found = self.shown(self.journal_from(before, limit))?;
        found.damaged = self.noticed(found.damaged);
        Ok(found)
    }

    fn journal_from(
        &self,
        before: Option<Position>,
        limit: usize,
    ) -> Result<Stretch<Revision, Position>> {
        let mut found = Stretch::empty();
        let mut rows = 0;
        for size in sizes(limit) {
            let ask = Ask {
                journal: vec![JournalPage {
                    before: found.reached.or(before),
                    limit: size,
                }],
                ..Ask::default()
            };
            let mut answers = Allowance::passing(|| self.store.read(&ask))?;
            found.damaged.append(&mut answers.damaged);
            // A page is shorter than asked for where something in it is damaged: only an empty one is the end.
            let page = answers.journal.pop().unwrap_or_default();
            found.is_last = page.is_empty();
            rows += page.len();
            let page = page.into_iter().map(|of| {
                let is_seen = self.grant.sees_note(of.address());
                (of.position, is_seen.then_some(of))
            });
            if found.take(page, limit)? || found.is_last || rows >= SCANNED {
                break;
            }
        }
        Ok(found)
    }

    /// The changes before a position, latest first, as far as the grant sees them, and the damage among them: `limit`
    /// changes if there are as many.
    pub(super) fn journal_before(
        &self,
        before: Option<Position>,
        limit: usize,
    ) -> Result<(Vec<Revision>, Vec<String>)> {
        let (mut seen, mut damaged) = (Vec::new(), Vec::new());
        let mut before = before;
        while seen.len() < limit {
            let mut found = self.journal_from(before, limit - seen.len())?;
            seen.append(&mut found.items);
            damaged.append(&mut found.damaged);
            match found.reached.filter(|_| !found.is_last) {
                Some(reached) => before = Some(reached),
                None => break,
            }
        }
        Ok((seen, damaged))
    }
}

/// The entry if the grant sees it. A forgetting keeps only the addresses inside of the grant.
pub(super) fn of_feed(grant: &Grant, mut entry: FeedEntry) -> Option<FeedEntry> {
    let sees_session = |session: &Name| grant.sees(&Scope::Session(session.clone()));
    let is_seen = match &mut entry.happened {
        Happened::Changed(revision) => grant.sees_note(revision.address()),
        Happened::Event(event) => sees_session(&event.session),
        Happened::Forgotten(texts) => {
            texts.revisions.retain(|of| grant.sees_note(&of.address));
            texts.events.retain(|of| sees_session(&of.session));
            !(texts.revisions.is_empty() && texts.events.is_empty())
        }
        // A kind of item that this version does not know.
        _ => false,
    };
    is_seen.then_some(entry)
}
