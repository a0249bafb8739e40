//! The families of errors. Each program has one table from a family to what it answers with.

use super::Error;

/// What a caller can do about an error. An exit code, an MCP error and an HTTP status follow from it alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorClass {
    /// The words of the request are wrong: a key, an address, a type. Nothing that the store holds could make it right.
    Invalid,
    /// What was asked for does not exist, or no longer does.
    NotFound,
    /// Somebody else was first: look at what is there now, then decide anew.
    Conflict,
    /// A rule forbids it, whoever asks and however often.
    Refused,
    /// It is over a limit: less of it would do, or a higher limit.
    Limit,
    /// A person has to answer first. It is a class of its own because a loop that waits for an answer has an exit code
    /// of its own.
    Blocked,
    /// A store or a file cannot be read as what it should be.
    Damaged,
    /// Somebody else holds what is needed: the same request can succeed later.
    Busy,
    /// A store, a file or the disk cannot be used. The request itself may be right.
    Unreachable,
    /// Whoever asks may not: the system or a narrowed store does not allow it.
    Denied,
}

impl ErrorClass {
    /// Whether a rule refused what was asked, and nothing failed.
    pub(crate) fn is_refusal(self) -> bool {
        match self {
            Self::NotFound
            | Self::Conflict
            | Self::Refused
            | Self::Limit
            | Self::Invalid
            | Self::Blocked => true,
            Self::Damaged | Self::Busy | Self::Unreachable | Self::Denied => false,
        }
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
            | Self::UnknownType { .. }
            | Self::NotBuiltIn { .. }
            | Self::InvalidTokenFactor { .. }
            | Self::Empty { .. } => ErrorClass::Invalid,
            Self::NotFound { .. } | Self::NoSuchStuck { .. } | Self::Forgotten { .. } => {
                ErrorClass::NotFound
            }
            Self::Conflict { .. } => ErrorClass::Conflict,
            Self::NotText { .. }
            | Self::HoldsSecret { .. }
            | Self::NameHoldsSecret { .. }
            | Self::AppendOnly { .. }
            | Self::NotResolved { .. } => ErrorClass::Refused,
            Self::NoteTooLarge { .. } | Self::TooManyNotes { .. } => ErrorClass::Limit,
            Self::DamagedStore { .. } => ErrorClass::Damaged,
            Self::Busy { .. } => ErrorClass::Busy,
            Self::ReadOnly { .. } | Self::Denied { .. } => ErrorClass::Denied,
            Self::ForeignStore { .. }
            | Self::NotAStore { .. }
            | Self::NewerStore { .. }
            | Self::StoreLost { .. }
            | Self::DiskFull { .. }
            | Self::File { .. }
            | Self::Engine { .. } => ErrorClass::Unreachable,
            Self::Loop(error) => error.class(),
            Self::Undo(error) => error.class(),
            Self::Custom(error) => error.class(),
        }
    }
}
