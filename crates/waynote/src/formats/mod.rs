//! Other programs' notes, read and written.

pub mod agents_md;
pub mod basic_memory;
pub mod claude_code;
pub mod openotters;
mod python_json;
pub mod server_memory;
pub mod texts;
pub mod xs;
pub mod zrb;

use serde::Serialize;

use crate::address::Address;
use crate::content::Content;
use crate::error::Result;
use crate::key::Name;
use crate::note::Revision;
use crate::secrets::Flagged;
use crate::store::Store;

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
    /// Notes that were brought in and hold a credential.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<Flagged>,
    /// The notes that a dry run would add or update.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub planned: Vec<Address>,
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
        if applied.changed {
            self.secrets
                .extend(applied.note.as_ref().and_then(Flagged::of));
        }
    }

    /// Whether a text is to be imported: one that the note says already is counted as unchanged, and one that an
    /// import brought before is not brought again, so that it undoes no change or deletion made since.
    fn is_new(
        &mut self,
        store: &dyn Store,
        address: &Address,
        content: &Content,
        importer: &Name,
    ) -> Result<bool> {
        let mut history = store.history(address)?;
        // What lies only in a file that the store is kept in step with is not in the store yet.
        history.retain(|revision| revision.position.is_some());
        let says =
            |revision: &Revision| revision.note().is_some_and(|note| note.content == *content);
        if history.last().is_some_and(says) {
            self.unchanged += 1;
            return Ok(false);
        }
        if history
            .iter()
            .any(|revision| revision.forgotten().is_some())
        {
            let reason = "what it said before was forgotten, and this may be it; save it by hand if it is not";
            self.skip(address.to_string(), reason);
            return Ok(false);
        }
        let before = history
            .iter()
            .find(|revision| revision.author() == importer && says(revision));
        if let Some(before) = before {
            let reason = format!(
                "it was imported before and changed since; `waynote restore {address}@{}` brings it back",
                before.number()
            );
            self.skip(address.to_string(), reason);
        }
        Ok(before.is_none())
    }

    fn skip(&mut self, what: impl Into<String>, reason: impl Into<String>) {
        self.skipped.push(Skipped {
            what: what.into(),
            reason: reason.into(),
        });
    }
}
