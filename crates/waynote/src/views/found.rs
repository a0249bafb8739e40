//! A search as a caller sees it: what applies where the caller is comes first.

use crate::error::Result;
use crate::scope::Scope;
use crate::search::{Hit, SearchRequest};
use crate::store::Reader;

/// The notes that a search found, in each part best match first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Those that apply to the caller.
    pub here: Vec<Hit>,
    /// Those that do not apply: notes of other directories, projects, agents and sessions.
    pub elsewhere: Vec<Hit>,
}

impl Found {
    /// Searches the notes that apply, those of the scopes `here`, and then the others while the limit has room. Where
    /// nothing is known to apply, and in a request that names scopes, all matches are alike.
    ///
    /// # Errors
    /// As [`Reader::search`].
    pub fn of(store: &dyn Reader, request: &SearchRequest, here: &[Scope]) -> Result<Self> {
        let scopes = match request.scopes.is_empty() {
            true => here.to_vec(),
            false => request.scopes.clone(),
        };
        let own = store.search(&request.clone().scopes(scopes))?;
        let room = request.limit.saturating_sub(own.len());
        let mut elsewhere = Vec::new();
        if request.scopes.is_empty() && !here.is_empty() && room > 0 {
            elsewhere = store.search(request)?;
            elsewhere.retain(|hit| !here.contains(&hit.note.address.scope()));
            elsewhere.truncate(room);
        }
        Ok(Self {
            here: own,
            elsewhere,
        })
    }

    /// All of it, in order.
    pub fn all(self) -> Vec<Hit> {
        [self.here, self.elsewhere].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::Stamp;
    use crate::{Content, Options, SaveOptions, SqliteStore, single};

    #[test]
    fn what_applies_comes_before_better_matches_of_other_projects() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path().join("n.db"), &Options::default()).unwrap();
        let stamp = Stamp::new(jiff::Timestamp::UNIX_EPOCH, "person".parse().unwrap());
        for (address, text) in [
            ("repo:a/api#build", "build: build with pnpm build"),
            (
                "repo:a/shop#build",
                "the long way to build all of it is cargo build --release",
            ),
            (
                "agent:a#habits",
                "build before you push, and look at the output",
            ),
            ("agent:b#build", "build"),
        ] {
            let (address, content) = (address.parse().unwrap(), Content::text(text).unwrap());
            single::save(&store, address, content, SaveOptions::default(), &stamp).unwrap();
        }
        let here = ["repo:a/shop", "agent:a"].map(|scope| scope.parse().unwrap());
        let found = |limit, scopes: &[Scope], here: &[Scope]| {
            let request = SearchRequest::new("build").limit(limit);
            let found = Found::of(&store, &request.scopes(scopes.to_vec()), here).unwrap();
            let names = |hits: Vec<Hit>| {
                let names: Vec<String> =
                    hits.iter().map(|of| of.note.address.to_string()).collect();
                names.join(" ")
            };
            format!("{} | {}", names(found.here), names(found.elsewhere))
        };
        assert_eq!(
            found(10, &[], &here),
            "repo:a/shop#build agent:a#habits | repo:a/api#build agent:b#build"
        );
        assert_eq!(
            found(3, &[], &here),
            "repo:a/shop#build agent:a#habits | repo:a/api#build"
        );
        assert_eq!(found(1, &[], &here), "repo:a/shop#build | ");
        assert_eq!(found(10, &here[1..], &here), "agent:a#habits | ");
        assert!(found(10, &[], &[]).starts_with("repo:a/api#build"));
    }
}
