//! Builds the search index while others write.
//!
//! The rows and the segments are read from a snapshot, and new segments are made of them in memory. Only then a
//! transaction begins. It checks that the index has not changed since and that nothing was forgotten, and writes the
//! new segments; otherwise they are dropped. So nobody waits for the reading, and nothing that was forgotten comes
//! back.

use std::time::Duration;

use parking_lot::Mutex;

use super::EngineStore;
use crate::engine::{Engine, Writing};
use crate::error::{Error, Result};
use crate::search::upkeep;

/// The segments that this process has to build.
#[derive(Default)]
pub(super) struct SegmentBuilds(Mutex<Work>);

#[derive(Default)]
struct Work {
    /// How many segments are due.
    due: usize,
    /// The position of the write that made them due.
    position: i64,
    /// True while a thread builds.
    is_building: bool,
    /// The position from which on the next attempt is made after one in vain: an attempt costs some round trips.
    not_before: i64,
}

impl SegmentBuilds {
    /// The write that ends at that position has made so many segments due.
    pub(super) fn is_due(&self, segments: usize, position: i64) {
        let mut work = self.0.lock();
        if segments > 0 && position >= work.not_before {
            work.due = work.due.max(segments);
            work.position = position;
        }
    }

    /// Takes the work, unless there is none or another thread is at it.
    fn begin(&self) -> Option<BuildGuard<'_>> {
        let mut work = self.0.lock();
        if work.due == 0 || work.is_building {
            return None;
        }
        work.is_building = true;
        Some(BuildGuard {
            building: self,
            segments: std::mem::take(&mut work.due),
        })
    }
}

/// The work of one thread. When it is dropped, also by a panic, another thread may begin.
struct BuildGuard<'b> {
    building: &'b SegmentBuilds,
    segments: usize,
}

impl BuildGuard<'_> {
    /// It was in vain: the next attempt comes some writes later.
    fn put_off(&self, writes: u32) {
        let mut work = self.building.0.lock();
        work.due = 0;
        work.not_before = work.position.saturating_add(i64::from(writes));
    }
}

impl Drop for BuildGuard<'_> {
    fn drop(&mut self) {
        self.building.0.lock().is_building = false;
    }
}

/// The outcome of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// Nothing was due.
    Nothing,
    Written,
    /// Somebody else has changed the index or forgotten something meanwhile.
    Dropped,
}

impl<E: Engine> EngineStore<E> {
    /// Builds the segments that a write of this process has made due. The write itself is acknowledged even if this
    /// fails: the notes are found without the index too, and another write tries again.
    pub(super) fn build_index(&self) {
        let Some(begun) = self.memory.building.begin() else {
            return;
        };
        for _ in 0..begun.segments {
            let anew = self.memory.noticed.lock().index;
            match self.build_segment(anew) {
                Ok(Outcome::Written) => {}
                Ok(Outcome::Nothing) => return,
                Ok(Outcome::Dropped) | Err(_) => {
                    return begun.put_off(self.memory.indexing.tail);
                }
            }
        }
    }

    /// Builds the whole index again.
    pub(super) fn build_index_anew(&self) -> Result<()> {
        const TRIES: u32 = 10;
        let (mut anew, mut dropped) = (true, 0);
        while dropped < TRIES {
            match self.build_segment(anew)? {
                Outcome::Nothing => return Ok(()),
                Outcome::Written => anew = false,
                Outcome::Dropped => dropped += 1,
            }
        }
        Err(Error::Busy {
            path: self.engine.name().into(),
            waited: Duration::ZERO,
            holder: None,
        })
    }

    /// Builds one segment that is due, and writes it if it still fits; with `anew`, as the first one of a new index.
    fn build_segment(&self, anew: bool) -> Result<Outcome> {
        let mut built = None;
        self.engine.snapshot(&mut |rows| {
            built = upkeep::build(rows, &self.memory.indexing, anew)?;
            Ok(())
        })?;
        let Some(draft) = built else {
            return Ok(Outcome::Nothing);
        };
        let mut outcome = Outcome::Dropped;
        // A segment that is lost in a crash is built again.
        self.engine.write(Writing::Relaxed, &mut |tx| {
            outcome = match draft.still_fits(tx)? {
                true => {
                    draft.write(tx)?;
                    Outcome::Written
                }
                false => Outcome::Dropped,
            };
            Ok(())
        })?;
        if outcome == Outcome::Written && anew {
            self.memory.noticed.lock().index = false;
        }
        Ok(outcome)
    }
}
