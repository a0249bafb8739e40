//! History: the changes of the whole store, or the revisions of one note with their differences.

pub(crate) mod diff;
mod view;

use std::collections::HashMap;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::Offset;
use waynote::{Address, Position, Result, Revision, ScopeKind, Store};

use super::changes::picked;
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
    asked: Asked,
    undone: Undone,
    /// Latest first.
    changes: Vec<Revision>,
    /// The position where the next page begins; none on the last page.
    next: Option<Position>,
    is_first: bool,
}

/// The changes that undos took back, by the note and the number.
type Undone = HashMap<(Address, u64), Revision>;

/// The changes that are asked for.
#[derive(Clone, Default)]
pub(crate) struct Asked {
    /// A part of the author's name.
    author: String,
    kind: Option<ScopeKind>,
    since: Option<Timestamp>,
}

impl Asked {
    fn of(fields: &Fields) -> Result<Self> {
        const ADVICE: &str = "write a day, for example 2026-11-18";
        let since = match fields.parsed::<Timestamp>("since", "a time", ADVICE) {
            Ok(since) => since,
            Err(_) => fields
                .parsed::<Date>("since", "a day", ADVICE)?
                .and_then(|day| Offset::UTC.to_timestamp(day.at(0, 0, 0, 0)).ok()),
        };
        Ok(Self {
            author: fields.get("author").unwrap_or_default().to_owned(),
            kind: fields.get("kind").and_then(|kind| kind.parse().ok()),
            since,
        })
    }

    /// True if a change is asked for; none if it is older than what is.
    fn holds(&self, change: &Revision) -> Option<bool> {
        if self.since.is_some_and(|since| change.recorded_at < since) {
            return None;
        }
        let is_kind = |kind| change.address().scope().kind() == kind;
        Some(change.author().as_str().contains(&self.author) && self.kind.is_none_or(is_kind))
    }
}

/// What the undos among these changes took back.
fn undone<'c>(store: &dyn Store, changes: impl Iterator<Item = &'c Revision>) -> Result<Undone> {
    let mut undone = Undone::new();
    for change in changes {
        if let Some(number) = change.undoes {
            let of = change.address();
            let page = store.history_before(of, Some(number + 1), 1)?;
            undone.extend(page.into_iter().map(|was| ((of.clone(), number), was)));
        }
    }
    Ok(undone)
}

/// The revisions of one note.
pub(crate) struct OfNote {
    undone: Undone,
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
        let asked = Asked::of(fields)?;
        let changes = picked(site.changes, before, CHANGES, &|change| asked.holds(change))?;
        Ok(Self::Store(OfStore {
            asked,
            undone: undone(store, changes.items.iter())?,
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
        undone: undone(store, page.iter().take(REVISIONS))?,
        next: (page.len() > REVISIONS).then(|| page[REVISIONS - 1].number()),
        revisions: revisions.collect(),
        address,
        last,
        before,
    }))
}
