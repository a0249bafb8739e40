//! The engine: a store in a database that many machines use.

use std::collections::HashSet;
use std::fmt;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use waynote::engine::{Engine, Read, Transaction, Writing};
use waynote::forget::Residue;
use waynote::{Error, Result};

use crate::error::{Failure, Outcome, PostgresError};
use crate::head::Which;
use crate::migrate;
use crate::options::Options;
use crate::rows::{Handle, Now};
use crate::server::{Limits, Server};
use crate::session::{Purpose, Session, Then};
use crate::stores;
use crate::transaction;

/// An engine that keeps the rows of a store in PostgreSQL. It connects at the first call. Threads can share it.
pub struct Postgres {
    options: Options,
    opened: OnceLock<Opened>,
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
    pub(crate) fn open_as(options: Options, which: Which) -> Result<Self> {
        let opened = Opened::new(options.clone(), which)?;
        Ok(Self {
            opened: OnceLock::from(opened),
            ..Self::at(options)
        })
    }

    /// The open store. The first call opens it, and brings the tables up to date.
    pub(crate) fn opened(&self) -> Result<&Opened> {
        if let Some(opened) = self.opened.get() {
            return Ok(opened);
        }
        let _opening = self.opening.lock();
        if let Some(opened) = self.opened.get() {
            return Ok(opened);
        }
        let which = self.options.store_name().map(Which::of);
        let which = which.ok_or_else(|| stores::no_name(&self.options))?;
        let opened = Opened::new(self.options.clone(), which)?;
        Ok(self.opened.get_or_init(|| opened))
    }

    /// The connections of this process to the database: how many there are, how many there may be, how many nobody uses,
    /// and how many calls wait for one. None before the first call.
    pub fn connections(&self) -> Option<[usize; 4]> {
        let status = self.opened.get()?.server.pool_status();
        Some([
            status.size,
            status.max_size,
            status.available,
            status.waiting,
        ])
    }

    /// How many round trips this process has made to the database, for all of its stores.
    pub fn round_trips(&self) -> u64 {
        let server = self.opened.get().map(|opened| &opened.server);
        server.map_or(0, |server| server.trips.load(Ordering::Relaxed))
    }
}

/// A store that was found in its database.
pub(crate) struct Opened {
    pub(crate) server: Arc<Server>,
    pub(crate) options: Options,
    pub(crate) which: Which,
    /// The store in errors.
    pub(crate) shown: String,
    /// The incarnation of the store when it was opened: a store that is made again under the same name has another one.
    pub(crate) incarnation: OnceLock<i64>,
    /// The hashes of scopes that were seen in it. A scope has its row for ever.
    scopes: Mutex<HashSet<Vec<u8>>>,
}

impl Opened {
    fn new(options: Options, which: Which) -> Result<Self> {
        let opened = Self {
            server: Server::of(&options)?,
            shown: options.shown(),
            options,
            which,
            incarnation: OnceLock::new(),
            scopes: Mutex::default(),
        };
        let session = Session::new(&opened, Purpose::Read, opened.limits());
        session.trip(Vec::new(), Then::Commit)?;
        if let Some(head) = session.head() {
            let _ = opened.incarnation.set(head.incarnation);
            if head.version < migrate::KNOWN {
                let migrated = migrate::run(&opened.server, &opened.limits(), &opened.shown);
                opened.named(migrated)?;
            }
        }
        drop(session);
        Ok(opened)
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

    pub(crate) fn limits(&self) -> Limits {
        Limits::of(&self.options)
    }

    /// Names the store in a failure.
    pub(crate) fn named<T>(&self, outcome: Outcome<T>) -> Result<T> {
        let times = self.options.times;
        outcome.map_err(|failure| failure.of(&self.shown, times.wait, times.answer))
    }

    pub(crate) fn no_store(&self) -> Failure {
        match self.incarnation.get() {
            None => PostgresError::NoStore {
                store: self.shown.clone(),
            }
            .into(),
            Some(_) => Error::store_lost(&*self.shown, "it was dropped").into(),
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
        Ok(Box::new(Now(self.opened()?)))
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
