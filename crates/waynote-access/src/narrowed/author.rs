//! The authors that a token may claim.

use waynote::Name;
use waynote::author::Author;

use crate::Grant;

/// The beginning of the name of an administrator of many stores, among the tokens of a store.
pub(crate) const ADMIN: &str = "admin:";

/// The beginnings of authors that nobody may claim to be.
const OTHERS: [&str; 2] = ["token:", ADMIN];

impl Grant {
    /// The same grant as an administrator of many stores has it: the name `admin:NAME` tells the token from those of the
    /// store.
    #[must_use]
    pub fn of_administrator(mut self) -> Self {
        self.token = self
            .token
            .map(|token| format!("{ADMIN}{token}").parse().unwrap_or(token));
        self
    }

    /// The author in whose name the token writes: `token:NAME`, or `admin:NAME`. None without a token.
    pub fn own_author(&self) -> Option<Name> {
        let token = self.token.as_ref()?;
        match token.as_str().starts_with(ADMIN) {
            true => Some(token.clone()),
            // The names of tokens are short enough for this.
            false => format!("token:{token}").parse().ok(),
        }
    }

    /// The author of what is written with this grant by somebody who claims to be `claim`.
    ///
    /// Without a token, or with one that is not narrowed, the claim counts, as on one's own machine; but no token is
    /// another token, and no administrator. A token narrowed to agents is one of these agents, and one that is narrowed
    /// otherwise may be a person. Any other claim becomes `token:NAME`, or `admin:NAME`.
    pub fn author(&self, claim: &Name) -> Name {
        let Some(own) = self.own_author() else {
            return claim.clone();
        };
        let may = match Author::of(claim) {
            _ if *claim == own => true,
            _ if OTHERS.iter().any(|of| claim.as_str().starts_with(of)) => false,
            _ if !self.is_narrowed() => true,
            Author::Agent(agent) => self.agents.iter().any(|of| of.as_str() == agent),
            Author::Person => self.agents.is_empty(),
            _ => false,
        };
        match may {
            true => claim.clone(),
            false => own,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn authors(agents: &[&str], places: &[&str], token: Option<&str>) -> String {
        let grant = Grant {
            token: token.map(|token| token.parse().unwrap()),
            agents: agents.iter().map(|agent| agent.parse().unwrap()).collect(),
            places: places.iter().map(|place| place.parse().unwrap()).collect(),
            ..Grant::everything()
        };
        let claims = [
            "person",
            "agent:a",
            "agent:b",
            "import:zrb",
            "token:t",
            "token:u",
            "ci",
        ];
        let authors = claims.map(|claim| grant.author(&claim.parse().unwrap()).to_string());
        authors.join(" ")
    }

    #[test]
    fn a_token_claims_no_more_than_it_was_given() {
        insta::assert_snapshot!(authors(&[], &[], None), @"person agent:a agent:b import:zrb token:t token:u ci");
        insta::assert_snapshot!(authors(&[], &[], Some("t")), @"person agent:a agent:b import:zrb token:t token:t ci");
        insta::assert_snapshot!(authors(&["a"], &[], Some("t")), @"token:t agent:a token:t token:t token:t token:t token:t");
        insta::assert_snapshot!(authors(&["a"], &["~"], Some("t")), @"token:t agent:a token:t token:t token:t token:t token:t");
        insta::assert_snapshot!(authors(&[], &["~"], Some("t")), @"person token:t token:t token:t token:t token:t token:t");
    }
}
