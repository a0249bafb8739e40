//! Errors of the store inside: those about the request itself are handed on, of all others only the kind.

use waynote::error::{CustomError, Error, ErrorClass, LoopError, UndoError};
use waynote::{Result, Scope};

use super::NarrowedStore;
use super::damage::names_seen;
use crate::Grant;

impl<S> NarrowedStore<S> {
    /// The result as the grant may see it: an error names nothing outside of it.
    pub(super) fn shown<T>(&self, result: Result<T>) -> Result<T> {
        match self.grant.is_narrowed() {
            true => result.map_err(|error| seen(&self.grant, error)),
            false => result,
        }
    }
}

/// A failure of the store. Its text may name data that the grant does not see.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the store failed ({kind}); its keeper can see why")]
pub struct StoreFailed {
    /// The [kind](Error::kind) of the failure.
    pub kind: String,
    class: ErrorClass,
}

impl CustomError for StoreFailed {
    fn kind(&self) -> &'static str {
        "store_failed"
    }

    fn class(&self) -> ErrorClass {
        self.class
    }

    fn advice(&self) -> Option<String> {
        Some("try again later, and tell the keeper of the store if it goes on".into())
    }
}

/// The error, if all that it names is seen, or else only its kind. An error that this version does not know is never
/// shown.
fn seen(grant: &Grant, error: Error) -> Error {
    let is_shown = match &error {
        Error::InvalidKey { .. }
        | Error::InvalidName { .. }
        | Error::InvalidPlace { .. }
        | Error::InvalidAddress { .. }
        | Error::UnknownType { .. }
        | Error::InvalidIteration { .. }
        | Error::InvalidCitation { .. }
        | Error::InvalidTokenFactor { .. }
        | Error::NotText { .. }
        | Error::HoldsSecret { .. }
        | Error::NameHoldsSecret { .. }
        | Error::NoteTooLarge { .. }
        | Error::TooManyNotes { .. }
        | Error::IdUsed { .. }
        | Error::TooMuchAsked { .. }
        | Error::Ended
        | Error::Incomplete { .. }
        | Error::Empty { .. }
        | Error::Denied { .. }
        | Error::NotBuiltIn { .. }
        | Error::Busy { .. }
        | Error::DiskFull { .. } => true,
        Error::NotFound { what } | Error::Forgotten { what, .. } => names_seen(grant, what),
        Error::Conflict {
            address, current, ..
        } => {
            let current = current.as_ref();
            grant.sees_note(address) && current.is_none_or(|note| grant.sees_note(&note.address))
        }
        Error::AppendOnly { address } | Error::NotResolved { address, .. } => {
            grant.sees_note(address)
        }
        Error::NoSuchStuck { candidates, .. } => candidates
            .iter()
            .all(|(address, _)| grant.sees_note(address)),
        Error::DamagedNote { what } => names_seen(grant, what),
        Error::Loop(error) => of_loop(grant, error),
        Error::Undo(error) => of_undo(grant, error),
        error => error.kind() == "store_failed",
    };
    match is_shown {
        true => error,
        false => Error::from(StoreFailed {
            kind: error.kind().to_owned(),
            class: error.class(),
        }),
    }
}

fn of_loop(grant: &Grant, error: &LoopError) -> bool {
    match error {
        LoopError::LoopRunning { session, .. }
        | LoopError::LeaseLost { session, .. }
        | LoopError::NoLiveIteration { session, .. }
        | LoopError::Unanswered { session, .. }
        | LoopError::NothingAsked { session }
        | LoopError::NoLoop { session }
        | LoopError::AlreadyAnswered { session, .. } => {
            grant.sees(&Scope::Session(session.clone()))
        }
        LoopError::AlreadySaid { .. } | LoopError::NotAPerson { .. } => true,
        _ => false,
    }
}

fn of_undo(grant: &Grant, error: &UndoError) -> bool {
    match error {
        UndoError::NothingToUndo { address, last } => {
            let mut named = address.iter().chain(last.as_ref().map(|last| &last.0));
            named.all(|address| grant.sees_note(address))
        }
        UndoError::NothingToRedo { address } => address
            .as_ref()
            .is_none_or(|address| grant.sees_note(address)),
        UndoError::Superseded { address, .. } => grant.sees_note(address),
        _ => false,
    }
}
