//! A token as it is kept: everything but its text.

use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;
use waynote::jiff::{Timestamp, civil};
use waynote::store::SideValue;
use waynote::text::hex;
use waynote::{Name, Place};

use crate::{Grant, Rights};

/// What is known of a token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = TokenSummary))]
pub struct TokenInfo {
    /// The part of its text that is no secret.
    pub id: String,
    /// Its name.
    pub name: Name,
    /// How much it grants: `read`, `write` or `admin`.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub rights: Rights,
    /// The agents that it is narrowed to.
    pub agents: Vec<Name>,
    /// The places that it is narrowed to.
    pub places: Vec<Place>,
    /// The sessions that it is narrowed to.
    pub sessions: Vec<Name>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it expires; none: never.
    pub expires_at: Option<Timestamp>,
    /// The day of its last use, in universal time.
    pub last_used: Option<civil::Date>,
}

impl TokenInfo {
    /// The grant of the token.
    pub fn grant(&self) -> Grant {
        Grant {
            token: Some(self.name.clone()),
            token_id: Some(self.id.clone()),
            rights: self.rights,
            agents: self.agents.clone(),
            places: self.places.clone(),
            sessions: self.sessions.clone(),
        }
    }
}

/// The value that is kept, as JSON.
#[derive(Serialize, Deserialize)]
struct Kept {
    name: String,
    /// SHA-256 of the token's bytes, as hexadecimal digits.
    hash: String,
    rights: Rights,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    agents: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    places: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    sessions: Vec<String>,
    created_at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
}

/// The value under which a token is kept.
pub(super) fn value(info: &TokenInfo, hash: &[u8; 32]) -> SideValue {
    let texts = |values: &[Name]| values.iter().map(Name::to_string).collect();
    let kept = Kept {
        name: info.name.to_string(),
        hash: hex(hash),
        rights: info.rights,
        agents: texts(&info.agents),
        places: info.places.iter().map(Place::to_string).collect(),
        sessions: texts(&info.sessions),
        created_at: info.created_at.to_string(),
        expires_at: info.expires_at.map(|at| at.to_string()),
    };
    SideValue::new(
        info.id.clone(),
        serde_json::to_vec(&kept).unwrap_or_default(),
    )
}

/// A stored token. An unreadable one grants nothing: with its unreadable scopes left out, it could grant everything.
pub(super) fn info(value: &SideValue) -> Option<TokenInfo> {
    read(&serde_json::from_slice(&value.value).ok()?, &value.key)
}

fn read(kept: &Kept, id: &str) -> Option<TokenInfo> {
    let names = |texts: &[String]| texts.iter().map(|text| text.parse().ok()).collect();
    let places: Option<Vec<Place>> = kept.places.iter().map(|text| text.parse().ok()).collect();
    let (agents, sessions): (Option<Vec<Name>>, Option<Vec<Name>>) =
        (names(&kept.agents), names(&kept.sessions));
    let expires_at = match &kept.expires_at {
        Some(text) => Some(text.parse().ok()?),
        None => None,
    };
    Some(TokenInfo {
        id: id.to_owned(),
        name: kept.name.parse().ok()?,
        rights: kept.rights,
        agents: agents?,
        places: places?,
        sessions: sessions?,
        created_at: kept.created_at.parse().ok()?,
        expires_at,
        last_used: None,
    })
}

/// The token that is kept there, if it has this hash. The comparison takes as long for every hash.
pub(super) fn checked(value: Option<&SideValue>, hash: &[u8; 32]) -> Option<TokenInfo> {
    let value = value?;
    let kept: Kept = serde_json::from_slice(&value.value).ok()?;
    let presented = hex(hash);
    let is_it: bool = kept.hash.as_bytes().ct_eq(presented.as_bytes()).into();
    is_it.then(|| read(&kept, &value.key)).flatten()
}
