//! What every view shows of a whole store: its scopes, and the last event of each session.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use parking_lot::Mutex;
use waynote::session_state::is_archived;
use waynote::session_status::{last_events, question_after};
use waynote::store::Ask;
use waynote::{Name, Position, Reader, Result, Scope, ScopeKind, ScopeSummary};

/// The scopes and the sessions of a store.
pub(crate) struct Seen {
    /// The scopes that have notes, in the order of the page's trees.
    scopes: BTreeMap<(ScopeKind, String), ScopeSummary>,
    /// The sessions that have events.
    sessions: BTreeMap<Name, Last>,
}

/// The last event of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Last {
    pub(crate) at: Timestamp,
    pub(crate) position: Position,
    /// True if a question is open.
    pub(crate) waits: bool,
    is_archived: bool,
}

/// A session that has notes or events.
pub(crate) struct OfSession {
    pub(crate) session: Name,
    pub(crate) notes: u64,
    pub(crate) last: Option<Last>,
}

/// A store with more scopes and sessions than this is not read anew for every page.
const MANY: usize = 2_000;

/// What was last read of a store with many scopes. It is taken again for twenty times as long as reading took.
#[derive(Default)]
pub(crate) struct LastSeen(Mutex<Option<(Instant, Duration, Arc<Seen>)>>);

impl LastSeen {
    /// The scopes and the sessions of the store.
    ///
    /// # Errors
    /// As [`Reader::read`].
    pub(crate) fn read(&self, store: &dyn Reader) -> Result<Arc<Seen>> {
        // The lock is held while the store is read: two requests at the same time would read the same.
        let mut last = self.0.lock();
        if let Some((read_at, took, seen)) = &*last
            && read_at.elapsed() < 20 * *took
        {
            return Ok(Arc::clone(seen));
        }
        let began = Instant::now();
        let seen = Arc::new(Seen::read(store)?);
        let is_many = seen.scopes.len() + seen.sessions.len() > MANY;
        *last = is_many.then(|| (Instant::now(), began.elapsed(), Arc::clone(&seen)));
        Ok(seen)
    }
}

impl Seen {
    /// Reads all scopes, and the last events of all sessions.
    ///
    /// # Errors
    /// As [`Reader::read`].
    pub(crate) fn read(store: &dyn Reader) -> Result<Self> {
        let answers = store.read(&Ask {
            summaries: ScopeKind::ALL.to_vec(),
            event_sessions: true,
            ..Ask::default()
        })?;
        let summaries = answers.summaries.into_iter().flatten();
        let mut sessions = BTreeMap::new();
        for (session, events) in last_events(store, answers.event_sessions)? {
            let Some(last) = events.first() else {
                continue;
            };
            let is_archived = is_archived(&events);
            let last = Last {
                at: last.recorded_at,
                position: last.position,
                waits: !is_archived && question_after(store, &session, &events)?.is_some(),
                is_archived,
            };
            sessions.insert(session, last);
        }
        Ok(Self {
            scopes: summaries.map(|of| (place_in_tree(&of.scope), of)).collect(),
            sessions,
        })
    }

    /// The scopes of a kind that have notes: places in the order of [`tree_key`], others by name.
    pub(crate) fn scopes(&self, kind: ScopeKind) -> impl Iterator<Item = &ScopeSummary> {
        let from = self.scopes.range((kind, String::new())..);
        let of_kind = from.take_while(move |((of, _), _)| *of == kind);
        of_kind.map(|(_, summary)| summary)
    }

    /// The names of at most `most` scopes of a kind.
    pub(crate) fn names(&self, kind: ScopeKind, most: usize) -> Vec<String> {
        let scopes = self.scopes(kind).take(most);
        scopes.map(|of| of.scope.name().to_owned()).collect()
    }

    /// The number of notes: of the whole store, or of a scope.
    pub(crate) fn notes(&self, scope: Option<&Scope>) -> u64 {
        match scope {
            Some(scope) => self
                .scopes
                .get(&place_in_tree(scope))
                .map_or(0, |of| of.notes),
            None => self.scopes.values().map(|of| of.notes).sum(),
        }
    }

    /// The sessions whose question is open, the longest waiting first.
    pub(crate) fn waiting(&self) -> Vec<&Name> {
        let all = self.sessions.iter().filter(|(_, last)| last.waits);
        let mut waiting: Vec<_> = all.collect();
        waiting.sort_by_key(|(_, last)| (last.at, last.position));
        waiting.into_iter().map(|(session, _)| session).collect()
    }

    /// The sessions, newest first. Logs that were written without a loop have no events, and come last, by name.
    pub(crate) fn sessions(&self) -> Vec<OfSession> {
        let notes = |session: &Name| self.notes(Some(&Scope::Session(session.clone())));
        let with_events = self.sessions.iter().filter(|(_, last)| !last.is_archived);
        let with_events = with_events.map(|(session, last)| OfSession {
            session: session.clone(),
            notes: notes(session),
            last: Some(*last),
        });
        let logs = self
            .scopes(ScopeKind::Session)
            .filter_map(|of| match &of.scope {
                Scope::Session(session) if !self.sessions.contains_key(session) => {
                    Some(OfSession {
                        session: session.clone(),
                        notes: of.notes,
                        last: None,
                    })
                }
                _ => None,
            });
        let mut all: Vec<OfSession> = with_events.chain(logs).collect();
        all.sort_by_key(|of| Reverse(of.last.map(|last| (last.at, last.position))));
        all
    }
}

fn place_in_tree(scope: &Scope) -> (ScopeKind, String) {
    let name = match scope {
        Scope::Place(place) => tree_key(place.as_str()),
        other => other.name().to_owned(),
    };
    (scope.kind(), name)
}

/// A place's path so that places sort as a tree: a directory before what is below it, and that before its neighbours.
pub(crate) fn tree_key(path: &str) -> String {
    match path {
        "/" => String::new(),
        path => path.replace('/', "\0"),
    }
}
