//! Damage that was found while a store was read.

use crate::store::Damage;

/// Kept until somebody takes it; the index until it is built again.
#[derive(Default)]
pub(crate) struct DamageNotice {
    new: Damage,
    /// True if the next write builds the search index again.
    pub(crate) index: bool,
}

impl DamageNotice {
    /// Adds notes that were left out of an answer.
    pub(crate) fn add(&mut self, damaged: Vec<String>) {
        if !damaged.is_empty() {
            self.new.notes.extend(damaged);
            self.new.notes.sort();
            self.new.notes.dedup();
        }
    }

    /// Adds that a search did without the index.
    pub(crate) fn add_index(&mut self) {
        self.index = true;
        self.new.index = true;
    }

    pub(crate) fn take(&mut self) -> Damage {
        std::mem::take(&mut self.new)
    }
}
