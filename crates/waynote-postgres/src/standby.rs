//! Reads that a standby may answer. It answers only if it is as far as this process has written or seen the store:
//! nobody misses a write of his own. In any other case the primary answers.

use std::sync::Arc;

use waynote::engine::{Ask, Engine, Read, Rows, Transaction, Writing};
use waynote::forget::Residue;
use waynote::{EngineStore, Error, Report, Result};

use crate::engine::{OpenStore, Postgres};
use crate::error::{Fault, PostgresError};
use crate::read;
use crate::rows::Handle;
use crate::session::{Purpose, Session, TripEnd};

/// The store with reads that its standby may answer: the one that `read_url` names in the URL of the store. None if the
/// URL names none. For pages and searches of people: other programs may have written what the standby does not have
/// yet.
///
/// # Errors
/// Those of the certificates that the URL names.
pub fn reading(store: &Arc<EngineStore<Postgres>>) -> Result<Option<EngineStore<StandbyReads>>> {
    let primary = Arc::clone(store);
    let opened = primary.engine().opened()?;
    let Some(options) = opened.options.standby() else {
        return Ok(None);
    };
    let standby = OpenStore::new(options, opened.which.clone())?;
    Ok(Some(EngineStore::new(StandbyReads { primary, standby })))
}

/// An engine whose reads a standby may answer. Its snapshots may run their work again, on the primary.
pub struct StandbyReads {
    primary: Arc<EngineStore<Postgres>>,
    standby: OpenStore,
}

impl StandbyReads {
    fn primary(&self) -> &Postgres {
        self.primary.engine()
    }

    /// The answer of the standby; none if the primary has to answer.
    fn asked<T>(&self, ask: impl FnOnce(&Session<'_>) -> Result<T>) -> Option<T> {
        let wanted = self.primary().opened().ok()?.known()?;
        let server = &self.standby.server;
        if !server.may_be_asked() {
            return None;
        }
        let session = Session::new(&self.standby, Purpose::Read, self.standby.limits());
        let session = session.wanting(wanted);
        let answer = ask(&session);
        if let (Ok(_), Some(head)) = (&answer, session.head()) {
            // Another standby may be further behind than this one.
            self.primary().opened().ok()?.saw(head.position);
        }
        let is_faulty = |error| !session.is_behind() && is_about_server(error);
        server.has_answered(!answer.as_ref().err().is_some_and(is_faulty));
        answer.ok()
    }
}

/// True if an error is about the server: it does not answer, or cannot be used. A query that takes too long, or a store
/// that is not there yet, says nothing of others.
fn is_about_server(error: &Error) -> bool {
    let error = error.downcast_ref::<PostgresError>();
    error.is_some_and(|error| !matches!(error.fault, Fault::TooLong | Fault::NoStore))
}

impl Engine for StandbyReads {
    fn rows(&self) -> Result<Box<dyn Read + '_>> {
        Ok(Box::new(StandbyRows(self)))
    }

    fn snapshot(&self, work: &mut dyn FnMut(&dyn Read) -> Result<()>) -> Result<()> {
        let done = self.asked(|session| {
            session.trip(Vec::new(), TripEnd::GoOn)?;
            work(&Handle::new(session))
        });
        match done {
            Some(()) => Ok(()),
            None => self.primary().snapshot(work),
        }
    }

    fn write(
        &self,
        writing: Writing,
        work: &mut dyn FnMut(&dyn Transaction) -> Result<()>,
    ) -> Result<()> {
        self.primary().write(writing, work)
    }

    fn exclusively(&self, work: &mut dyn FnMut(&dyn Engine) -> Result<()>) -> Result<()> {
        self.primary().exclusively(work)
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn scrub(&self) -> Option<Residue> {
        self.primary().scrub()
    }

    fn name(&self) -> String {
        self.primary().name()
    }
}

/// Rows as they are when they are asked for.
struct StandbyRows<'e>(&'e StandbyReads);

impl Read for StandbyRows<'_> {
    fn read(&self, ask: &Ask) -> Result<Rows> {
        // Side data and heartbeats have no position by which it could be seen that the standby has them.
        let has_position = ask.side.is_empty() && ask.about.is_empty() && !ask.spaces && !ask.clock;
        let asked = || {
            self.0
                .asked(|session| read::read(session, ask, TripEnd::Commit))
        };
        match has_position.then(asked).flatten() {
            Some(rows) => Ok(rows),
            None => self.0.primary().rows()?.read(ask),
        }
    }

    fn verify(&self, report: &mut Report) -> Result<bool> {
        self.0.primary().rows()?.verify(report)
    }
}
