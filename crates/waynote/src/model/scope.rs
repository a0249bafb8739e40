//! Scopes: the place, the agent or the session that a note belongs to.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::key::Name;
use crate::place::Place;

/// The three kinds of scope.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    strum::EnumString,
    strum::IntoStaticStr,
)]
#[strum(serialize_all = "lowercase", parse_err_ty = Error, parse_err_fn = no_kind)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ScopeKind {
    /// A directory; its notes apply everywhere below it (as in Zrb).
    Place,
    /// An agent's notebook, across sessions (as in openotters).
    Agent,
    /// One named run of a loop (as in ralph.nu).
    Session,
}

impl ScopeKind {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 3] = [Self::Place, Self::Agent, Self::Session];

    /// The kind of the scopes whose addresses begin with a word: `repo` names a place too.
    pub(crate) fn of_address(word: &str) -> Option<Self> {
        match word {
            "repo" => Some(Self::Place),
            word => word.parse().ok(),
        }
    }

    /// The word used in addresses and in the store.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

pub(crate) fn no_kind(text: &str) -> Error {
    Error::invalid_address(
        text,
        "it must start with `place:`, `repo:`, `agent:` or `session:`",
    )
}

/// A scope: the place, the agent or the session that a note belongs to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Scope {
    /// A directory.
    Place(Place),
    /// An agent's notebook.
    Agent(Name),
    /// A session's log.
    Session(Name),
}

impl Scope {
    /// The kind of the scope.
    pub fn kind(&self) -> ScopeKind {
        match self {
            Self::Place(_) => ScopeKind::Place,
            Self::Agent(_) => ScopeKind::Agent,
            Self::Session(_) => ScopeKind::Session,
        }
    }

    /// The place's path, or the name of the agent or session, as it is stored.
    pub fn name(&self) -> &str {
        match self {
            Self::Place(place) => place.as_str(),
            Self::Agent(name) | Self::Session(name) => name.as_str(),
        }
    }

    /// The scope with this kind and stored name.
    ///
    /// # Errors
    /// [`Error::InvalidPlace`] or [`Error::InvalidName`].
    pub fn from_parts(kind: ScopeKind, name: &str) -> Result<Self> {
        Ok(match kind {
            ScopeKind::Place => Self::Place(name.parse()?),
            ScopeKind::Agent => Self::Agent(name.parse()?),
            ScopeKind::Session => Self::Session(name.parse()?),
        })
    }

    /// The scope of an address, which begins with its word: a place of a repository has the word in its name.
    pub(crate) fn printed(address: &str, kind: ScopeKind, name: &str) -> Result<Self> {
        match address.starts_with("repo:") {
            true => Self::from_parts(kind, &format!("repo:{name}")),
            false => Self::from_parts(kind, name),
        }
    }
}

/// `place:~/p`, `repo:github.com/acme/shop//src`, `agent:default`, `session:demo`; special characters are
/// percent-encoded.
impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = crate::address::encode(self.name());
        match self {
            Self::Place(place) if place.in_repository().is_some() => f.write_str(&name),
            _ => write!(f, "{}:{name}", self.kind().as_str()),
        }
    }
}

/// Parses a scope as it is printed: `place:~/p`, `repo:github.com/acme/shop//src`, `agent:name`, `session:name`.
impl FromStr for Scope {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let invalid = |reason: &str| Error::invalid_address(text, reason);
        let (kind, name) = text.split_once(':').unwrap_or((text, ""));
        let kind = ScopeKind::of_address(kind).ok_or_else(|| no_kind(text))?;
        if name.contains(['#', '@']) {
            return Err(invalid("name the scope, without a key or a revision"));
        }
        let name = crate::address::decoded(name)
            .ok_or_else(|| invalid("a percent-encoded part is not UTF-8"))?;
        Self::printed(text, kind, &name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_read_back_as_they_print() {
        for text in [
            "place:~/p",
            "place:/a%23b%40c%25",
            "repo:a/b",
            "repo:a/b//c%23d",
            "agent:é x",
            "session:s",
        ] {
            assert_eq!(text.parse::<Scope>().unwrap().to_string(), text);
        }
        for bad in [
            "",
            "place",
            "agent:",
            "agent:a#k",
            "agent:a@1",
            "x:y",
            "agent:%ff",
        ] {
            assert!(bad.parse::<Scope>().is_err(), "{bad}");
        }
    }
}
