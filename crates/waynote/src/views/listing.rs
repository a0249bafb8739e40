//! Notes of many scopes, in pages: the one list of every caller.

use std::collections::HashSet;

use crate::address::Address;
use crate::error::Result;
use crate::note::{Note, Position};
use crate::place::Place;
use crate::scope::{Scope, ScopeKind};
use crate::store::{Ask, Reader, answers};

/// The most reads of the journal for one page of the latest notes, and the changes of each.
const READS: usize = 4;
const CHANGES: usize = 120;

/// Which notes a list has. By default all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Listing {
    /// Only those of this scope.
    pub scope: Option<Scope>,
    /// Only those of scopes of this kind.
    pub kind: Option<ScopeKind>,
    /// Only those of these directories: all whose notes apply at one directory.
    pub at: Option<Vec<Place>>,
    /// Only those of this directory and of the directories below it.
    pub below: Option<Place>,
}

/// A page of notes by kind of scope, scope and key; a place's own note comes before its keyed ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Listed {
    /// The notes.
    pub notes: Vec<Note>,
    /// True if there are more behind the last one.
    pub is_more: bool,
    /// Notes that are left out because they are damaged: addresses, as far as they are known.
    pub damaged: Vec<String>,
}

/// A page of notes, last changed first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Latest {
    /// The notes. There may be few of them, or none, although there are more.
    pub notes: Vec<Note>,
    /// The position before which the next page begins; none: this is the last one.
    pub next: Option<Position>,
}

impl Listing {
    setters! {
        or_none {
            /// Only notes of this scope.
            scope: Scope;
            /// Only notes of scopes of this kind.
            kind: ScopeKind;
            /// Only notes of these directories: all whose notes apply at one directory.
            at: Vec<Place>;
            /// Only notes of this directory and of those below it.
            below: Place;
        }
    }

    /// True if notes of this scope are listed.
    pub fn takes(&self, scope: &Scope) -> bool {
        let is_there = match scope {
            Scope::Place(place) => {
                let is_below = |top: &Place| place.below(top).is_some();
                self.at.as_ref().is_none_or(|at| at.contains(place))
                    && self.below.as_ref().is_none_or(is_below)
            }
            _ => self.at.is_none() && self.below.is_none(),
        };
        is_there
            && self.scope.as_ref().is_none_or(|of| of == scope)
            && self.kind.is_none_or(|kind| kind == scope.kind())
    }

    /// The first `limit` notes after that one, in the order of scopes and keys. Scopes are read whole, but no more of
    /// them than the page needs.
    ///
    /// # Errors
    /// As [`Reader::read`].
    pub fn page(
        &self,
        store: &dyn Reader,
        after: Option<&Address>,
        limit: usize,
    ) -> Result<Listed> {
        let mut scopes: Vec<(Scope, usize)> = match &self.scope {
            Some(scope) => vec![(scope.clone(), 0)],
            None => {
                let kinds = self.kind.map_or(ScopeKind::ALL.to_vec(), |kind| vec![kind]);
                let summaries = answers!(store, summaries: kinds).into_iter().flatten();
                summaries
                    .map(|of| (of.scope, usize::try_from(of.notes).unwrap_or(usize::MAX)))
                    .collect()
            }
        };
        let after = after.map(order);
        scopes.retain(|(scope, _)| {
            let is_behind = after.as_ref().is_none_or(|(kind, name, _)| {
                (scope.kind(), scope.name()) >= (*kind, name.as_str())
            });
            is_behind && self.takes(scope)
        });
        let mut listed = Listed::default();
        let mut scopes = scopes.into_iter().peekable();
        while listed.notes.len() <= limit && scopes.peek().is_some() {
            let mut ask = Ask::default();
            let mut expected = listed.notes.len();
            // One more than the page has tells whether there is another page.
            while expected <= limit
                && let Some((scope, count)) = scopes.next()
            {
                ask.scopes.push(scope);
                expected = expected.saturating_add(count.max(1));
            }
            let answers = store.read(&ask)?;
            let found = answers.scopes.into_iter().flatten();
            listed.notes.extend(found.filter(|note| {
                after
                    .as_ref()
                    .is_none_or(|after| order(&note.address) > *after)
            }));
            listed.damaged.extend(answers.damaged);
        }
        listed.is_more = listed.notes.len() > limit;
        listed.notes.truncate(limit);
        Ok(listed)
    }

    /// At most `limit` notes, last changed first, whose last change is before a position. The journal has every change; a
    /// note is listed at its last one. A bounded part of the journal is read.
    ///
    /// # Errors
    /// As [`Reader::read`].
    pub fn latest(
        &self,
        store: &dyn Reader,
        before: Option<Position>,
        limit: usize,
    ) -> Result<Latest> {
        let mut latest = Latest {
            notes: Vec::new(),
            next: before,
        };
        for _ in 0..READS {
            let changes = store.journal(latest.next, CHANGES)?;
            let is_last = changes.len() < CHANGES;
            let mut met = HashSet::new();
            let listed = changes.iter().map(|change| change.address());
            let listed =
                listed.filter(|address| self.takes(&address.scope()) && met.insert(*address));
            let notes = store.get_all(listed.cloned().collect())?;
            let notes: Vec<Note> = notes.into_iter().flatten().collect();
            for change in &changes {
                latest.next = change.position;
                let is_it = |note: &&Note| {
                    note.address == *change.address() && note.revision == change.number()
                };
                latest.notes.extend(notes.iter().find(is_it).cloned());
                if latest.notes.len() == limit {
                    return Ok(latest);
                }
            }
            if is_last {
                latest.next = None;
                break;
            }
        }
        Ok(latest)
    }
}

/// A place in the order of a list.
fn order(address: &Address) -> (ScopeKind, String, Option<String>) {
    let scope = address.scope();
    (scope.kind(), scope.name().to_owned(), address.key())
}
