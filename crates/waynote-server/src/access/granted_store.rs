//! A store as the holder of a token may use it.

use std::sync::Arc;
use std::time::Duration;

use waynote::change::Applied;
use waynote::error::PersonalAct;
use waynote::event::SessionEvent;
use waynote::forget::{Forget, Forgotten};
use waynote::store::{Answers, Ask};
use waynote::{Change, Error, LoopError, Name, Reader, Report, Result, Stamp, Store, pass_on};

use super::{Grant, Rights};

/// A store as the holder of a token may use it: it refuses what the token does not allow, and records the holder.
///
/// It is a [`Reader`] and a [`Store`] and nothing else, so that no other function leads around the grant.
#[derive(Clone, Debug)]
pub(crate) struct GrantedStore<S> {
    store: S,
    grant: Arc<Grant>,
}

impl<S> GrantedStore<S> {
    pub(crate) fn new(store: S, grant: impl Into<Arc<Grant>>) -> Self {
        let grant = grant.into();
        Self { store, grant }
    }

    /// Runs a call that needs these rights, with the stamp as the store gets it.
    fn written<T>(
        &self,
        rights: Rights,
        what: &str,
        stamp: &Stamp,
        work: impl FnOnce(&Stamp) -> Result<T>,
    ) -> Result<T> {
        self.grant.require(rights, what)?;
        work(&self.grant.held(stamp)).map_err(|error| match (error, stamp.operation) {
            // The caller knows its operation by the id that it gave.
            (Error::IdUsed { .. }, Some(given)) => Error::IdUsed {
                id: given.to_string(),
            },
            (Error::Loop(LoopError::NotAPerson { act }), _) if self.grant.is_agents() => {
                let what = match act {
                    PersonalAct::Stop => "stopping a loop",
                    PersonalAct::Archive => "archiving a session",
                    _ => "answering",
                };
                Error::Denied {
                    what: what.into(),
                    reason: "this token is an agent's, and a person is asked".into(),
                }
            }
            (error, _) => error,
        })
    }
}

impl<S: Reader> Reader for GrantedStore<S> {
    fn read(&self, ask: &Ask) -> Result<Answers> {
        if self.grant.token.is_none() || ask.operations.is_empty() {
            return self.store.read(ask);
        }
        let operations = ask.operations.iter().map(|id| self.grant.operation(*id));
        self.store.read(&Ask {
            operations: operations.collect(),
            ..ask.clone()
        })
    }

    fn one_state(&self, work: &mut dyn FnMut(&dyn Reader) -> Result<()>) -> Result<()> {
        self.store
            .one_state(&mut |reader| work(&GrantedStore::new(reader, Arc::clone(&self.grant))))
    }

    fn holder(&self) -> Result<Option<Name>> {
        Ok(self.grant.own_author())
    }

    pass_on! { self => self.store; select_at search take_damage rendered history_before checkouts is_shared }
}

impl<S: Store> Store for GrantedStore<S> {
    fn apply(&self, changes: &[Change], stamp: &Stamp) -> Result<Vec<Applied>> {
        let changes = self.grant.changes(changes.to_vec());
        self.written(Rights::Write, "writing", stamp, |stamp| {
            self.store.apply(&changes, stamp)
        })
    }

    fn record(
        &self,
        session: &Name,
        events: &[SessionEvent],
        lease: Option<u64>,
        stamp: &Stamp,
    ) -> Result<()> {
        self.written(Rights::Write, "writing", stamp, |stamp| {
            self.store.record(session, events, lease, stamp)
        })
    }

    fn forget(&self, request: &Forget, stamp: &Stamp) -> Result<Forgotten> {
        self.written(Rights::Admin, "forgetting", stamp, |stamp| {
            self.store.forget(request, stamp)
        })
    }

    fn would_forget(&self, request: &Forget, stamp: &Stamp) -> Result<Forgotten> {
        self.written(Rights::Admin, "forgetting", stamp, |stamp| {
            self.store.would_forget(request, stamp)
        })
    }

    fn verify(&self) -> Result<Report> {
        self.grant.require(Rights::Admin, "verifying the store")?;
        self.store.verify()
    }

    fn heartbeat(&self, session: &Name, lease: u64) -> Result<()> {
        self.grant.require(Rights::Write, "writing")?;
        self.store.heartbeat(session, lease)
    }

    fn silence(&self, session: &Name, lease: u64) -> Result<Option<Duration>> {
        self.store.silence(session, lease)
    }
}
