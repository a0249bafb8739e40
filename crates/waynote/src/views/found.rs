//! A search as a caller sees it: what applies where the caller is comes first.

use crate::error::Result;
use crate::scope::Scope;
use crate::search::{Hit, SearchRequest};
use crate::store::Reader;

/// What a search found, in each part best match first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// What applies to the caller.
    pub here: Vec<Hit>,
    /// What does not apply: notes of other projects, agents and sessions.
    pub elsewhere: Vec<Hit>,
}

impl Found {
    /// Searches the notes that apply, those of the scopes `here`, and then the others while the limit has room. A request
    /// that names scopes is about these alone.
    ///
    /// # Errors
    /// As [`Reader::search`].
    pub fn of(store: &dyn Reader, request: &SearchRequest, here: &[Scope]) -> Result<Self> {
        let is_limited = !request.scopes.is_empty();
        if is_limited || here.is_empty() {
            let hits = store.search(request)?;
            let (here, elsewhere) = match is_limited {
                true => (hits, Vec::new()),
                false => (Vec::new(), hits),
            };
            return Ok(Self { here, elsewhere });
        }
        let own = request.clone().scopes(here.to_vec());
        let mut found = Self {
            here: store.search(&own)?,
            elsewhere: Vec::new(),
        };
        let room = request.limit.saturating_sub(found.here.len());
        if room > 0 {
            found.elsewhere = store.search(request)?;
            let is_other = |hit: &Hit| !here.contains(&hit.note.address.scope());
            found.elsewhere.retain(is_other);
            found.elsewhere.truncate(room);
        }
        Ok(found)
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
        assert!(found(10, &[], &[]).starts_with(" | repo:a/api#build"));
    }
}
