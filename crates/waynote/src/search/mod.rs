//! Full-text search of notes: one text analysis, one query language and one ranking for all engines.
//!
//! A query searches the engine's *segments* (immutable, made of notes that were current when they were written) and its
//! *tail* (what has changed since), so it always sees the current notes. Scores depend only on the notes, not on how
//! they are distributed over segments.

mod among;
mod analyze;
mod block;
mod build;
mod damage;
pub(crate) mod damage_notice;
mod docs;
mod document;
mod draft;
mod fold;
pub(crate) mod indexed;
mod korean;
mod merge;
mod notes;
mod postings;
mod query;
mod rank;
mod sizes;
mod snippet;
pub(crate) mod upkeep;
pub(crate) mod verify;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::address::Address;
use crate::note::Note;
use crate::scope::Scope;

pub(crate) use among::among;
pub(crate) use analyze::is_stop_word;

/// The default number of hits.
pub const DEFAULT_LIMIT: usize = 10;

/// A kind of note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SearchKind {
    /// The own notes of directories.
    Place,
    /// Keyed notes, of agents' notebooks and of directories.
    Key,
    /// Entries of sessions' logs.
    Log,
}

/// A search request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SearchRequest {
    /// Plain words (any of them, best match first), `"phrases"`, `prefix*`, `-not`. Any text is a valid query. A query
    /// of exclusions alone finds all other notes, newest first. An empty query finds nothing.
    pub query: String,
    /// Only notes of these kinds; empty: all kinds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<SearchKind>,
    /// Only notes of these scopes; empty: all scopes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<Scope>,
    /// The maximum number of hits; null: all.
    #[serde(default = "default_limit", with = "crate::store::limit")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<usize>))]
    pub limit: usize,
    /// Search every revision with a text, including deleted and superseded ones, instead of the current notes.
    #[serde(default)]
    pub history: bool,
    /// True for text that is handed in as context: a prompt, the output of a program. It is never refused for its
    /// length: it is cut to its rarest words, [`Limits::QUERY_CLAUSES`](crate::Limits::QUERY_CLAUSES) of them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub context: bool,
}

fn default_limit() -> usize {
    DEFAULT_LIMIT
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
            context: false,
        }
    }

    setters! {
        exact {
            /// Only notes of these kinds; empty: all kinds.
            kinds: Vec<SearchKind>;
            /// Only notes of these scopes; empty: all scopes.
            scopes: Vec<Scope>;
            /// The maximum number of hits.
            limit: usize;
            /// Sets whether to search every revision instead of the current notes (default: no).
            history: bool;
            /// Sets whether the query is text that is handed in as context (default: no).
            context: bool;
        }
    }
}

/// A note that was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "HitForm", into = "HitForm")]
pub struct Hit {
    /// The note; in a search of the history, as of that revision.
    pub note: Note,
    /// The score: higher is better. Scores are comparable only within one search.
    pub score: f64,
    /// The part of the text that matches best.
    pub snippet: Snippet,
}

/// One line of a note's text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snippet {
    /// The line, with `…` where it was cut.
    pub text: String,
    /// The positions of the matching words, as byte ranges, in order. Empty if the note was found by its key, or by the
    /// entries beside it in its log.
    pub matches: Vec<Range<usize>>,
}

/// A note that was found.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Hit))]
pub(crate) struct HitForm {
    /// The note's address.
    address: Address,
    /// The revision that was found.
    revision: u64,
    /// The score: higher is better. Comparable only within one search.
    score: f64,
    /// The line of the text that matches best.
    snippet: String,
    /// The positions of the matching words in the line: byte ranges.
    matches: Vec<[usize; 2]>,
    /// The note.
    note: Note,
}

impl From<Hit> for HitForm {
    fn from(
        Hit {
            note,
            score,
            snippet,
        }: Hit,
    ) -> Self {
        let matches = snippet.matches.into_iter();
        Self {
            address: note.address.clone(),
            revision: note.revision,
            score,
            snippet: snippet.text,
            matches: matches.map(|range| [range.start, range.end]).collect(),
            note,
        }
    }
}

impl From<HitForm> for Hit {
    fn from(form: HitForm) -> Self {
        let matches = form.matches.into_iter().map(|[start, end]| start..end);
        // A reader cuts the line at these positions.
        let matches = matches.filter(|range| form.snippet.get(range.clone()).is_some());
        Self {
            note: form.note,
            score: form.score,
            snippet: Snippet {
                matches: matches.collect(),
                text: form.snippet,
            },
        }
    }
}

/// When the search index takes in new changes, and how large its segments become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Indexing {
    /// The number of changes that are searched directly before they become a segment.
    pub tail: u32,
    /// The same within one large call.
    pub bulk: u32,
    /// The number of neighbouring segments of one size that are merged.
    pub fan_out: usize,
    /// The maximum number of notes of a merged segment.
    pub most: usize,
}

impl Default for Indexing {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Indexing {
    /// 256 changes, or 2,048 in a large call; eight segments are merged, up to 8,192 notes.
    pub const DEFAULT: Self = Self {
        tail: 256,
        bulk: 2048,
        fan_out: 8,
        most: 8192,
    };
}
