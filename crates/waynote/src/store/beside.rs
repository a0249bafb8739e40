//! Notes of others that a session reads beside its own store, and the store that lays them over.

use std::fmt::Debug;

use crate::note::Note;
use crate::scope::Scope;

/// Notes that others share: of a checkout, or of a team's store as this machine keeps it. They are few enough to be
/// read whole.
///
/// Each note has the address that it has in this checkout, a [`Source`](crate::Source) that is not the own store, and the
/// revision 0: it has no revisions here.
pub trait NotesBeside: Debug + Send + Sync {
    /// The notes of these scopes, each once.
    fn of_scopes(&self, scopes: &[Scope]) -> Vec<Note>;

    /// All of them.
    fn all(&self) -> Vec<Note>;
}
