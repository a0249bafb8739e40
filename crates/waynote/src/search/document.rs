//! A note as it is indexed.

use super::{SearchKind, SearchRequest};
use crate::scope::ScopeKind;

impl SearchRequest {
    /// The requested kinds of notes, as bits.
    pub(super) fn kind_bits(&self) -> Kinds {
        if self.kinds.is_empty() {
            return Kinds::ALL;
        }
        let kinds = self.kinds.iter().map(|kind| match kind {
            SearchKind::Place => Kinds::PLACE.0,
            SearchKind::Key => Kinds::KEY.0,
            SearchKind::Log => Kinds::LOG.0,
        });
        Kinds(kinds.fold(0, |all, kind| all | kind))
    }
}

/// Kinds of notes, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kinds(pub(crate) u8);

impl Kinds {
    pub(crate) const PLACE: Self = Self(1);
    pub(crate) const KEY: Self = Self(2);
    pub(crate) const LOG: Self = Self(4);
    pub(super) const ALL: Self = Self(7);

    pub(super) fn has(self, kind: Self) -> bool {
        self.0 & kind.0 != 0
    }
}

/// The kind of a note and its title, which is searched too: the key, or the name of the directory. A note without a key
/// has an empty one.
pub(crate) fn kind_and_title<'n>(
    scope: ScopeKind,
    name: &'n str,
    key: &'n str,
) -> (Kinds, &'n str) {
    match scope {
        ScopeKind::Place if key.is_empty() => {
            let directory = name.rsplit('/').next();
            (Kinds::PLACE, directory.unwrap_or_default())
        }
        ScopeKind::Place | ScopeKind::Agent => (Kinds::KEY, key),
        ScopeKind::Session => (Kinds::LOG, ""),
    }
}

/// A note as it is indexed.
pub(crate) struct Document<'t> {
    /// Its row in the journal.
    pub(crate) position: i64,
    /// The engine's number of its scope.
    pub(crate) scope: u32,
    pub(crate) kind: Kinds,
    /// When it was first written and last changed, in seconds since 1970.
    pub(crate) created: i64,
    pub(crate) updated: i64,
    /// The row of the entry before it in the same log, and when that was written.
    pub(crate) previous: Option<(i64, i64)>,
    pub(crate) title: &'t str,
    pub(crate) text: &'t str,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Address;

    #[test]
    fn every_note_has_one_kind_and_its_title() {
        for (address, kind, title) in [
            ("place:~/projects/shop", Kinds::PLACE, "shop"),
            ("place:~", Kinds::PLACE, "~"),
            ("place:/", Kinds::PLACE, ""),
            ("place:~/projects/shop#build", Kinds::KEY, "build"),
            ("agent:a#build", Kinds::KEY, "build"),
            ("session:s#0000000000000000000000000", Kinds::LOG, ""),
        ] {
            let address: Address = address.parse().unwrap();
            let (scope, key) = (address.scope(), address.key().unwrap_or_default());
            let found = kind_and_title(scope.kind(), scope.name(), &key);
            assert_eq!(found, (kind, title), "{address}");
        }
    }
}
