//! The engine: a store in a database that many machines use.

use std::collections::HashSet;
use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use waynote::engine::{Engine, Read, Transaction, Writing};
use waynote::forget::Residue;
use waynote::{Error, Position, Result, Version};

use crate::error::{Failure, Fault, Outcome};
use crate::head::{Head, StoreIdentity};
use crate::options::Options;
use crate::rows::{CurrentRows, Handle};
use crate::server::{Limits, Server};
use crate::session::{Purpose, Session, TripEnd};
use crate::stores;
use crate::transaction;

/// An engine that keeps the rows of a store in PostgreSQL. It connects at the first call. Threads can share it.
pub struct Postgres {
    options: Options,
    opened: OnceLock<OpenStore>,
    opening: Mutex<()>,
}

impl Postgres {
    /// Nothing is connected yet.
    pub(crate) fn at(options: Options) -> Self {
        Self {
            options,
            opened: OnceLock::new(),
            opening: Mutex::default(),
        }
    }

    /// Opens a store whose row has this name.
    pub(crate) fn open_as(options: Options, which: StoreIdentity) -> Result<Self> {
        let opened = OpenStore::new(options.clone(), which)?;
        Ok(Self {
            opened: OnceLock::from(opened),
            ..Self::at(options)
        })
    }

    /// The store, which is looked for by the first trip.
    pub(crate) fn opened(&self) -> Result<&OpenStore> {
        if let Some(opened) = self.opened.get() {
            return Ok(opened);
        }
        let _opening = self.opening.lock();
        if let Some(opened) = self.opened.get() {
            return Ok(opened);
        }
        let which = self.options.store_name().map(StoreIdentity::of);
        let which = which.ok_or_else(|| stores::no_name(&self.options))?;
        let opened = OpenStore::new(self.options.clone(), which)?;
        Ok(self.opened.get_or_init(|| opened))
    }

    /// Looks whether the store is there.
    pub(crate) fn look(&self) -> Result<Head> {
        let opened = self.opened()?;
        let session = Session::new(opened, Purpose::Read, opened.limits());
        session.trip(Vec::new(), TripEnd::Commit)?;
        session
            .head()
            .ok_or_else(|| opened.named::<()>(Err(opened.no_store())).unwrap_err())
    }

    /// The connections of this process to the database: how many there are, how many there may be, how many nobody uses,
    /// and how many calls wait for one. None before the first call.
    pub fn connections(&self) -> Option<[usize; 4]> {
        Some(self.opened.get()?.server.pool_status())
    }

    /// The version of the store, which may be a tenth of a second old: one query asks for all stores of the database that
    /// this process polls. For a program that watches many stores.
    ///
    /// # Errors
    /// As [`Reader::version`](waynote::Reader::version).
    pub fn polled(&self) -> Result<Version> {
        let opened = self.opened()?;
        let polled = opened.server.polled(&opened.which, &opened.limits());
        let head = polled.and_then(|head| head.ok_or_else(|| opened.no_store()));
        let head = opened.named(head)?;
        opened.saw(head);
        Ok(Version {
            position: (head > 0).then(|| Position::new(head)),
            ..Version::default()
        })
    }

    /// How many round trips this process has made to the database, for all of its stores.
    pub fn round_trips(&self) -> u64 {
        let server = self.opened.get().map(|opened| &opened.server);
        server.map_or(0, |server| server.trips.load(Ordering::Relaxed))
    }
}

/// A store that was found in its database.
pub(crate) struct OpenStore {
    pub(crate) server: Arc<Server>,
    pub(crate) options: Options,
    pub(crate) which: StoreIdentity,
    /// The store in errors.
    pub(crate) shown: String,
    /// The incarnation of the store when it was opened: a store that is made again under the same name has another one.
    pub(crate) incarnation: OnceLock<i64>,
    /// The last position that this process has written or seen.
    seen: AtomicI64,
    /// The hashes of scopes that were seen in it. A scope has its row for ever, unless an earlier state is restored.
    scopes: Mutex<HashSet<Vec<u8>>>,
}

impl OpenStore {
    pub(crate) fn new(options: Options, which: StoreIdentity) -> Result<Self> {
        Ok(Self {
            server: Server::of(&options)?,
            shown: options.shown(),
            options,
            which,
            incarnation: OnceLock::new(),
            seen: AtomicI64::new(0),
            scopes: Mutex::default(),
        })
    }

    /// This process has written or seen the position.
    pub(crate) fn saw(&self, position: i64) {
        self.seen.fetch_max(position, Ordering::Relaxed);
    }

    /// The store as far as this process knows it: its incarnation, and the last position. None before the first trip.
    pub(crate) fn known(&self) -> Option<(i64, i64)> {
        Some((*self.incarnation.get()?, self.seen.load(Ordering::Relaxed)))
    }

    /// True if the scope is known to have a row.
    pub(crate) fn has_scope(&self, hash: &[u8]) -> bool {
        let scopes = self.scopes.lock();
        scopes.contains(hash)
    }

    /// Scopes that have got rows.
    pub(crate) fn knows_scopes(&self, hashes: Vec<Vec<u8>>) {
        /// So that a process that sees many does not keep them all.
        const MOST: usize = 10_000;
        let mut scopes = self.scopes.lock();
        if scopes.len() > MOST {
            scopes.clear();
        }
        scopes.extend(hashes);
    }

    /// A row is not there any more: the database was restored to an earlier state, or has lost changes in a failover.
    pub(crate) fn forget_scopes(&self) {
        self.scopes.lock().clear();
    }

    pub(crate) fn limits(&self) -> Limits {
        Limits::of(&self.options)
    }

    /// Names the store in a failure.
    pub(crate) fn named<T>(&self, outcome: Outcome<T>) -> Result<T> {
        self.options.named(outcome)
    }

    pub(crate) fn no_store(&self) -> Failure {
        match self.incarnation.get() {
            None => Fault::NoStore.of(&self.shown, "").into(),
            Some(_) => Error::store_lost(&*self.shown, "it was dropped or has another name").into(),
        }
    }
}

impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Postgres")
            .field("store", &self.name())
            .finish_non_exhaustive()
    }
}

impl Engine for Postgres {
    fn rows(&self) -> Result<Box<dyn Read + '_>> {
        Ok(Box::new(CurrentRows(self.opened()?)))
    }

    fn snapshot(&self, work: &mut dyn FnMut(&dyn Read) -> Result<()>) -> Result<()> {
        let opened = self.opened()?;
        let session = Session::new(opened, Purpose::Read, opened.limits());
        work(&Handle::new(&session))
    }

    fn write(
        &self,
        writing: Writing,
        work: &mut dyn FnMut(&dyn Transaction) -> Result<()>,
    ) -> Result<()> {
        transaction::write(self.opened()?, writing, work)
    }

    fn exclusively(&self, work: &mut dyn FnMut(&dyn Engine) -> Result<()>) -> Result<()> {
        transaction::exclusively(self.opened()?, work)
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn scrub(&self) -> Option<Residue> {
        Some(residue())
    }

    fn name(&self) -> String {
        self.options.shown()
    }
}

/// What an erasure cannot reach.
pub(crate) fn residue() -> Residue {
    Residue::Database(
        "the database's files have its bytes until its administrator runs \
         `waynote stores vacuum --full`, which writes the tables anew; the log (WAL) with its archive, \
         replicas and backups have them as long as they are kept"
            .into(),
    )
}
