//! The data that a search reads: segments and the tail.

use std::sync::Arc;

use super::build::{Builder, InMemory};
use super::damage::{IndexResult, SearchResult};
use super::query::Query;
use crate::note::Note;
use crate::scope::Scope;

/// The parts of a sealed segment that a search needs.
pub(crate) struct Segment {
    pub(crate) memory: InMemory,
    /// A bit for each note that is no longer current; empty when all are.
    pub(crate) dead: Vec<u8>,
}

/// The changes since the last segment was sealed.
pub(crate) struct Tail {
    pub(super) memory: InMemory,
    /// Rows whose notes were changed or deleted since.
    pub(super) superseded: Vec<i64>,
}

impl Tail {
    pub(crate) fn new(builder: Builder, superseded: Vec<i64>) -> IndexResult<Self> {
        Ok(Self {
            memory: builder.in_memory()?,
            superseded,
        })
    }
}

/// A search, as an engine gets it.
pub(crate) struct NoteLookup<'q> {
    pub(crate) query: &'q Query,
    /// Only notes of these scopes; empty: of all.
    pub(crate) scopes: &'q [Scope],
    /// Notes that replace the stored ones at their addresses.
    pub(crate) laid_over: &'q [Note],
}

/// The segments and rows that a search reads.
pub(crate) struct SearchInput {
    /// The sealed segments, in the order of their positions.
    pub(crate) segments: Vec<Segment>,
    /// The notes that are in no segment, with at least the terms that the query needs.
    pub(crate) tail: Arc<Tail>,
    /// The engine's numbers of the scopes; those without notes have none.
    pub(crate) scopes: Vec<u32>,
    /// The rows of the notes that are replaced.
    pub(crate) covered: Vec<i64>,
}

/// The source that a search reads. All reads of one search see one state of the store.
pub(crate) trait Index {
    /// Opens the segments and the tail for a search.
    fn open(&self, looking: &NoteLookup<'_>) -> SearchResult<SearchInput>;

    /// The notes as those rows of the journal made them; none for one that is damaged.
    fn notes(&self, positions: &[i64]) -> SearchResult<Vec<Option<Note>>>;
}
