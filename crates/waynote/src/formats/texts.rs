//! Texts of other programs, each with the note that it becomes: what the importers of files and of graphs share.

use std::collections::BTreeSet;
use std::path::Path;

use jiff::Timestamp;

use super::Imported;
use super::incoming::{Incoming, Precedence};
use crate::address::Address;
use crate::content::Content;
use crate::error::{Error, Result};
use crate::key::{KEY_CHARS, Key};
use crate::note::{Stamp, micros};
use crate::store::LocalStore;

/// A text and the note that it becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The note.
    pub address: Address,
    /// What it shall say.
    pub content: Content,
    /// When it was last written where it comes from, if that is known.
    pub written_at: Option<Timestamp>,
}

/// What was read, and what could not be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Read {
    pub(super) texts: Vec<Text>,
    pub(super) imported: Imported,
}

/// Whether an import writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It writes.
    Write,
    /// It only says what it would write.
    DryRun,
}

impl Read {
    /// The texts.
    pub fn texts(&self) -> &[Text] {
        &self.texts
    }

    /// Whether nothing was found: not even something that is left out.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty() && self.imported.skipped.is_empty()
    }

    pub(super) fn push(&mut self, from: &str, text: Text) {
        if text.content.is_blank() {
            self.imported.skip(from, "it is empty");
        } else if self.texts.iter().any(|other| other.address == text.address) {
            let reason = format!(
                "another one becomes {} already; rename one of them",
                text.address
            );
            self.imported.skip(from, reason);
        } else {
            self.texts.push(text);
        }
    }

    /// Reads a file, if it is there, as the text of a note. One that cannot be read is left out with the reason.
    pub(super) fn push_file(&mut self, path: &Path, address: Address) {
        match file(path) {
            Ok(None) => {}
            Ok(Some((bytes, written_at))) => self.push(
                &path.to_string_lossy(),
                Text {
                    address,
                    content: Content::imported(bytes),
                    written_at,
                },
            ),
            Err(error) => self
                .imported
                .skip(path.to_string_lossy(), error.to_string()),
        }
    }

    /// Brings the texts into a store. A text that was imported before is not imported again, even when its note says
    /// something else since, was deleted or forgotten. Where the note was written here meanwhile, its text stays and
    /// the imported one is a revision. Imports are not held to the caps.
    ///
    /// # Errors
    /// [`Error::Busy`], [`Error::ReadOnly`], [`Error::DiskFull`], [`Error::DamagedStore`] or [`Error::Engine`] when the
    /// store cannot be written.
    pub fn import(
        self,
        store: &dyn LocalStore,
        author: &str,
        now: Timestamp,
        mode: Mode,
    ) -> Result<Imported> {
        let Self {
            texts,
            mut imported,
        } = self;
        let stamp = Stamp::new(now, author.parse()?);
        // Nobody may write between what is looked at and what is written.
        store.exclusively(&mut |store| {
            let mut planned = Vec::new();
            for Text {
                address,
                content,
                written_at,
            } in &texts
            {
                let written_at = written_at.map_or(stamp.now, micros).min(stamp.now);
                let incoming = Incoming {
                    address: address.clone(),
                    content: content.clone(),
                    pin: None,
                    created_at: written_at,
                    updated_at: written_at,
                    precedence: Precedence::Here,
                };
                planned.extend(imported.plan(store, incoming, &stamp.author)?);
            }
            match mode {
                Mode::DryRun => planned
                    .into_iter()
                    .for_each(|planned| imported.rehearse(planned)),
                Mode::Write => imported.carry_out(store, planned, &stamp)?,
            }
            Ok(())
        })?;
        Ok(imported)
    }
}

/// The bytes of a file and when it was written; none when there is none.
pub(super) fn file(path: &Path) -> Result<Option<(Vec<u8>, Option<Timestamp>)>> {
    let read = |error| Error::file(path, "read", error);
    match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(read(error)),
        Ok(file) if !file.is_file() => Err(read(std::io::Error::other("it is no regular file"))),
        Ok(file) => {
            let written = file.modified().ok();
            let written = written.and_then(|time| Timestamp::try_from(time).ok());
            Ok(Some((std::fs::read(path).map_err(read)?, written)))
        }
    }
}

/// The Markdown files below a folder, by name; hidden ones and links to folders are passed over.
pub(super) fn markdown_below(folder: &Path) -> Result<BTreeSet<std::path::PathBuf>> {
    const DEEPEST: usize = 32;
    let mut found = BTreeSet::new();
    let mut open = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = open.pop() {
        let entries =
            std::fs::read_dir(&folder).map_err(|error| Error::file(&folder, "read", error))?;
        for entry in entries {
            let entry = entry.map_err(|error| Error::file(&folder, "read", error))?;
            let kind = entry
                .file_type()
                .map_err(|error| Error::file(entry.path(), "read", error))?;
            let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            if is_hidden {
            } else if kind.is_dir() && depth < DEEPEST {
                open.push((entry.path(), depth + 1));
            } else if entry.path().extension().is_some_and(|end| end == "md") {
                found.insert(entry.path());
            }
        }
    }
    Ok(found)
}

/// The key of a name: the same for the same name. Where letters would be lost, a few characters of the name's hash tell it from
/// others.
pub(super) fn key(name: &str) -> Result<Key> {
    const HASH_CHARS: usize = 8;
    let is_lossy = name.len() > KEY_CHARS
        || name
            .chars()
            .any(|char| char.is_alphanumeric() && !char.is_ascii());
    let suggested = Key::suggest(name);
    let hash = Content::imported(name).hash().to_string();
    let hash = &hash[..HASH_CHARS];
    match suggested {
        Some(key) if !is_lossy => Ok(key),
        Some(key) => {
            let most = KEY_CHARS - HASH_CHARS - 1;
            let start: String = key.as_str().chars().take(most).collect();
            format!("{}-{hash}", start.trim_end_matches('-')).parse()
        }
        None => format!("note-{hash}").parse(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_keys() {
        let of = |name: &str| key(name).unwrap().to_string();
        assert_eq!(of("debugging"), "debugging");
        assert_eq!(of("Coffee Brewing/Methods"), "coffee-brewing-methods");
        assert_eq!(
            of("東京"),
            format!(
                "note-{}",
                &Content::imported("東京").hash().to_string()[..8]
            )
        );
        assert!(of("Café").starts_with("caf-"));
        let (one, other) = ("x".repeat(65), "x".repeat(66));
        assert_ne!(of(&one), of(&other));
        assert_eq!(of(&one).len(), KEY_CHARS);
    }
}
