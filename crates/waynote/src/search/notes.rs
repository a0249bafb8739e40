//! The data that a search reads: segments and the tail.

use std::sync::Arc;

use super::build::{Builder, InMemory};
use super::damage::{Looked, Sound};
use super::query::Query;
use crate::note::Note;
use crate::scope::Scope;

/// What a search looks at of a sealed segment.
pub(crate) struct Segment {
    pub(crate) memory: InMemory,
    /// A bit for each note that is no longer current; empty when all are.
    pub(crate) dead: Vec<u8>,
}

/// What was changed since the last segment was sealed.
pub(crate) struct Tail {
    pub(super) memory: InMemory,
    /// Rows whose notes have been changed or deleted since.
    pub(super) superseded: Vec<i64>,
}

impl Tail {
    pub(crate) fn new(builder: Builder, superseded: Vec<i64>) -> Sound<Self> {
        Ok(Self {
            memory: builder.in_memory()?,
            superseded,
        })
    }
}

/// What a search wants to look at.
pub(crate) struct Looking<'q> {
    pub(crate) query: &'q Query,
    /// Only notes of these scopes; empty: of all.
    pub(crate) scopes: &'q [Scope],
    /// Notes that stand for those that are stored at their addresses.
    pub(crate) laid_over: &'q [Note],
}

/// What there is of that.
pub(crate) struct Opened {
    /// The sealed segments, in the order of their positions.
    pub(crate) segments: Vec<Segment>,
    /// What is in no segment; of its terms at least those that the query looks at.
    pub(crate) tail: Arc<Tail>,
    /// The engine's numbers of the scopes; those without notes have none.
    pub(crate) scopes: Vec<u32>,
    /// The rows of the notes for which others stand.
    pub(crate) covered: Vec<i64>,
}

/// What an engine keeps; all of one search is read from one state of the store.
pub(crate) trait Index {
    /// Reads what a search looks at.
    fn open(&self, looking: &Looking<'_>) -> Looked<Opened>;

    /// The notes as those rows of the journal made them.
    fn notes(&self, positions: &[i64]) -> Looked<Vec<Note>>;
}
