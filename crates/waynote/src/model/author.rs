//! The kinds of authors, and their names.

use std::fmt;

use crate::error::Result;
use crate::key::Name;

/// The kind of author that a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Author<'n> {
    /// `person`: the default author.
    Person,
    /// `agent:NAME`.
    Agent(&'n str),
    /// `import:FORMAT`: a note imported from another program.
    Import(&'n str),
    /// Any other name.
    Other(&'n str),
}

/// The name of the default author.
pub const PERSON: &str = "person";

/// The name of an agent to whom none was given.
pub const UNNAMED: &str = "default";

impl<'n> Author<'n> {
    /// The author that a name stands for.
    pub fn of(name: &'n Name) -> Self {
        let name = name.as_str();
        match name.split_once(':') {
            _ if name == PERSON => Self::Person,
            Some(("agent", agent)) => Self::Agent(agent),
            Some(("import", format)) => Self::Import(format),
            _ => Self::Other(name),
        }
    }

    /// The author who is recorded for this one in a store where `own` stands for a person: `agent:HOLDER/NAME` for an
    /// agent of that holder. A caller names no other holder.
    pub fn under(self, own: &Name) -> Name {
        let named = match (self, own.holder()) {
            (Self::Person | Self::Other(_), _) => None,
            (Self::Agent(agent), holder) if agent != holder && holder_in(agent) != Some(holder) => {
                Author::Agent(&format!("{holder}/{agent}")).name().ok()
            }
            (Self::Agent(_) | Self::Import(_), _) => self.name().ok(),
        };
        named.unwrap_or_else(|| own.clone())
    }

    /// By whom a note is, for others than the author: `by alice's agent`. None for a person without a name. `word` gets
    /// each name.
    pub fn by(self, word: impl Fn(&str) -> String) -> Option<String> {
        match self {
            Self::Person => None,
            Self::Import(_) => Some("imported".into()),
            Self::Agent(name) if holder_in(name).is_none() => {
                Some(format!("by agent {}", word(name)))
            }
            of => Some(format!("by {}", of.words(word))),
        }
    }

    /// The notebook of an agent. In a store of several people, one without a name has its holder's.
    pub fn notebook(self, is_shared: bool) -> Option<&'n str> {
        let Self::Agent(name) = self else { return None };
        match name.split_once('/') {
            Some((holder, UNNAMED)) if is_shared => Some(holder),
            Some((_, agent)) => Some(agent),
            None => Some(name),
        }
    }

    /// The author in words: `alice's agent`, `alice's agent builder`. `word` gets each name.
    fn words(self, word: impl Fn(&str) -> String) -> String {
        match self {
            Self::Agent(name) => match name.split_once('/') {
                Some((holder, UNNAMED)) => format!("{}'s agent", word(holder)),
                Some((holder, agent)) => format!("{}'s agent {}", word(holder), word(agent)),
                None => word(&self.to_string()),
            },
            _ => word(&self.to_string()),
        }
    }

    /// The name of the author.
    ///
    /// # Errors
    /// [`Error::InvalidName`](crate::Error::InvalidName) when the name is too long.
    pub fn name(self) -> Result<Name> {
        self.to_string().parse()
    }
}

/// The holder in the name of his agent.
fn holder_in(agent: &str) -> Option<&str> {
    agent.split_once('/').map(|(holder, _)| holder)
}

impl Name {
    /// The holder, of an author that stands for a person: that name, or the one of the agent that holds the token.
    pub(crate) fn holder(&self) -> &str {
        match Author::of(self) {
            Author::Agent(holder) => holder,
            _ => self.as_str(),
        }
    }
}

/// An author in words, with the holder of the token with which he wrote if the name does not say it.
pub fn shown(author: &Name, holder: Option<&Name>) -> String {
    let words = Author::of(author).words(str::to_owned);
    let is_said = |holder: &&Name| {
        let name = author.holder();
        name == holder.as_str() || holder_in(name) == Some(holder.as_str())
    };
    match holder.filter(|holder| !is_said(holder)) {
        Some(holder) => format!("{words} (of {holder})"),
        None => words,
    }
}

impl fmt::Display for Author<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Person => f.write_str(PERSON),
            Self::Agent(agent) => write!(f, "agent:{agent}"),
            Self::Import(format) => write!(f, "import:{format}"),
            Self::Other(name) => f.write_str(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_who_it_is() {
        for (name, author) in [
            ("person", Author::Person),
            ("agent:builder", Author::Agent("builder")),
            ("agent:a:b", Author::Agent("a:b")),
            ("import:zrb", Author::Import("zrb")),
            ("ci", Author::Other("ci")),
            ("persons", Author::Other("persons")),
        ] {
            let name: Name = name.parse().unwrap();
            assert_eq!(Author::of(&name), author, "{name}");
            assert_eq!(author.name().unwrap(), name);
        }
    }

    #[test]
    fn an_agent_of_a_holder_has_both_names() {
        for (name, own, recorded, words) in [
            ("person", "alice", "alice", "alice"),
            ("bob", "alice", "alice", "alice"),
            (
                "agent:default",
                "alice",
                "agent:alice/default",
                "alice's agent",
            ),
            (
                "agent:codex",
                "alice",
                "agent:alice/codex",
                "alice's agent codex",
            ),
            (
                "agent:alice/codex",
                "alice",
                "agent:alice/codex",
                "alice's agent codex",
            ),
            (
                "agent:bob/codex",
                "alice",
                "agent:alice/bob/codex",
                "alice's agent bob/codex",
            ),
            ("import:zrb", "alice", "import:zrb", "import:zrb"),
            ("person", "agent:ci", "agent:ci", "agent:ci"),
            ("agent:a", "agent:ci", "agent:ci/a", "ci's agent a"),
            ("agent:ci", "agent:ci", "agent:ci", "agent:ci"),
        ] {
            let (name, own): (Name, Name) = (name.parse().unwrap(), own.parse().unwrap());
            let under = Author::of(&name).under(&own);
            assert_eq!(under.as_str(), recorded, "{name}");
            assert_eq!(shown(&under, None), words, "{name}");
        }
        let (zrb, alice): (Name, Name) = ("import:zrb".parse().unwrap(), "alice".parse().unwrap());
        assert_eq!(shown(&zrb, Some(&alice)), "import:zrb (of alice)");
        let agents: Name = "agent:alice/default".parse().unwrap();
        assert_eq!(shown(&agents, Some(&alice)), "alice's agent");
    }
}
