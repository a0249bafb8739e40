//! History: the changes of the whole store, or the revisions of one note with their differences.

pub(crate) mod diff;
mod view;

use waynote::{Address, Position, Result, Revision, Store};

use super::fields::Fields;
pub(crate) use view::view;

/// The changes of a page.
const CHANGES: usize = 50;

/// The revisions of a page.
const REVISIONS: usize = 20;

/// Everything that the view shows.
pub(crate) enum History {
    /// Of the whole store, latest first.
    Store {
        changes: Vec<Revision>,
        /// Where the next page begins.
        next: Option<Position>,
        is_first: bool,
    },
    /// Of one note.
    Note {
        address: Address,
        /// Latest first, each with the text before it.
        revisions: Vec<(Revision, Option<Revision>)>,
        /// The number of the last revision.
        last: u64,
        total: usize,
        /// How many were skipped.
        after: usize,
    },
}

impl History {
    pub(crate) fn gather(store: &dyn Store, fields: &Fields) -> Result<Self> {
        if let Some(note) = fields.get("note") {
            return of_note(store, note.parse()?, fields);
        }
        let before: Option<Position> = fields.get("before").and_then(|text| text.parse().ok());
        let changes = store.journal(before, CHANGES)?;
        let next = changes.last().and_then(|last| last.position);
        Ok(Self::Store {
            next: next.filter(|_| changes.len() == CHANGES),
            changes,
            is_first: before.is_none(),
        })
    }
}

fn of_note(store: &dyn Store, address: Address, fields: &Fields) -> Result<History> {
    let after = usize::try_from(fields.number("after").unwrap_or(0)).unwrap_or(0);
    let history = store.history(&address)?;
    let total = history.len();
    if total == 0 {
        return Err(waynote::Error::NotFound {
            what: address.to_string(),
        });
    }
    let last = history.last().map_or(0, Revision::number);
    let end = total.saturating_sub(after);
    let start = end.saturating_sub(REVISIONS);
    let page = (start..end).rev().map(|index| {
        let before = index.checked_sub(1).map(|before| history[before].clone());
        (history[index].clone(), before)
    });
    Ok(History::Note {
        revisions: page.collect(),
        address,
        last,
        total,
        after,
    })
}
