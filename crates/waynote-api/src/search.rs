//! Searches, and lists of notes.

use serde::{Deserialize, Serialize};
use waynote::{Error, Result, search, store};

use crate::malformed::{each, forms, printed, texts};
use crate::note::Note;
use crate::words::SearchKind;

/// A search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SearchRequest {
    /// Plain words, `"phrases"`, `prefix*`, `-not`.
    pub query: String,
    /// Only notes of these kinds; empty: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<SearchKind>,
    /// Only notes of these scopes; empty: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// The most hits; null: all.
    #[serde(default = "default_limit")]
    pub limit: Option<usize>,
    /// Search every revision, instead of the notes as they are.
    #[serde(default)]
    pub history: bool,
}

#[expect(clippy::unnecessary_wraps, reason = "the type of the field")]
fn default_limit() -> Option<usize> {
    Some(search::DEFAULT_LIMIT)
}

/// A note that was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Hit {
    /// The note's address.
    pub address: String,
    /// The revision that was found.
    pub revision: u64,
    /// The score: higher is better. Comparable only within one search.
    pub score: f64,
    /// The line of the text that matches best.
    pub snippet: String,
    /// The positions of the matching words in the line: byte ranges.
    pub matches: Vec<[usize; 2]>,
    /// The note.
    pub note: Note,
}

/// What a search found, best match first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HitsFound {
    /// The hits.
    pub hits: Vec<Hit>,
    /// What was damaged, and so left out.
    #[serde(default, skip_serializing_if = "Damage::is_none")]
    pub damage: Damage,
}

/// Notes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NotesFound {
    /// The notes.
    pub notes: Vec<Note>,
    /// What was damaged, and so left out.
    #[serde(default, skip_serializing_if = "Damage::is_none")]
    pub damage: Damage,
}

/// What was damaged in what was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct Damage {
    /// What was left out, by address as far as it is known.
    pub notes: Vec<String>,
    /// Whether the search did without the index.
    pub index: bool,
}

impl Damage {
    /// Whether nothing was.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

impl From<store::Damage> for Damage {
    fn from(damage: store::Damage) -> Self {
        Self {
            notes: damage.notes,
            index: damage.index,
        }
    }
}

impl From<Damage> for store::Damage {
    fn from(of: Damage) -> Self {
        let mut damage = Self::default();
        (damage.notes, damage.index) = (of.notes, of.index);
        damage
    }
}

impl TryFrom<&search::SearchRequest> for SearchRequest {
    type Error = Error;

    fn try_from(request: &search::SearchRequest) -> Result<Self> {
        let kinds = request.kinds.iter().copied();
        Ok(Self {
            query: request.query.clone(),
            kinds: kinds.map(SearchKind::try_from).collect::<Result<_>>()?,
            scopes: printed(&request.scopes),
            limit: (request.limit < usize::MAX).then_some(request.limit),
            history: request.history,
        })
    }
}

impl TryFrom<SearchRequest> for search::SearchRequest {
    type Error = Error;

    fn try_from(request: SearchRequest) -> Result<Self> {
        Ok(Self::new(request.query)
            .kinds(request.kinds.into_iter().map(Into::into).collect())
            .scopes(texts(&request.scopes)?)
            .limit(request.limit.unwrap_or(usize::MAX))
            .history(request.history))
    }
}

impl From<&search::Hit> for Hit {
    fn from(hit: &search::Hit) -> Self {
        let matches = hit.snippet.matches.iter();
        Self {
            address: hit.note.address.to_string(),
            revision: hit.note.revision,
            score: hit.score,
            snippet: hit.snippet.text.clone(),
            matches: matches.map(|range| [range.start, range.end]).collect(),
            note: Note::from(&hit.note),
        }
    }
}

impl TryFrom<Hit> for search::Hit {
    type Error = Error;

    fn try_from(hit: Hit) -> Result<Self> {
        // Whoever shows the line cuts it at these positions.
        let is_part = |[start, end]: &[usize; 2]| hit.snippet.get(*start..*end).is_some();
        let matches = hit.matches.iter().filter(|range| is_part(range));
        let matches = matches.map(|[start, end]| *start..*end).collect();
        Ok(Self {
            note: hit.note.try_into()?,
            score: hit.score,
            snippet: search::Snippet {
                text: hit.snippet,
                matches,
            },
        })
    }
}

impl HitsFound {
    /// The answer for these hits.
    pub fn new(hits: &[search::Hit], damage: store::Damage) -> Self {
        Self {
            hits: forms(hits),
            damage: damage.into(),
        }
    }

    /// The hits, and what was damaged.
    ///
    /// # Errors
    /// [`Error::InvalidAddress`] and others, if it is not an answer of this API.
    pub fn parts(self) -> Result<(Vec<search::Hit>, store::Damage)> {
        Ok((each(self.hits)?, self.damage.into()))
    }
}

impl NotesFound {
    /// The answer for these notes.
    pub fn new(notes: &[waynote::Note], damage: store::Damage) -> Self {
        Self {
            notes: forms(notes),
            damage: damage.into(),
        }
    }

    /// The notes, and what was damaged.
    ///
    /// # Errors
    /// [`Error::InvalidAddress`] and others, if it is not an answer of this API.
    pub fn parts(self) -> Result<(Vec<waynote::Note>, store::Damage)> {
        Ok((each(self.notes)?, self.damage.into()))
    }
}
