//! Ranks a few notes without an index.

use super::rank::search;
use super::{Hit, SearchRequest};
use crate::error::Result;
use crate::note::Note;

/// Searches these notes alone, as if there were no others: their scores do not depend on any other note.
pub(crate) fn among(notes: &[Note], request: &SearchRequest) -> Result<Vec<Hit>> {
    search(None, request, notes).map_err(|stopped| stopped.of(|| "store".into()))
}
