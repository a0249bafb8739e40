//! Why a store cannot be copied, or a copy cannot be used yet.

use crate::engine::Engine;
use crate::error::{CustomError, ErrorClass};
use crate::secrets::masked;
use crate::visible::visible;

/// Why a store cannot be copied, or a copy cannot be used yet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CopyError {
    /// The target holds something that is not the unfinished copy of this source.
    #[error("the store {} is not empty", safe(store))]
    NotEmpty {
        /// The target.
        store: String,
    },

    /// The target is a complete copy of this source, which has changed since.
    #[error(
        "the store {} is a complete copy up to position {up_to}, and the source has changed since",
        safe(store)
    )]
    Outdated {
        /// The target.
        store: String,
        /// The last position of the source that it has.
        up_to: i64,
    },

    /// The target holds the unfinished copy of another store.
    #[error(
        "the store {} is the unfinished copy of another store (id {source_id})",
        safe(store)
    )]
    OfAnother {
        /// The target.
        store: String,
        /// The id of that other store.
        source_id: String,
    },

    /// The target was written by something else while it was being copied.
    #[error(
        "the store {} was written while it was being copied: {reason}",
        safe(store)
    )]
    Written {
        /// The target.
        store: String,
        /// What was found.
        reason: String,
    },

    /// A write to a copy that is not complete.
    #[error("the store {} is an unfinished copy", safe(store))]
    Unfinished {
        /// The copy.
        store: String,
    },

    /// Whoever watched the copy stopped it.
    #[error("the copy was stopped")]
    Stopped,

    /// The copy is not equal to the source.
    #[error(
        "the copy {} is not equal to its source: {}",
        safe(store),
        listed(differences)
    )]
    Differs {
        /// The copy.
        store: String,
        /// The differences, at least one.
        differences: Vec<String>,
    },
}

impl CopyError {
    pub(super) fn not_empty(to: &dyn Engine) -> Self {
        Self::NotEmpty { store: to.name() }
    }

    pub(super) fn written(to: &dyn Engine, reason: impl Into<String>) -> Self {
        Self::Written {
            store: to.name(),
            reason: reason.into(),
        }
    }
}

impl CustomError for CopyError {
    fn kind(&self) -> &'static str {
        match self {
            Self::NotEmpty { .. } => "not_empty",
            Self::Outdated { .. } => "copy_outdated",
            Self::OfAnother { .. } => "copy_of_another",
            Self::Written { .. } => "copy_written",
            Self::Unfinished { .. } => "unfinished_copy",
            Self::Stopped => "copy_stopped",
            Self::Differs { .. } => "copy_differs",
        }
    }

    fn class(&self) -> ErrorClass {
        match self {
            Self::NotEmpty { .. } | Self::Outdated { .. } | Self::OfAnother { .. } => {
                ErrorClass::Conflict
            }
            // It goes on when the copy is complete.
            Self::Unfinished { .. } | Self::Stopped => ErrorClass::Busy,
            Self::Written { .. } | Self::Differs { .. } => ErrorClass::Damaged,
        }
    }

    fn advice(&self) -> Option<String> {
        let advice = match self {
            Self::NotEmpty { .. } => "copy into a store that does not exist yet, or is empty",
            Self::Outdated { .. } => "copy into a new store: a copy is not brought up to date",
            Self::OfAnother { .. } => {
                "finish that copy from its own source, or remove the unfinished copy and start again"
            }
            Self::Written { .. } => "remove the unfinished copy and start again",
            Self::Unfinished { .. } => {
                "run the same copy again: it goes on where it was, and the store can be written when it is complete"
            }
            Self::Stopped => "run the same copy again: it goes on where it was",
            Self::Differs { .. } => {
                "keep using the source; remove the copy and start again, and report this if it happens twice"
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
