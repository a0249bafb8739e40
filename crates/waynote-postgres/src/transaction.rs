//! Writing: a transaction that is tried again when others were in its way, and never carried out twice.

use std::time::Instant;

use waynote::engine::{Engine, IndexState, Read, Transaction, Writing};
use waynote::forget::Residue;
use waynote::{Error, Result};

use crate::engine::{Postgres, residue};
use crate::error::{Failure, Fault, Outage, RetryKind, told};
use crate::rows::Handle;
use crate::server::Limits;
use crate::session::{Purpose, Session, TripEnd};
use crate::trip::{Statement, big};

/// The outcome of a commit.
enum CommitOutcome {
    Yes,
    /// Nothing of it was carried out.
    No(Error, RetryKind),
}

/// Runs `work` in a transaction.
pub(crate) fn write(
    engine: &Postgres,
    writing: Writing,
    work: &mut dyn FnMut(&dyn Transaction) -> Result<()>,
) -> Result<()> {
    let limits = engine.limits();
    let started = Instant::now();
    let mut attempt = 0;
    loop {
        attempt += 1;
        let session = Session::new(engine, Purpose::Write(writing), limits.clone());
        let (error, cure) = match work(&Handle::new(&session)) {
            Ok(()) => match commit(&session)? {
                CommitOutcome::Yes => return Ok(()),
                CommitOutcome::No(error, cure) => (error, cure),
            },
            Err(error) => (error, session.cure()),
        };
        drop(session);
        if !limits.again(started, attempt, cure) {
            return Err(error);
        }
    }
}

fn commit(session: &Session<'_>) -> Result<CommitOutcome> {
    if !session.is_dirty() {
        session.roll_back();
        return Ok(CommitOutcome::Yes);
    }
    let engine = session.engine;
    let failure = match session.tried(Vec::new(), TripEnd::Commit) {
        Ok(_) if session.is_warned() => {
            return Err(unknown(
                engine,
                "the server has ended its wait for its standby",
            ));
        }
        Ok(_) => {
            session.committed();
            return Ok(CommitOutcome::Yes);
        }
        Err(failure) => failure,
    };
    let cure = session.cure();
    let is_refused = match &failure {
        Failure::Server(error) => error.as_db_error().is_some() && cure != RetryKind::Elsewhere,
        Failure::Ours(_) => true,
        Failure::Away(_) => false,
    };
    if is_refused {
        return Ok(CommitOutcome::No(
            engine.named::<()>(Err(failure)).unwrap_err(),
            cure,
        ));
    }
    resolve(session, &failure)
}

fn unknown(engine: &Postgres, reason: &str) -> Error {
    Fault::Unknown.of(&engine.shown, reason).into()
}

/// The connection was lost while the transaction was being committed: its rows say whether it was.
fn resolve(lost: &Session<'_>, failure: &Failure) -> Result<CommitOutcome> {
    let engine = lost.engine;
    let reason = match failure {
        Failure::Server(error) => told(error),
        Failure::Away(away) => away.to_string(),
        Failure::Ours(error) => error.to_string(),
    };
    let gone = |reason: &str| {
        let away = Outage::Lost(reason.to_owned()).to_string();
        let error = Fault::Away.of(&engine.shown, away);
        CommitOutcome::No(error.into(), RetryKind::Elsewhere)
    };
    let Some((first, _)) = lost.put_positions() else {
        // It has no position, so that doing it again does not change it.
        return Ok(gone(&reason));
    };
    // A server that restarts, or one that takes over, needs a while.
    let started = Instant::now();
    let limits = Limits::of(&engine.options);
    loop {
        match look(lost, first) {
            Ok(true) => return Ok(CommitOutcome::Yes),
            Ok(false) => return Ok(gone(&reason)),
            Err(()) if limits.pause(started) => {}
            Err(()) => return Err(unknown(engine, &reason)),
        }
    }
}

/// True if the rows of a transaction that put one at this position are there, on this server and on its standby.
fn look(lost: &Session<'_>, first: i64) -> std::result::Result<bool, ()> {
    let engine = lost.engine;
    let limits = Limits::of(&engine.options);
    // The lock is free when the server is done with the transaction.
    let session = Session::new(engine, Purpose::Write(Writing::Durable), limits);
    let marks = Statement::typed(
        "SELECT mark FROM waynote.journal WHERE store = $1 AND position = $2
         UNION ALL SELECT mark FROM waynote.event WHERE store = $1 AND position = $2",
        vec![big(engine.which.key), big(first)],
    );
    let rows = session.trip(vec![marks], TripEnd::GoOn).map_err(drop)?;
    let mut marks = rows.iter().flatten();
    if !marks.any(|row| row.try_get(0).is_ok_and(|mark: i64| mark == lost.mark)) {
        return Ok(false);
    }
    // It is there, but its standby may not have it: a backend that is ended, or a server that is started again, waits for
    // the standby no more. The lock that this transaction took is in the log after it, and its commit waits for both.
    match session.tried(Vec::new(), TripEnd::Commit) {
        Ok(_) if !session.is_warned() => Ok(true),
        _ => Err(()),
    }
}

/// Runs `work` while nobody else writes: all of it in one transaction, which holds the lock.
pub(crate) fn exclusively(
    engine: &Postgres,
    work: &mut dyn FnMut(&dyn Engine) -> Result<()>,
) -> Result<()> {
    let session = Session::new(engine, Purpose::Write(Writing::Durable), engine.limits());
    // What is done between two trips may take its time here.
    session.later([Statement::plain(
        "SET LOCAL idle_in_transaction_session_timeout = '60s'",
    )]);
    session.trip(Vec::new(), TripEnd::GoOn)?;
    let held = LockedEngine { session: &session };
    let worked = work(&held);
    // Each write in it was acknowledged by itself.
    match commit(&session)? {
        CommitOutcome::Yes => worked,
        CommitOutcome::No(error, _) => worked.and(Err(error)),
    }
}

/// The engine inside the transaction that holds the lock.
struct LockedEngine<'s, 'e> {
    session: &'s Session<'e>,
}

impl Engine for LockedEngine<'_, '_> {
    fn rows(&self) -> Result<Box<dyn Read + '_>> {
        Ok(Box::new(Handle::new(self.session)))
    }

    fn snapshot(&self, work: &mut dyn FnMut(&dyn Read) -> Result<()>) -> Result<()> {
        work(&Handle::new(self.session))
    }

    fn write(
        &self,
        _: Writing,
        work: &mut dyn FnMut(&dyn Transaction) -> Result<()>,
    ) -> Result<()> {
        let session = self.session;
        session.trip(vec![Statement::plain("SAVEPOINT waynote")], TripEnd::GoOn)?;
        let mut part = Part {
            session,
            put: session.put_positions(),
            index: session.head().map(|head| head.index),
            queued: session.queued(),
            is_kept: false,
        };
        work(&Handle::new(session))?;
        session.trip(
            vec![Statement::plain("RELEASE SAVEPOINT waynote")],
            TripEnd::GoOn,
        )?;
        part.is_kept = true;
        Ok(())
    }

    fn exclusively(&self, work: &mut dyn FnMut(&dyn Engine) -> Result<()>) -> Result<()> {
        work(self)
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn scrub(&self) -> Option<Residue> {
        Some(residue())
    }

    fn name(&self) -> String {
        self.session.engine.shown.clone()
    }
}

/// A write inside a transaction, taken back unless it is kept: also when the work panics.
struct Part<'s, 'e> {
    session: &'s Session<'e>,
    put: Option<(i64, i64)>,
    index: Option<IndexState>,
    queued: usize,
    is_kept: bool,
}

impl Drop for Part<'_, '_> {
    fn drop(&mut self) {
        if self.is_kept {
            return;
        }
        self.session.unqueue(self.queued);
        self.session.put_back(self.put, self.index);
        let back = Statement::plain("ROLLBACK TO SAVEPOINT waynote; RELEASE SAVEPOINT waynote");
        let _ = self.session.trip(vec![back], TripEnd::GoOn);
    }
}
