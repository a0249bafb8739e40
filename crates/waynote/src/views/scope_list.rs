//! The notes of one scope in the order in which people read them, in parts: of a large scope no more is read than is
//! shown.

use crate::address::Address;
use crate::error::Result;
use crate::note::{EntryType, Note};
use crate::scope::Scope;
use crate::store::{Ask, Count, Page, Reader, Recent, answers};

/// The notes that a list of a scope has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ScopeFilter {
    /// All of them.
    #[default]
    All,
    /// The pinned ones.
    Pinned,
    /// The entries of one type.
    Type(EntryType),
}

/// The order and the number of a scope's notes: a place's own note, pinned notes and the others, each latest first; of a
/// session its entries by type.
#[derive(Debug)]
pub struct ScopeList {
    own: Option<Note>,
    /// What is read by pages, each with the number of its notes.
    parts: Vec<(Recent, u64)>,
}

impl ScopeList {
    /// Counts the notes of a scope.
    ///
    /// # Errors
    /// As [`Reader::read`].
    pub fn of(store: &dyn Reader, scope: &Scope, only: &ScopeFilter) -> Result<Self> {
        let entries = |session, kind| Recent::Entries {
            session,
            kind,
            before: None,
            open: false,
        };
        let parts: Vec<Recent> = match (scope, only) {
            (Scope::Session(session), ScopeFilter::Type(kind)) => {
                vec![entries(session.clone(), kind.clone())]
            }
            (Scope::Session(session), _) => EntryType::in_order(store.kinds(session)?)
                .into_iter()
                .map(|kind| entries(session.clone(), kind))
                .collect(),
            (_, only) => [true, false]
                .into_iter()
                .filter(|pinned| *pinned || *only != ScopeFilter::Pinned)
                .map(|pinned| Recent::Keyed {
                    scope: scope.clone(),
                    pinned,
                })
                .collect(),
        };
        let own = match scope {
            Scope::Place(place) if *only != ScopeFilter::Pinned => {
                vec![Address::Place(place.clone())]
            }
            _ => Vec::new(),
        };
        let answers = store.read(&Ask {
            notes: own,
            counts: parts.iter().map(count).collect(),
            ..Ask::default()
        })?;
        Ok(Self {
            own: answers.notes.into_iter().flatten().next(),
            parts: parts.into_iter().zip(answers.counts).collect(),
        })
    }

    /// The number of notes.
    pub fn total(&self) -> u64 {
        let of_parts: u64 = self.parts.iter().map(|(_, count)| count).sum();
        of_parts + u64::from(self.own.is_some())
    }

    /// Reads at most `limit` notes behind the first `skip` ones.
    ///
    /// # Errors
    /// As [`Reader::read`].
    pub fn page(&self, store: &dyn Reader, skip: u64, limit: u64) -> Result<Vec<Note>> {
        let (mut skip, mut room) = (skip, limit);
        let (mut notes, mut pages) = (Vec::new(), Vec::new());
        if let Some(own) = &self.own {
            if skip == 0 && room > 0 {
                notes.push(own.clone());
                room -= 1;
            }
            skip = skip.saturating_sub(1);
        }
        for (of, count) in &self.parts {
            if skip >= *count || room == 0 {
                skip = skip.saturating_sub(*count);
                continue;
            }
            let take = room.min(count - skip);
            pages.push(Page {
                of: of.clone(),
                skip: usize::try_from(skip).unwrap_or(usize::MAX),
                limit: usize::try_from(take).unwrap_or(usize::MAX),
            });
            room -= take;
            skip = 0;
        }
        if !pages.is_empty() {
            notes.extend(answers!(store, pages: pages).into_iter().flatten());
        }
        Ok(notes)
    }
}

/// The number of a part's notes.
pub(crate) fn count(part: &Recent) -> Count {
    match part {
        Recent::Entries {
            session,
            kind,
            before,
            open,
        } => Count::Entries {
            session: session.clone(),
            kind: Some(kind.clone()),
            before: *before,
            open: *open,
        },
        Recent::Keyed { scope, pinned } => Count::Keyed {
            scope: scope.clone(),
            pinned: *pinned,
        },
        Recent::ByKey { scope } => Count::Counted(scope.clone()),
    }
}
