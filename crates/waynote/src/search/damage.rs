//! A damaged index. It is never fatal: the notes themselves are searched instead.

use crate::error::Error;

/// The reason why an index counts as damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Damage(pub(crate) &'static str);

pub(crate) type IndexResult<T> = Result<T, Damage>;

/// Why a search was stopped.
#[derive(Debug)]
pub(crate) enum SearchFailure {
    /// The index is damaged: search without it.
    Damaged(Damage),
    /// The store returned an error.
    Failed(Error),
}

impl SearchFailure {
    /// The error of a search that cannot do without what is damaged.
    pub(super) fn of(self, store: impl FnOnce() -> String) -> Error {
        match self {
            Self::Failed(error) => error,
            Self::Damaged(damage) => Error::damaged_store(store(), damage.0),
        }
    }
}

impl From<Damage> for SearchFailure {
    fn from(damage: Damage) -> Self {
        Self::Damaged(damage)
    }
}

impl From<Error> for SearchFailure {
    fn from(error: Error) -> Self {
        match error {
            Error::DamagedIndex { .. } => Self::Damaged(Damage(
                "a row of it does not match its checksum, or cannot be read",
            )),
            error => Self::Failed(error),
        }
    }
}

pub(crate) type SearchResult<T> = Result<T, SearchFailure>;
