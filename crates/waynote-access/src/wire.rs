//! Requests and answers of the HTTP API about tokens and the audit log.

use serde::{Deserialize, Serialize};
use waynote::jiff::Timestamp;
use waynote::{Name, Place};

use crate::{Rights, TokenInfo};

/// The tokens of a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TokenList {
    /// By name.
    pub tokens: Vec<TokenInfo>,
}

/// A token to create.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewToken {
    /// Its name, which no other token has.
    pub name: Name,
    /// How much it grants: `read`, `write` or `admin`.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub rights: Rights,
    /// The agents that it is narrowed to. With neither agents, places nor sessions, it is for all notes.
    #[serde(default)]
    pub agents: Vec<Name>,
    /// The places that it is narrowed to, with everything below them.
    #[serde(default)]
    pub places: Vec<Place>,
    /// The sessions that it is narrowed to.
    #[serde(default)]
    pub sessions: Vec<Name>,
    /// When it expires (RFC 3339); none: never.
    pub expires_at: Option<Timestamp>,
}

/// A token that was created.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CreatedToken {
    /// The token itself. It is shown this once.
    pub token: String,
    /// Its description.
    #[serde(flatten)]
    pub info: TokenInfo,
}

/// A page of the audit log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AuditPage {
    /// Latest first.
    pub entries: Vec<AuditLine>,
    /// The cursor of the next page; none: this is the last one.
    pub next: Option<String>,
}

/// A refused or administrative call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AuditLine {
    /// When; the first time if there were several.
    pub at: String,
    /// The call, in a few words.
    pub call: String,
    /// The token that called.
    pub token: Option<String>,
    /// Whether it was refused.
    pub refused: bool,
    /// Its object, or the reason of the refusal.
    pub detail: String,
    /// How often, within a minute.
    pub times: u64,
    /// Where the page after this line begins.
    pub cursor: String,
}
