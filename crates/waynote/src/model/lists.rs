//! Helpers for lists of notes and of revisions.

use std::cmp::Reverse;

use crate::note::{Note, Revision};

/// Sorts notes in the order of a notebook: most recently updated first, notes of the same time by key.
pub(crate) fn latest_first(notes: &mut [Note]) {
    notes.sort_by_cached_key(|note| (Reverse(note.updated_at), note.address.key()));
}

/// How often an entry with this history was noted in iterations before this one (none: ever).
pub(crate) fn seen_before(history: &[Revision], iteration: Option<i64>) -> u64 {
    let noted = history.iter().filter_map(Revision::note);
    noted.fold(0, |seen, note| {
        seen + u64::from(is_before(note.iteration, iteration))
    })
}

pub(crate) fn is_before(noted: Option<i64>, iteration: Option<i64>) -> bool {
    iteration.is_none_or(|iteration| noted.is_some_and(|noted| noted < iteration))
}
