//! The feed and the journal, as far as a grant sees them.

use waynote::store::{Ask, Cursor, FeedContent, FeedEntry, JournalPage, Mark};
use waynote::{Allowance, Name, Position, Reader, Result, Revision, Scope, StoreId};

use super::NarrowedStore;
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
            FeedContent::Changed(revision) => revision.text_bytes(),
            _ => 0,
        }
    }
}

/// Rows of the store inside: how far each reaches, and what the grant sees of it.
struct Page<T, P> {
    rows: Vec<(Option<P>, Option<T>)>,
    is_last: bool,
    damaged: Vec<String>,
}

impl<T: HasText, P: Copy> Stretch<T, P> {
    /// Reads pages until there are `limit` visible items, or enough rows were looked at.
    fn read(
        start: Option<P>,
        limit: usize,
        mut page: impl FnMut(Option<P>, usize) -> Result<Page<T, P>>,
    ) -> Result<Self> {
        let mut found = Self {
            items: Vec::new(),
            reached: None,
            is_last: false,
            damaged: Vec::new(),
        };
        let mut scanned = 0;
        for size in sizes(limit) {
            let from = found.reached.or(start);
            // Most of it may be of others.
            let mut page = Allowance::passing(|| page(from, size))?;
            scanned += page.rows.len();
            found.damaged.append(&mut page.damaged);
            for (at, item) in page.rows {
                found.reached = at.or(found.reached);
                if let Some(item) = item {
                    Allowance::take(item.text_bytes())?;
                    found.items.push(item);
                }
                if found.items.len() >= limit {
                    return Ok(found);
                }
            }
            found.is_last = page.is_last;
            if page.is_last || scanned >= SCANNED {
                break;
            }
        }
        Ok(found)
    }

    /// Reads stretches until there are `limit` items, if there are as many. Returns them, and what is damaged.
    fn whole(
        start: Option<P>,
        limit: usize,
        mut stretch: impl FnMut(Option<P>, usize) -> Result<Self>,
    ) -> Result<(Vec<T>, Vec<String>)> {
        let (mut seen, mut damaged, mut from) = (Vec::new(), Vec::new(), start);
        while seen.len() < limit {
            let mut found = stretch(from, limit - seen.len())?;
            seen.append(&mut found.items);
            damaged.append(&mut found.damaged);
            from = found.reached.filter(|_| !found.is_last);
            if from.is_none() {
                break;
            }
        }
        Ok((seen, damaged))
    }
}

impl<R: Reader> NarrowedStore<R> {
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
        self.shown(self.feed_from(Some(after), limit))
    }

    fn feed_from(&self, after: Option<Cursor>, limit: usize) -> Result<Stretch<FeedEntry, Cursor>> {
        Stretch::read(after, limit, |from, size| {
            let page = self.store.feed(from.unwrap_or(Cursor::START), size)?;
            let is_last = page.len() < size;
            let seen = |entry: FeedEntry| (Some(entry.at), of_feed(&self.grant, entry));
            Ok(Page {
                rows: page.into_iter().map(seen).collect(),
                is_last,
                damaged: Vec::new(),
            })
        })
    }

    /// The feed after a point, as far as the grant sees it: `limit` items if there are as many.
    pub(super) fn feed_after(&self, after: Cursor, limit: usize) -> Result<Vec<FeedEntry>> {
        let from = |from, limit| self.feed_from(from, limit);
        let (seen, _) = Stretch::whole(Some(after), limit, from)?;
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
        Stretch::read(before, limit, |before, limit| {
            let ask = Ask {
                journal: vec![JournalPage { before, limit }],
                ..Ask::default()
            };
            let mut answers = self.store.read(&ask)?;
            let page = answers.journal.pop().unwrap_or_default();
            // A page is shorter than asked for where something in it is damaged: only an empty one is the end.
            let is_last = page.is_empty();
            let seen = |of: Revision| {
                let is_seen = self.grant.sees_note(of.address());
                (of.position, is_seen.then_some(of))
            };
            Ok(Page {
                rows: page.into_iter().map(seen).collect(),
                is_last,
                damaged: answers.damaged,
            })
        })
    }

    /// The changes before a position, as far as the grant sees them: `limit` if there are as many. And the damaged
    /// ones among those that were read.
    pub(super) fn journal_before(
        &self,
        before: Option<Position>,
        limit: usize,
    ) -> Result<(Vec<Revision>, Vec<String>)> {
        Stretch::whole(before, limit, |before, limit| {
            self.journal_from(before, limit)
        })
    }
}

/// The entry if the grant sees it. A forgetting keeps only the addresses inside of the grant.
pub(super) fn of_feed(grant: &Grant, mut entry: FeedEntry) -> Option<FeedEntry> {
    let sees_session = |session: &Name| grant.sees(&Scope::Session(session.clone()));
    let is_seen = match &mut entry.happened {
        FeedContent::Changed(revision) => grant.sees_note(revision.address()),
        FeedContent::Event(event) => sees_session(&event.session),
        FeedContent::Forgotten(texts) => {
            texts.revisions.retain(|of| grant.sees_note(&of.address));
            texts.events.retain(|of| sees_session(&of.session));
            !(texts.revisions.is_empty() && texts.events.is_empty())
        }
        // A kind of item that this version does not know.
        _ => false,
    };
    is_seen.then_some(entry)
}
