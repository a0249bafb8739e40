//! Why a store cannot be copied.

use crate::error::{CustomError, ErrorClass};
use crate::secrets::masked;
use crate::visible::visible;

/// Why a store cannot be copied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[non_exhaustive]
pub enum CopyError {
    /// The target holds something.
    #[error("the store {} is not empty", safe(store))]
    NotEmpty {
        /// The target.
        store: String,
    },

    /// The caller's `watch` stopped the copy.
    #[error("the copy was stopped")]
    #[strum(serialize = "copy_stopped")]
    Stopped,

    /// A line of an export that cannot be read.
    #[error("the export cannot be read, line {line}: {}", safe(reason))]
    #[strum(serialize = "export_unreadable")]
    Unreadable {
        /// The line, from 1.
        line: usize,
        /// Why.
        reason: String,
    },

    /// The copy has a fault, so it was not kept.
    #[error("the copy {} is not whole: {}", safe(store), safe(problem))]
    #[strum(serialize = "copy_not_whole")]
    NotWhole {
        /// The copy.
        store: String,
        /// The first fault.
        problem: String,
    },
}

impl CustomError for CopyError {
    fn kind(&self) -> &'static str {
        self.into()
    }

    fn class(&self) -> ErrorClass {
        match self {
            Self::NotEmpty { .. } => ErrorClass::Conflict,
            Self::Stopped => ErrorClass::Busy,
            Self::NotWhole { .. } | Self::Unreadable { .. } => ErrorClass::Damaged,
        }
    }

    fn advice(&self) -> Option<String> {
        let advice = match self {
            Self::NotEmpty { .. } => "copy into a store that does not exist yet",
            Self::Unreadable { .. } => "export it again, whole; no store was made",
            Self::Stopped => "run the same copy again: it starts anew",
            Self::NotWhole { .. } => "keep using the source, and report this",
        };
        Some(advice.into())
    }
}

fn safe(text: &str) -> String {
    visible(&masked(text))
}
