//! History: the changes of the whole store, or the revisions of one note with their differences.

pub(crate) mod diff;
mod view;

use waynote::{Address, Position, Result, Revision, Store};

use super::fields::Fields;
use super::site::Site;
pub(crate) use view::view;

/// The changes of a page.
const CHANGES: usize = 50;

/// The revisions of a page.
const REVISIONS: usize = 20;

/// Everything that the view shows.
pub(crate) enum History {
    Store(OfStore),
    Note(OfNote),
}

/// The changes of the whole store.
pub(crate) struct OfStore {
    /// Latest first.
    changes: Vec<Revision>,
    /// The position where the next page begins; none on the last page.
    next: Option<Position>,
    is_first: bool,
}

/// The revisions of one note.
pub(crate) struct OfNote {
    address: Address,
    /// Latest first, each with the text before it.
    revisions: Vec<(Revision, Option<Revision>)>,
    /// The number of the last revision.
    last: u64,
    /// Only revisions with smaller numbers are on this page; none: the latest.
    before: Option<u64>,
    /// The same of the next page, if there is one.
    next: Option<u64>,
}

impl History {
    pub(crate) fn gather(store: &dyn Store, fields: &Fields, site: &Site<'_>) -> Result<Self> {
        if let Some(note) = fields.get("note") {
            return of_note(store, note.parse()?, fields);
        }
        let before: Option<Position> =
            fields.parsed("before", "a position", "follow a link of the page instead")?;
        let changes = site.changes.before(before, CHANGES)?;
        Ok(Self::Store(OfStore {
            next: changes.reached.filter(|_| !changes.is_last),
            changes: changes.items,
            is_first: before.is_none(),
        }))
    }
}

fn of_note(store: &dyn Store, address: Address, fields: &Fields) -> Result<History> {
    let before = fields.number("before")?;
    // One more than the page shows: the text before its last revision.
    let page = store.history_before(&address, before, REVISIONS + 1)?;
    let Some(latest) = page.first().map(Revision::number) else {
        return Err(waynote::Error::not_found(address.to_string()));
    };
    let last = match before {
        None => latest,
        Some(_) => {
            let last = store.history_before(&address, None, 1)?;
            last.first().map_or(latest, Revision::number)
        }
    };
    let earlier = page.iter().skip(1).cloned().map(Some).chain([None]);
    let revisions = page.iter().cloned().zip(earlier).take(REVISIONS);
    Ok(History::Note(OfNote {
        next: (page.len() > REVISIONS).then(|| page[REVISIONS - 1].number()),
        revisions: revisions.collect(),
        address,
        last,
        before,
    }))
}
