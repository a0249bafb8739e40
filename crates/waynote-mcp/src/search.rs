//! Finding notes for `note_search`.

use waynote::{Note, SearchRequest, Store};

/// A note that was found, and the matching part of its text.
pub(crate) struct Hit {
    pub(crate) note: Note,
    pub(crate) snippet: String,
}

/// The notes that match, best match first.
pub(crate) fn search(store: &dyn Store, query: &str, limit: usize) -> waynote::Result<Vec<Hit>> {
    let request = SearchRequest::new(query).limit(limit);
    let hits = store.search(&request)?.into_iter().map(|hit| Hit {
        note: hit.note,
        snippet: hit.snippet.text,
    });
    Ok(hits.collect())
}
