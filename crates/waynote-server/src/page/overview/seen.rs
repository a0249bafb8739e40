//! The part of the cache that a grant may see.

use std::cmp::Reverse;
use std::sync::Arc;

use jiff::Timestamp;
use waynote::{Name, Position, Scope, ScopeKind, ScopeSummary};
use waynote_access::Grant;

use super::known::Known;

/// The part of a store that a grant may see.
pub(crate) struct Seen<'g> {
    known: Arc<Known>,
    grant: &'g Grant,
}

/// The last event of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Last {
    pub(crate) at: Timestamp,
    pub(crate) position: Position,
    /// True if a question is open.
    pub(crate) waits: bool,
    pub(crate) is_archived: bool,
}

/// A session that has notes or events.
pub(crate) struct OfSession {
    pub(crate) session: Name,
    pub(crate) notes: u64,
    pub(crate) last: Option<Last>,
}

impl<'g> Seen<'g> {
    pub(crate) fn new(known: Arc<Known>, grant: &'g Grant) -> Self {
        Self { known, grant }
    }

    /// The scopes of a kind that have notes: places in the order of [`tree_key`], others by name.
    pub(crate) fn scopes(&self, kind: ScopeKind) -> impl Iterator<Item = &ScopeSummary> {
        let all = self.known.of(kind);
        all.filter(|summary| self.grant.sees(&summary.scope))
    }

    /// All scopes that have notes.
    pub(crate) fn all(&self) -> impl Iterator<Item = Scope> {
        let kinds = ScopeKind::ALL.into_iter();
        let of_kinds = kinds.flat_map(|kind| self.scopes(kind));
        of_kinds.map(|summary| summary.scope.clone())
    }

    /// The names of at most `most` scopes of a kind.
    pub(crate) fn names(&self, kind: ScopeKind, most: usize) -> Vec<String> {
        let scopes = self.scopes(kind).take(most);
        scopes.map(|of| of.scope.name().to_owned()).collect()
    }

    /// The number of notes, as limits count them.
    pub(crate) fn notes(&self) -> u64 {
        let kinds = ScopeKind::ALL.into_iter();
        kinds
            .flat_map(|kind| self.scopes(kind))
            .map(|scope| scope.notes)
            .sum()
    }

    /// The sessions whose question is open, the longest waiting first.
    pub(crate) fn waiting(&self) -> Vec<&Name> {
        let all = self.known.sessions.iter().filter(|(_, last)| last.waits);
        let mut waiting: Vec<_> = all
            .filter(|(session, _)| self.grant.sees(&Scope::Session((*session).clone())))
            .collect();
        waiting.sort_by_key(|(_, last)| (last.at, last.position));
        waiting.into_iter().map(|(session, _)| session).collect()
    }

    /// The sessions, newest first. Logs that were written without a loop have no events, and come last, by name.
    pub(crate) fn sessions(&self) -> Vec<OfSession> {
        let lasts = &self.known.sessions;
        let with_notes = self.known.of(ScopeKind::Session).filter_map(|of| {
            let Scope::Session(session) = &of.scope else {
                return None;
            };
            Some((session, of.notes, lasts.get(session)))
        });
        let without = lasts
            .iter()
            .filter(|(session, _)| !self.known.has_log(session));
        let without = without.map(|(session, last)| (session, 0, Some(last)));
        let all = with_notes.chain(without);
        let all = all.filter(|(_, _, last)| last.is_none_or(|last| !last.is_archived));
        let all = all.map(|(session, notes, last)| OfSession {
            session: session.clone(),
            notes,
            last: last.copied(),
        });
        let mut all: Vec<OfSession> = all
            .filter(|of| self.grant.sees(&Scope::Session(of.session.clone())))
            .collect();
        all.sort_by_key(|of| Reverse(of.last.map(|last| (last.at, last.position))));
        all
    }
}

/// A place's path so that places sort as a tree: a directory before what is below it, and that before its neighbours.
pub(crate) fn tree_key(path: &str) -> String {
    match path {
        "/" => String::new(),
        path => path.replace('/', "\0"),
    }
}
