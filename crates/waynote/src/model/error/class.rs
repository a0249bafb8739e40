//! The families of errors. A program needs only one table: from each family to its exit code or status.

use serde::{Deserialize, Serialize};

use super::Error;

/// What a caller can do about an error. It determines the exit code, the MCP error or the HTTP status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Class))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorClass {
    /// The request itself is wrong (a key, an address, a type), whatever the store holds.
    Invalid,
    /// What was asked for does not exist, or no longer does.
    NotFound,
    /// Somebody else changed it first: look at the current state, then decide again.
    Conflict,
    /// A rule forbids it, whoever asks and however often.
    Refused,
    /// It is over a limit: write less, or raise the limit.
    Limit,
    /// A person has to answer first. A class of its own, because a loop that waits for an answer has its own exit code.
    Blocked,
    /// A store or a file is damaged or has the wrong format.
    Damaged,
    /// Somebody else holds what is needed: the same request can succeed later.
    Busy,
    /// A store, a file or the disk cannot be used. The request itself may be right.
    Unreachable,
    /// The system or a token does not allow it.
    Denied,
}

impl ErrorClass {
    /// True if a rule refused the request. False if something failed.
    pub(crate) fn is_refusal(self) -> bool {
        !matches!(
            self,
            Self::Damaged | Self::Busy | Self::Unreachable | Self::Denied
        )
    }
}

impl Error {
    /// The family of the error.
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::InvalidKey { .. }
            | Self::InvalidName { .. }
            | Self::InvalidPlace { .. }
            | Self::InvalidAddress { .. }
            | Self::InvalidIteration { .. }
            | Self::InvalidCitation { .. }
            | Self::UnknownRepository { .. }
            | Self::UnknownType { .. }
            | Self::IdUsed { .. }
            | Self::InvalidTokenFactor { .. }
            | Self::Incomplete { .. }
            | Self::Empty { .. } => ErrorClass::Invalid,
            Self::NotFound { .. } | Self::NoSuchStuck { .. } | Self::Forgotten { .. } => {
                ErrorClass::NotFound
            }
            Self::Conflict { .. }
            | Self::OthersText { .. }
            | Self::OthersNote {
                expect: Some(_), ..
            }
            | Self::ForgetsMore { .. } => ErrorClass::Conflict,
            Self::NotText { .. }
            | Self::HoldsSecret { .. }
            | Self::NameHoldsSecret { .. }
            | Self::OnePersons { .. }
            | Self::AppendOnly { .. }
            | Self::OthersNote { .. }
            | Self::NotResolved { .. } => ErrorClass::Refused,
            Self::NoteTooLarge { .. } | Self::TooManyNotes { .. } | Self::TooMuchAsked { .. } => {
                ErrorClass::Limit
            }
            Self::DamagedStore { .. }
            | Self::DamagedNote { .. }
            | Self::DamagedIndex { .. }
            | Self::LostWrites { .. } => ErrorClass::Damaged,
            Self::Busy { .. } | Self::Ended => ErrorClass::Busy,
            Self::ReadOnly { .. } | Self::Denied { .. } => ErrorClass::Denied,
            Self::ForeignStore { .. }
            | Self::NotAStore { .. }
            | Self::OtherVersion { .. }
            | Self::StoreLost { .. }
            | Self::DiskFull { .. }
            | Self::File { .. }
            | Self::Engine { .. } => ErrorClass::Unreachable,
            Self::Storage(error) => error.class(),
            Self::Loop(error) => error.class(),
            Self::Undo(error) => error.class(),
            Self::Remote { class, .. } => *class,
            Self::Custom(error) => error.class(),
        }
    }
}
