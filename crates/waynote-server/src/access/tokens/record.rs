//! A token as it is kept: everything but its text.

use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;
use waynote::Name;
use waynote::jiff::{Timestamp, civil};
use waynote::store::SideValue;
use waynote::text::hex;

use crate::access::Rights;

/// What is known of a token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenInfo {
    /// The part of its text that is no secret.
    pub id: String,
    /// Its name.
    pub name: Name,
    /// Whose it is: the author of what a person writes with it.
    pub holder: Name,
    /// True if an agent holds it, which answers no question in a person's place.
    pub is_agents: bool,
    /// What it allows.
    pub rights: Rights,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it expires; none: never.
    pub expires_at: Option<Timestamp>,
    /// The day of its last use, in universal time.
    pub last_used: Option<civil::Date>,
}

impl TokenInfo {
    pub(super) fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|expires| expires <= now)
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

/// A stored token. An unreadable one grants nothing.
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
