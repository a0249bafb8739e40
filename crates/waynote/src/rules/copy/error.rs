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

    /// The copy is not equal to the source.
    #[error(
        "the copy {} is not equal to its source: {}",
        safe(store),
        listed(differences)
    )]
    #[strum(serialize = "copy_differs")]
    Differs {
        /// The copy.
        store: String,
        /// The differences, at least one.
        differences: Vec<String>,
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
            Self::Differs { .. } | Self::Unreadable { .. } => ErrorClass::Damaged,
        }
    }

    fn advice(&self) -> Option<String> {
        let advice = match self {
            Self::NotEmpty { .. } => "copy into a store that does not exist yet",
            Self::Unreadable { .. } => "export it again, whole; no store was made",
            Self::Stopped => "run the same copy again: it starts anew",
            Self::Differs { .. } => {
                "keep using the source; run the same copy again, and report this if it happens twice"
            }
        };
        Some(advice.into())
    }
}

fn safe(text: &str) -> String {
    visible(&masked(text))
}

/// The first differences, and how many more there are.
fn listed(differences: &[String]) -> String {
    const NAMED: usize = 3;
    let named = differences.iter().take(NAMED).map(|of| safe(of));
    let mut text = named.collect::<Vec<_>>().join("; ");
    if differences.len() > NAMED {
        text += &format!("; and {} more", differences.len() - NAMED);
    }
    text
}
