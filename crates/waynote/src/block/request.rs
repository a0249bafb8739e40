//! A request for a block.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, IntoStaticStr};

use super::Budget;
use crate::key::Name;
use crate::model::as_of::AsOf;
use crate::model::lineage::Lineage;
use crate::scope::Scope;

/// The sections of the block, in the order in which they are printed.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr,
)]
#[strum(serialize_all = "lowercase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Section {
    /// Pinned notes, of the places and of the agent, whole.
    Pinned,
    /// The own notes of the place and every place above it, whole.
    Places,
    /// The other notes with a key, of the places and of the agent, as lines.
    Index,
    /// The session's log of earlier iterations.
    Iterations,
}

impl Section {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Pinned, Self::Places, Self::Index, Self::Iterations];

    /// The section's word.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// How the block is written.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Display, EnumString, IntoStaticStr,
)]
#[strum(serialize_all = "lowercase", parse_err_ty = String, parse_err_fn = no_style)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Style {
    /// The same notes give the same bytes: fixed order, absolute dates, and what changes most often comes last.
    Stable,
    /// As Zrb, ralph.nu and openotters write it, byte for byte.
    Faithful,
}

impl Style {
    /// The style's word.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

fn no_style(_: &str) -> String {
    "the styles are stable and faithful".into()
}

/// A request for a block: for which agent, at which place, and the options.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Request {
    /// The agent that reads the block, and whose notebook it shows.
    pub agent: Name,
    /// The author that the reader writes as, whose notes need no author in the block; none: the agent by its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<Name>,
    /// The place of the agent, with every place whose notes apply there. Style faithful has those of the place's own path,
    /// and of its name in a repository.
    pub lineage: Lineage,
    /// The session that the agent runs in, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Name>,
    /// The iteration that the agent runs. The block shows only earlier ones; none: all iterations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iteration: Option<i64>,
    /// How the block is written.
    pub style: Style,
    /// Only this section; none: all sections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<Section>,
    /// The token budget. Style faithful has none: it prints everything, as its sources do.
    #[serde(default)]
    pub budget: Budget,
    /// A query to choose the notes of the index by; none: the latest notes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// The point in time of the notes; none: now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<AsOf>,
    /// Whether the receipt lists every note, and counts tokens even without a limit.
    #[serde(default)]
    pub explain: bool,
    /// The tools of the reader, which the block names if notes are shortened or left out; none: it names no tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<ReaderTools>,
    /// The current time, for the ages in style faithful.
    pub now: Timestamp,
    /// The names that the reader has as an author in a store with holders, which alone knows them.
    #[serde(skip)]
    pub(crate) recorded: Vec<Name>,
}

/// The names of the tools with which a reader looks up what a block does not show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Tools))]
#[serde(deny_unknown_fields)]
pub struct ReaderTools {
    /// Shows a note whole, by its address.
    pub show: Cow<'static, str>,
    /// Searches notes by their text.
    pub search: Cow<'static, str>,
}

impl ReaderTools {
    /// Tools with these names.
    pub fn new(show: impl Into<Cow<'static, str>>, search: impl Into<Cow<'static, str>>) -> Self {
        Self {
            show: show.into(),
            search: search.into(),
        }
    }
}

impl Request {
    /// A request in style stable with the default budget, for the current notes, outside any session.
    pub fn new(agent: Name, place: impl Into<Lineage>, now: Timestamp) -> Self {
        Self {
            agent,
            author: None,
            lineage: place.into(),
            session: None,
            iteration: None,
            style: Style::Stable,
            only: None,
            budget: Budget::default(),
            query: None,
            as_of: None,
            explain: false,
            tools: None,
            now,
            recorded: Vec::new(),
        }
    }

    setters! {
        exact {
            /// Sets the place, with every place whose notes apply there.
            lineage: Lineage;
            /// Sets the current time.
            now: Timestamp;
            /// Sets the style.
            style: Style;
            /// Sets the token budget.
            budget: Budget;
            /// Sets whether the receipt lists every note.
            explain: bool;
        }
        or_none {
            /// Sets the author that the reader writes as; none: the agent by its name.
            author: Name;
            /// Sets the session; none: outside any.
            session: Name;
            /// Sets the iteration, which sees the notes of earlier ones; none: it sees all.
            iteration: i64;
            /// Only this section; none: all sections.
            only: Section;
            /// Sets a query to choose the notes of the index by; none: the latest notes.
            query: String;
            /// Sets the point in time of the notes; none: now.
            as_of: AsOf;
            /// Sets the tools of the reader; none: the block names no tools.
            tools: ReaderTools;
        }
    }

    /// True if the request includes a section.
    pub(crate) fn wants(&self, section: Section) -> bool {
        self.only.is_none_or(|only| only == section)
    }

    /// The scopes of the requested sections: the agent's, those of the places, and the session's.
    pub(crate) fn scopes(&self, places: Vec<Scope>) -> [Vec<Scope>; 3] {
        let agent = vec![Scope::Agent(self.agent.clone())];
        let session = self.session.iter().cloned().map(Scope::Session).collect();
        let wanted = |is_wanted: bool, scopes| if is_wanted { scopes } else { Vec::new() };
        [
            wanted(
                self.wants(Section::Pinned) || self.wants(Section::Index),
                agent,
            ),
            wanted(self.wants(Section::Places), places),
            wanted(self.wants(Section::Iterations), session),
        ]
    }

    /// True if tokens are counted.
    pub(crate) fn counts(&self) -> bool {
        self.explain || self.budget.limit().is_some()
    }

    /// The scopes whose notes apply, whatever sections are requested: those of the lineage, the agent's and the session's.
    pub fn scopes_that_apply(&self) -> Vec<Scope> {
        let mut scopes = self.lineage.scopes();
        scopes.push(Scope::Agent(self.agent.clone()));
        scopes.extend(self.session.clone().map(Scope::Session));
        scopes
    }
}
