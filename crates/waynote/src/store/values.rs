//! The values that a store is asked for and answers with: filters, points in time, versions.

use std::cmp::Reverse;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::content::ContentHash;
use crate::key::Name;
use crate::model::lists::latest_first;
use crate::note::{EntryType, Note, Position};
use crate::scope::{Scope, ScopeKind};
use crate::text::plural;

/// A selection of notes. They are ordered by scope (as listed, or by name), then a place's own note first, then by key.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Filter {
    /// All notes of these scopes.
    Scopes(Vec<Scope>),
    /// All notes of every scope of a kind.
    Kind(ScopeKind),
}

/// Which notes of a scope to read in pages, and in which order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Recent {
    /// Keyed notes, most recently updated first; notes of the same time by key.
    Keyed {
        /// The scope of the notes.
        scope: Scope,
        /// Whether to read the pinned notes or the others.
        pinned: bool,
    },
    /// All notes by key: a place's own note first.
    ByKey {
        /// The scope of the notes.
        scope: Scope,
    },
    /// Entries of one type, latest iteration first, and within it the last added first. Entries without an iteration
    /// come last.
    Entries {
        /// The session.
        session: Name,
        /// Their type.
        #[serde(rename = "type")]
        kind: EntryType,
        /// Only entries of earlier iterations than this one.
        before: Option<i64>,
        /// Only entries that are not resolved.
        #[serde(default)]
        open: bool,
    },
}

impl Recent {
    /// The scope that the notes belong to.
    pub fn scope(&self) -> Scope {
        match self {
            Self::Keyed { scope, .. } | Self::ByKey { scope } => scope.clone(),
            Self::Entries { session, .. } => Scope::Session(session.clone()),
        }
    }

    /// Picks and orders notes of the scope, for a store without an index for it.
    pub fn pick(&self, mut notes: Vec<Note>) -> Vec<Note> {
        match self {
            Self::Keyed { pinned, .. } => {
                notes.retain(|note| note.pinned == *pinned && note.address.key().is_some());
                latest_first(&mut notes);
            }
            Self::ByKey { .. } => notes.sort_by_cached_key(|note| note.address.key()),
            Self::Entries {
                kind, before, open, ..
            } => {
                notes.retain(|note| {
                    note.kind.as_ref() == Some(kind)
                        && before.is_none_or(|before| note.iteration.is_some_and(|of| of < before))
                        && !(*open && note.resolved_by.is_some())
                });
                notes.sort_by_cached_key(|note| Reverse((note.iteration, note.address.key())));
            }
        }
        notes
    }
}

/// The version of a store, to be compared with an earlier one of the same open store: equal versions mean equal notes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Version {
    /// The last position of the journal.
    pub position: Option<Position>,
    /// A number that changes with every change that the position does not show: on a connection of an application,
    /// positions are reused after its transaction is rolled back. A text, or null.
    #[serde(default, with = "changes")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub changes: u64,
    /// When a part of the store was last written that is only recognized by its time. It may be written again within
    /// the same tick of the clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_at: Option<Timestamp>,
}

/// The number as a text, because it may have more digits than a JSON number can hold; none for 0.
mod changes {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's form")]
    pub(super) fn serialize<S: Serializer>(of: &u64, form: S) -> Result<S::Ok, S::Error> {
        (*of > 0).then(|| of.to_string()).serialize(form)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(form: D) -> Result<u64, D::Error> {
        let text = Option::<String>::deserialize(form)?;
        text.map_or(Ok(0), |text| text.parse().map_err(D::Error::custom))
    }
}

impl Version {
    /// The number of the last position; 0 if there is none.
    pub(crate) fn head(&self) -> i64 {
        self.position.map_or(0, Position::number)
    }
}

/// A scope and the number of its notes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ScopeSummary {
    /// The scope.
    pub scope: Scope,
    /// The number of its notes.
    pub notes: u64,
}

/// A value that a program keeps beside the notes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideValue {
    /// Its key within the space.
    pub key: String,
    /// The value.
    pub value: Vec<u8>,
    /// The content that the value is about. If that is forgotten, the value is removed too.
    pub about: Option<ContentHash>,
}

impl SideValue {
    /// A value that is about no content.
    pub fn new(key: impl Into<String>, value: Vec<u8>) -> Self {
        Self {
            key: key.into(),
            value,
            about: None,
        }
    }
}

/// What was damaged in what was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
#[non_exhaustive]
pub struct Damage {
    /// What was left out of lists, by address as far as it is known. A sentence is about
    /// the store as a whole, or about files that are no notes (see [`Damage::is_sentence`]).
    pub notes: Vec<String>,
    /// Whether a search did without the index because that is damaged.
    pub index: bool,
}

impl Damage {
    /// True if nothing was damaged.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// True if this damage is a sentence: about missing writes, the reason that the store is read-only, or files that
    /// are no notes. Any other damage is a name.
    pub fn is_sentence(damage: &str) -> bool {
        damage.starts_with("The ")
    }

    /// The lines of a list or a block about the notes that were left out of it: the damage of the store as a whole, the
    /// number of damaged notes, and the first three of them. Empty if nothing is damaged.
    pub fn left_out(&self) -> String {
        Self::named(&self.notes)
    }

    pub(crate) fn named(notes: &[String]) -> String {
        const NAMED: usize = 3;
        let (store, notes): (Vec<&String>, Vec<_>) =
            notes.iter().partition(|damage| Self::is_sentence(damage));
        let mut lines: Vec<String> = store.into_iter().cloned().collect();
        if notes.is_empty() {
            return lines.join("\n");
        }
        let are = if notes.len() == 1 { "is" } else { "are" };
        let shown = notes.iter().take(NAMED);
        let shown: Vec<_> = shown.map(|note| crate::secrets::masked(note)).collect();
        let mut named = shown.join(", ");
        if notes.len() > NAMED {
            named.push_str(", …");
        }
        let notes = plural(notes.len() as u64, "note");
        lines.push(format!("{notes} {are} damaged and left out: {named}"));
        lines.join("\n")
    }
}
