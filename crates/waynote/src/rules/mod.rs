//! The rules: what every store does, whatever engine keeps its rows.
//!
//! [`EngineStore`] decides and an [`Engine`] carries out. Nothing that is checked here is checked anywhere else.

mod apply;
mod as_of;
mod forget;
mod verify;

use std::cell::{Cell, RefCell};

use crate::address::Address;
use crate::change::{Applied, Change};
use crate::content::ContentHash;
use crate::engine::{Count, Engine, Head, Read, Writing};
use crate::error::{Error, Result};
use crate::event::{self, Event, EventLog, Recorded};
use crate::forget::{Forget, Forgotten};
use crate::key::Name;
use crate::note::{Kind, Note, Position, Revision, Stamp};
use crate::scope::{Scope, ScopeKind};
use crate::search::indexed;
use crate::search::upkeep::{self, Indexing};
use crate::search::{Hit, SearchRequest};
use crate::store::{FileMark, Filter, Moment, Recent, ScopeSummary, Store, Version};
use crate::verify::Report;

/// A store over an engine.
pub struct EngineStore<E> {
    engine: E,
    indexing: Indexing,
    /// How far the search index was known to reach at the last write.
    indexed: Cell<Option<i64>>,
    cache: RefCell<indexed::Cache>,
}

impl<E: Engine> EngineStore<E> {
    /// A store whose rows that engine keeps.
    pub fn new(engine: E) -> Self {
        Self {
            engine,
            indexing: Indexing::default(),
            indexed: Cell::new(None),
            cache: RefCell::default(),
        }
    }

    /// The engine.
    pub fn engine(&self) -> &E {
        &self.engine
    }

    /// Keeps the search index otherwise than by default. What is found is the same.
    #[must_use]
    pub fn with_indexing(mut self, indexing: Indexing) -> Self {
        self.indexing = indexing;
        self
    }

    fn read<T>(&self, work: impl FnOnce(&dyn Read) -> Result<T>) -> Result<T> {
        work(&*self.engine.rows()?)
    }

    /// Runs `work` on one state and returns what it returns.
    fn snapshot<T>(&self, mut work: impl FnMut(&dyn Read) -> Result<T>) -> Result<T> {
        let mut value = None;
        self.engine.snapshot(&mut |rows| {
            value = Some(work(rows)?);
            Ok(())
        })?;
        value.ok_or_else(|| Error::DamagedStore {
            path: self.engine.name().into(),
            reason: "its engine ran nothing".into(),
        })
    }
}

/// What a session's events are read from.
pub(crate) struct Log<'r>(pub(crate) &'r dyn Read);

impl EventLog for Log<'_> {
    fn events(&self, session: &Name, before: Option<u64>, limit: usize) -> Result<Vec<Recorded>> {
        self.0.events(session, before, limit)
    }

    fn lease(&self, session: &Name) -> Result<Option<Recorded>> {
        self.0.lease(session)
    }
}

impl<E: Engine> EventLog for EngineStore<E> {
    fn events(&self, session: &Name, before: Option<u64>, limit: usize) -> Result<Vec<Recorded>> {
        self.read(|rows| rows.events(session, before, limit))
    }

    fn lease(&self, session: &Name) -> Result<Option<Recorded>> {
        self.read(|rows| rows.lease(session))
    }
}

impl<E: Engine> Store for EngineStore<E> {
    fn apply(&self, changes: &[Change], stamp: &Stamp) -> Result<Vec<Applied>> {
        let mut applied = Vec::new();
        let reached = Cell::new(None);
        self.engine.write(Writing::Durable, &mut |tx| {
            // An engine may run this again.
            reached.set(self.indexed.get());
            applied = apply::all(tx, changes, stamp, &mut |position, left| {
                upkeep::keep_up(tx, &self.indexing, &reached, position, left)
            })?;
            Ok(())
        })?;
        self.indexed.set(reached.get());
        Ok(applied)
    }

    fn forget(&self, request: &Forget, stamp: &Stamp) -> Result<Forgotten> {
        forget::forget(&self.engine, request, stamp)
    }

    fn would_forget(&self, request: &Forget, stamp: &Stamp) -> Result<Forgotten> {
        self.snapshot(|rows| forget::would_forget(rows, request, stamp))
    }

    fn get(&self, address: &Address) -> Result<Option<Note>> {
        self.read(|rows| rows.note(address))
    }

    fn select(&self, filter: &Filter) -> Result<Vec<Note>> {
        self.read(|rows| match filter {
            Filter::Scopes(scopes) => rows.scopes(scopes),
            Filter::Kind(kind) => rows.kind(*kind),
        })
    }

    fn recent(&self, recent: &Recent, skip: usize, limit: usize) -> Result<Vec<Note>> {
        self.read(|rows| rows.page(recent, skip, limit))
    }

    fn count_keyed(&self, scope: &Scope, pinned: bool) -> Result<u64> {
        let scope = scope.clone();
        self.read(|rows| rows.count(Count::Keyed { scope, pinned }))
    }

    fn count_entries(
        &self,
        session: &Name,
        kind: Option<&Kind>,
        before: Option<i64>,
        open: bool,
    ) -> Result<u64> {
        let count = Count::Entries {
            session: session.clone(),
            kind: kind.cloned(),
            before,
            open,
        };
        self.read(|rows| rows.count(count))
    }

    fn record(
        &self,
        session: &Name,
        events: &[Event],
        lease: Option<u64>,
        stamp: &Stamp,
    ) -> Result<()> {
        self.engine.write(Writing::Durable, &mut |tx| {
            for event in events {
                event::check(event, &Log(tx), session, lease, stamp)?;
                tx.put_event(session, event, &stamp.author, stamp.now)?;
            }
            Ok(())
        })
    }

    fn leases(&self) -> Result<Vec<(Name, Recorded)>> {
        self.read(|rows| rows.all_leases())
    }

    fn sessions_with_events(&self) -> Result<Vec<Name>> {
        self.read(|rows| rows.event_sessions())
    }

    fn last_iteration(&self, session: &Name) -> Result<Option<i64>> {
        self.read(|rows| rows.last_iteration(session))
    }

    fn kinds(&self, session: &Name) -> Result<Vec<Kind>> {
        self.read(|rows| rows.entry_types(session))
    }

    fn select_at(&self, scopes: &[Scope], moment: Moment) -> Result<Vec<Note>> {
        self.snapshot(|rows| as_of::select(rows, scopes, moment))
    }

    fn version(&self) -> Result<Version> {
        let Head { position, changes } = self.read(|rows| rows.head())?;
        Ok(Version {
            position,
            changes,
            file: None,
        })
    }

    fn scopes(&self, kind: ScopeKind) -> Result<Vec<ScopeSummary>> {
        self.read(|rows| rows.summaries(kind))
    }

    fn count(&self, scope: &Scope) -> Result<u64> {
        self.read(|rows| rows.count(Count::Counted(scope.clone())))
    }

    fn history(&self, address: &Address) -> Result<Vec<Revision>> {
        self.read(|rows| rows.history(address))
    }

    fn journal(&self, before: Option<Position>, limit: usize) -> Result<Vec<Revision>> {
        self.read(|rows| rows.journal(before, limit))
    }

    fn search(&self, request: &SearchRequest) -> Result<Vec<Hit>> {
        // One state, so that segments and tail fit together.
        self.snapshot(|rows| indexed::search(rows, &self.cache, &self.engine.name(), request))
    }

    fn verify(&self) -> Result<Report> {
        self.snapshot(verify::verify)
    }

    fn exclusively(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        self.engine.exclusively(work)
    }

    fn on_one_state(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        self.engine.snapshot(&mut |_| work())
    }

    fn file_marks(&self, file: &str) -> Result<Vec<FileMark>> {
        self.read(|rows| rows.marks(file))
    }

    fn mark_file(&self, file: &str, marks: &[(String, Option<ContentHash>)]) -> Result<()> {
        // One that is lost is found out by comparing again.
        self.engine
            .write(Writing::Relaxed, &mut |tx| tx.mark(file, marks))
    }
}
