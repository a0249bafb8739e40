//! The states of sessions of a store that is far away.

use std::collections::BTreeMap;
use std::mem::take;

use super::session_state::PAGE;
use crate::error::Result;
use crate::event::{RecordedEvent, SessionsEvent};
use crate::id::StoreId;
use crate::key::Name;
use crate::pass_on;
use crate::scope::Scope;
use crate::store::{Answers, Ask, Count, EventPage, Reader, Store};

/// A store whose reader has read at once what the states of sessions are told from: leases and last events, and the
/// numbers of notes if they are wanted. For a store that is far away. All else goes to the store.
pub struct SessionReader<'s> {
    store: &'s dyn Store,
    id: Option<StoreId>,
    all_leases: Vec<SessionsEvent>,
    of_each: BTreeMap<Name, ReadSession>,
}

/// What was read of a session.
struct ReadSession {
    /// The last ones, latest first.
    events: Vec<RecordedEvent>,
    lease: Option<RecordedEvent>,
    notes: Option<u64>,
    last_iteration: Option<Option<i64>>,
}

impl<'s> SessionReader<'s> {
    /// Reads what a list of sessions shows, in one round trip.
    ///
    /// # Errors
    /// As [`Reader::read`].
    pub fn for_list(store: &'s dyn Store, sessions: &[Name]) -> Result<Self> {
        let scopes = sessions.iter().cloned().map(Scope::Session);
        let counts = scopes.map(Count::Counted).collect();
        Self::new(
            store,
            sessions,
            Ask {
                counts,
                ..Ask::default()
            },
        )
    }

    /// Reads what tells the iteration of a new entry, in one round trip.
    ///
    /// # Errors
    /// As [`Reader::read`].
    pub fn for_entry(store: &'s dyn Store, sessions: &[Name]) -> Result<Self> {
        let last_iterations = sessions.to_vec();
        Self::new(
            store,
            sessions,
            Ask {
                last_iterations,
                ..Ask::default()
            },
        )
    }

    fn new(store: &'s dyn Store, sessions: &[Name], others: Ask) -> Result<Self> {
        let pages = sessions.iter().cloned();
        let read = store.read(&Ask {
            all_leases: true,
            store_id: true,
            events: pages.map(|of| EventPage::last(of, PAGE)).collect(),
            leases: sessions.to_vec(),
            ..others
        })?;
        let (mut notes, mut last) = (read.counts.into_iter(), read.last_iterations.into_iter());
        let of_each = read.events.into_iter().zip(read.leases);
        let of_each = of_each.map(|(events, lease)| ReadSession {
            events,
            lease,
            notes: notes.next(),
            last_iteration: last.next(),
        });
        Ok(Self {
            store,
            id: read.store_id,
            all_leases: read.all_leases,
            of_each: sessions.iter().cloned().zip(of_each).collect(),
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
            let Count::Counted(Scope::Session(session)) = count else {
                return None;
            };
            *number = self.of_each.get(session)?.notes?;
        }
        let iterations = take(&mut left.last_iterations);
        for (session, last) in iterations.iter().zip(&mut known.last_iterations) {
            *last = self.of_each.get(session)?.last_iteration?;
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

    pass_on! { self => self.store; select_at search take_damage history_before one_state checkouts }
}

impl Store for SessionReader<'_> {
    pass_on! { self => self.store; apply record forget would_forget verify checkpoint heartbeat silence }
}
