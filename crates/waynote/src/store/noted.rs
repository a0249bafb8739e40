//! Counts of how often entries were noted.

use crate::error::Result;
use crate::model::lists::is_before;
use crate::note::Note;

use super::{Ask, NotedBefore, Reader};

/// How often each entry was noted in iterations before this one (none: ever), repeats included; 1 for notes that are
/// not entries.
pub(crate) fn noted_before<'n>(
    store: &dyn Reader,
    notes: impl IntoIterator<Item = &'n Note>,
    iteration: Option<i64>,
) -> Result<Vec<u64>> {
    let mut repeated = Ask::default();
    let mut noted: Vec<Option<u64>> = Vec::new();
    for note in notes {
        noted.push(match (note.seen(), iteration) {
            (None, _) => Some(1),
            (Some(times), None) => Some(times),
            // The first revision is its only one.
            (Some(1), Some(_)) => Some(is_before(note.iteration, iteration).into()),
            (Some(_), Some(before)) => {
                repeated.noted_before.push(NotedBefore {
                    address: note.address.clone(),
                    iteration: before,
                });
                None
            }
        });
    }
    if repeated.noted_before.is_empty() {
        return Ok(noted.into_iter().flatten().collect());
    }
    let mut counted = store.read(&repeated)?.noted_before.into_iter();
    let times = |known: Option<u64>| known.or_else(|| counted.next()).unwrap_or_default();
    Ok(noted.into_iter().map(times).collect())
}
