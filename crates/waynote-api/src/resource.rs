//! The resources of the API: what programs read and write one at a time.

use serde::{Deserialize, Serialize};

/// The scopes of a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ScopeList {
    /// By kind and name.
    pub scopes: Vec<ScopeNotes>,
}

/// A scope with the number of its notes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ScopeNotes {
    /// The scope: `place:~/p`, `agent:NAME` or `session:NAME`.
    pub scope: String,
    /// The number of its notes, without a place's own note.
    pub notes: u64,
}
