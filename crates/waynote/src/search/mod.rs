//! Finding notes by what they say: one analysis, one query language and one ranking for every engine.
//!
//! A query searches the engine's *segments* (immutable, made of notes that were current when they were written) and
//! its *tail* (what was changed since), so that it always sees what the notes say. Scores depend on the notes alone
//! and not on how they lie in segments.

pub(crate) mod analyze;
pub(crate) mod block;
pub(crate) mod build;
pub(crate) mod damage;
pub(crate) mod docs;
pub(crate) mod indexed;
pub(crate) mod merge;
pub(crate) mod postings;
mod query;
mod rank;
mod snippet;
pub(crate) mod upkeep;
pub(crate) mod verify;

use std::ops::Range;
use std::sync::Arc;

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::error::Result;
use crate::note::Note;
use crate::scope::{Scope, ScopeKind};

pub(crate) use analyze::is_stop_word;
use build::{Builder, InMemory};
use damage::{Looked, Sound, Stopped};
pub(crate) use query::Query;
pub(crate) use rank::search;
pub use upkeep::Indexing;

/// How many hits a search gives when nothing else is asked for.
pub const DEFAULT_LIMIT: usize = 10;

/// Which kind of note is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SearchKind {
    /// Directories' own notes.
    Place,
    /// Keyed notes, of agents' notebooks and of directories.
    Key,
    /// Entries of sessions' logs.
    Log,
}

/// What is to be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchRequest {
    /// Plain words (any of them, the best first), `"phrases"`, `prefix*`, `-not`. Any text is a query. One with
    /// exclusions alone finds all the other notes, the newest first; one that asks for nothing finds nothing.
    pub query: String,
    /// Only notes of these kinds; empty: of all.
    pub kinds: Vec<SearchKind>,
    /// Only notes of these scopes; empty: of all.
    pub scopes: Vec<Scope>,
    /// The most hits.
    pub limit: usize,
    /// Search every revision that wrote a text, deleted and superseded ones too, instead of the notes as they are.
    pub history: bool,
}

impl SearchRequest {
    /// A search of all notes for at most [`DEFAULT_LIMIT`] hits.
    pub fn new(query: impl Into<String>) -> Self {
        Self {
            query: query.into(),
            kinds: Vec::new(),
            scopes: Vec::new(),
            limit: DEFAULT_LIMIT,
            history: false,
        }
    }

    fn kinds(&self) -> Kinds {
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

/// A note that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The note; in a search of the history, as that revision made it.
    pub note: Note,
    /// How well it fits: larger is better. Comparable within one search.
    pub score: f64,
    /// The part of the text that fits best.
    pub snippet: Snippet,
}

/// One line of a note's text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snippet {
    /// The line; `…` where it was cut.
    pub text: String,
    /// Where in it the words are that were looked for, as bytes of UTF-8, in order. None when the note was found by
    /// its key, or by the entries beside it in its log.
    pub matches: Vec<Range<usize>>,
}

impl Serialize for Hit {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut hit = serializer.serialize_struct("Hit", 6)?;
        hit.serialize_field("address", &self.note.address)?;
        hit.serialize_field("revision", &self.note.revision)?;
        hit.serialize_field("score", &self.score)?;
        hit.serialize_field("snippet", &self.snippet.text)?;
        let matches: Vec<[usize; 2]> = self
            .snippet
            .matches
            .iter()
            .map(|range| [range.start, range.end])
            .collect();
        hit.serialize_field("matches", &matches)?;
        hit.serialize_field("note", &self.note)?;
        hit.end()
    }
}

/// Kinds of notes, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kinds(pub(crate) u8);

impl Kinds {
    pub(crate) const PLACE: Self = Self(1);
    pub(crate) const KEY: Self = Self(2);
    pub(crate) const LOG: Self = Self(4);
    const ALL: Self = Self(7);

    fn has(self, kind: Self) -> bool {
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
    memory: InMemory,
    /// Rows whose notes have been changed or deleted since.
    superseded: Vec<i64>,
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

    fn notes(&self, _: &[i64]) -> Looked<Vec<Note>> {
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
