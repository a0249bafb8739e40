//! The feed and the journal: what happened in what the grant sees.

use waynote::store::{Ask, Cursor, FeedEntry, Happened};
use waynote::{Position, Reader, Result, Revision, Scope};

use super::Narrowed;
use crate::Grant;

/// How many items are read at once, at least and at most. Most of them may be of others.
const PAGE: std::ops::RangeInclusive<usize> = 64..=1024;

/// The sizes of the pages, each larger than the one before.
fn sizes(limit: usize) -> impl Iterator<Item = usize> {
    let first = limit.clamp(*PAGE.start(), *PAGE.end());
    std::iter::successors(Some(first), |size| Some((2 * size).min(*PAGE.end())))
}

impl<R: Reader> Narrowed<R> {
    /// What happened after a point, as far as the grant sees it.
    pub(super) fn feed_after(&self, after: Cursor, limit: usize) -> Result<Vec<FeedEntry>> {
        let mut seen = Vec::new();
        let mut after = after;
        for size in sizes(limit) {
            if seen.len() >= limit {
                break;
            }
            let page = self.store.feed(after, size)?;
            let Some(last) = page.last() else { break };
            after = last.at;
            let is_last = page.len() < size;
            seen.extend(
                page.into_iter()
                    .filter_map(|entry| of_feed(&self.grant, entry)),
            );
            if is_last {
                break;
            }
        }
        seen.truncate(limit);
        Ok(seen)
    }

    /// The changes before a position, latest first, as far as the grant sees them, and what is damaged among them.
    pub(super) fn journal_before(
        &self,
        before: Option<Position>,
        limit: usize,
    ) -> Result<(Vec<Revision>, Vec<String>)> {
        let (mut seen, mut damaged) = (Vec::new(), Vec::new());
        let mut before = before;
        for size in sizes(limit) {
            if seen.len() >= limit {
                break;
            }
            let ask = Ask {
                journal: vec![(before, size)],
                ..Ask::default()
            };
            let mut answers = self.store.read(&ask)?;
            damaged.append(&mut answers.damaged);
            // A page is shorter than asked for where something in it is damaged: only an empty one is the end.
            let page = answers.journal.pop().unwrap_or_default();
            let Some(last) = page.last().and_then(|last| last.position) else {
                break;
            };
            before = Some(last);
            let mine = page
                .into_iter()
                .filter(|of| self.grant.sees_note(of.address()));
            seen.extend(mine);
        }
        seen.truncate(limit);
        Ok((seen, damaged))
    }
}

/// What happened, if the grant sees it: of a forgetting only what was forgotten inside of it.
pub(super) fn of_feed(grant: &Grant, entry: FeedEntry) -> Option<FeedEntry> {
    let sees_session = |session| grant.sees(&Scope::Session(session));
    let happened = match entry.happened {
        Happened::Changed(revision) => {
            let is_seen = grant.sees_note(revision.address());
            is_seen.then_some(Happened::Changed(revision))?
        }
        Happened::Event { session, recorded } => {
            let is_seen = sees_session(session.clone());
            is_seen.then_some(Happened::Event { session, recorded })?
        }
        Happened::Forgotten {
            mut revisions,
            mut events,
            at,
            by,
        } => {
            revisions.retain(|of| grant.sees_note(&of.address));
            events.retain(|of| sees_session(of.session.clone()));
            let is_seen = !(revisions.is_empty() && events.is_empty());
            is_seen.then_some(Happened::Forgotten {
                revisions,
                events,
                at,
                by,
            })?
        }
        // A kind of item that this version does not know.
        _ => return None,
    };
    Some(FeedEntry {
        at: entry.at,
        happened,
    })
}
