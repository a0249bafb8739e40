//! What checking a store found.

use serde::Serialize;

/// The outcome of a check of everything there is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Current notes looked at.
    pub notes: u64,
    /// Journal rows looked at.
    pub revisions: u64,
    /// Contents whose hash was computed again.
    pub contents: u64,
    /// What is damaged, each named; empty when all is well.
    pub problems: Vec<String>,
}

impl Report {
    /// Whether nothing is damaged.
    pub fn is_clean(&self) -> bool {
        self.problems.is_empty()
    }
}
