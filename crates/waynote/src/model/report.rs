//! The report of a check for damage.

use serde::{Deserialize, Serialize};

/// The result of checking a whole store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Report {
    /// The number of current notes that were checked.
    pub notes: u64,
    /// The number of journal rows that were checked.
    pub revisions: u64,
    /// The number of texts whose hash was computed again.
    pub contents: u64,
    /// A description of each damage; empty when there is none.
    pub problems: Vec<String>,
}

impl Report {
    /// True if nothing is damaged.
    pub fn is_clean(&self) -> bool {
        self.problems.is_empty()
    }

    /// Adds a problem.
    pub(crate) fn add(&mut self, problem: impl Into<String>) {
        self.problems.push(problem.into());
    }
}
