//! The authors that a token may claim.

use waynote::Name;
use waynote::author::Author;

use crate::Grant;

impl Grant {
    /// The author of what is written with this grant by somebody who claims to be `claim`.
    ///
    /// Without a token, or with one that is not narrowed, the claim counts, as on one's own machine; but no token is
    /// another token. A token narrowed to agents is one of these agents, and one that is narrowed otherwise may be a
    /// person. Any other claim becomes `token:NAME`.
    pub fn author(&self, claim: &Name) -> Name {
        let Some(token) = &self.token else {
            return claim.clone();
        };
        let own = format!("token:{token}");
        let may = match Author::of(claim) {
            _ if claim.as_str() == own => true,
            _ if claim.as_str().starts_with("token:") => false,
            _ if !self.is_narrowed() => true,
            Author::Agent(agent) => self.agents.iter().any(|of| of.as_str() == agent),
            Author::Person => self.agents.is_empty(),
            _ => false,
        };
        match own.parse() {
            Ok(own) if !may => own,
            // The names of tokens are short enough for this.
            _ => claim.clone(),
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
