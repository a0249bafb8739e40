//! Words for one of several things.

use serde::{Deserialize, Serialize};
use waynote::error::ErrorClass;
use waynote::{Error, Result, context, scope, search};

use crate::malformed::no_form;

/// A word for each variant, from the library's value and back. A variant that a later version of the library has is
/// none that the API knows.
macro_rules! words {
    ($(#[$about:meta])* $name:ident, $library:path, $what:literal { $($(#[$doc:meta])* $variant:ident,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
        #[serde(rename_all = "snake_case")]
        pub enum $name {
            $($(#[$doc])* $variant,)*
        }

        impl TryFrom<$library> for $name {
            type Error = Error;

            fn try_from(value: $library) -> Result<Self> {
                use $library as Library;
                match value {
                    $(Library::$variant => Ok(Self::$variant),)*
                    _ => Err(no_form($what)),
                }
            }
        }

        impl From<$name> for $library {
            fn from(word: $name) -> Self {
                use $library as Library;
                match word {
                    $($name::$variant => Library::$variant,)*
                }
            }
        }
    };
}

words! {
    /// A kind of scope.
    ScopeKind, scope::ScopeKind, "this kind of scope over HTTP" {
        /// Directories.
        Place,
        /// Agents' notebooks.
        Agent,
        /// Sessions' logs.
        Session,
    }
}

words! {
    /// A kind of note.
    SearchKind, search::SearchKind, "this kind of note over HTTP" {
        /// The own notes of directories.
        Place,
        /// Keyed notes.
        Key,
        /// Entries of sessions' logs.
        Log,
    }
}

words! {
    /// A section of a block.
    Section, context::Section, "this section over HTTP" {
        /// The agent's pinned notes.
        Pinned,
        /// The notes of the place and those above it.
        Places,
        /// The agent's notes by key and preview.
        Index,
        /// The session's log of earlier iterations.
        Iterations,
    }
}

words! {
    /// How a block is written.
    Style, context::Style, "this style over HTTP" {
        /// The same notes give the same bytes.
        Stable,
        /// As the programs that waynote took over write it.
        Faithful,
    }
}

words! {
    /// How much of a note a block shows.
    Shown, context::Shown, "this form of a note over HTTP" {
        /// All of it.
        Whole,
        /// Its address and a preview.
        Line,
        /// Nothing.
        LeftOut,
    }
}

words! {
    /// What a caller can do about an error.
    Class, ErrorClass, "this class of errors over HTTP" {
        /// The request itself is wrong.
        Invalid,
        /// What was asked for does not exist, or no longer does.
        NotFound,
        /// Somebody else changed it first.
        Conflict,
        /// A rule forbids it, whoever asks.
        Refused,
        /// It is over a limit.
        Limit,
        /// A person has to answer first.
        Blocked,
        /// A store or a file is damaged.
        Damaged,
        /// Somebody else holds what is needed: try again later.
        Busy,
        /// A store, a file or the disk cannot be used.
        Unreachable,
        /// Whoever asks may not.
        Denied,
    }
}
