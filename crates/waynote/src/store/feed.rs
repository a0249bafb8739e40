//! Everything that happens in a store, in one order.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::address::AddressAt;
use crate::event::{EventAddress, SessionsEvent};
use crate::id::StoreId;
use crate::key::Name;
use crate::note::{Position, Revision};

/// The mark of an item of a feed: a store that was restored to an earlier state, or that lost changes in a failover, has
/// another one at the same point. So has a store with another id. A forgetting changes no mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark(u64);

impl Mark {
    /// The mark of an item of the store with that id.
    pub fn of(store: Option<StoreId>, entry: &FeedEntry) -> Self {
        let happened = match &entry.happened {
            FeedContent::Changed(revision) => {
                format!(
                    "{}@{} {}",
                    revision.address(),
                    revision.number(),
                    revision.recorded_at
                )
            }
            FeedContent::Event(SessionsEvent { session, recorded }) => {
                format!("{session} {} {}", recorded.number, recorded.recorded_at)
            }
            FeedContent::Forgotten(forgotten) => format!("{} {}", forgotten.by, forgotten.at),
        };
        let store = store.map(|id| id.to_string()).unwrap_or_default();
        let hash = Sha256::digest(format!("{store} {} {happened}", entry.at));
        let mut first = [0; 8];
        first.copy_from_slice(&hash[..8]);
        Self(u64::from_be_bytes(first))
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}", self.0)
    }
}

/// One item of the feed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "FeedForm", into = "FeedForm")]
pub struct FeedEntry {
    /// Its point in the feed; a reader continues from there.
    pub at: Position,
    /// The change, the event or the forgetting.
    pub happened: FeedContent,
}

/// A change of a note, an event of a session, or a forgetting.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FeedContent {
    /// A note changed.
    Changed(Revision),
    /// An event of a session.
    Event(SessionsEvent),
    /// The texts of revisions were forgotten.
    Forgotten(ForgottenTexts),
}

/// Revisions whose texts were forgotten, and events of which what was said in them was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = ForgottenRevisions))]
pub struct ForgottenTexts {
    /// The revisions: `agent:name#key@3`.
    pub revisions: Vec<AddressAt>,
    /// The events: `session:name#event-3`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<EventAddress>,
    /// When.
    pub at: Timestamp,
    /// By whom.
    pub by: Name,
}

/// One thing that happened: `changed`, `event` or `forgotten` says which, and the others are left out.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = FeedEntry))]
pub(crate) struct FeedForm {
    /// Its point in the feed: a reader continues from there.
    at: Position,
    /// A note changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    changed: Option<Revision>,
    /// An event of a session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    event: Option<SessionsEvent>,
    /// Texts were forgotten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    forgotten: Option<ForgottenTexts>,
}

impl From<FeedEntry> for FeedForm {
    fn from(FeedEntry { at, happened }: FeedEntry) -> Self {
        let (mut changed, mut event, mut forgotten) = (None, None, None);
        match happened {
            FeedContent::Changed(of) => changed = Some(of),
            FeedContent::Event(of) => event = Some(of),
            FeedContent::Forgotten(of) => forgotten = Some(of),
        }
        Self {
            at,
            changed,
            event,
            forgotten,
        }
    }
}

impl TryFrom<FeedForm> for FeedEntry {
    type Error = &'static str;

    fn try_from(form: FeedForm) -> Result<Self, Self::Error> {
        let happened = match (form.changed, form.event, form.forgotten) {
            (Some(of), ..) => FeedContent::Changed(of),
            (_, Some(of), _) => FeedContent::Event(of),
            (.., Some(of)) => FeedContent::Forgotten(of),
            _ => return Err("an entry of the feed of a kind that this version does not know"),
        };
        Ok(Self {
            at: form.at,
            happened,
        })
    }
}
