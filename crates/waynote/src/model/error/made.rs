//! Errors made of their parts.

use std::borrow::Cow;
use std::path::PathBuf;

use super::Error;

/// Makes errors of what they are about, and a reason.
macro_rules! because {
    ($($(#[$about:meta])* $name:ident: $variant:ident { $what:ident: $type:ty };)*) => {$(
        $(#[$about])*
        pub fn $name($what: impl Into<$type>, reason: impl Into<String>) -> Self {
            let ($what, reason) = ($what.into(), reason.into());
            Self::$variant { $what, reason }
        }
    )*};
}

impl Error {
    /// Wraps a failure to read or write a file.
    pub fn file(
        path: impl Into<PathBuf>,
        action: impl Into<Cow<'static, str>>,
        source: std::io::Error,
    ) -> Self {
        Self::File {
            path: path.into(),
            action: action.into(),
            source,
        }
    }

    /// An error of a storage engine.
    pub fn engine(
        path: impl Into<PathBuf>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::Engine {
            path: path.into(),
            source: source.into(),
        }
    }

    /// Something that does not exist.
    pub fn not_found(what: impl Into<String>) -> Self {
        let what = what.into();
        Self::NotFound { what }
    }

    because! {
        /// A damaged store, with what is damaged.
        damaged_store: DamagedStore { path: PathBuf };
        /// A store that cannot be written, with the reason.
        read_only: ReadOnly { path: PathBuf };
        /// A store that is gone, with what happened to it.
        store_lost: StoreLost { path: PathBuf };
        /// A path of something else than a store, with what that is.
        not_a_store: NotAStore { path: PathBuf };
        /// A text that is not an address, with the reason.
        invalid_address: InvalidAddress { address: String };
        /// A text that is not a place, with the reason.
        invalid_place: InvalidPlace { path: String };
        /// Code that cannot be cited, with the reason.
        invalid_citation: InvalidCitation { code: String };
    }
}
