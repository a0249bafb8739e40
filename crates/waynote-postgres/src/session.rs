//! One transaction on one connection. Its `BEGIN`, the lock of the store's row and the statements that write travel
//! with the next statements that need an answer, so that they cost no round trip of their own.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use tokio_postgres::Row;
use tokio_postgres::error::SqlState;
use waynote::engine::{IndexState, Writing};
use waynote::{Error, Result};

use crate::engine::Postgres;
use crate::error::{Failure, Fault, Outage, Outcome, RetryKind};
use crate::head::{self, Head};
use crate::schema;
use crate::server::{Limits, PooledConnection, Server};
use crate::trip::Statement;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Read,
    Write(Writing),
}

/// Tells if a transaction ends with a trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TripEnd {
    GoOn,
    Commit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nothing was sent.
    Fresh,
    Open,
    Ended,
}

/// A transaction.
pub(crate) struct Session<'e> {
    pub(crate) engine: &'e Postgres,
    purpose: Purpose,
    limits: Limits,
    leased: RefCell<Option<PooledConnection>>,
    state: Cell<State>,
    queue: RefCell<Vec<Statement>>,
    head: RefCell<Option<Head>>,
    /// The cure of the failure that ended it.
    pub(crate) cure: Cell<RetryKind>,
    /// The first position that it has put, and the last.
    pub(crate) put: Cell<Option<(i64, i64)>>,
    /// True if anything was put.
    pub(crate) is_dirty: Cell<bool>,
    /// True if a statement has no time limit of its own: its time depends on the size of the store.
    is_patient: Cell<bool>,
    /// Random: its rows are known by it.
    pub(crate) mark: i64,
}

impl<'e> Session<'e> {
    pub(crate) fn new(engine: &'e Postgres, purpose: Purpose, limits: Limits) -> Self {
        let mut mark = [0; 8];
        // Without randomness a lost commit could not be told from another one's.
        getrandom::fill(&mut mark).expect("the system has random bytes");
        Self {
            engine,
            purpose,
            limits,
            leased: RefCell::default(),
            state: Cell::new(State::Fresh),
            queue: RefCell::default(),
            head: RefCell::default(),
            cure: Cell::new(RetryKind::None),
            put: Cell::default(),
            is_dirty: Cell::default(),
            is_patient: Cell::default(),
            mark: i64::from_be_bytes(mark),
        }
    }

    /// From now on, statements may take as long as there is to look at.
    pub(crate) fn be_patient(&self) {
        if !self.is_patient.replace(true) {
            let mut queue = self.queue.borrow_mut();
            queue.push(Statement::plain(
                "SET LOCAL statement_timeout = 0; SET LOCAL enable_hashjoin = on; SET LOCAL plan_cache_mode = auto; \
                 SET LOCAL idle_in_transaction_session_timeout = '60s'",
            ));
        }
    }

    /// Puts statements in the queue. They are sent with the next trip.
    pub(crate) fn later(&self, statements: impl IntoIterator<Item = Statement>) {
        self.is_dirty.set(true);
        self.queue.borrow_mut().extend(statements);
    }

    /// The position after which the next row comes.
    pub(crate) fn position(&self) -> Option<i64> {
        self.head().map(|head| head.position)
    }

    /// Positions that are put.
    pub(crate) fn puts(&self, first: i64, last: i64) {
        let first = self.put.get().map_or(first, |(first, _)| first);
        self.put.set(Some((first, last)));
    }

    /// The search index has another state.
    pub(crate) fn indexed(&self, state: IndexState) {
        if let Some(head) = &mut *self.head.borrow_mut() {
            head.index = state;
        }
    }

    /// The row of the store as of the beginning of the transaction, with the positions that were put since.
    pub(crate) fn head(&self) -> Option<Head> {
        let mut head = self.head.borrow().clone()?;
        if let Some((_, last)) = self.put.get() {
            head.position = last;
        }
        Some(head)
    }

    /// Sends statements, with all that waits in the queue, and returns their answers.
    pub(crate) fn trip(&self, statements: Vec<Statement>, then: TripEnd) -> Result<Vec<Vec<Row>>> {
        let outcome = self.tried(statements, then);
        self.engine.named(outcome)
    }

    /// The same, for a caller that examines the failure.
    pub(crate) fn tried(
        &self,
        statements: Vec<Statement>,
        then: TripEnd,
    ) -> Outcome<Vec<Vec<Row>>> {
        let is_fresh = match self.state.get() {
            State::Fresh => true,
            State::Open => false,
            State::Ended => {
                let reason = "the transaction has ended".into();
                return Err(Failure::Away(Outage::Lost(reason)));
            }
        };
        let is_write = self.is_write();
        let asked = statements.len();
        let mut all = Vec::with_capacity(asked + 6);
        if is_fresh {
            all.push(Statement::plain(self.begin()));
            all.push(head::statement(&self.engine.which, is_write));
        }
        all.append(&mut self.queue.borrow_mut());
        let skipped = all.len();
        all.extend(statements);
        if then == TripEnd::Commit {
            if is_write {
                // Its end during a wait for the standby would look like a commit.
                all.push(Statement::plain("SET LOCAL statement_timeout = 0"));
            }
            all.push(Statement::plain("COMMIT"));
        }
        let started = Instant::now();
        let mut attempt = 0;
        let mut rows = loop {
            attempt += 1;
            let began = Instant::now();
            let failure = match self.once(&all, is_fresh, then) {
                Ok(rows) => break rows,
                Err(failure) => failure,
            };
            let cure = match failure.code() {
                // Somebody else has cancelled it.
                Some(&SqlState::QUERY_CANCELED) if began.elapsed() < self.longest_statement() => {
                    RetryKind::Again
                }
                _ => failure.cure(self.engine.server.has_others()),
            };
            self.end_broken(&failure);
            // Nothing that was answered yet depends on it, and nothing of it can have been carried out.
            let is_left_to_caller =
                is_write && (then == TripEnd::Commit || cure == RetryKind::Again);
            let may_try = is_fresh && !is_left_to_caller;
            if may_try && self.limits.again(started, attempt, cure) {
                continue;
            }
            self.state.set(State::Ended);
            self.cure.set(cure);
            return Err(failure);
        };
        self.state.set(match then {
            TripEnd::GoOn => State::Open,
            TripEnd::Commit => State::Ended,
        });
        if then == TripEnd::Commit && !is_write {
            self.leased.take();
        }
        rows.truncate(skipped + asked);
        Ok(rows.split_off(skipped))
    }

    fn once(&self, all: &[Statement], is_fresh: bool, then: TripEnd) -> Outcome<Vec<Vec<Row>>> {
        let mut leased = self.leased.borrow_mut();
        let leased = match &mut *leased {
            Some(leased) => leased,
            None => {
                let new = self.engine.server.lease(&self.limits)?;
                new.take_warning();
                leased.insert(new)
            }
        };
        let limit = self.limit(is_fresh, then);
        let server = &self.engine.server;
        let rows = server.ran(leased, limit, all)?;
        if is_fresh {
            *self.head.borrow_mut() = Some(self.begun(&rows)?);
        }
        Ok(rows)
    }

    /// How long an answer may take.
    fn limit(&self, is_fresh: bool, then: TripEnd) -> Duration {
        let limits = &self.limits;
        if self.is_patient.get() {
            return limits.left();
        }
        let is_write = self.is_write();
        let answer = match is_write && then == TripEnd::Commit {
            // Another connection can be asked whether the commit was carried out: better than to wait for a server that
            // is cut off.
            true => limits.answer.min(limits.wait),
            false => limits.answer,
        };
        let lock = limits.wait * u32::from(is_write && is_fresh);
        limits.clamped(answer + lock)
    }

    fn is_write(&self) -> bool {
        self.purpose != Purpose::Read
    }

    /// The row of the store, which allows the transaction to go on.
    fn begun(&self, rows: &[Vec<Row>]) -> Outcome<Head> {
        let engine = self.engine;
        let Some(row) = rows.get(1).and_then(|rows| rows.first()) else {
            return Err(engine.no_store());
        };
        let head = Head::of(row)?;
        schema::check(head.version, &engine.shown)?;
        if *engine.incarnation.get_or_init(|| head.incarnation) != head.incarnation {
            return Err(Error::store_lost(&*engine.shown, "another store has its name now").into());
        }
        if head.is_standby && engine.server.has_others() {
            let reason = "its server follows another one now".into();
            return Err(Failure::Away(Outage::Lost(reason)));
        }
        if !head.is_synchronous
            && matches!(
                self.purpose,
                Purpose::Write(Writing::Durable | Writing::Erasing)
            )
        {
            let reason = "synchronous_commit is off, so that it acknowledges what it may lose";
            return Err(Fault::Unsuitable.of(&engine.shown, reason).into());
        }
        Ok(head)
    }

    /// How long one statement may take.
    fn longest_statement(&self) -> Duration {
        match self.purpose {
            Purpose::Read => self.limits.answer,
            Purpose::Write(_) => self.limits.answer + self.limits.wait,
        }
    }

    fn begin(&self) -> String {
        let millis = |time: Duration| {
            self.limits
                .clamped(time)
                .as_millis()
                .clamp(1, 2_000_000_000)
        };
        let statement = millis(self.longest_statement());
        // Makes the server use the indexes, row by row, without regard to its statistics: a table that has just grown
        // has none, and a join here is never over more than a few rows of a store.
        let plans = "SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; \
                     SET LOCAL enable_mergejoin = off; SET LOCAL jit = off; \
                     SET LOCAL search_path = pg_catalog";
        match self.purpose {
            Purpose::Read => format!(
                "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = {statement}; \
                 SET LOCAL plan_cache_mode = force_generic_plan; {plans}"
            ),
            Purpose::Write(writing) => {
                let wait = millis(self.limits.wait);
                // A process that sleeps between two trips must not stop the writers behind it for longer than they wait.
                let idle = millis(self.limits.wait / 2);
                let relaxed = match writing {
                    Writing::Relaxed => "; SET LOCAL synchronous_commit = off",
                    Writing::Durable | Writing::Erasing => "",
                };
                // The server warns when it stops waiting for its standby; settings of the role must not hide that.
                format!(
                    "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL lock_timeout = {wait}; \
                     SET LOCAL client_min_messages = warning; \
                     SET LOCAL idle_in_transaction_session_timeout = {idle}; \
                     SET LOCAL statement_timeout = {statement}; {plans}{relaxed}"
                )
            }
        }
    }

    /// After a failure: a connection that may still be inside a transaction, or waits for an answer, is closed; one on
    /// which a statement was refused goes back.
    fn end_broken(&self, failure: &Failure) {
        if matches!(failure, Failure::Away(Outage::TimedOut(_))) {
            self.engine.server.suspect();
        }
        let Some(leased) = self.leased.take() else {
            return;
        };
        match failure.is_refused(self.engine.server.has_others()) {
            true => roll_back(leased),
            false => Server::discard(leased),
        }
    }

    /// Ends the transaction without keeping anything of it. Nobody waits for the answer.
    pub(crate) fn roll_back(&self) {
        self.queue.borrow_mut().clear();
        let is_open = self.state.replace(State::Ended) == State::Open;
        if let Some(leased) = self.leased.take()
            && is_open
        {
            roll_back(leased);
        }
    }

    /// True if the server has warned during the commit: its wait for the standby was cancelled, and the acknowledged
    /// write is only on this server.
    pub(crate) fn is_warned(&self) -> bool {
        let leased = self.leased.take();
        leased.is_some_and(|leased| leased.take_warning())
    }
}

/// The next user's statements come after it.
fn roll_back(leased: PooledConnection) {
    let sent = leased.client.batch_execute("ROLLBACK").now_or_never();
    if let Some(Err(_)) = sent {
        Server::discard(leased);
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        self.roll_back();
    }
}
