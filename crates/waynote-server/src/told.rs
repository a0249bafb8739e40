//! A store that notifies the feeds of its writes at once.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use waynote::change::{Applied, Change};
use waynote::context::{BlockAnswer, BlockAsk};
use waynote::event::SessionEvent;
use waynote::forget::{Forget, Forgotten};
use waynote::heartbeat;
use waynote::search::{Hit, SearchRequest};
use waynote::store::{Answers, ApplyCall, Ask, Damage, SideValue};
use waynote::{
    Address, AsOf, Name, Note, Reader, Report, Result, Revision, Scope, SideData, Stamp, Store,
};

use crate::app::Clock;
use crate::stores::Served;
use crate::watch::Watched;

/// A store that notifies the feeds of its writes at once.
#[derive(Clone)]
pub(crate) struct Told {
    store: Arc<dyn Served>,
    watched: Arc<Watched>,
    clock: Clock,
    /// The time at which this server started.
    since: Timestamp,
}

impl Told {
    pub(crate) fn new(store: Arc<dyn Served>, watched: Arc<Watched>, clock: Clock) -> Self {
        Self {
            store,
            watched,
            since: clock(),
            clock,
        }
    }

    pub(crate) fn watched(&self) -> &Arc<Watched> {
        &self.watched
    }

    /// Notifies the feeds, even if the call failed: the write may have succeeded, with only its answer lost.
    fn told<T>(&self, result: Result<T>) -> Result<T> {
        self.watched.tell();
        result
    }
}

impl Reader for Told {
    fn read(&self, ask: &Ask) -> Result<Answers> {
        self.store.read(ask)
    }

    fn select_at(&self, scopes: &[Scope], moment: AsOf) -> Result<Vec<Note>> {
        self.store.select_at(scopes, moment)
    }

    fn search(&self, request: &SearchRequest) -> Result<Vec<Hit>> {
        self.store.search(request)
    }

    fn take_damage(&self) -> Damage {
        self.store.take_damage()
    }

    fn history_before(
        &self,
        address: &Address,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<Revision>> {
        self.store.history_before(address, before, limit)
    }

    fn rendered(&self, ask: &BlockAsk) -> Result<Option<BlockAnswer>> {
        self.store.rendered(ask)
    }

    fn one_state(&self, work: &mut dyn FnMut(&dyn Reader) -> Result<()>) -> Result<()> {
        self.store.one_state(work)
    }
}

impl Store for Told {
    fn apply(&self, changes: &[Change], stamp: &Stamp) -> Result<Vec<Applied>> {
        self.told(self.store.apply(changes, stamp))
    }

    fn apply_each(
        &self,
        calls: &[ApplyCall],
        answered: &mut dyn FnMut(usize, Result<Vec<Applied>>),
    ) {
        // The feeds are notified before the client gets its answer.
        self.store.apply_each(calls, &mut |index, answer| {
            answered(index, self.told(answer));
        });
    }

    fn record(
        &self,
        session: &Name,
        events: &[SessionEvent],
        lease: Option<u64>,
        stamp: &Stamp,
    ) -> Result<()> {
        self.told(self.store.record(session, events, lease, stamp))
    }

    fn forget(&self, request: &Forget, stamp: &Stamp) -> Result<Forgotten> {
        self.told(self.store.forget(request, stamp))
    }

    fn would_forget(&self, request: &Forget, stamp: &Stamp) -> Result<Forgotten> {
        self.store.would_forget(request, stamp)
    }

    fn verify(&self) -> Result<Report> {
        self.store.verify()
    }

    fn beat(&self, session: &Name, lease: u64) -> Result<()> {
        self.store.beat(session, lease)?;
        match self.store.silence(session, lease)? {
            // The store records heartbeats by itself.
            Some(_) => Ok(()),
            None => heartbeat::beat(&*self.store, session, lease, (self.clock)()),
        }
    }

    fn silence(&self, session: &Name, lease: u64) -> Result<Option<Duration>> {
        match self.store.silence(session, lease)? {
            Some(silence) => Ok(Some(silence)),
            None => heartbeat::silence(&*self.store, session, lease, (self.clock)(), self.since),
        }
    }

    fn checkpoint(&self) -> Result<bool> {
        self.store.checkpoint()
    }
}

impl SideData for Told {
    fn side_values(&self, space: &str) -> Result<Vec<SideValue>> {
        self.store.side_values(space)
    }

    fn put_side_values(&self, space: &str, values: &[SideValue], removed: &[String]) -> Result<()> {
        self.store.put_side_values(space, values, removed)
    }

    fn keep_side_values(
        &self,
        space: &str,
        values: &[SideValue],
        removed: &[String],
    ) -> Result<()> {
        self.store.keep_side_values(space, values, removed)
    }
}
