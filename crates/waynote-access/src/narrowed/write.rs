//! What a grant may write, and how.

use std::borrow::Cow;

use waynote::change::{Change, Origin};
use waynote::event::SessionEvent;
use waynote::forget::{Forget, ForgetTarget, Forgotten};
use waynote::{Address, Error, Name, Result, Scope, Stamp};

use super::Narrowed;
use crate::Rights;

/// Why something is refused that is outside of a grant, whether it exists or not.
const OUTSIDE: &str = "it is outside of what this token may see";

fn denied(what: impl Into<String>, reason: &str) -> Error {
    Error::Denied {
        what: what.into(),
        reason: reason.into(),
    }
}

impl<S> Narrowed<S> {
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
    pub(super) fn may_change_all<'c>(&self, changes: &'c [Change]) -> Result<Cow<'c, [Change]>> {
        self.may_write()?;
        let mut has_origin = false;
        for change in changes {
            match change {
                Change::Append { session, .. } => self.may_change_session(session)?,
                change => match change.address() {
                    Some(address) => self.may_change(address)?,
                    // A change that this version does not know.
                    None => self.all_only("this change")?,
                },
            }
            has_origin |= matches!(
                change,
                Change::Save {
                    origin: Some(_),
                    ..
                } | Change::Undo {
                    origin: Some(_),
                    ..
                }
            );
        }
        if !has_origin {
            return Ok(Cow::Borrowed(changes));
        }
        let mut changes = changes.to_vec();
        for change in &mut changes {
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
        Ok(Cow::Owned(changes))
    }

    /// The author of a note that comes from another program is a claim like any other. What a synced file holds is taken
    /// as it is, without a look at credentials: only the whole store is kept in sync.
    fn claimed(&self, origin: &mut Origin) -> Result<()> {
        if origin.is_synced {
            self.all_only("a note of a synced file")?;
        }
        if let Some(author) = &mut origin.author {
            *author = self.grant.author(author);
        }
        Ok(())
    }

    /// Refuses what only a grant of everything may do.
    fn all_only(&self, what: &str) -> Result<()> {
        match self.grant.is_narrowed() {
            true => Err(denied(what, "this token may not see the whole store")),
            false => Ok(()),
        }
    }

    /// An answer is a person's word: a token of agents does not give it.
    pub(super) fn may_record(&self, session: &Name, events: &[SessionEvent]) -> Result<()> {
        self.may_write()?;
        self.may_change_session(session)?;
        let answers = |event: &SessionEvent| matches!(event, SessionEvent::Answered { .. });
        match !self.grant.agents.is_empty() && events.iter().any(answers) {
            true => Err(denied(
                "answering",
                "this token is an agent's, and a person is asked",
            )),
            false => Ok(()),
        }
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

    /// Runs a call that writes, with the stamp as the store gets it.
    pub(super) fn written<T>(
        &self,
        stamp: &Stamp,
        work: impl FnOnce(&Stamp) -> Result<T>,
    ) -> Result<T> {
        let own = Stamp {
            author: self.grant.author(&stamp.author),
            token: self.grant.token.clone(),
            operation: stamp.operation.map(|id| self.operation(id)),
            ..stamp.clone()
        };
        let result = work(&own).map_err(|error| match (error, own.operation, stamp.operation) {
            // The caller knows its operation by the id that it gave.
            (Error::InvalidAddress { address, reason }, Some(own), Some(given))
                if address == own.to_string() =>
            {
                let address = given.to_string();
                Error::InvalidAddress { address, reason }
            }
            (error, ..) => error,
        });
        self.shown(result)
    }

    /// What was forgotten, without the addresses of others that have, or had, the same text, and without what is kept
    /// about it elsewhere.
    pub(super) fn forgotten(&self, forgotten: Forgotten) -> Forgotten {
        if !self.grant.is_narrowed() {
            return forgotten;
        }
        let Forgotten {
            named,
            mut revisions,
            mut events,
            mut gone,
            kept,
            mut shared,
            mut shared_events,
            spaces: _,
            residue,
        } = forgotten;
        let sees_session = |session: &Name| self.grant.sees(&Scope::Session(session.clone()));
        revisions.retain(|of| self.grant.sees_note(&of.address));
        shared.retain(|of| self.grant.sees_note(&of.address));
        gone.retain(|of| self.grant.sees_note(of));
        events.retain(|of| sees_session(&of.session));
        shared_events.retain(|of| sees_session(&of.session));
        Forgotten {
            named,
            revisions,
            events,
            gone,
            kept,
            shared,
            shared_events,
            spaces: Vec::new(),
            residue,
        }
    }
}
