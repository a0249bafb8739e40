//! A store that notifies the feeds of its writes at once.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use waynote::change::{Applied, Change};
use waynote::event::SessionEvent;
use waynote::forget::{Forget, Forgotten};
use waynote::{Name, Reader, Result, SideData, Stamp, Store, heartbeat, pass_on};

use crate::app::Clock;
use crate::stores::ServableStore;
use crate::watch::WriteNotifier;

/// A store that notifies the feeds of its writes at once.
#[derive(Clone)]
pub(crate) struct NotifyingStore {
    store: Arc<dyn ServableStore>,
    watched: Arc<WriteNotifier>,
    clock: Clock,
    /// The time at which this server started.
    since: Timestamp,
}

impl NotifyingStore {
    pub(crate) fn new(
        store: Arc<dyn ServableStore>,
        watched: Arc<WriteNotifier>,
        clock: Clock,
    ) -> Self {
        Self {
            store,
            watched,
            since: clock(),
            clock,
        }
    }

    pub(crate) fn watched(&self) -> &Arc<WriteNotifier> {
        &self.watched
    }

    /// Notifies the feeds, even if the call failed: the write may have succeeded, with only its answer lost.
    fn told<T>(&self, result: Result<T>) -> Result<T> {
        self.watched.tell();
        result
    }
}

impl Reader for NotifyingStore {
    pass_on! {
        self => self.store;
        read select_at search take_damage rendered history_before one_state checkouts is_shared
    }
}

impl Store for NotifyingStore {
    fn apply(&self, changes: &[Change], stamp: &Stamp) -> Result<Vec<Applied>> {
        self.told(self.store.apply(changes, stamp))
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

    pass_on! { self => self.store; would_forget verify checkpoint }

    fn heartbeat(&self, session: &Name, lease: u64) -> Result<()> {
        self.store.heartbeat(session, lease)?;
        match self.store.silence(session, lease)? {
            // The store records heartbeats by itself.
            Some(_) => Ok(()),
            None => heartbeat::beat(&*self.store, session, lease, (self.clock)()),
        }
    }

    fn silence(&self, session: &Name, lease: u64) -> Result<Option<Duration>> {
        match self.store.silence(session, lease)? {
            Some(silence) => Ok(Some(silence)),
            None => {
                let own = [(session.clone(), lease)];
                let values = self.store.side_values(heartbeat::SPACE)?;
                let mut silences = heartbeat::silences(&values, &own, (self.clock)(), self.since);
                Ok(silences.pop().flatten())
            }
        }
    }
}

impl SideData for NotifyingStore {
    pass_on! { self => self.store; side_values put_side_values make_shared }
}
