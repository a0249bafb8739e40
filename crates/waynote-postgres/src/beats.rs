//! When loops said that they live: a row for each session, written without the lock of the store.

use std::time::Duration;

use waynote::{Name, Result, Scope};

use crate::engine::Postgres;
use crate::error::{Away, Failure, Outcome};
use crate::read::plan::scope_hash;
use crate::server::Server;
use crate::session::{Purpose, Session, Then};
use crate::trip::{self, Statement, Value, big, bytes};

/// Nothing is written for a loop that has lost the session.
const BEAT: &str = "INSERT INTO waynote.beat (store, scope, lease, at)
     SELECT $1, s.scope, s.lease, clock_timestamp() FROM waynote.scope s
     WHERE s.store = $1 AND s.hash = $2 AND s.lease = $3
     ON CONFLICT (store, scope) DO UPDATE SET lease = excluded.lease, at = excluded.at";

const SILENCE: &str =
    "SELECT (extract(epoch FROM clock_timestamp() - b.at) * 1000)::bigint FROM waynote.scope s
     JOIN waynote.beat b ON b.store = $1 AND b.scope = s.scope
     WHERE s.store = $1 AND s.hash = $2 AND b.lease = $3";

fn values(engine: &Postgres, session: &Name, lease: u64) -> Vec<Value> {
    vec![
        big(engine.which.key),
        bytes(scope_hash(&Scope::Session(session.clone()))),
        big(i64::try_from(lease).unwrap_or(i64::MAX)),
    ]
}

/// Records that a loop lives.
pub(crate) fn beat(engine: &Postgres, session: &Name, lease: u64) -> Result<()> {
    let statement = Statement::typed(BEAT, values(engine, session, lease));
    let beaten = || -> Outcome<()> {
        let limits = engine.limits();
        let leased = engine.server.lease(&limits)?;
        let limit = limits.clamped(limits.answer);
        let done = engine
            .server
            .within(limit, trip::run(&leased.client, &[statement]));
        let done = match done {
            Some(done) => done.map(drop).map_err(Failure::from),
            None => Err(Failure::Away(Away::TimedOut(limit))),
        };
        if done.is_err() {
            Server::discard(leased);
        }
        done
    };
    engine.named(beaten())
}

/// How long ago a loop was heard of.
pub(crate) fn silence(engine: &Postgres, session: &Name, lease: u64) -> Result<Option<Duration>> {
    let statement = Statement::typed(SILENCE, values(engine, session, lease));
    let asked = Session::new(engine, Purpose::Read, engine.limits());
    let answers = asked.trip(vec![statement], Then::Commit)?;
    let Some(row) = answers.first().and_then(|rows| rows.first()) else {
        return Ok(None);
    };
    let silent: i64 = engine.named(row.try_get(0).map_err(Failure::from))?;
    // A clock of another server, after a failover, may be behind.
    Ok(Some(Duration::from_millis(
        u64::try_from(silent).unwrap_or_default(),
    )))
}
