//! Limits on what is written: the size and the number of notes of a notebook (as in openotters), and the size of a
//! directory's own note. They are checked inside the transaction of the write.

use serde::{Deserialize, Serialize};

/// The limits on notes. Zero or less means no limit. Entries of a log have no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Limits {
    /// The most bytes of a keyed note's content.
    pub max_bytes: i64,
    /// The most bytes of a directory's own note. Its default is higher than that of a keyed note.
    pub max_place_bytes: i64,
    /// The most notes of a notebook. Only a new key can be refused for it.
    pub max_notes: i64,
}

impl Limits {
    /// The most bytes of a search that a person or a tool asks for.
    pub const QUERY_BYTES: usize = 4096;

    /// The most words, phrases and exclusions of a search. Text that is handed in as context is cut to so many words.
    pub const QUERY_CLAUSES: usize = 256;

    /// How much of a text that is handed in as context is looked at: half of it from the start, half from the end.
    pub const CONTEXT_BYTES: usize = 256 << 10;

    /// The most bytes of texts that one request reads, and of the answer to it.
    pub const ANSWER_BYTES: u64 = 64 << 20;

    /// The most different questions of a kind in one request.
    pub const QUESTIONS: usize = 10_000;

    /// The most different pages of a scope, of the journal or of the feed in one request.
    pub const PAGES: usize = 64;

    /// No limits: for imports, which keep everything that another program allowed.
    pub const NONE: Self = Self {
        max_bytes: 0,
        max_place_bytes: 0,
        max_notes: 0,
    };

    /// The highest limits that a server takes from its clients, whatever they ask for.
    pub const SERVED: Self = Self {
        max_bytes: 1 << 20,
        max_place_bytes: 1 << 20,
        max_notes: 10_000,
    };

    setters! {
        exact {
            /// The most bytes of a keyed note's content; zero or less: no limit.
            max_bytes: i64;
            /// The most bytes of a directory's own note; zero or less: no limit.
            max_place_bytes: i64;
            /// The most notes of a notebook; zero or less: no limit.
            max_notes: i64;
        }
    }
}

/// 4,096 bytes and 64 notes, as in openotters. 64 KiB for a directory's own note: more than a prompt has room for.
impl Default for Limits {
    fn default() -> Self {
        Self {
            max_bytes: 4096,
            max_place_bytes: 65_536,
            max_notes: 64,
        }
    }
}
