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
struct StoredToken {
    /// In hexadecimal digits.
    hash: String,
    #[serde(flatten)]
    info: TokenInfo,
}

pub(super) fn value(info: &TokenInfo, hash: &[u8; 32]) -> SideValue {
    let kept = StoredToken {
        hash: hex(hash),
        info: info.clone(),
    };
    SideValue::new(
        info.id.clone(),
        serde_json::to_vec(&kept).unwrap_or_default(),
    )
}

/// A stored token. An unreadable one grants nothing: with its unreadable scopes left out, it could grant everything.
pub(super) fn info(value: &SideValue) -> Option<TokenInfo> {
    read(value).map(|kept| kept.info)
}

/// The token that is kept there, if it has this hash. The comparison takes as long for every hash.
pub(super) fn checked(value: Option<&SideValue>, hash: &[u8; 32]) -> Option<TokenInfo> {
    let kept = read(value?)?;
    let presented = hex(hash);
    let is_it: bool = kept.hash.as_bytes().ct_eq(presented.as_bytes()).into();
    is_it.then_some(kept.info)
}

fn read(value: &SideValue) -> Option<StoredToken> {
    let kept: StoredToken = serde_json::from_slice(&value.value).ok()?;
    (kept.info.id == value.key).then_some(kept)
}
