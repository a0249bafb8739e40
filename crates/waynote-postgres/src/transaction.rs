//! Writing: a transaction that is tried again when others were in its way, and never carried out twice.

use std::time::Instant;

use waynote::engine::{Transaction, Writing};
use waynote::{Error, Result};

use crate::engine::Postgres;
use crate::error::{Failure, Fault, Outage, RetryKind, told};
use crate::rows::Handle;
use crate::session::{Purpose, Session, TripEnd};
use crate::trip::{Statement, big};

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
        let (error, cure) = match work(&Handle(&session)) {
            Ok(()) => match commit(&session)? {
                None => return Ok(()),
                Some(failed) => failed,
            },
            Err(error) => (error, session.cure.get()),
        };
        drop(session);
        if !limits.again(started, attempt, cure) {
            return Err(error);
        }
    }
}

/// Commits a transaction. An error with its cure if nothing of it was carried out.
fn commit(session: &Session<'_>) -> Result<Option<(Error, RetryKind)>> {
    if !session.is_dirty.get() {
        session.roll_back();
        return Ok(None);
    }
    let engine = session.engine;
    let failure = match session.tried(Vec::new(), TripEnd::Commit) {
        Ok(_) if session.is_warned() => {
            return Err(unknown(
                engine,
                "the server has ended its wait for its standby",
            ));
        }
        Ok(_) => return Ok(None),
        Err(failure) => failure,
    };
    if failure.is_refused(engine.server.has_others()) {
        let refused = engine.named::<()>(Err(failure)).err();
        return Ok(refused.map(|error| (error, session.cure.get())));
    }
    resolve(session, &failure)
}

fn unknown(engine: &Postgres, reason: &str) -> Error {
    Fault::Unknown.of(&engine.shown, reason).into()
}

/// The connection was lost while the transaction was being committed: its rows say whether it was.
fn resolve(lost: &Session<'_>, failure: &Failure) -> Result<Option<(Error, RetryKind)>> {
    let engine = lost.engine;
    let reason = told(failure);
    let away = Outage::Lost(reason.clone()).to_string();
    let gone = (
        Fault::Away.of(&engine.shown, away).into(),
        RetryKind::Elsewhere,
    );
    let Some((first, _)) = lost.put.get() else {
        // It has no position, so that doing it again does not change it.
        return Ok(Some(gone));
    };
    // A server that restarts, or one that takes over, needs a while.
    let started = Instant::now();
    let limits = engine.limits();
    loop {
        match look(lost, first) {
            Ok(true) => return Ok(None),
            Ok(false) => return Ok(Some(gone)),
            Err(()) if limits.pause(started) => {}
            Err(()) => return Err(unknown(engine, &reason)),
        }
    }
}

/// True if the rows of a transaction that put one at this position are there, on this server and on its standby.
fn look(lost: &Session<'_>, first: i64) -> std::result::Result<bool, ()> {
    let engine = lost.engine;
    // The lock is free when the server is done with the transaction.
    let session = Session::new(engine, Purpose::Write(Writing::Durable), engine.limits());
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
