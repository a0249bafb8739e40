//! The states of sessions of a store that is far away.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};
use std::mem::take;
use std::time::Duration;

use super::session_state::{PAGE, entry_counts};
use crate::error::Result;
use crate::event::{IterationOutcome, RecordedEvent, SessionEvent, SessionsEvent};
use crate::id::StoreId;
use crate::key::Name;
use crate::pass_on;
use crate::scope::Scope;
use crate::store::{Answers, Ask, Count, EventPage, Reader, Store, answers};

/// A store whose reader has read at once the facts that the states of sessions depend on. For a store that is far
/// away. All other questions go to the store.
pub struct SessionReader<'s> {
    store: &'s dyn Store,
    id: Option<StoreId>,
    all_leases: Vec<SessionsEvent>,
    of_each: BTreeMap<Name, ReadSession>,
    counts: HashMap<Count, u64>,
    silences: OnceCell<HashMap<(Name, u64), Option<Duration>>>,
}

/// The events of a session.
struct ReadSession {
    /// The last ones, latest first.
    events: Vec<RecordedEvent>,
    lease: Option<RecordedEvent>,
}

impl ReadSession {
    /// The last iteration, if no event says how many entries it has.
    fn uncounted_iteration(&self) -> Option<i64> {
        let mut last = self.events.iter().filter_map(|of| match &of.event {
            SessionEvent::IterationStarted { iteration, .. } => Some((*iteration, false)),
            SessionEvent::IterationEnded {
                iteration, outcome, ..
            } => Some((*iteration, *outcome != IterationOutcome::Lost)),
            _ => None,
        });
        let (iteration, is_counted) = last.next()?;
        (!is_counted).then_some(iteration)
    }
}

impl<'s> SessionReader<'s> {
    /// Reads what a list of sessions shows, in at most two round trips.
    ///
    /// # Errors
    /// As [`Reader::read`].
    pub fn for_list(store: &'s dyn Store, sessions: &[Name]) -> Result<Self> {
        let scopes = sessions.iter().cloned().map(Scope::Session);
        let counts = scopes.map(Count::Counted).collect();
        let mut reader = Self::new(store, sessions, counts)?;
        let uncounted = |(session, of): (&Name, &ReadSession)| {
            Some(entry_counts(session, of.uncounted_iteration()?))
        };
        let counts: Vec<Count> = reader
            .of_each
            .iter()
            .filter_map(uncounted)
            .flatten()
            .collect();
        if !counts.is_empty() {
            let numbers = answers!(store, counts: counts.clone());
            reader.counts.extend(counts.into_iter().zip(numbers));
        }
        Ok(reader)
    }

    /// Reads what tells the iteration of a new entry, in one round trip.
    ///
    /// # Errors
    /// As [`Reader::read`].
    pub fn for_entry(store: &'s dyn Store, sessions: &[Name]) -> Result<Self> {
        Self::new(store, sessions, Vec::new())
    }

    fn new(store: &'s dyn Store, sessions: &[Name], counts: Vec<Count>) -> Result<Self> {
        let pages = sessions.iter().cloned();
        let read = store.read(&Ask {
            all_leases: true,
            store_id: true,
            events: pages.map(|of| EventPage::last(of, PAGE)).collect(),
            leases: sessions.to_vec(),
            counts: counts.clone(),
            ..Ask::default()
        })?;
        let of_each = read.events.into_iter().zip(read.leases);
        let of_each = of_each.map(|(events, lease)| ReadSession { events, lease });
        Ok(Self {
            store,
            id: read.store_id,
            all_leases: read.all_leases,
            of_each: sessions.iter().cloned().zip(of_each).collect(),
            counts: counts.into_iter().zip(read.counts).collect(),
            silences: OnceCell::new(),
        })
    }

    /// The answers, if all were read.
    fn known(&self, ask: &Ask) -> Option<Answers> {
        let (mut left, mut known) = (ask.clone(), Answers::none(ask));
        if take(&mut left.store_id) {
            known.store_id = self.id;
        }
        if take(&mut left.all_leases) {
            known.all_leases = self.all_leases.clone();
        }
        for (page, events) in take(&mut left.events).iter().zip(&mut known.events) {
            let of = self.of_each.get(&page.session)?;
            if page.before.is_some() || page.limit > PAGE {
                return None;
            }
            *events = of.events.iter().take(page.limit).cloned().collect();
        }
        for (session, lease) in take(&mut left.leases).iter().zip(&mut known.leases) {
            *lease = self.of_each.get(session)?.lease.clone();
        }
        for (count, number) in take(&mut left.counts).iter().zip(&mut known.counts) {
            *number = *self.counts.get(count)?;
        }
        (left == Ask::default()).then_some(known)
    }
}

impl Reader for SessionReader<'_> {
    fn read(&self, ask: &Ask) -> Result<Answers> {
        match self.known(ask) {
            Some(known) => Ok(known),
            None => self.store.read(ask),
        }
    }

    pass_on! { self => self.store; select_at search take_damage history_before one_state checkouts holder is_shared }
}

impl Store for SessionReader<'_> {
    pass_on! { self => self.store; apply record forget would_forget verify checkpoint heartbeat silences }

    /// The first question reads the answers for all loops.
    fn silence(&self, session: &Name, lease: u64) -> Result<Option<Duration>> {
        let own = (session.clone(), lease);
        if let Some(silence) = self.silences.get().and_then(|silences| silences.get(&own)) {
            return Ok(*silence);
        }
        let leases = self.all_leases.iter();
        let loops: Vec<(Name, u64)> = leases
            .map(|of| (of.session.clone(), of.recorded.number))
            .collect();
        let Some(silences) = self.store.silences(&loops)? else {
            return self.store.silence(session, lease);
        };
        let silences: HashMap<_, _> = loops.into_iter().zip(silences).collect();
        let own = silences.get(&own).copied().flatten();
        let _ = self.silences.set(silences);
        Ok(own)
    }
}
