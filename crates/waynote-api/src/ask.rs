//! Many questions in one request.

use serde::{Deserialize, Serialize};
use waynote::{Error, Result, store};

use crate::malformed::{
    each, forms, no_form, position, printed, printed_or_none, read, texts, time,
};
use crate::words::ScopeKind;

/// Many questions, which are answered from one state of the store. The answer to a question is in the field of the same
/// name of the answers, at the same place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Ask {
    /// Addresses of notes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Scopes, for all their notes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// Kinds of scopes, for all notes of all of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<ScopeKind>,
    /// Pages of notes, latest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pages: Vec<Page>,
    /// Numbers of notes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<Count>,
    /// Kinds of scopes, for the scopes that have notes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub summaries: Vec<ScopeKind>,
    /// Addresses of notes, for their revisions, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub histories: Vec<String>,
    /// How often entries were noted before an iteration.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub noted_before: Vec<NotedBefore>,
    /// Parts of the journal, latest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub journal: Vec<JournalPage>,
    /// Sessions, for the types of their entries.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub entry_types: Vec<String>,
    /// Sessions, for the last iteration of an entry.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub last_iterations: Vec<String>,
    /// Parts of sessions' events, latest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<EventPage>,
    /// Sessions, for the loop that holds each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub leases: Vec<String>,
    /// Whether to answer with the loops of all sessions.
    #[serde(skip_serializing_if = "is_false")]
    pub all_leases: bool,
    /// Whether to answer with the sessions that have events.
    #[serde(skip_serializing_if = "is_false")]
    pub event_sessions: bool,
    /// What happened after a point, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub feed: Vec<FeedPage>,
    /// Ids of calls, for what each wrote.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub operations: Vec<String>,
    /// Whether to answer with the store's id.
    #[serde(skip_serializing_if = "is_false")]
    pub store_id: bool,
    /// Whether to answer with the store's version.
    #[serde(skip_serializing_if = "is_false")]
    pub version: bool,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// A limit; none: no limit.
fn limit(limit: Option<usize>) -> usize {
    limit.unwrap_or(usize::MAX)
}

fn limit_form(limit: usize) -> Option<usize> {
    (limit < usize::MAX).then_some(limit)
}

/// A page of notes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Page {
    /// Which notes, and their order.
    pub of: Recent,
    /// How many to skip.
    #[serde(default)]
    pub skip: usize,
    /// The most notes of the page; none: all.
    #[serde(default)]
    pub limit: Option<usize>,
}

/// Which notes of a scope, and in which order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Recent {
    /// Keyed notes, most recently updated first.
    Keyed {
        /// The scope.
        scope: String,
        /// Those that are pinned, or the others.
        pinned: bool,
    },
    /// All notes by key: a place's own note first.
    ByKey {
        /// The scope.
        scope: String,
    },
    /// Entries of one type, latest iteration first.
    Entries {
        /// The session.
        session: String,
        /// Their type.
        #[serde(rename = "type")]
        kind: String,
        /// Only entries of earlier iterations.
        #[serde(default)]
        before: Option<i64>,
        /// Only entries that are not resolved.
        #[serde(default)]
        open: bool,
    },
}

/// A number of notes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Count {
    /// Of this scope, as the limit counts them.
    Counted(String),
    /// The keyed notes of a scope.
    Keyed {
        /// The scope.
        scope: String,
        /// Those that are pinned, or the others.
        pinned: bool,
    },
    /// Entries of a session.
    Entries {
        /// The session.
        session: String,
        /// Of this type; none: of all.
        #[serde(rename = "type", default)]
        kind: Option<String>,
        /// Only entries of earlier iterations.
        #[serde(default)]
        before: Option<i64>,
        /// Only entries that are not resolved.
        #[serde(default)]
        open: bool,
    },
}

/// How often an entry was noted before an iteration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NotedBefore {
    /// The entry.
    pub address: String,
    /// The iteration.
    pub iteration: i64,
}

/// A part of the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct JournalPage {
    /// Changes before this position; none: up to now.
    #[serde(default)]
    pub before: Option<String>,
    /// At most so many; none: all.
    #[serde(default)]
    pub limit: Option<usize>,
}

/// A part of a session's events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct EventPage {
    /// The session.
    pub session: String,
    /// Events before this number; none: up to now.
    #[serde(default)]
    pub before: Option<u64>,
    /// At most so many; none: all.
    #[serde(default)]
    pub limit: Option<usize>,
}

/// A part of everything that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct FeedPage {
    /// What happened after this point; none: from the start.
    #[serde(default)]
    pub after: Option<String>,
    /// At most so many items; none: all.
    #[serde(default)]
    pub limit: Option<usize>,
}

/// A request for notes as they were.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct AsOfRequest {
    /// The scopes.
    pub scopes: Vec<String>,
    /// When.
    pub moment: AsOf,
}

/// A point in the history of the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum AsOf {
    /// After the change at this position.
    Position(String),
    /// After the last change of each note at or before this time.
    Time(String),
}

impl TryFrom<&waynote::AsOf> for AsOf {
    type Error = Error;

    fn try_from(moment: &waynote::AsOf) -> Result<Self> {
        match moment {
            waynote::AsOf::Position(position) => Ok(Self::Position(position.to_string())),
            waynote::AsOf::Time(time) => Ok(Self::Time(time.to_string())),
            _ => Err(no_form("this kind of point in time over HTTP")),
        }
    }
}

impl TryFrom<AsOf> for waynote::AsOf {
    type Error = Error;

    fn try_from(moment: AsOf) -> Result<Self> {
        Ok(match moment {
            AsOf::Position(at) => Self::Position(position(&at)?),
            AsOf::Time(at) => Self::Time(time(&at)?),
        })
    }
}

impl TryFrom<&store::Recent> for Recent {
    type Error = Error;

    fn try_from(recent: &store::Recent) -> Result<Self> {
        match recent {
            store::Recent::Keyed { scope, pinned } => Ok(Self::Keyed {
                scope: scope.to_string(),
                pinned: *pinned,
            }),
            store::Recent::ByKey { scope } => Ok(Self::ByKey {
                scope: scope.to_string(),
            }),
            store::Recent::Entries {
                session,
                kind,
                before,
                open,
            } => Ok(Self::Entries {
                session: session.to_string(),
                kind: kind.to_string(),
                before: *before,
                open: *open,
            }),
            _ => Err(no_form("this order of notes over HTTP")),
        }
    }
}

impl TryFrom<Recent> for store::Recent {
    type Error = Error;

    fn try_from(recent: Recent) -> Result<Self> {
        Ok(match recent {
            Recent::Keyed { scope, pinned } => Self::Keyed {
                scope: scope.parse()?,
                pinned,
            },
            Recent::ByKey { scope } => Self::ByKey {
                scope: scope.parse()?,
            },
            Recent::Entries {
                session,
                kind,
                before,
                open,
            } => Self::Entries {
                session: session.parse()?,
                kind: waynote::EntryType::imported(&kind),
                before,
                open,
            },
        })
    }
}

impl From<&store::Count> for Count {
    fn from(count: &store::Count) -> Self {
        match count {
            store::Count::Counted(scope) => Self::Counted(scope.to_string()),
            store::Count::Keyed { scope, pinned } => Self::Keyed {
                scope: scope.to_string(),
                pinned: *pinned,
            },
            store::Count::Entries {
                session,
                kind,
                before,
                open,
            } => Self::Entries {
                session: session.to_string(),
                kind: printed_or_none(kind.as_ref()),
                before: *before,
                open: *open,
            },
        }
    }
}

impl TryFrom<Count> for store::Count {
    type Error = Error;

    fn try_from(count: Count) -> Result<Self> {
        Ok(match count {
            Count::Counted(scope) => Self::Counted(scope.parse()?),
            Count::Keyed { scope, pinned } => Self::Keyed {
                scope: scope.parse()?,
                pinned,
            },
            Count::Entries {
                session,
                kind,
                before,
                open,
            } => Self::Entries {
                session: session.parse()?,
                kind: kind.as_deref().map(waynote::EntryType::imported),
                before,
                open,
            },
        })
    }
}

impl TryFrom<&store::Page> for Page {
    type Error = Error;

    fn try_from(page: &store::Page) -> Result<Self> {
        Ok(Self {
            of: Recent::try_from(&page.of)?,
            skip: page.skip,
            limit: limit_form(page.limit),
        })
    }
}

impl TryFrom<Page> for store::Page {
    type Error = Error;

    fn try_from(page: Page) -> Result<Self> {
        Ok(Self {
            of: page.of.try_into()?,
            skip: page.skip,
            limit: limit(page.limit),
        })
    }
}

impl TryFrom<&store::Ask> for Ask {
    type Error = Error;

    fn try_from(ask: &store::Ask) -> Result<Self> {
        let kinds = |kinds: &[waynote::ScopeKind]| -> Result<Vec<ScopeKind>> {
            kinds.iter().copied().map(ScopeKind::try_from).collect()
        };
        let noted = ask.noted_before.iter();
        let journal = ask.journal.iter();
        let events = ask.events.iter();
        let feed = ask.feed.iter();
        Ok(Self {
            notes: printed(&ask.notes),
            scopes: printed(&ask.scopes),
            kinds: kinds(&ask.kinds)?,
            pages: ask
                .pages
                .iter()
                .map(Page::try_from)
                .collect::<Result<_>>()?,
            counts: forms(&ask.counts),
            summaries: kinds(&ask.summaries)?,
            histories: printed(&ask.histories),
            noted_before: noted
                .map(|(address, iteration)| NotedBefore {
                    address: address.to_string(),
                    iteration: *iteration,
                })
                .collect(),
            journal: journal
                .map(|(before, limit)| JournalPage {
                    before: printed_or_none(before.as_ref()),
                    limit: limit_form(*limit),
                })
                .collect(),
            entry_types: printed(&ask.entry_types),
            last_iterations: printed(&ask.last_iterations),
            events: events
                .map(|(session, before, limit)| EventPage {
                    session: session.to_string(),
                    before: *before,
                    limit: limit_form(*limit),
                })
                .collect(),
            leases: printed(&ask.leases),
            all_leases: ask.all_leases,
            event_sessions: ask.event_sessions,
            feed: feed
                .map(|(after, limit)| FeedPage {
                    after: (*after != store::Cursor::START).then(|| after.to_string()),
                    limit: limit_form(*limit),
                })
                .collect(),
            operations: printed(&ask.operations),
            store_id: ask.store_id,
            version: ask.version,
        })
    }
}

impl TryFrom<Ask> for store::Ask {
    type Error = Error;

    fn try_from(ask: Ask) -> Result<Self> {
        let kinds = |kinds: Vec<ScopeKind>| kinds.into_iter().map(Into::into).collect();
        let noted = ask.noted_before.into_iter();
        let noted = noted.map(|of| Ok((of.address.parse()?, of.iteration)));
        let journal = ask.journal.into_iter();
        let journal = journal.map(|of| {
            let before = of.before.as_deref().map(position).transpose()?;
            Ok((before, limit(of.limit)))
        });
        let events = ask.events.into_iter();
        let events = events.map(|of| Ok((of.session.parse()?, of.before, limit(of.limit))));
        let feed = ask.feed.into_iter();
        let feed = feed.map(|of| Ok((cursor(of.after.as_ref())?, limit(of.limit))));
        Ok(Self {
            notes: texts(&ask.notes)?,
            scopes: texts(&ask.scopes)?,
            kinds: kinds(ask.kinds),
            pages: each(ask.pages)?,
            counts: each(ask.counts)?,
            summaries: kinds(ask.summaries),
            histories: texts(&ask.histories)?,
            noted_before: noted.collect::<Result<_>>()?,
            journal: journal.collect::<Result<_>>()?,
            entry_types: texts(&ask.entry_types)?,
            last_iterations: texts(&ask.last_iterations)?,
            events: events.collect::<Result<_>>()?,
            leases: texts(&ask.leases)?,
            all_leases: ask.all_leases,
            event_sessions: ask.event_sessions,
            feed: feed.collect::<Result<_>>()?,
            operations: texts(&ask.operations)?,
            store_id: ask.store_id,
            version: ask.version,
        })
    }
}

fn cursor(after: Option<&String>) -> Result<store::Cursor> {
    after.map_or(Ok(store::Cursor::START), |after| {
        read(
            after,
            "a cursor",
            "take it from an answer: a cursor is opaque",
        )
    })
}

impl AsOfRequest {
    /// A request for the notes of these scopes at that point.
    ///
    /// # Errors
    /// [`Error::NotBuiltIn`] for a kind of point that the API does not know.
    pub fn new(scopes: &[waynote::Scope], moment: waynote::AsOf) -> Result<Self> {
        Ok(Self {
            scopes: printed(scopes),
            moment: AsOf::try_from(&moment)?,
        })
    }

    /// The scopes and the point.
    ///
    /// # Errors
    /// [`Error::InvalidAddress`], [`Error::InvalidName`], [`Error::InvalidPlace`], [`crate::Malformed`].
    pub fn parts(self) -> Result<(Vec<waynote::Scope>, waynote::AsOf)> {
        Ok((texts(&self.scopes)?, self.moment.try_into()?))
    }
}
