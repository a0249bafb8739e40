//! What a format read: notes that are to be brought into a store, and what could not be read.

use std::collections::HashSet;
use std::path::Path;

use jiff::Timestamp;
use waynote::{Address, Change, Content, LocalStore, LocalStoreExt, Name, Result, Stamp};

use crate::files;
pub use crate::incoming_note::{IncomingNote, Mode, Precedence, Times};
use crate::merge::Merged;
use crate::report::{Imported, Skipped};

/// What was read of another program's notes, and what could not be. [`import`](Self::import) brings it into a store.
#[derive(Clone, Debug)]
pub struct Incoming {
    author: Name,
    precedence: Precedence,
    notes: Vec<IncomingNote>,
    /// Entries of session logs, each a [`Change::Append`] with an id.
    entries: Vec<Change>,
    imported: Imported,
}

/// The author of what is imported from a format.
pub(crate) fn author(format: &str) -> Result<Name> {
    format!("import:{format}").parse()
}

impl Incoming {
    /// Nothing yet, of the format with that name.
    ///
    /// # Errors
    /// [`waynote::Error::InvalidName`] when `import:FORMAT` cannot be an author.
    pub fn of(format: &str, precedence: Precedence) -> Result<Self> {
        Ok(Self {
            author: author(format)?,
            precedence,
            notes: Vec::new(),
            entries: Vec::new(),
            imported: Imported::default(),
        })
    }

    /// The notes.
    pub fn notes(&self) -> &[IncomingNote] {
        &self.notes
    }

    /// What could not be read, each with the reason.
    pub fn skipped(&self) -> &[Skipped] {
        &self.imported.skipped
    }

    /// Whether nothing was found: not even something that is left out.
    pub fn is_empty(&self) -> bool {
        self.notes.is_empty()
            && self.entries.is_empty()
            && self.imported.skipped.is_empty()
            && self.imported.not_imported.is_empty()
    }

    /// Adds a note.
    pub fn push(&mut self, note: IncomingNote) {
        self.notes.push(note);
    }

    /// Adds an entry of a session's log: a [`Change::Append`] with an id.
    pub(crate) fn push_entry(&mut self, entry: Change) {
        self.entries.push(entry);
    }

    /// Leaves something out.
    pub fn skip(&mut self, what: impl Into<String>, reason: impl Into<String>) {
        self.imported.skip(what, reason);
    }

    /// Names what else the source holds, which is no note.
    pub(crate) fn set_not_imported(&mut self, others: Vec<Skipped>) {
        self.imported.not_imported = others;
    }

    /// Adds the text of a file or of a part of one, named `from`. One that is empty is left out, and one that would
    /// become the same note as an earlier one.
    pub fn push_text(
        &mut self,
        from: &str,
        address: Address,
        content: Content,
        written_at: Option<Timestamp>,
    ) {
        if content.is_blank() {
            self.skip(from, "it is empty");
        } else if self.notes.iter().any(|other| other.address == address) {
            let reason = format!("another one becomes {address} already; rename one of them");
            self.skip(from, reason);
        } else {
            self.push(IncomingNote {
                address,
                content,
                pin: None,
                times: written_at.map_or(Times::Unknown, Times::OfFile),
            });
        }
    }

    /// Adds the text of a file, if the file is there. One that cannot be read is left out with the reason.
    pub fn push_file(&mut self, path: &Path, address: Address) {
        let name = path.to_string_lossy();
        match files::read(path) {
            Ok(None) => {}
            Ok(Some((bytes, written_at))) => {
                self.push_text(&name, address, Content::imported(bytes), written_at);
            }
            Err(error) => self.skip(name, error.to_string()),
        }
    }

    /// Brings the notes into a store, in one step. A text that was imported before is not imported again, even when its
    /// note says something else since, was deleted or forgotten. Of a note that both sides changed one text is current
    /// (see [`Precedence`]) and the other is a revision. Imports are not held to the limits of what is written.
    ///
    /// # Errors
    /// [`Error::Busy`], [`Error::ReadOnly`], [`Error::DiskFull`], [`Error::DamagedStore`] or [`Error::Engine`] when the
    /// store cannot be written.
    ///
    /// [`Error::Busy`]: waynote::Error::Busy
    /// [`Error::ReadOnly`]: waynote::Error::ReadOnly
    /// [`Error::DiskFull`]: waynote::Error::DiskFull
    /// [`Error::DamagedStore`]: waynote::Error::DamagedStore
    /// [`Error::Engine`]: waynote::Error::Engine
    pub fn import(self, store: &dyn LocalStore, now: Timestamp, mode: Mode) -> Result<Imported> {
        let stamp = Stamp::new(now, self.author.clone());
        if self.notes.is_empty() && self.entries.is_empty() {
            return Ok(self.imported);
        }
        // Nobody may write between what is looked at and what is written.
        store.alone(|store| {
            let mut imported = self.imported;
            imported.import_entries(store, &self.entries, &stamp, mode)?;
            let mut batch: Vec<Merged> = Vec::new();
            let mut in_batch = HashSet::new();
            for note in self.notes {
                // A second text of the same note is compared with the first one, as it is stored.
                if !in_batch.insert(note.address.clone()) {
                    imported.finish(store, std::mem::take(&mut batch), &stamp, mode)?;
                    in_batch = HashSet::from([note.address.clone()]);
                }
                batch.extend(imported.merge(store, note, self.precedence, &stamp)?);
            }
            imported.finish(store, batch, &stamp, mode)?;
            Ok(imported)
        })
    }
}
