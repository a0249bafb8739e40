//! The data that a search reads: segments and the tail.

use std::sync::Arc;

use super::build::{Builder, InMemory};
use super::damage::IndexResult;

/// The parts of a sealed segment that a search needs.
pub(crate) struct Segment {
    pub(crate) memory: InMemory,
    /// A bit for each note that is no longer current; empty when all are.
    pub(crate) dead: Vec<u8>,
}

/// The changes since the last segment was sealed.
pub(crate) struct Tail {
    pub(super) memory: Arc<InMemory>,
    /// Rows whose notes were changed or deleted since.
    pub(super) superseded: Vec<i64>,
}

impl Tail {
    pub(crate) fn new(builder: Builder, superseded: Vec<i64>) -> IndexResult<Self> {
        Ok(Self {
            memory: Arc::new(builder.in_memory()?),
            superseded,
        })
    }
}

/// The segments and rows that a search reads.
#[derive(Default)]
pub(crate) struct SearchInput {
    /// The sealed segments, in the order of their positions.
    pub(crate) segments: Vec<Segment>,
    /// The notes that are in no segment, with at least the terms that the query needs.
    pub(crate) tail: Option<Arc<Tail>>,
    /// The engine's numbers of the scopes; those without notes have none.
    pub(crate) scopes: Vec<u32>,
    /// The rows of the notes that are replaced.
    pub(crate) covered: Vec<i64>,
}
