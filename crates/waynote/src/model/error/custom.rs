//! Errors of crates that build on this one.

use std::error::Error as StdError;

use super::{Error, ErrorClass};

/// An error of a crate that builds on this one, for example of a file format, a store that wraps another, or a
/// connection to a remote store. As an [`Error`] it passes through every function here, and programs treat it like this
/// crate's own errors.
///
/// `Display` names the failure and its cause in one line. `Display` and the advice show text from outside only through
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

    /// The advice for the error, in words that suit every program (see [`Error::advice`]).
    fn advice(&self) -> Option<String> {
        None
    }

    /// True if its text has the address of a server, which is only for whoever runs the program.
    fn names_server(&self) -> bool {
        false
    }

    /// The same error for another call, if it is about the store and not about one call. If calls of several threads
    /// are written together, all of them get this error at once. Otherwise each call is tried alone.
    fn of_store(&self) -> Option<Box<dyn CustomError>> {
        None
    }
}

impl<E: CustomError> From<E> for Error {
    fn from(error: E) -> Self {
        Self::Custom(Box::new(error))
    }
}

impl Error {
    /// The custom error of type `E`, if it is one.
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
