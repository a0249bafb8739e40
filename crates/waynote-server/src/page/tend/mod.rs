//! Tend: the notes that are worth a look, by the rule of `waynote tend`.

pub(crate) mod act;
mod view;

use std::collections::BTreeSet;

use jiff::Timestamp;
use waynote::store::Ask;
use waynote::tend::{LastGiven, Reason, findings};
use waynote::{Address, Note, Result, Revision, Store};

use super::fields::Fields;
use super::notes::{Asked, Done, Reader};
use super::site::Site;
pub(crate) use view::view;

/// The most notes of a part.
const LISTED: usize = 30;

/// The most changes in which new notes are looked for.
const CHANGES: usize = 500;

/// Everything that the view shows.
pub(crate) struct Tend {
    asked: Asked,
    done: Option<Done>,
    new: Option<New>,
    stale: Vec<Note>,
    /// Pairs that say nearly the same, the earlier note first.
    alike: Vec<[Note; 2]>,
    /// Notes that no session was given for long, pins first.
    not_given: Vec<Note>,
    /// The number of all notes that were found.
    found: usize,
    given: LastGiven,
}

/// What changed since the reader last looked.
struct New {
    since: Timestamp,
    new: usize,
    changed: usize,
    /// True if only the latest changes were counted.
    is_more: bool,
}

impl Tend {
    pub(crate) fn gather(store: &dyn Store, fields: &Fields, site: &Site<'_>) -> Result<Self> {
        let given = site.records.map(|records| records.last_given());
        let given = given.unwrap_or_default();
        let found = findings(store, &given, site.now)?;
        let number = found.len();
        site.found(number);
        let (mut stale, mut alike, mut not_given) = (Vec::new(), Vec::new(), Vec::new());
        for of in found {
            match of.reason {
                Reason::Stale => stale.push(of.note),
                Reason::Like(other) => alike.push((other, of.note)),
                _ => not_given.push(of.note),
            }
        }
        stale.truncate(LISTED);
        alike.truncate(LISTED);
        not_given.truncate(LISTED);
        let others = store.read(&Ask {
            notes: alike.iter().map(|(other, _)| other.clone()).collect(),
            ..Ask::default()
        })?;
        let pair = |(other, (_, note)): (Option<Note>, (Address, Note))| Some([other?, note]);
        let reader = Reader::gather(store, fields)?;
        Ok(Self {
            asked: Asked::for_tend(),
            done: Done::gather(store, fields, reader.as_ref())?,
            new: New::gather(store, site)?,
            stale,
            alike: others
                .notes
                .into_iter()
                .zip(alike)
                .filter_map(pair)
                .collect(),
            not_given,
            found: number,
            given,
        })
    }
}

impl New {
    /// None if no record says how far the reader has looked.
    fn gather(store: &dyn Store, site: &Site<'_>) -> Result<Option<Self>> {
        let (Some(records), Some(id)) = (site.records, store.store_id()?) else {
            return Ok(None);
        };
        let Some((seen, since)) = records.looked(id) else {
            return Ok(None);
        };
        let changes = site.changes.before(None, CHANGES)?.items;
        let after = changes.partition_point(|change| change.position > Some(seen));
        let is_more = after == CHANGES;
        let of = |change: &Revision| (change.address().clone(), change.number() == 1);
        let after: BTreeSet<(Address, bool)> = changes[..after].iter().map(of).collect();
        let new = after.iter().filter(|(_, is_first)| *is_first).count();
        let all: BTreeSet<&Address> = after.iter().map(|(of, _)| of).collect();
        Ok(Some(Self {
            since,
            new,
            changed: all.len() - new,
            is_more,
        }))
    }
}
