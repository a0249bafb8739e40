//! Notes that a format read and that go into a store, and those that it could not read.

use std::path::Path;

use jiff::Timestamp;
use waynote::event::EventAddress;
use waynote::{Address, Content, Name, Place, Result, Stamp, Store};

use crate::files::{key, markdown_below};
use crate::head::Document;
use crate::import::{Import, Progress};
use crate::incoming_note::IncomingEntry;
pub use crate::incoming_note::{IncomingNote, Mode, Precedence, Times};
use crate::report::{ImportReport, SkippedItem};
use crate::source::{Folder, MAX_SOURCE, MAX_TEXT, decoded};
use crate::text_files::linked;
use crate::{markdown, patterns};

/// Another program's notes as they were read. [`import`](Self::import) brings them into a store.
#[derive(Clone, Debug)]
pub struct ForeignNotes {
    author: Name,
    lease: Option<EventAddress>,
    precedence: Precedence,
    notes: Vec<IncomingNote>,
    /// The bytes of all texts.
    bytes: u64,
    entries: Vec<IncomingEntry>,
    imported: ImportReport,
}

/// The author of what is imported from a format.
pub(crate) fn author(format: &str) -> Result<Name> {
    format!("import:{format}").parse()
}

impl ForeignNotes {
    /// Nothing yet, of the format with that name.
    ///
    /// # Errors
    /// [`waynote::Error::InvalidName`] when `import:FORMAT` cannot be an author.
    pub fn of(format: &str, precedence: Precedence) -> Result<Self> {
        Ok(Self {
            author: author(format)?,
            lease: None,
            precedence,
            notes: Vec::new(),
            bytes: 0,
            entries: Vec::new(),
            imported: ImportReport::default(),
        })
    }

    /// The same for an import inside a loop ([`Stamp::lease`]).
    pub fn inside(self, lease: Option<EventAddress>) -> Self {
        Self { lease, ..self }
    }

    /// The notes.
    pub fn notes(&self) -> &[IncomingNote] {
        &self.notes
    }

    /// Notes that could not be read, each with the reason.
    pub fn skipped(&self) -> &[SkippedItem] {
        &self.imported.skipped
    }

    /// Leaves out the notes for which there is a reason.
    pub fn leave_out(&mut self, mut reason: impl FnMut(&IncomingNote) -> Option<String>) {
        let imported = &mut self.imported;
        self.notes.retain(|note| match reason(note) {
            Some(reason) => {
                imported.skip(note.address.to_string(), reason);
                false
            }
            None => true,
        });
    }

    /// Gives notes other addresses.
    ///
    /// # Errors
    /// Those of `address`, which returns the address that a note gets for the one that it has.
    pub fn readdress<E>(
        &mut self,
        mut address: impl FnMut(&Address) -> std::result::Result<Address, E>,
    ) -> std::result::Result<(), E> {
        for note in &mut self.notes {
            note.address = address(&note.address)?;
        }
        Ok(())
    }

    /// True if nothing was found, not even a note that is left out.
    pub fn is_empty(&self) -> bool {
        self.notes.is_empty()
            && self.entries.is_empty()
            && self.imported.skipped.is_empty()
            && self.imported.not_imported.is_empty()
    }

    /// Adds a note. It is left out if its text is larger than 16 MiB, or if the texts of this import are more than
    /// 512 MiB together.
    pub fn push(&mut self, note: IncomingNote) {
        match self.admit(&note.content) {
            Ok(()) => self.notes.push(note),
            Err(reason) => self.skip(note.address.to_string(), reason),
        }
    }

    /// Adds an entry of a session's log.
    pub(crate) fn push_entry(&mut self, frame: impl Into<String>, entry: IncomingEntry) {
        match self.admit(&entry.content) {
            Ok(()) => self.entries.push(entry),
            Err(reason) => self.skip(frame, reason),
        }
    }

    /// Counts a text against the limits; an error if it is left out.
    fn admit(&mut self, content: &Content) -> std::result::Result<(), String> {
        let length = content.as_bytes().len() as u64;
        let bytes = self.bytes.saturating_add(length);
        if length > MAX_TEXT {
            return Err(format!("it is larger than {} MiB", MAX_TEXT >> 20));
        }
        if bytes > MAX_SOURCE {
            let most = MAX_SOURCE >> 20;
            return Err(format!(
                "the texts of one import are limited to {most} MiB; import the rest from a source of its own"
            ));
        }
        self.bytes = bytes;
        Ok(())
    }

    /// Leaves something out.
    pub fn skip(&mut self, what: impl Into<String>, reason: impl Into<String>) {
        self.imported.skip(what, reason);
    }

    /// Names other parts of the source, which are no notes.
    pub(crate) fn set_not_imported(&mut self, others: Vec<SkippedItem>) {
        self.imported.not_imported = others;
    }

    /// True if there is nothing to bring in, but something that could not be read.
    pub fn is_unreadable(&self) -> bool {
        self.notes.is_empty() && self.entries.is_empty() && !self.imported.skipped.is_empty()
    }

    /// Adds the text of a file or of a part of one, `from`, whose name in its source is `name`. Where `address` is
    /// another note, the text gets a key of its own. One that is empty is left out, and so is one with a NUL, as in a
    /// write; Zrb, ralph.nu and openotters store such texts, and their imports keep them.
    pub fn push_text(
        &mut self,
        from: &str,
        name: &str,
        address: Address,
        content: Content,
        written_at: Option<Timestamp>,
    ) {
        if content.is_blank() {
            self.skip(from, "it is empty");
        } else if let Err(error) = content.check_nul() {
            self.skip(from, error.to_string());
        } else {
            self.push(IncomingNote {
                address,
                name: Some(name.to_owned()),
                content,
                pin: None,
                times: written_at.map_or(Times::Unknown, Times::OfFile),
            });
        }
    }

    /// Adds the text of a file in a folder, if the file is there. One that cannot be read is left out with the reason:
    /// it is no regular file, it is larger than 16 MiB, or a link leads out of the folder.
    pub fn push_file(&mut self, folder: &Folder, path: &Path, address: Address) {
        if let Some((text, written_at)) = self.text_in(folder, path) {
            let (from, name) = (path.to_string_lossy(), folder.name_of(path));
            self.push_text(&from, &name, address, Content::imported(text), written_at);
        }
    }

    /// Adds the Markdown files below a folder inside another one, if it is there: the note of each under the key that
    /// its name without the ending gives. One that is for some files only becomes a note of their directory, and names
    /// them.
    pub(crate) fn push_folder(
        &mut self,
        inside: &Folder,
        path: &Path,
        place: &Place,
        key_of: impl Fn(&str) -> String,
    ) -> Result<()> {
        if !path.is_dir() {
            return Ok(());
        }
        self.each_text(inside, path, |incoming, name, text, written_at| {
            let mut document = Document::of(text);
            let patterns = document.take_patterns();
            let below = patterns::directory(&patterns);
            let below = below.filter(|below| inside.path().join(below).is_dir());
            let place = below.map_or(place.clone(), |below| place.join(below));
            let text = document.text() + &patterns::line(&patterns);
            let of_key = key_of(&name.with_extension("").to_string_lossy());
            let address = Address::PlaceKey(place, key(&of_key)?);
            let file = path.join(name);
            let (from, name) = (file.to_string_lossy(), inside.name_of(&file));
            incoming.push_text(&from, &name, address, Content::imported(text), written_at);
            Ok(())
        })
    }

    /// Calls a function with each Markdown file below a folder inside another one: its path there, its text, and when it
    /// was written. What cannot be read is left out.
    pub(crate) fn each_text(
        &mut self,
        inside: &Folder,
        path: &Path,
        mut act: impl FnMut(&mut Self, &Path, &str, Option<Timestamp>) -> Result<()>,
    ) -> Result<()> {
        let (files, skipped) = markdown_below(path)?;
        self.imported.skipped.extend(skipped);
        for file in files {
            if let Some((text, written_at)) = self.text_in(inside, &file) {
                let name = file.strip_prefix(path).unwrap_or(&file);
                act(self, name, &text, written_at)?;
            }
        }
        Ok(())
    }

    /// The text of a file and when it was written, without our own section; none if it is not there or left out.
    fn text_in(&mut self, folder: &Folder, path: &Path) -> Option<(String, Option<Timestamp>)> {
        let what = path.to_string_lossy().into_owned();
        if let Some(file) = linked(folder.path(), path) {
            let reason = format!("it is a link to {file}, which is imported by its own name");
            let linked = SkippedItem { what, reason };
            self.imported.not_imported.push(linked);
            return None;
        }
        let (bytes, written_at) = match folder.read(path) {
            Ok(read) => read?,
            Err(error) => {
                self.skip(what, format!("it cannot be read: {error}"));
                return None;
            }
        };
        let text = match decoded(bytes) {
            Ok(text) => text,
            Err(reason) => {
                self.skip(what, reason);
                return None;
            }
        };
        Some((markdown::without_section(&text).into_owned(), written_at))
    }

    /// Brings the notes into a store. A text that was imported before is not imported again, even when its note says
    /// something else since, was deleted or forgotten. Of a note that both sides changed one text is current (see
    /// [`Precedence`]) and the other is a revision. Imports are not held to the limits of what is written.
    ///
    /// If writing fails, what was written before stays, and the same import again continues from there.
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
    pub fn import(self, store: &dyn Store, now: Timestamp, mode: Mode) -> Result<ImportReport> {
        self.import_shown(store, now, mode, &mut |_| {})
    }

    /// As [`import`](Self::import), and calls `show` at the start and from time to time.
    ///
    /// # Errors
    /// As [`import`](Self::import).
    pub fn import_shown(
        self,
        store: &dyn Store,
        now: Timestamp,
        mode: Mode,
        show: &mut dyn FnMut(Progress),
    ) -> Result<ImportReport> {
        let import = Import {
            store,
            stamp: Stamp::new(now, self.author).inside(self.lease),
            mode,
            precedence: self.precedence,
        };
        import.run(&self.entries, &self.notes, self.imported, show)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_too_large_or_of_a_file_with_a_nul_is_left_out_and_named() {
        let mut incoming = ForeignNotes::of("hostile", Precedence::Here).unwrap();
        let most = usize::try_from(MAX_TEXT).unwrap();
        for (key, content) in [
            ("fits", vec![b'x'; most]),
            ("large", vec![b'x'; most + 1]),
            // A text in an encoding of its own is kept.
            ("other", vec![0xff, b'x']),
        ] {
            let content = Content::imported(content);
            let entry = IncomingEntry {
                session: "s".parse().unwrap(),
                id: waynote::EntryId::next(None, Timestamp::UNIX_EPOCH, content.hash()),
                kind: waynote::EntryType::Tip,
                iteration: None,
                content: content.clone(),
            };
            incoming.push_entry(format!("frame {key}"), entry);
            incoming.push(IncomingNote {
                address: format!("agent:a#{key}").parse().unwrap(),
                name: None,
                content,
                pin: None,
                times: Times::Unknown,
            });
        }
        let address = "agent:a#nul".parse().unwrap();
        incoming.push_text(
            "file nul",
            "nul",
            address,
            Content::imported(b"a\0b".to_vec()),
            None,
        );
        let notes = incoming.notes().iter();
        let notes: Vec<String> = notes.map(|note| note.address.to_string()).collect();
        assert_eq!(notes, ["agent:a#fits", "agent:a#other"]);
        assert_eq!(incoming.entries.len(), 2);
        let skipped = incoming.skipped().iter();
        let skipped: Vec<String> = skipped
            .map(|skipped| format!("{}: {}", skipped.what, skipped.reason))
            .collect();
        assert_eq!(
            skipped,
            [
                "frame large: it is larger than 16 MiB".to_owned(),
                "agent:a#large: it is larger than 16 MiB".to_owned(),
                "file nul: the text is not plain text: there is a NUL at offset 1".to_owned(),
            ]
        );
    }

    #[test]
    fn the_texts_of_one_import_are_limited() {
        let mut incoming = ForeignNotes::of("large", Precedence::Here).unwrap();
        incoming.bytes = MAX_SOURCE - 5;
        for text in ["12345", "6", ""] {
            let address = format!("agent:a#k{text}").parse().unwrap();
            let content = Content::imported(text);
            incoming.push(IncomingNote {
                address,
                name: None,
                content,
                pin: None,
                times: Times::Unknown,
            });
        }
        assert_eq!(incoming.notes.len(), 2);
        let [skipped] = incoming.skipped() else {
            panic!("{:?}", incoming.skipped());
        };
        assert_eq!(skipped.what, "agent:a#k6");
        assert!(skipped.reason.contains("limited to 512 MiB"));
    }
}
