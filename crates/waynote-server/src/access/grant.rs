//! What a caller may do with a store, and in whose name.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;
use waynote::author::Author;
use waynote::change::Origin;
use waynote::note::micros;
use waynote::{Change, Error, Limits, Name, OperationId, Result, Stamp};

use super::TokenInfo;

/// What the bearer of a token may do with its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Serialize, Deserialize, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
#[serde(rename_all = "snake_case")]
pub enum Rights {
    /// Read and search.
    Read,
    /// Also write and undo.
    Write,
    /// Also forget, verify, and bring in notes of other authors.
    Admin,
}

impl Rights {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// What a caller may do with a store, and in whose name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Grant {
    pub(crate) rights: Rights,
    /// The token; none on a server without tokens, where every caller may do everything.
    pub(crate) token: Option<TokenInfo>,
}

impl Grant {
    /// What a caller may do where no token is needed: everything.
    pub(crate) fn everything() -> Self {
        Self {
            rights: Rights::Admin,
            token: None,
        }
    }

    /// What this token grants.
    pub(crate) fn of(token: TokenInfo) -> Self {
        Self {
            rights: token.rights,
            token: Some(token),
        }
    }

    /// The name of the token.
    pub(crate) fn name(&self) -> Option<&Name> {
        self.token.as_ref().map(|token| &token.name)
    }

    /// True if an agent holds the token.
    pub(crate) fn is_agents(&self) -> bool {
        self.token.as_ref().is_some_and(|token| token.is_agents)
    }

    /// Refuses a call that needs more rights.
    pub(crate) fn require(&self, rights: Rights, what: &str) -> Result<()> {
        if self.rights >= rights {
            return Ok(());
        }
        let reason = match rights {
            Rights::Admin => "it needs an admin token",
            _ => "this token may only read",
        };
        Err(Error::Denied {
            what: what.into(),
            reason: reason.into(),
        })
    }

    /// The author who is recorded for a person's write: the holder, or the holder's agent if an agent holds the token.
    pub(crate) fn own_author(&self) -> Option<Name> {
        let token = self.token.as_ref()?;
        match token.is_agents {
            // The names of holders are short enough for this.
            true => Author::Agent(token.holder.as_str()).name().ok(),
            false => Some(token.holder.clone()),
        }
    }

    /// The author of what a caller writes who claims to be `claim`: one of the holder's agents, the program that notes
    /// were imported from, or the holder. A request cannot name another holder.
    pub(crate) fn author(&self, claim: &Name) -> Name {
        match self.own_author() {
            Some(own) => Author::of(claim).under(&own),
            None => claim.clone(),
        }
    }

    /// The stamp as the store gets it. Only an administrator may set the time of a write.
    pub(crate) fn stamp(&self, mut stamp: Stamp, now: Timestamp) -> Stamp {
        if self.rights < Rights::Admin {
            stamp.now = micros(now);
        }
        stamp
    }

    /// The stamp with the holder and an author that the holder may be. A person is named by the library, which knows
    /// whether a loop runs the process that writes.
    pub(super) fn held(&self, stamp: &Stamp) -> Stamp {
        let Some(token) = &self.token else {
            return stamp.clone();
        };
        let writer = stamp.writer.clone().map(|writer| {
            let agent = writer.agent.as_ref().map(|agent| self.author(agent));
            writer.agent(agent)
        });
        let author = self.author(&stamp.author);
        let author = match author == token.holder {
            true => Author::Person.name().unwrap_or(author),
            false => author,
        };
        Stamp {
            author,
            writer,
            is_agents: token.is_agents,
            token: Some(token.holder.clone()),
            operation: stamp.operation.map(|id| self.operation(id)),
            ..stamp.clone()
        }
    }

    /// The id under which the store knows an operation of this token. Ids of different tokens never meet: no caller gets
    /// the answer to another's call, or learns that there was one.
    pub(super) fn operation(&self, id: OperationId) -> OperationId {
        match &self.token {
            Some(token) => OperationId::of(&format!("operation of token {}: {id}", token.id)),
            None => id,
        }
    }

    /// The changes with authors that the holder may be. An administrator brings in notes with the authors that they had.
    pub(super) fn changes(&self, mut changes: Vec<Change>) -> Vec<Change> {
        for change in &mut changes {
            if let Change::Save { origin, .. } | Change::Undo { origin, .. } = change
                && let Some(Origin { author, .. }) = origin
                && let Some(author) = author
                && self.rights < Rights::Admin
            {
                *author = self.author(author);
            }
        }
        changes
    }
}

/// Changes with limits of at most [`Limits::SERVED`].
pub(crate) fn limited(mut changes: Vec<Change>) -> Vec<Change> {
    for change in &mut changes {
        if let Change::Save { limits, .. } = change {
            *limits = served(*limits);
        }
    }
    changes
}

/// The limits of a note for a program that asks for these. Zero or less is no limit.
pub(crate) fn served(asked: Limits) -> Limits {
    let lower = |asked: i64, most: i64| match asked {
        1.. => asked.min(most),
        _ => most,
    };
    let most = Limits::SERVED;
    Limits::default()
        .max_bytes(lower(asked.max_bytes, most.max_bytes))
        .max_place_bytes(lower(asked.max_place_bytes, most.max_place_bytes))
        .max_notes(lower(asked.max_notes, most.max_notes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::tokens::tests::info;

    fn authors(grant: &Grant) -> String {
        let claims = ["person", "agent:a", "import:zrb", "ann", "bob"];
        let authors = claims.map(|claim| grant.author(&claim.parse().unwrap()).to_string());
        authors.join(" ")
    }

    #[test]
    fn the_author_is_the_holder_or_an_agent_of_the_holder() {
        let ann = Grant::of(info("laptop", "ann", false));
        let ci = Grant::of(info("ci", "ci", true));
        insta::assert_snapshot!(authors(&Grant::everything()), @"person agent:a import:zrb ann bob");
        insta::assert_snapshot!(authors(&ann), @"ann agent:ann/a import:zrb ann ann");
        insta::assert_snapshot!(authors(&ci), @"agent:ci agent:ci/a import:zrb agent:ci agent:ci");
    }

    #[test]
    fn a_writer_sets_no_time_and_no_limit_above_those_that_are_served() {
        let now: Timestamp = "2026-05-01T12:00:00Z".parse().unwrap();
        let then: Timestamp = "2020-01-01T00:00:00Z".parse().unwrap();
        let stamp = Stamp::new(then, "agent:a".parse().unwrap());
        let writer = Grant::of(info("laptop", "ann", false));
        assert_eq!(writer.stamp(stamp.clone(), now).now, now);
        assert_eq!(Grant::everything().stamp(stamp, now).now, then);
        assert_eq!(served(Limits::NONE), Limits::SERVED);
        assert_eq!(served(Limits::NONE.max_notes(10)).max_notes, 10);
    }
}
