//! The database as this process uses it: a pool of connections, and the thread that moves their bytes.

use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use deadpool::Runtime;
use deadpool::managed::{Object, Pool, PoolError, QueueMode, Timeouts};
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use tokio_postgres::Row;
use waynote::Error;

use crate::connect::Connector;
use crate::error::{Failure, Outage, Outcome, RetryKind};
use crate::options::Options;
use crate::trip::{self, Statement};

/// A connection, until it goes back into the pool.
pub(crate) type PooledConnection = Object<Connector>;

/// The servers behind a URL.
pub(crate) struct Server {
    options: Options,
    handle: Handle,
    pool: Pool<Connector>,
    was_connected: AtomicBool,
    pub(crate) trips: AtomicU64,
    /// Ends the thread when it is dropped.
    _stop: oneshot::Sender<()>,
}

impl Server {
    /// Nothing is connected yet.
    pub(crate) fn new(options: &Options) -> Result<Self, Error> {
        let failed = |source: Box<dyn std::error::Error + Send + Sync>| {
            Error::engine(options.shown(), source)
        };
        let connector = Connector::new(options)?;
        let runtime = Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .build()
            .map_err(|error| failed(error.into()))?;
        let handle = runtime.handle().clone();
        let pool = Pool::builder(connector)
            .max_size(options.connections)
            .runtime(Runtime::Tokio1)
            // The one that was used last: its statements' tables are in its caches, and the others may be closed.
            .queue_mode(QueueMode::Lifo)
            .build()
            .map_err(|error| failed(error.into()))?;
        let (stop, stopped) = oneshot::channel::<()>();
        thread::Builder::new()
            .name("waynote-postgres".into())
            .spawn(move || {
                runtime.block_on(async {
                    let _ = stopped.await;
                });
                // Statements that were sent last are on their way; nobody waits for their answers.
                runtime.shutdown_background();
            })
            .map_err(|error| failed(error.into()))?;
        Ok(Self {
            options: options.clone(),
            handle,
            pool,
            was_connected: AtomicBool::new(false),
            trips: AtomicU64::new(0),
            _stop: stop,
        })
    }

    /// Sends statements at once, and waits for their answers at most that long.
    pub(crate) fn ran(
        &self,
        leased: &PooledConnection,
        limit: Duration,
        statements: &[Statement],
    ) -> Outcome<Vec<Vec<Row>>> {
        self.trips.fetch_add(1, Ordering::Relaxed);
        let schema = &self.options.schema;
        match self.within(limit, trip::run(&leased.client, schema, statements)) {
            Some(rows) => Ok(rows?),
            None => Err(Failure::Away(Outage::TimedOut(limit))),
        }
    }

    /// The same on any connection.
    pub(crate) fn asked(
        &self,
        limits: &Limits,
        statements: &[Statement],
    ) -> Outcome<Vec<Vec<Row>>> {
        let leased = self.lease(limits)?;
        let rows = self.ran(&leased, limits.clamped(limits.answer), statements);
        if rows.is_err() {
            // A transaction that it may be in ends with it.
            Self::discard(leased);
        }
        rows
    }

    /// Waits for something to be done, at most that long.
    fn within<T>(&self, limit: Duration, work: impl Future<Output = T>) -> Option<T> {
        let _here = self.handle.enter();
        pollster::block_on(async { tokio::time::timeout(limit, work).await.ok() })
    }

    /// A connection. A process that was connected is patient with a server that is away, and one that may go
    /// to several hosts: another one may be about to take over.
    pub(crate) fn lease(&self, limits: &Limits) -> Outcome<PooledConnection> {
        let started = Instant::now();
        loop {
            let failure = match self.leased(limits) {
                Ok(leased) => {
                    self.was_connected.store(true, Ordering::Relaxed);
                    return Ok(leased);
                }
                Err(failure) => failure,
            };
            let is_away = matches!(
                failure,
                Failure::Away(Outage::Unreachable(_) | Outage::TimedOut(_))
            );
            let is_patient = self.was_connected.load(Ordering::Relaxed) || self.has_others();
            let may_come = is_away && is_patient;
            if !may_come || started.elapsed() + Limits::PAUSE >= limits.clamped(limits.wait) {
                return Err(failure);
            }
            thread::sleep(Limits::PAUSE);
        }
    }

    fn leased(&self, limits: &Limits) -> Outcome<PooledConnection> {
        let wait = limits.clamped(limits.wait);
        let timeouts = Timeouts {
            wait: Some(wait),
            ..Timeouts::new()
        };
        // Each host has its own time limit; all of them together have the rest of the call's time.
        match self.within(limits.left(), self.pool.timeout_get(&timeouts)) {
            Some(Ok(leased)) => Ok(leased),
            Some(Err(PoolError::Backend(failure))) => Err(failure),
            Some(Err(PoolError::Timeout(_))) => Err(Failure::Away(Outage::InUse(wait))),
            Some(Err(_)) => Err(Failure::Away(Outage::Lost("the pool is closed".into()))),
            None => Err(Failure::Away(Outage::TimedOut(limits.left()))),
        }
    }

    /// Takes a connection out of the pool and closes it.
    pub(crate) fn discard(leased: PooledConnection) {
        drop(Object::take(leased));
    }

    /// True if another server may cure a failure: a server that cannot be written has a sibling that can.
    pub(crate) fn has_others(&self) -> bool {
        self.options.has_several_hosts()
    }

    /// A server has not answered in time: closes its other connections.
    pub(crate) fn suspect(&self) {
        if self.has_others() {
            self.pool.retain(|_, _| false);
        }
    }
}

/// How long a call may take, from now on.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    pub(crate) wait: Duration,
    pub(crate) answer: Duration,
    pub(crate) until: Option<Instant>,
}

impl Limits {
    /// Between two attempts.
    const PAUSE: Duration = Duration::from_millis(100);

    /// Longer than anything takes.
    const FOREVER: Duration = Duration::from_secs(24 * 60 * 60);

    /// For a statement whose time depends on the size of the store.
    pub(crate) fn patient(mut self) -> Self {
        self.answer = Self::FOREVER;
        self
    }

    /// The time that is left for the whole call.
    pub(crate) fn left(&self) -> Duration {
        match self.until {
            Some(until) => until.saturating_duration_since(Instant::now()),
            None => Self::FOREVER,
        }
    }

    /// The time, or the time left if that is shorter.
    pub(crate) fn clamped(&self, time: Duration) -> Duration {
        time.min(self.left())
    }

    /// Waits a little, unless the wait that began then is over.
    pub(crate) fn pause(&self, started: Instant) -> bool {
        thread::sleep(self.clamped(Self::PAUSE));
        started.elapsed() < self.clamped(self.wait)
    }

    /// Waits a little before another attempt, if there is to be one.
    pub(crate) fn again(&self, started: Instant, attempt: u32, cure: RetryKind) -> bool {
        /// More attempts at a transaction that others were in the way of would only add to the crowd.
        const MOST: u32 = 8;
        match cure {
            RetryKind::None => false,
            RetryKind::Again if attempt >= MOST => false,
            RetryKind::Again => {
                let most = 1_u64 << attempt.min(7);
                let mut random = [0; 1];
                let _ = getrandom::fill(&mut random);
                let pause = Duration::from_millis(1 + u64::from(random[0]) % (4 * most));
                thread::sleep(self.clamped(pause));
                !self.left().is_zero()
            }
            RetryKind::Elsewhere => {
                // The connections that a pool still has to a server that is gone are noticed one by one.
                if attempt > 1 {
                    thread::sleep(self.clamped(Self::PAUSE));
                }
                // An answer that did not come may have used up the wait: a sibling is tried all the same.
                let may_try = attempt <= 2 || started.elapsed() < self.wait;
                may_try && !self.left().is_zero()
            }
        }
    }
}
