//! The data that a search reads: indexed notes, segments, the tail. Also ranks a few notes without an index.

use std::sync::Arc;

use super::build::{Builder, InMemory};
use super::damage::{Looked, Sound, Stopped};
use super::query::Query;
use super::rank::search;
use super::{Hit, SearchKind, SearchRequest};
use crate::error::Result;
use crate::note::Note;
use crate::scope::{Scope, ScopeKind};

impl SearchRequest {
    /// The kinds of notes that are meant, as bits.
    pub(super) fn kind_bits(&self) -> Kinds {
        if self.kinds.is_empty() {
            return Kinds::ALL;
        }
        let kinds = self.kinds.iter().map(|kind| match kind {
            SearchKind::Place => Kinds::PLACE.0,
            SearchKind::Key => Kinds::KEY.0,
            SearchKind::Log => Kinds::LOG.0,
        });
        Kinds(kinds.fold(0, |all, kind| all | kind))
    }
}

/// Kinds of notes, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kinds(pub(crate) u8);

impl Kinds {
    pub(crate) const PLACE: Self = Self(1);
    pub(crate) const KEY: Self = Self(2);
    pub(crate) const LOG: Self = Self(4);
    pub(super) const ALL: Self = Self(7);

    pub(super) fn has(self, kind: Self) -> bool {
        self.0 & kind.0 != 0
    }
}

/// What is searched of a note beside its text: its kind, and as its title the key, or the directory's name. The key is
/// empty where there is none.
pub(crate) fn kind_and_title<'n>(
    scope: ScopeKind,
    name: &'n str,
    key: &'n str,
) -> (Kinds, &'n str) {
    match scope {
        ScopeKind::Place if key.is_empty() => {
            let directory = name.rsplit('/').next();
            (Kinds::PLACE, directory.unwrap_or_default())
        }
        ScopeKind::Place | ScopeKind::Agent => (Kinds::KEY, key),
        ScopeKind::Session => (Kinds::LOG, ""),
    }
}

/// A note as it is indexed.
pub(crate) struct Document<'t> {
    /// Its row in the journal.
    pub(crate) position: i64,
    /// The engine's number of its scope.
    pub(crate) scope: u32,
    pub(crate) kind: Kinds,
    /// When it was first written and last changed, in seconds since 1970.
    pub(crate) created: i64,
    pub(crate) updated: i64,
    /// The row of the entry before it in the same log, and when that was written.
    pub(crate) previous: Option<(i64, i64)>,
    pub(crate) title: &'t str,
    pub(crate) text: &'t str,
}

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

    /// The notes as those rows of the journal made them; none for one that is damaged.
    fn notes(&self, positions: &[i64]) -> Looked<Vec<Option<Note>>>;
}

/// Ranks these notes alone, as if there were no others.
pub(crate) fn among(notes: &[Note], request: &SearchRequest) -> Result<Vec<Hit>> {
    search(&Nothing, request, notes).map_err(|stopped| match stopped {
        Stopped::Failed(error) => error,
        Stopped::Damaged(damage) => crate::Error::DamagedStore {
            path: "store".into(),
            reason: damage.0.into(),
        },
    })
}

/// The index of a store without notes.
struct Nothing;

impl Index for Nothing {
    fn open(&self, _: &Looking<'_>) -> Looked<Opened> {
        Ok(Opened {
            segments: Vec::new(),
            tail: Arc::new(Tail::new(Builder::new(), Vec::new())?),
            scopes: Vec::new(),
            covered: Vec::new(),
        })
    }

    fn notes(&self, _: &[i64]) -> Looked<Vec<Option<Note>>> {
        Ok(Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Address;

    #[test]
    fn every_note_has_one_kind_and_its_title() {
        for (address, kind, title) in [
            ("place:~/projects/shop", Kinds::PLACE, "shop"),
            ("place:~", Kinds::PLACE, "~"),
            ("place:/", Kinds::PLACE, ""),
            ("place:~/projects/shop#build", Kinds::KEY, "build"),
            ("agent:a#build", Kinds::KEY, "build"),
            ("session:s#0000000000000000000000000", Kinds::LOG, ""),
        ] {
            let address: Address = address.parse().unwrap();
            let (scope, key) = (address.scope(), address.key().unwrap_or_default());
            let found = kind_and_title(scope.kind(), scope.name(), &key);
            assert_eq!(found, (kind, title), "{address}");
        }
    }
}
