//! Reports of imports and exports.

use serde::Serialize;
use waynote::change::Applied;
use waynote::{Address, AddressAt, FlaggedNote};

/// The report of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ImportReport {
    /// Notes that were new.
    pub added: u64,
    /// Notes that got a new revision.
    pub updated: u64,
    /// Notes that say the same here.
    pub unchanged: u64,
    /// Notes that both sides had changed. Both texts are in the note's history.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<Conflict>,
    /// Notes that got a key of their own, because theirs is another note's.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub renamed: Vec<Renamed>,
    /// Notes that were left out, and why. The rest was imported.
    pub skipped: Vec<SkippedItem>,
    /// Parts of the source that are no notes, and are not imported.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_imported: Vec<SkippedItem>,
    /// Notes that were brought in and hold a credential.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<FlaggedNote>,
    /// The notes and entries that were written, each with its revision.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<AddressAt>,
    /// The notes that a dry run would add or update.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub planned: Vec<Address>,
}

/// A note that got a key of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Renamed {
    /// The note.
    pub address: Address,
    /// The other note, which has the key that it would have got.
    pub instead_of: Address,
}

/// A note that both sides had changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Conflict {
    /// The note.
    pub address: Address,
    /// The side of the current text.
    pub current: CurrentSide,
    /// The revision that holds the other text.
    pub revision: u64,
}

/// The side of the current text after a conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CurrentSide {
    /// The text that was imported.
    Imported,
    /// The text that was written here.
    Here,
}

/// The report of an export.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ExportReport {
    /// Notes that were written.
    #[serde(rename = "exported")]
    pub written: u64,
    /// Notes that were there already.
    pub unchanged: u64,
    /// Notes that were left out, and why.
    pub left_out: Vec<SkippedItem>,
}

impl ExportReport {
    /// Records a note that was left out.
    pub(crate) fn leave_out(&mut self, address: &Address, reason: &str) {
        self.left_out.push(SkippedItem {
            what: address.to_string(),
            reason: reason.into(),
        });
    }
}

/// Something that an import or an export left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SkippedItem {
    /// An address, a key, a frame.
    pub what: String,
    /// Why.
    pub reason: String,
}

impl ImportReport {
    /// Counts a change that was applied.
    pub(crate) fn count(&mut self, applied: &Applied) {
        match (applied.changed, applied.before.is_some()) {
            (false, _) => self.unchanged += 1,
            (true, true) => self.updated += 1,
            (true, false) => self.added += 1,
        }
        if let Some(note) = applied.note.as_ref().filter(|_| applied.changed) {
            self.secrets.extend(FlaggedNote::of(note));
            let revision = Some(note.revision);
            self.written
                .push(AddressAt::new(note.address.clone(), revision));
        }
    }

    /// Records an item that was left out.
    pub(crate) fn skip(&mut self, what: impl Into<String>, reason: impl Into<String>) {
        self.skipped.push(SkippedItem {
            what: what.into(),
            reason: reason.into(),
        });
    }
}
