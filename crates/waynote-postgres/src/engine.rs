//! The engine: a store in a database that many machines use.

use std::fmt;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use waynote::engine::{Engine, Read, Transaction, Writing};
use waynote::forget::Residue;
use waynote::{Error, Result};

use crate::error::{Failure, Fault, Outcome};
use crate::head::{Head, StoreIdentity};
use crate::options::Options;
use crate::rows::{CurrentRows, Handle};
use crate::server::{Limits, Server};
use crate::session::{Purpose, Session, TripEnd};
use crate::transaction;

/// An engine that keeps the rows of a store in PostgreSQL. It connects at the first call. Threads can share it.
pub struct Postgres {
    pub(crate) server: Arc<Server>,
    pub(crate) options: Options,
    pub(crate) which: StoreIdentity,
    /// The store in errors.
    pub(crate) shown: String,
    /// The incarnation of the store when it was opened: a store that is made again under the same name has another one.
    pub(crate) incarnation: OnceLock<i64>,
}

impl Postgres {
    pub(crate) fn new(server: Arc<Server>, options: Options, which: StoreIdentity) -> Self {
        Self {
            server,
            shown: options.shown(),
            options,
            which,
            incarnation: OnceLock::new(),
        }
    }

    /// Looks whether the store is there.
    pub(crate) fn look(&self) -> Result<Head> {
        let session = Session::new(self, Purpose::Read, self.limits());
        session.trip(Vec::new(), TripEnd::Commit)?;
        session
            .head()
            .ok_or_else(|| self.named::<()>(Err(self.no_store())).unwrap_err())
    }

    /// Begins a write and takes it back: the server has to let this user write, and must not lose what it acknowledges.
    ///
    /// # Errors
    /// Those of a write.
    pub fn try_write(&self) -> Result<()> {
        let session = Session::new(self, Purpose::Write(Writing::Durable), self.limits());
        session.trip(Vec::new(), TripEnd::GoOn).map(drop)
    }

    /// How many round trips this process has made to the database.
    pub fn round_trips(&self) -> u64 {
        self.server.trips.load(Ordering::Relaxed)
    }

    pub(crate) fn limits(&self) -> Limits {
        self.options.limits()
    }

    /// Names the store in a failure.
    pub(crate) fn named<T>(&self, outcome: Outcome<T>) -> Result<T> {
        self.options.named(outcome)
    }

    pub(crate) fn no_store(&self) -> Failure {
        match self.incarnation.get() {
            None => Fault::NoStore.of(&self.shown, "").into(),
            Some(_) => Error::store_lost(&*self.shown, "it was dropped").into(),
        }
    }
}

impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Postgres")
            .field("store", &self.shown)
            .finish_non_exhaustive()
    }
}

impl Engine for Postgres {
    fn rows(&self) -> Result<Box<dyn Read + '_>> {
        Ok(Box::new(CurrentRows(self)))
    }

    fn snapshot(&self, work: &mut dyn FnMut(&dyn Read) -> Result<()>) -> Result<()> {
        let session = Session::new(self, Purpose::Read, self.limits());
        work(&Handle(&session))
    }

    fn write(
        &self,
        writing: Writing,
        work: &mut dyn FnMut(&dyn Transaction) -> Result<()>,
    ) -> Result<()> {
        transaction::write(self, writing, work)
    }

    /// Each write in it is a transaction of its own: there are no bytes to clear before others may write.
    fn exclusively(&self, work: &mut dyn FnMut(&dyn Engine) -> Result<()>) -> Result<()> {
        work(self)
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn scrub(&self) -> Option<Residue> {
        Some(Residue::Database(
            "the database's files have its bytes until its administrator runs `VACUUM FULL`, which writes the tables \
             anew; the log (WAL) with its archive, replicas and backups have them as long as they are kept"
                .into(),
        ))
    }

    fn name(&self) -> String {
        self.shown.clone()
    }
}
