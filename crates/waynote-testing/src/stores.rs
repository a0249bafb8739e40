//! The ways to make an empty store, which the suites run over.

use std::path::Path;

use waynote::engine::Engine;
use waynote::{Indexing, LocalStore};

use crate::values::assert_clean;

/// Segments of two or three changes, merged by twos.
pub const TINY: Indexing = Indexing {
    tail: 2,
    bulk: 3,
    fan_out: 2,
    most: 12,
};

/// Segments of four changes, not merged.
pub const UNMERGED: Indexing = Indexing {
    tail: 4,
    bulk: 2048,
    fan_out: 100,
    most: 8192,
};

/// Everything in the tail.
pub const NEVER: Indexing = Indexing {
    tail: u32::MAX,
    bulk: u32::MAX,
    fan_out: 8,
    most: 1000,
};

/// The kinds of stores that a crate has.
pub trait Stores {
    /// Runs a test on an empty store of each kind.
    fn each_store(test: &dyn Fn(&dyn LocalStore));

    /// Runs a test on an empty store of each kind that can be searched.
    fn each_indexed(indexing: Indexing, test: &dyn Fn(&dyn LocalStore));

    /// Runs a test on an empty store of each kind, with its notes in segments and in the tail of the index.
    fn each_arrangement(test: &dyn Fn(&dyn LocalStore)) {
        for indexing in [Indexing::DEFAULT, TINY, NEVER] {
            Self::each_indexed(indexing, &|store| {
                test(store);
                assert_clean(store);
            });
        }
    }
}

/// The engines that a crate has.
pub trait Engines {
    /// Runs a test on every engine that several can use at once.
    fn each_engine(test: &dyn Fn(&dyn Engine));

    /// Runs a test on every engine that several threads can use at once.
    fn each_shared(test: &dyn Fn(&(dyn Engine + Sync)));
}

/// A store that several processes write at once.
pub trait Shared {
    /// Runs a test on the store of the crate.
    fn in_processes(test: &dyn Fn(&dyn Shared))
    where
        Self: Sized;

    /// How often processes are killed.
    fn kill_rounds(&self) -> u32;

    /// Makes the store ready before the processes start. Whether there can be one on this machine.
    fn prepare(&self, _folder: &Path) -> bool {
        true
    }

    /// Opens the store in that folder.
    fn open(&self, folder: &Path) -> Box<dyn LocalStore>;

    /// Further checks of the folder, after processes have written that many places.
    fn check_written(&self, _folder: &Path, _places: usize) {}

    /// Further checks of the folder, after processes that had written these places were killed.
    fn check_after_kills(&self, _folder: &Path, _store: &dyn LocalStore, _places: &[&str]) {}
}
