//! The grant of a caller on a store.

use serde::{Deserialize, Serialize};
use waynote::{Address, Name, Place, Scope};

/// How much somebody may do with the notes that they may see.
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
    strum::IntoStaticStr,
)]
#[strum(serialize_all = "lowercase")]
#[serde(rename_all = "snake_case")]
pub enum Rights {
    /// Read and search.
    Read,
    /// Also write, and undo their own writes.
    Write,
    /// Also forget, verify, and look after tokens and the audit log. Never narrowed to scopes.
    Admin,
}

impl Rights {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The permissions of a caller on a store: the visible notes, and the rights on them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The name of the token; none on a server without tokens, where every caller may do everything.
    pub token: Option<Name>,
    /// The id of the token; none where it has none.
    pub token_id: Option<String>,
    /// How much they may do.
    pub rights: Rights,
    /// The agents whose notebooks they may see; none: all of them, unless one of the other lists has names.
    pub agents: Vec<Name>,
    /// The places whose notes they may see, with everything below each.
    pub places: Vec<Place>,
    /// The sessions whose logs they may see.
    pub sessions: Vec<Name>,
}

impl Grant {
    /// Everything.
    pub fn everything() -> Self {
        Self {
            token: None,
            token_id: None,
            rights: Rights::Admin,
            agents: Vec::new(),
            places: Vec::new(),
            sessions: Vec::new(),
        }
    }

    /// True if it is narrowed to some scopes.
    pub fn is_narrowed(&self) -> bool {
        !(self.agents.is_empty() && self.places.is_empty() && self.sessions.is_empty())
    }

    /// True if notes of this scope may be seen.
    pub fn sees(&self, scope: &Scope) -> bool {
        if !self.is_narrowed() {
            return true;
        }
        match scope {
            Scope::Agent(agent) => self.agents.contains(agent),
            Scope::Session(session) => self.sessions.contains(session),
            Scope::Place(place) => self.places.iter().any(|of| place.chain().contains(of)),
            // A kind of scope that this version does not know.
            _ => false,
        }
    }

    /// True if the note may be seen.
    pub fn sees_note(&self, address: &Address) -> bool {
        self.sees(&address.scope())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrowed_grant_sees_only_its_scopes() {
        let grant = Grant {
            agents: vec!["a".parse().unwrap()],
            places: vec!["~/p".parse().unwrap()],
            ..Grant::everything()
        };
        for (address, is_seen) in [
            ("agent:a#k", true),
            ("agent:b#k", false),
            ("place:~/p", true),
            ("place:~/p/deep#k", true),
            ("place:~", false),
            ("place:~/pp", false),
        ] {
            assert_eq!(
                grant.sees_note(&address.parse().unwrap()),
                is_seen,
                "{address}"
            );
        }
    }
}
