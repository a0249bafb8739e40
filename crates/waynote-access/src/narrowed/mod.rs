//! A store that shows only what a grant sees.
//!
//! Reading something outside of the grant gives what reading something that does not exist gives: nothing. Writing
//! outside of it is [`Error::Denied`], whether there is such a note or not. So no answer tells whether a note outside
//! exists. What still can be inferred (how much others write, from the gaps between positions) is in
//! `docs/security.md`.

mod audit;
pub(crate) mod author;
mod damage;
mod errors;
mod feed;
mod read;
mod search;
mod write;

use std::fmt::Display;
use std::sync::Arc;

use parking_lot::Mutex;
use std::time::Duration;

use waynote::change::Applied;
use waynote::event::SessionEvent;
use waynote::forget::{Forget, Forgotten};
use waynote::search::{Hit, SearchRequest};
use waynote::store::{Answers, Ask, Damage};
use waynote::{
    Address, AsOf, Change, Error, Name, Note, OperationId, Reader, Report, Result, Revision, Scope,
    Stamp, Store, pass_on,
};

use crate::{Grant, Watch};

pub use errors::StoreFailed;
pub use feed::Stretch;

/// A store as somebody with a [`Grant`] sees it.
///
/// It is a [`Reader`] and a [`Store`] and nothing else, so that no other function leads around the grant. It writes
/// with the token's name, with an author that the token may claim, and under operation ids of the token's own.
///
/// A page of the feed or the journal has as many items as were asked for, if there are as many that the grant sees: it
/// reads on over those that it does not see. So a page of the feed that is shorter than asked for reaches up to the
/// [version](Ask::version) of the same answers, and a reader may go on from there. [`NarrowedStore::feed_stretch`] and
/// [`NarrowedStore::journal_stretch`] read over a bounded number of rows of others, and say how far they came.
#[derive(Clone, Debug)]
pub struct NarrowedStore<S> {
    store: S,
    grant: Arc<Grant>,
    /// The damage found inside the grant. The damage of the inner store is shared with everybody.
    damage: Arc<Mutex<Damage>>,
    watch: Option<Arc<dyn Watch>>,
}

impl<S> NarrowedStore<S> {
    /// A store as a grant sees it.
    pub fn new(store: S, grant: impl Into<Arc<Grant>>) -> Self {
        Self {
            store,
            grant: grant.into(),
            damage: Arc::default(),
            watch: None,
        }
    }

    /// Tells of each call that is refused, and of each administrative one.
    #[must_use]
    pub fn watched(self, watch: Arc<dyn Watch>) -> Self {
        Self {
            watch: Some(watch),
            ..self
        }
    }

    /// The grant.
    pub fn grant(&self) -> &Grant {
        &self.grant
    }

    /// The id under which the store knows an operation of this token. Ids of different tokens never meet: nobody gets
    /// the answer to another's call, or learns that there was one.
    fn operation(&self, id: OperationId) -> OperationId {
        let of =
            |token: &dyn Display| OperationId::of(&format!("operation of token {token}: {id}"));
        // A new token may have the name of an old one.
        match (&self.grant.token_id, &self.grant.token) {
            (Some(token), _) => of(token),
            (None, Some(token)) => of(token),
            (None, None) => id,
        }
    }
}

impl<S: Reader> NarrowedStore<S> {
    /// The same view of one state of the store.
    fn of_state<'r>(&self, reader: &'r dyn Reader) -> NarrowedStore<&'r dyn Reader> {
        NarrowedStore {
            store: reader,
            grant: Arc::clone(&self.grant),
            damage: Arc::clone(&self.damage),
            // Reading is never refused.
            watch: None,
        }
    }
}

impl<S: Reader> Reader for NarrowedStore<S> {
    fn read(&self, ask: &Ask) -> Result<Answers> {
        self.shown(self.answers(ask))
    }

    fn select_at(&self, scopes: &[Scope], moment: AsOf) -> Result<Vec<Note>> {
        let seen: Vec<Scope> = scopes
            .iter()
            .filter(|of| self.grant.sees(of))
            .cloned()
            .collect();
        self.shown(self.store.select_at(&seen, moment))
    }

    fn search(&self, request: &SearchRequest) -> Result<Vec<Hit>> {
        self.shown(self.hits(request))
    }

    fn take_damage(&self) -> Damage {
        match self.grant.is_narrowed() {
            true => std::mem::take(&mut self.damage.lock()),
            false => self.store.take_damage(),
        }
    }

    fn history_before(
        &self,
        address: &Address,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<Revision>> {
        match self.grant.sees_note(address) {
            true => self.shown(self.store.history_before(address, before, limit)),
            false => Ok(Vec::new()),
        }
    }

    pass_on! { self => self.store; checkouts }

    fn one_state(&self, work: &mut dyn FnMut(&dyn Reader) -> Result<()>) -> Result<()> {
        // An error of the work may name the caller's own data: it passes unchanged.
        let mut own = None;
        let ran = self.store.one_state(&mut |reader| {
            own = work(&self.of_state(reader)).err();
            match own {
                Some(_) => Err(STOPPED),
                None => Ok(()),
            }
        });
        match (ran, own) {
            (Err(_), Some(own)) => Err(own),
            (ran, _) => self.shown(ran),
        }
    }
}

/// Ends a work on one state that has failed. Nobody gets to see it.
const STOPPED: Error = Error::NotFound {
    what: String::new(),
};

impl<S: Store> Store for NarrowedStore<S> {
    fn apply(&self, changes: &[Change], stamp: &Stamp) -> Result<Vec<Applied>> {
        let changes = self.reported("write", self.may_change_all(changes.to_vec()))?;
        self.written(stamp, |stamp| self.store.apply(&changes, stamp))
    }

    fn record(
        &self,
        session: &Name,
        events: &[SessionEvent],
        lease: Option<u64>,
        stamp: &Stamp,
    ) -> Result<()> {
        let recorded = self.may_record(session).and_then(|()| {
            self.written(stamp, |stamp| {
                self.store.record(session, events, lease, stamp)
            })
        });
        self.reported(
            "record an event",
            recorded.map_err(|error| self.of_token(error)),
        )
    }

    fn forget(&self, request: &Forget, stamp: &Stamp) -> Result<Forgotten> {
        self.reported("forget", self.may_forget(request))?;
        let forgotten = self.written(stamp, |stamp| self.store.forget(request, stamp));
        self.report_admin_call("forget", &request.target, &forgotten);
        Ok(self.forgotten(forgotten?))
    }

    fn would_forget(&self, request: &Forget, stamp: &Stamp) -> Result<Forgotten> {
        // A preview does nothing: only that one was refused is noted.
        self.reported("preview of forget", self.may_forget(request))?;
        let forgotten = self.written(stamp, |stamp| self.store.would_forget(request, stamp));
        Ok(self.forgotten(forgotten?))
    }

    fn verify(&self) -> Result<Report> {
        self.reported("verify", self.may_verify())?;
        let report = self.shown(self.store.verify());
        self.report_admin_call("verify", &"the store", &report);
        report
    }

    fn heartbeat(&self, session: &Name, lease: u64) -> Result<()> {
        self.reported("say that a loop lives", self.may_record(session))?;
        self.shown(self.store.heartbeat(session, lease))
    }

    fn silence(&self, session: &Name, lease: u64) -> Result<Option<Duration>> {
        match self.grant.sees(&Scope::Session(session.clone())) {
            true => self.shown(self.store.silence(session, lease)),
            false => Ok(None),
        }
    }
}
