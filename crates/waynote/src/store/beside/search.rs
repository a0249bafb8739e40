//! Searches own notes and those of others.

use super::laid::LaidNotes;
use crate::error::Result;
use crate::note::Note;
use crate::search::{Hit, SearchRequest, among};
use crate::store::Reader;

impl LaidNotes {
    /// Searches both as one, where the own store can; it is sent no note of others.
    pub(super) fn search(&self, store: &impl Reader, request: &SearchRequest) -> Result<Vec<Hit>> {
        let laid = self.shown(store)?;
        let mut hits = match store.search_over(request, &laid)? {
            Some(hits) => hits,
            None => merged(store, request, laid)?,
        };
        for hit in hits.iter_mut().filter(|hit| hit.note.source.is_own()) {
            self.mark(&mut hit.note);
        }
        Ok(hits)
    }
}

/// The hits of a store, ranked again with notes of others. An own hit that is none among these few, such as an entry
/// beside a match, comes last.
fn merged(store: &impl Reader, request: &SearchRequest, laid: Vec<Note>) -> Result<Vec<Hit>> {
    let more = SearchRequest {
        // Some of the first ones may be silent. For all of these, a server would send very many whole notes.
        limit: request.limit.saturating_mul(2),
        ..request.clone()
    };
    let mut own = store.search(&more)?;
    own.retain(|hit| laid.iter().all(|note| note.address != hit.note.address));
    let notes = own.iter().map(|hit| hit.note.clone()).chain(laid);
    let mut hits = among(&notes.collect::<Vec<_>>(), request)?;
    let least = hits.last().map_or(0.0, |hit| hit.score);
    own.retain(|hit| {
        hits.iter()
            .all(|known| known.note.address != hit.note.address)
    });
    hits.extend(own.into_iter().map(|hit| Hit {
        score: least,
        ..hit
    }));
    hits.truncate(request.limit);
    Ok(hits)
}
