//! Ranks a few notes without an index.

use std::sync::Arc;

use super::build::Builder;
use super::damage::{SearchFailure, SearchResult};
use super::notes::{Index, NoteLookup, SearchInput, Tail};
use super::rank::search;
use super::{Hit, SearchRequest};
use crate::error::Result;
use crate::note::Note;

/// Searches these notes alone, as if there were no others: their scores do not depend on any other note.
pub(crate) fn among(notes: &[Note], request: &SearchRequest) -> Result<Vec<Hit>> {
    search(&EmptyIndex, request, notes).map_err(|stopped| match stopped {
        SearchFailure::Failed(error) => error,
        SearchFailure::Damaged(damage) => crate::Error::damaged_store("store", damage.0),
    })
}

/// The index of a store without notes.
struct EmptyIndex;

impl Index for EmptyIndex {
    fn open(&self, _: &NoteLookup<'_>) -> SearchResult<SearchInput> {
        Ok(SearchInput {
            segments: Vec::new(),
            tail: Arc::new(Tail::new(Builder::new(), Vec::new())?),
            scopes: Vec::new(),
            covered: Vec::new(),
        })
    }

    fn notes(&self, _: &[i64]) -> SearchResult<Vec<Option<Note>>> {
        Ok(Vec::new())
    }
}
