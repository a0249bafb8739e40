//! The scopes and sessions that are cached of a store, and how they are read.

use std::collections::{BTreeMap, BTreeSet};

use waynote::event::SessionsEvent;
use waynote::session_state::is_archived;
use waynote::session_status::{last_events, question_after};
use waynote::store::{Ask, Count, Cursor, FeedContent, FeedEntry, ForgottenTexts, Mark};
use waynote::{Address, Name, Reader, Result, Scope, ScopeKind, ScopeSummary, StoreId};

use super::seen::{Last, tree_key};

/// The scopes of a store, and the last event of each session.
#[derive(Clone)]
pub(crate) struct Known {
    /// The cache is up to date to this point.
    at: Cursor,
    /// The mark of the item there.
    mark: Mark,
    is_damaged: bool,
    /// The scopes that have notes, in the order of the page's trees.
    scopes: BTreeMap<(ScopeKind, String), ScopeSummary>,
    /// The sessions that have events.
    pub(super) sessions: BTreeMap<Name, Last>,
}

impl Known {
    pub(super) fn at(&self) -> Cursor {
        self.at
    }

    /// True if the store has the same item at that point still.
    pub(super) fn follows(&self, id: Option<StoreId>, item: Option<&FeedEntry>) -> bool {
        let there = item.filter(|item| item.at == self.at);
        self.at == Cursor::START || there.is_some_and(|item| Mark::of(id, item) == self.mark)
    }

    pub(super) fn is_damaged(&self) -> bool {
        self.is_damaged
    }

    /// Reads all scopes, and the last events of all sessions.
    pub(super) fn read(store: &dyn Reader) -> Result<Self> {
        let answers = store.read(&Ask {
            summaries: ScopeKind::ALL.to_vec(),
            event_sessions: true,
            version: true,
            ..Ask::default()
        })?;
        let at = answers.version.position.map_or(Cursor::START, Cursor::at);
        let mut known = Self {
            at,
            mark: store.mark(at)?.1.unwrap_or_default(),
            is_damaged: !answers.damaged.is_empty(),
            scopes: BTreeMap::new(),
            sessions: last_of(store, answers.event_sessions)?,
        };
        for summary in answers.summaries.into_iter().flatten() {
            known.put(summary);
        }
        Ok(known)
    }

    /// Reads the touched scopes and sessions again, up to a point.
    pub(super) fn read_again(
        &mut self,
        store: &dyn Reader,
        touched: Touched,
        (at, mark): (Cursor, Mark),
    ) -> Result<()> {
        let own = |scope: &Scope| match scope {
            Scope::Place(place) => Some(Address::Place(place.clone())),
            _ => None,
        };
        let scopes: Vec<Scope> = touched.scopes.into_iter().collect();
        let answers = store.read(&Ask {
            counts: scopes.iter().cloned().map(Count::Counted).collect(),
            notes: scopes.iter().filter_map(own).collect(),
            ..Ask::default()
        })?;
        let mut owns = answers.notes.into_iter();
        for (scope, notes) in scopes.into_iter().zip(answers.counts) {
            let has_own = own(&scope).is_some() && owns.next().flatten().is_some();
            match notes > 0 || has_own {
                true => self.put(ScopeSummary { scope, notes }),
                false => drop(self.scopes.remove(&place_in_tree(&scope))),
            }
        }
        let sessions = touched.sessions.into_iter().collect();
        self.sessions.extend(last_of(store, sessions)?);
        (self.at, self.mark) = (at, mark);
        Ok(())
    }

    fn put(&mut self, summary: ScopeSummary) {
        self.scopes.insert(place_in_tree(&summary.scope), summary);
    }

    /// The scopes of a kind, in order.
    pub(super) fn of(&self, kind: ScopeKind) -> impl Iterator<Item = &ScopeSummary> {
        let from = self.scopes.range((kind, String::new())..);
        let of_kind = from.take_while(move |((of, _), _)| *of == kind);
        of_kind.map(|(_, summary)| summary)
    }

    /// True if a session has notes.
    pub(super) fn has_log(&self, session: &Name) -> bool {
        let place = (ScopeKind::Session, session.as_str().to_owned());
        self.scopes.contains_key(&place)
    }
}

fn place_in_tree(scope: &Scope) -> (ScopeKind, String) {
    let name = match scope {
        Scope::Place(place) => tree_key(place.as_str()),
        other => other.name().to_owned(),
    };
    (scope.kind(), name)
}

/// The scopes and sessions that changes were about.
pub(super) struct Touched {
    scopes: BTreeSet<Scope>,
    sessions: BTreeSet<Name>,
}

impl Touched {
    pub(super) fn by(feed: &[FeedEntry]) -> Self {
        let (mut scopes, mut sessions) = (BTreeSet::new(), BTreeSet::new());
        for entry in feed {
            match &entry.happened {
                FeedContent::Changed(revision) => {
                    scopes.insert(revision.address().scope());
                }
                FeedContent::Event(SessionsEvent { session, .. }) => {
                    sessions.insert(session.clone());
                }
                FeedContent::Forgotten(ForgottenTexts {
                    revisions, events, ..
                }) => {
                    scopes.extend(revisions.iter().map(|of| of.address.scope()));
                    sessions.extend(events.iter().map(|of| of.session.clone()));
                }
                _ => {}
            }
        }
        Self { scopes, sessions }
    }
}

/// The last event of each of these sessions.
fn last_of(store: &dyn Reader, sessions: Vec<Name>) -> Result<BTreeMap<Name, Last>> {
    let mut found = BTreeMap::new();
    for (session, events) in last_events(store, sessions)? {
        let Some(last) = events.first() else {
            continue;
        };
        let is_archived = is_archived(&events);
        let waits = !is_archived && question_after(store, &session, &events)?.is_some();
        let last = Last {
            at: last.recorded_at,
            position: last.position,
            waits,
            is_archived,
        };
        found.insert(session, last);
    }
    Ok(found)
}
