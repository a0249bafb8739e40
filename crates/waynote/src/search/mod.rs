//! Finding notes by what they say: one analysis, one query language and one ranking for every engine.
//!
//! A query searches the engine's *segments* (immutable, made of notes that were current when they were written) and
//! its *tail* (what was changed since), so that it always sees what the notes say. Scores depend on the notes alone
//! and not on how they lie in segments.

#[cfg(feature = "search")]
mod analyze;
#[cfg(feature = "search")]
mod block;
#[cfg(feature = "search")]
mod build;
#[cfg(feature = "search")]
mod damage;
#[cfg(feature = "search")]
mod docs;
#[cfg(feature = "search")]
pub(crate) mod indexed;
#[cfg(feature = "search")]
mod merge;
#[cfg(feature = "search")]
mod notes;
#[cfg(not(feature = "search"))]
mod off;
#[cfg(feature = "search")]
mod postings;
#[cfg(feature = "search")]
mod query;
#[cfg(feature = "search")]
mod rank;
#[cfg(feature = "search")]
mod snippet;
#[cfg(feature = "search")]
pub(crate) mod upkeep;
#[cfg(feature = "search")]
pub(crate) mod verify;

use std::ops::Range;

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::note::Note;
use crate::scope::Scope;

#[cfg(feature = "search")]
pub(crate) use analyze::is_stop_word;
#[cfg(feature = "search")]
pub(crate) use notes::among;
#[cfg(not(feature = "search"))]
pub(crate) use off::{among, indexed, is_stop_word, upkeep, verify};

/// How many hits a search gives when nothing else is asked for.
pub const DEFAULT_LIMIT: usize = 10;

/// Which kind of note is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
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
#[non_exhaustive]
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

    /// Only notes of these kinds; empty: of all.
    pub fn kinds(self, kinds: Vec<SearchKind>) -> Self {
        Self { kinds, ..self }
    }

    /// Only notes of these scopes; empty: of all.
    pub fn scopes(self, scopes: Vec<Scope>) -> Self {
        Self { scopes, ..self }
    }

    /// The most hits.
    pub fn limit(self, limit: usize) -> Self {
        Self { limit, ..self }
    }

    /// Whether every revision is searched, not only the notes as they are.
    pub fn history(self, history: bool) -> Self {
        Self { history, ..self }
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

/// When the search index takes in what was written, and how large its segments become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Indexing {
    /// So many changes are searched as they lie before they become a segment.
    pub tail: u32,
    /// The same within one large call.
    pub bulk: u32,
    /// So many neighbours of one size are merged.
    pub fan_out: usize,
    /// No merge makes a segment of more notes.
    pub most: usize,
}

impl Default for Indexing {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Indexing {
    /// 256 changes, 2,048 in a large call; merged by eights, up to 8,192 notes.
    pub const DEFAULT: Self = Self {
        tail: 256,
        bulk: 2048,
        fan_out: 8,
        most: 8192,
    };

    /// So many changes are searched as they lie before they become a segment; `bulk`: within one large call.
    pub const fn tail(self, tail: u32, bulk: u32) -> Self {
        Self { tail, bulk, ..self }
    }

    /// So many neighbours of one size are merged, up to segments of `most` notes.
    pub const fn merging(self, fan_out: usize, most: usize) -> Self {
        Self {
            fan_out,
            most,
            ..self
        }
    }
}
