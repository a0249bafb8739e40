//! A store behind a pointer is a store.

use crate::address::Address;
use crate::change::{Applied, Change};
use crate::content::ContentHash;
use crate::error::Result;
use crate::event::{Event, EventLog, Recorded};
use crate::forget::{Forget, Forgotten};
use crate::key::Name;
use crate::note::{Kind, Note, Position, Revision, Stamp};
use crate::scope::{Scope, ScopeKind};
use crate::search::{Hit, SearchRequest};
use crate::verify::Report;

use super::{FileMark, Filter, Moment, Recent, ScopeSummary, Store, Version};

impl<S: Store + ?Sized> EventLog for Box<S> {
    fn events(&self, session: &Name, before: Option<u64>, limit: usize) -> Result<Vec<Recorded>> {
        (**self).events(session, before, limit)
    }

    fn lease(&self, session: &Name) -> Result<Option<Recorded>> {
        (**self).lease(session)
    }
}

impl<S: Store + ?Sized> Store for Box<S> {
    fn apply(&self, changes: &[Change], stamp: &Stamp) -> Result<Vec<Applied>> {
        (**self).apply(changes, stamp)
    }

    fn forget(&self, request: &Forget, stamp: &Stamp) -> Result<Forgotten> {
        (**self).forget(request, stamp)
    }

    fn would_forget(&self, request: &Forget, stamp: &Stamp) -> Result<Forgotten> {
        (**self).would_forget(request, stamp)
    }

    fn get(&self, address: &Address) -> Result<Option<Note>> {
        (**self).get(address)
    }

    fn select(&self, filter: &Filter) -> Result<Vec<Note>> {
        (**self).select(filter)
    }

    fn recent(&self, recent: &Recent, skip: usize, limit: usize) -> Result<Vec<Note>> {
        (**self).recent(recent, skip, limit)
    }

    fn count_keyed(&self, scope: &Scope, pinned: bool) -> Result<u64> {
        (**self).count_keyed(scope, pinned)
    }

    fn count_entries(
        &self,
        session: &Name,
        kind: Option<&Kind>,
        before: Option<i64>,
        open: bool,
    ) -> Result<u64> {
        (**self).count_entries(session, kind, before, open)
    }

    fn record(
        &self,
        session: &Name,
        events: &[Event],
        lease: Option<u64>,
        stamp: &Stamp,
    ) -> Result<()> {
        (**self).record(session, events, lease, stamp)
    }

    fn leases(&self) -> Result<Vec<(Name, Recorded)>> {
        (**self).leases()
    }

    fn sessions_with_events(&self) -> Result<Vec<Name>> {
        (**self).sessions_with_events()
    }

    fn last_iteration(&self, session: &Name) -> Result<Option<i64>> {
        (**self).last_iteration(session)
    }

    fn kinds(&self, session: &Name) -> Result<Vec<Kind>> {
        (**self).kinds(session)
    }

    fn select_at(&self, scopes: &[Scope], moment: Moment) -> Result<Vec<Note>> {
        (**self).select_at(scopes, moment)
    }

    fn version(&self) -> Result<Version> {
        (**self).version()
    }

    fn scopes(&self, kind: ScopeKind) -> Result<Vec<ScopeSummary>> {
        (**self).scopes(kind)
    }

    fn count(&self, scope: &Scope) -> Result<u64> {
        (**self).count(scope)
    }

    fn history(&self, address: &Address) -> Result<Vec<Revision>> {
        (**self).history(address)
    }

    fn journal(&self, before: Option<Position>, limit: usize) -> Result<Vec<Revision>> {
        (**self).journal(before, limit)
    }

    fn search(&self, request: &SearchRequest) -> Result<Vec<Hit>> {
        (**self).search(request)
    }

    fn verify(&self) -> Result<Report> {
        (**self).verify()
    }

    fn exclusively(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        (**self).exclusively(work)
    }

    fn on_one_state(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        (**self).on_one_state(work)
    }

    fn file_marks(&self, file: &str) -> Result<Vec<FileMark>> {
        (**self).file_marks(file)
    }

    fn mark_file(&self, file: &str, marks: &[(String, Option<ContentHash>)]) -> Result<()> {
        (**self).mark_file(file, marks)
    }
}
