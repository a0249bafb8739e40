//! The writes that a grant allows.

use waynote::change::{Change, Origin};
use waynote::error::PersonalAct;
use waynote::event::EventAddress;
use waynote::forget::{Forget, ForgetTarget, Forgotten};
use waynote::{Address, Error, LoopError, Name, Result, Scope, Stamp, Writer};

use super::NarrowedStore;
use crate::Rights;

/// Why something is refused that is outside of a grant, whether it exists or not.
const OUTSIDE: &str = "it is outside of what this token may see";

fn denied(what: impl Into<String>, reason: &str) -> Error {
    Error::Denied {
        what: what.into(),
        reason: reason.into(),
    }
}

impl<S> NarrowedStore<S> {
    fn may_write(&self) -> Result<()> {
        match self.grant.rights {
            Rights::Read => Err(denied("writing", "this token may only read")),
            Rights::Write | Rights::Admin => Ok(()),
        }
    }

    fn may_change(&self, address: &Address) -> Result<()> {
        match self.grant.sees_note(address) {
            true => Ok(()),
            false => Err(denied(address.to_string(), OUTSIDE)),
        }
    }

    fn may_change_session(&self, session: &Name) -> Result<()> {
        let scope = Scope::Session(session.clone());
        match self.grant.sees(&scope) {
            true => Ok(()),
            false => Err(denied(scope.to_string(), OUTSIDE)),
        }
    }

    /// The changes, if all of them are of notes that are seen. What comes from another program names an author too.
    pub(super) fn may_change_all(&self, mut changes: Vec<Change>) -> Result<Vec<Change>> {
        self.may_write()?;
        for change in &mut changes {
            match &*change {
                Change::Append { session, .. } => self.may_change_session(session)?,
                change => match change.address() {
                    Some(address) => self.may_change(address)?,
                    // A change that this version does not know.
                    None => self.all_only("this change")?,
                },
            }
            if let Change::Save {
                origin: Some(origin),
                ..
            }
            | Change::Undo {
                origin: Some(origin),
                ..
            } = change
            {
                self.claimed(origin)?;
            }
        }
        Ok(changes)
    }

    /// The author of a note from another program is a claim like any other. The notes of a synced file are taken
    /// without a check for credentials, because only the whole store is kept in sync.
    fn claimed(&self, origin: &mut Origin) -> Result<()> {
        if origin.is_synced {
            self.all_only("a note of a synced file")?;
        }
        if let Some(author) = &mut origin.author {
            *author = self.grant.author(author);
        }
        Ok(())
    }

    /// Refuses calls that only a grant on everything allows.
    fn all_only(&self, what: &str) -> Result<()> {
        match self.grant.is_narrowed() {
            true => Err(denied(what, "this token may not see the whole store")),
            false => Ok(()),
        }
    }

    pub(super) fn may_record(&self, session: &Name) -> Result<()> {
        self.may_write()?;
        self.may_change_session(session)
    }

    /// The refusal of an answer in the words of a token: no loop of its own runs it.
    pub(super) fn of_token(&self, error: Error) -> Error {
        match error {
            Error::Loop(LoopError::NotAPerson { act }) if self.is_agents() => denied(
                match act {
                    PersonalAct::Stop => "stopping a loop",
                    PersonalAct::Archive => "archiving a session",
                    _ => "answering",
                },
                "this token is an agent's, and a person is asked",
            ),
            error => error,
        }
    }

    /// True if only agents use the token.
    fn is_agents(&self) -> bool {
        !self.grant.agents.is_empty()
    }

    fn may_administer(&self, what: &str) -> Result<()> {
        match self.grant.rights {
            Rights::Admin => Ok(()),
            Rights::Read | Rights::Write => Err(denied(what, "it needs an admin token")),
        }
    }

    pub(super) fn may_forget(&self, request: &Forget) -> Result<()> {
        self.may_administer("forgetting")?;
        match &request.target {
            ForgetTarget::Note(note) => self.may_change(&note.address)?,
            ForgetTarget::Event(event) => self.may_change_session(&event.session)?,
            ForgetTarget::Session(session) => self.may_change_session(session)?,
            // A target that this version does not know.
            _ => self.all_only("this forgetting")?,
        }
        match request.everywhere {
            true => self.all_only("forgetting a text everywhere"),
            false => Ok(()),
        }
    }

    pub(super) fn may_verify(&self) -> Result<()> {
        self.may_administer("verifying the store")?;
        self.all_only("verifying the store")
    }

    /// Runs a call that writes, with the stamp as the store inside gets it, and returns the answer as the grant may see
    /// it.
    ///
    /// # Errors
    /// The error of the answer; [`StoreFailed`](crate::StoreFailed) when its words may name what others keep.
    pub(super) fn written<T>(
        &self,
        stamp: &Stamp,
        work: impl FnOnce(&Stamp) -> Result<T>,
    ) -> Result<T> {
        let inside = self.own(stamp);
        let result = work(&inside).map_err(|error| match (error, stamp.operation) {
            // The caller knows its operation by the id that it gave.
            (Error::IdUsed { .. }, Some(given)) => Error::IdUsed {
                id: given.to_string(),
            },
            (error, _) => error,
        });
        self.shown(result)
    }

    /// The stamp for the store inside. It names no session that the grant does not see.
    fn own(&self, stamp: &Stamp) -> Stamp {
        let sees = |lease: &EventAddress| self.grant.sees(&Scope::Session(lease.session.clone()));
        let claims = |writer: &Writer| {
            let agent = writer.agent.as_ref().map(|agent| self.grant.author(agent));
            writer.clone().agent(agent)
        };
        Stamp {
            lease: stamp.lease.clone().filter(sees),
            writer: stamp.writer.as_ref().map(claims),
            is_agents: stamp.is_agents || self.is_agents(),
            author: self.grant.author(&stamp.author),
            token: self.grant.token.clone(),
            operation: stamp.operation.map(|id| self.operation(id)),
            ..stamp.clone()
        }
    }

    /// The result of a forgetting as the grant sees it: without other addresses, and without the spaces of side data.
    pub(super) fn forgotten(&self, mut forgotten: Forgotten) -> Forgotten {
        if !self.grant.is_narrowed() {
            return forgotten;
        }
        // Every part is named here: a new one does not compile before somebody has thought about it.
        let Forgotten {
            named: _,
            revisions,
            events,
            gone,
            kept: _,
            shared,
            shared_events,
            spaces,
            up_to: _,
            residue: _,
        } = &mut forgotten;
        let sees_session = |session: &Name| self.grant.sees(&Scope::Session(session.clone()));
        revisions.retain(|of| self.grant.sees_note(&of.address));
        shared.retain(|of| self.grant.sees_note(&of.address));
        gone.retain(|of| self.grant.sees_note(of));
        events.retain(|of| sees_session(&of.session));
        shared_events.retain(|of| sees_session(&of.session));
        spaces.clear();
        forgotten
    }
}
