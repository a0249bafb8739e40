//! Other programs' notes, read and written.

pub mod openotters;
mod python_json;
pub mod xs;
pub mod zrb;

use serde::Serialize;

/// What an import did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Imported {
    /// Notes that were new.
    pub added: u64,
    /// Notes that got a new revision.
    pub updated: u64,
    /// Notes that were there already, or are newer here.
    pub unchanged: u64,
    /// What was left out, and why. The rest was imported.
    pub skipped: Vec<Skipped>,
}

/// Something that an import left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// What it was: a key, a frame.
    pub what: String,
    /// Why.
    pub reason: String,
}

impl Imported {
    /// Counts a change that was applied.
    fn count(&mut self, applied: &crate::change::Applied) {
        match (applied.changed, applied.existed) {
            (false, _) => self.unchanged += 1,
            (true, true) => self.updated += 1,
            (true, false) => self.added += 1,
        }
    }

    fn skip(&mut self, what: impl Into<String>, reason: impl Into<String>) {
        self.skipped.push(Skipped {
            what: what.into(),
            reason: reason.into(),
        });
    }
}
