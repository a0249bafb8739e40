//! Errors of crates above this one.

use std::error::Error as StdError;

use super::{Error, ErrorClass};

/// An error of a crate above this one: of a format that it reads, of a store that it decorates, of a connection to a
/// store elsewhere. As an [`Error`] it goes through every function here, and programs treat it like the errors of this
/// crate.
///
/// `Display` says what and why in one line. It and the advice show text from outside through
/// [`masked`](crate::secrets::masked).
///
/// ```
/// use waynote::error::{CustomError, Error, ErrorClass};
///
/// #[derive(Debug, thiserror::Error)]
/// #[error("the server does not answer")]
/// struct Silent;
///
/// impl CustomError for Silent {
///     fn kind(&self) -> &'static str {
///         "silent"
///     }
///
///     fn class(&self) -> ErrorClass {
///         ErrorClass::Unreachable
///     }
/// }
///
/// let error = Error::from(Silent);
/// assert_eq!((error.kind(), error.class()), ("silent", ErrorClass::Unreachable));
/// assert!(error.downcast_ref::<Silent>().is_some());
/// ```
pub trait CustomError: StdError + Send + Sync + 'static {
    /// A stable word for programs (see [`Error::kind`]).
    fn kind(&self) -> &'static str;

    /// The family of the error.
    fn class(&self) -> ErrorClass;

    /// What would be right, in words that hold for every program (see [`Error::advice`]).
    fn advice(&self) -> Option<String> {
        None
    }
}

impl<E: CustomError> From<E> for Error {
    fn from(error: E) -> Self {
        Self::Custom(Box::new(error))
    }
}

impl Error {
    /// The error as one that a crate above this one has, if it is one of these.
    pub fn downcast_ref<E: CustomError>(&self) -> Option<&E> {
        match self {
            Self::Custom(error) => {
                let error: &(dyn StdError + 'static) = &**error;
                error.downcast_ref()
            }
            _ => None,
        }
    }
}
