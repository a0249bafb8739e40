//! The embedded store: one SQLite file, or a connection that an application lends.
//!
//! A file of its own is in WAL mode with `synchronous=FULL`, so that an acknowledged note is on disk; its
//! writers queue in the kernel on a file beside the store. On a lent connection a write is a savepoint inside the
//! application's transaction, or a transaction of its own when there is none; waiting and durability are as
//! the application set them.

mod as_of;
mod errors;
mod events;
mod flush;
mod forget;
mod migrate;
mod open;
mod queue;
mod read;
mod recent;
mod record;
mod search;
mod verify;
mod verify_events;
mod verify_search;
mod write;

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;

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
use crate::store::{FileMark, Filter, Moment, Recent, ScopeSummary, Store, Version};
use crate::verify::Report;

pub use flush::Indexing;
use queue::Queue;

/// How a store of its own file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How long a write waits for the writers before it.
    pub wait: Duration,
}

impl Default for Options {
    /// Ten seconds.
    fn default() -> Self {
        Self {
            wait: Duration::from_secs(10),
        }
    }
}

enum Handle<'c> {
    Owned(Box<Connection>),
    Lent(&'c Connection),
}

/// A store in SQLite.
pub struct SqliteStore<'c> {
    handle: Handle<'c>,
    path: PathBuf,
    queue: Option<Queue>,
    wait: Duration,
    wrote: Cell<bool>,
    indexing: Indexing,
    /// How far the index was known to reach at the last write.
    indexed: Cell<Option<i64>>,
    cache: RefCell<search::Cache>,
}

impl SqliteStore<'static> {
    /// Opens the store in a file, made with its folder when it is not there (file mode 0600, folder 0700).
    ///
    /// # Errors
    /// [`crate::Error::NotAStore`], [`crate::Error::NewerStore`], [`crate::Error::ReadOnly`],
    /// [`crate::Error::DiskFull`], [`crate::Error::Busy`].
    pub fn open(path: &Path, options: &Options) -> Result<Self> {
        open::open(path, options)
    }

    /// Opens the store in a file for reading, even where nothing can be written; none when there is no file.
    /// Writing works where the file can be written.
    ///
    /// # Errors
    /// As [`SqliteStore::open`].
    pub fn open_existing(path: &Path, options: &Options) -> Result<Option<Self>> {
        open::open_existing(path, options)
    }
}

impl<'c> SqliteStore<'c> {
    /// Keeps notes in a database that an application has open, beside its own tables.
    ///
    /// Only tables named `waynote_*` are made, migrated and used; no setting of the connection or the
    /// database is changed. A write is a savepoint inside the application's transaction: it is durable when
    /// the application commits, and gone when it rolls back. A disk that is full makes SQLite roll back the
    /// application's whole transaction. There is no queue: waiting is SQLite's own. A database that another connection holds longer
    /// than the application's busy timeout is [`crate::Error::Busy`].
    ///
    /// # Errors
    /// As [`SqliteStore::open`].
    pub fn attach(connection: &'c Connection) -> Result<Self> {
        open::attach(connection)
    }

    /// Keeps the search index otherwise than by default. What is found is the same.
    #[must_use]
    pub fn with_indexing(mut self, indexing: Indexing) -> Self {
        self.indexing = indexing;
        self
    }

    fn conn(&self) -> &Connection {
        match &self.handle {
            Handle::Owned(connection) => connection,
            Handle::Lent(connection) => connection,
        }
    }
}

impl EventLog for SqliteStore<'_> {
    fn events(&self, session: &Name, before: Option<u64>, limit: usize) -> Result<Vec<Recorded>> {
        self.mapped(events::page(self.conn(), session, before, limit))
    }

    fn lease(&self, session: &Name) -> Result<Option<Recorded>> {
        self.mapped(events::lease(self.conn(), session))
    }
}

impl Store for SqliteStore<'_> {
    fn apply(&self, changes: &[Change], stamp: &Stamp) -> Result<Vec<Applied>> {
        write::apply(self, changes, stamp)
    }

    fn forget(&self, request: &Forget, stamp: &Stamp) -> Result<Forgotten> {
        forget::forget(self, request, stamp)
    }

    fn get(&self, address: &Address) -> Result<Option<Note>> {
        self.mapped(read::get(self.conn(), address))
    }

    fn select(&self, filter: &Filter) -> Result<Vec<Note>> {
        self.mapped(read::select(self.conn(), filter))
    }

    fn recent(&self, recent: &Recent, skip: usize, limit: usize) -> Result<Vec<Note>> {
        self.mapped(recent::page(self.conn(), recent, skip, limit))
    }

    fn count_keyed(&self, scope: &Scope, pinned: bool) -> Result<u64> {
        self.mapped(recent::count_keyed(self.conn(), scope, pinned))
    }

    fn count_entries(
        &self,
        session: &Name,
        kind: Option<&Kind>,
        before: Option<i64>,
        open: bool,
    ) -> Result<u64> {
        self.mapped(recent::count_entries(
            self.conn(),
            session,
            kind,
            before,
            open,
        ))
    }

    fn record(
        &self,
        session: &Name,
        events: &[Event],
        lease: Option<u64>,
        stamp: &Stamp,
    ) -> Result<()> {
        record::record(self, session, events, lease, stamp)
    }

    fn leases(&self) -> Result<Vec<(Name, Recorded)>> {
        self.mapped(events::leases(self.conn()))
    }

    fn sessions_with_events(&self) -> Result<Vec<Name>> {
        self.mapped(events::sessions(self.conn()))
    }

    fn last_iteration(&self, session: &Name) -> Result<Option<i64>> {
        self.mapped(recent::last_iteration(self.conn(), session))
    }

    fn kinds(&self, session: &Name) -> Result<Vec<Kind>> {
        self.mapped(recent::kinds(self.conn(), session))
    }

    fn select_at(&self, scopes: &[Scope], moment: Moment) -> Result<Vec<Note>> {
        self.mapped(as_of::select_at(self.conn(), scopes, moment))
    }

    fn version(&self) -> Result<Version> {
        self.mapped(recent::version(self.conn()))
    }

    fn scopes(&self, kind: ScopeKind) -> Result<Vec<ScopeSummary>> {
        self.mapped(read::scopes(self.conn(), kind))
    }

    fn count(&self, scope: &Scope) -> Result<u64> {
        self.mapped(read::count(self.conn(), scope))
    }

    fn history(&self, address: &Address) -> Result<Vec<Revision>> {
        self.mapped(read::history(self.conn(), address))
    }

    fn journal(&self, before: Option<Position>, limit: usize) -> Result<Vec<Revision>> {
        self.mapped(read::journal(self.conn(), before, limit))
    }

    fn search(&self, request: &SearchRequest) -> Result<Vec<Hit>> {
        search::search(self, request)
    }

    fn verify(&self) -> Result<Report> {
        self.mapped(verify::verify(self.conn()))
    }

    fn exclusively(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        let _turn = self.turn()?;
        work()
    }

    fn on_one_state(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        let _state = self.mapped(read::one_state(self.conn()))?;
        work()
    }

    fn file_marks(&self, file: &str) -> Result<Vec<FileMark>> {
        self.mapped(read::file_marks(self.conn(), file))
    }

    fn mark_file(&self, file: &str, marks: &[(String, Option<ContentHash>)]) -> Result<()> {
        write::mark_file(self, file, marks)
    }
}
