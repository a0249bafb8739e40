//! Finding notes for `note_search`.

use waynote::store::Filter;
use waynote::{Note, ScopeKind, Store};

/// A note that was found, and the part of its text that fits.
pub(crate) struct Hit {
    pub(crate) note: Note,
    pub(crate) snippet: String,
}

/// The notes that say it, the best first.
///
/// To be replaced by the store's own full-text search (`Store::search`): this one looks at every note for plain words.
pub(crate) fn search(store: &dyn Store, query: &str, limit: usize) -> waynote::Result<Vec<Hit>> {
    let words: Vec<String> = query
        .split(|char: char| !char.is_alphanumeric() && char != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let mut found = Vec::new();
    for kind in [ScopeKind::Agent, ScopeKind::Place, ScopeKind::Session] {
        for note in store.select(&Filter::Kind(kind))? {
            let text = note.content.shown().to_lowercase();
            let key = note.address.key().unwrap_or_default();
            let hits = words
                .iter()
                .filter(|word| text.contains(*word) || key.contains(*word));
            let hits = hits.count();
            if hits > 0 {
                found.push((hits, note));
            }
        }
    }
    found.sort_by_key(|(hits, note)| std::cmp::Reverse((*hits, note.updated_at)));
    found.truncate(limit);
    let hit = |(_, note): (usize, Note)| Hit {
        snippet: note.preview.clone(),
        note,
    };
    Ok(found.into_iter().map(hit).collect())
}
