//! Zrb's `notes.json` (source 000): one JSON object from place keys to texts.
//!
//! What is not ours to understand (keys that no path resolves to, values that are no text) is kept and written
//! back as it was.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use jiff::Timestamp;

use super::incoming::{Incoming, Precedence};
use super::python_json::{self, PyString, PyValue};
use super::{Exported, FormatError, Imported};
use crate::address::Address;
use crate::change::{Change, Expect, Origin};
use crate::content::Content;
use crate::error::{Error, Result};
use crate::instep::exchange::{self, Displaced, Put};
use crate::limits::Limits;
use crate::note::Stamp;
use crate::place::{Base, Place};
use crate::places::Places;
use crate::store::{LocalStore, Store};
use crate::text::line_of;

/// The author of what is imported from here.
pub const AUTHOR: &str = "import:zrb";

/// A `notes.json`, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotesFile {
    entries: BTreeMap<PyString, PyValue>,
}

impl NotesFile {
    /// Reads the bytes of a file. An empty file has no notes: another program is about to write it.
    ///
    /// # Errors
    /// [`FormatError::DamagedFile`] with the line, for anything that is not a JSON object in UTF-8.
    pub fn read(bytes: &[u8], path: &Path) -> Result<Self, FormatError> {
        let damaged = |line, reason| FormatError::DamagedFile {
            path: path.to_owned(),
            line: Some(line),
            reason,
        };
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let line = line_of(bytes, error.valid_up_to());
            damaged(line, "it is not UTF-8".into())
        })?;
        if text.starts_with('\u{feff}') {
            let reason = "it begins with a byte order mark (BOM), which JSON does not allow and Zrb does not read";
            return Err(damaged(1, reason.into()));
        }
        if text.trim_ascii().is_empty() {
            return Ok(Self::default());
        }
        let entries =
            python_json::read_object(text).map_err(|error| damaged(error.line, error.reason))?;
        Ok(Self { entries })
    }

    /// Reads a file; none when there is none.
    ///
    /// # Errors
    /// [`FormatError::DamagedFile`], or [`Error::File`] when it cannot be read.
    pub fn open(path: &Path) -> Result<Option<Self>> {
        let bytes = bytes(path)?;
        Ok(bytes.map(|bytes| Self::read(&bytes, path)).transpose()?)
    }

    /// The bytes of the file, exactly as Zrb writes them.
    pub fn to_text(&self) -> String {
        python_json::write_object(&self.entries)
    }

    /// The notes in it: keys that paths resolve to, with texts, by code point.
    pub fn notes<'f>(&'f self, base: &'f Base) -> impl Iterator<Item = (Place, Content)> + 'f {
        self.entries.iter().filter_map(|(key, value)| {
            let place = Place::from_key(std::str::from_utf8(&key.0).ok()?, base)?;
            match value {
                PyValue::String(text) => Some((place, Content::imported(text.0.clone()))),
                PyValue::Other(_) => None,
            }
        })
    }

    /// What is in it beside notes, each with the reason.
    fn others(&self, base: &Base) -> impl Iterator<Item = (String, &'static str)> {
        self.entries.iter().filter_map(|(key, value)| {
            let name = String::from_utf8_lossy(&key.0).into_owned();
            let place = std::str::from_utf8(&key.0)
                .ok()
                .and_then(|key| Place::from_key(key, base));
            match (place, value) {
                (None, _) => Some((name, "no path resolves to that key")),
                (_, PyValue::Other(_)) => Some((name, "its value is no text")),
                _ => None,
            }
        })
    }

    /// The text under a place's key.
    pub fn get(&self, place: &Place) -> Option<Content> {
        match self.entries.get(&key(place))? {
            PyValue::String(text) => Some(Content::imported(text.0.clone())),
            PyValue::Other(_) => None,
        }
    }

    /// Whether the place's key holds something that is no text.
    pub fn holds_other(&self, place: &Place) -> bool {
        matches!(self.entries.get(&key(place)), Some(PyValue::Other(_)))
    }

    /// Sets the text under a place's key.
    pub fn set(&mut self, place: &Place, content: &Content) {
        self.entries.insert(
            key(place),
            PyValue::String(PyString(content.as_bytes().to_vec())),
        );
    }

    /// What stands here and did not stand so `before`.
    fn changed_since<'f>(
        &'f self,
        before: &'f Self,
    ) -> impl Iterator<Item = (&'f PyString, &'f PyValue)> {
        self.entries
            .iter()
            .filter(|(key, value)| before.entries.get(*key) != Some(*value))
    }

    /// Takes over what is no note and was changed from `before` to `now`.
    pub(crate) fn adopt_others(&mut self, before: &Self, now: &Self, base: &Base) {
        for (key, value) in now.changed_since(before) {
            let is_place = || {
                std::str::from_utf8(&key.0).is_ok_and(|key| Place::from_key(key, base).is_some())
            };
            if matches!(value, PyValue::Other(_)) || !is_place() {
                self.entries.insert(key.clone(), value.clone());
            }
        }
    }

    /// Removes a place's key.
    pub fn remove(&mut self, place: &Place) {
        self.entries.remove(&key(place));
    }
}

/// The bytes of a file; none when there is none.
pub(crate) fn bytes(path: &Path) -> Result<Option<Vec<u8>>> {
    let damaged = |reason: &str| FormatError::DamagedFile {
        path: path.to_owned(),
        line: None,
        reason: reason.to_owned(),
    };
    match std::fs::metadata(path) {
        Ok(file) if file.is_dir() => return Err(damaged("it is a directory").into()),
        Ok(file) if !file.is_file() => return Err(damaged("it is no regular file").into()),
        _ => {}
    }
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::file(path, "read", error)),
    }
}

fn key(place: &Place) -> PyString {
    PyString(place.as_str().as_bytes().to_vec())
}

/// The change that brings a text of a file into the store.
pub(crate) fn save(place: Place, content: Content, origin: Origin) -> Change {
    Change::Save {
        address: Address::Place(place),
        content,
        pin: None,
        limits: Limits::NONE,
        expect: Expect::Any,
        origin: Some(origin),
    }
}

/// Imports the notes of a file. A text that was imported before is not imported again, even when the place
/// says something else since. Where the place was written here meanwhile, the imported text is current and the other
/// one a revision: the file does not say when a note was written.
///
/// # Errors
/// [`Error::Busy`], [`Error::ReadOnly`], [`Error::DiskFull`], [`Error::DamagedStore`] or [`Error::Engine`] when the
/// store cannot be written.
pub fn import(
    store: &dyn LocalStore,
    file: &NotesFile,
    base: &Base,
    now: Timestamp,
) -> Result<Imported> {
    let stamp = Stamp::new(now, AUTHOR.parse()?);
    let mut imported = Imported::default();
    for (key, reason) in file.others(base) {
        imported.skip(key, reason);
    }
    // Nobody may write between what is looked at and what is written.
    store.exclusively(&mut |store| {
        let mut planned = Vec::new();
        for (place, content) in file.notes(base) {
            let incoming = Incoming {
                address: Address::Place(place),
                content,
                pin: None,
                created_at: stamp.now,
                updated_at: stamp.now,
                precedence: Precedence::Imported,
            };
            planned.extend(imported.plan(store, incoming, &stamp.author)?);
        }
        imported.carry_out(store, planned, &stamp)?;
        Ok(())
    })?;
    Ok(imported)
}

/// Puts every place's own note into a file's notes, beside what else is in it; a value that is no text stays, and
/// so does what is under the keys that are `theirs`.
fn lay_into(store: &dyn Store, file: &mut NotesFile, theirs: &BTreeSet<PyString>) -> Result<()> {
    for note in Places::new(store).list()? {
        let Address::Place(place) = &note.address else {
            continue;
        };
        if !file.holds_other(place) && !theirs.contains(&key(place)) {
            file.set(place, &note.content);
        }
    }
    Ok(())
}

/// What writing a file came to, told from what it held before and what it holds now.
///
/// # Errors
/// [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be read.
pub fn exported(store: &dyn Store, before: &NotesFile, now: &NotesFile) -> Result<Exported> {
    let mut exported = Exported::default();
    for note in Places::new(store).list()? {
        let Address::Place(place) = &note.address else {
            exported.leave_out(
                &note.address,
                "a notes.json holds one note for each directory, and no keyed ones",
            );
            continue;
        };
        if now.get(place).as_ref() == Some(&note.content) {
            match before.get(place) == now.get(place) {
                true => exported.unchanged += 1,
                false => exported.written += 1,
            }
        } else if now.holds_other(place) {
            let reason = "the file holds a value under this key that is no text, which stays";
            exported.leave_out(&note.address, reason);
        } else {
            let reason = "another program wrote this note meanwhile, and its text stays";
            exported.leave_out(&note.address, reason);
        }
    }
    Ok(exported)
}

/// Every place's own note as the text of a file, and what was left out.
///
/// # Errors
/// [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be read.
pub fn export(store: &dyn Store) -> Result<(String, Exported)> {
    let mut file = NotesFile::default();
    lay_into(store, &mut file, &BTreeSet::new())?;
    let exported = exported(store, &NotesFile::default(), &file)?;
    Ok((file.to_text(), exported))
}

/// Writes every place's own note to a file, in one step, beside what else is in it. What another program writes
/// meanwhile stays.
///
/// # Errors
/// [`FormatError::DamagedFile`] for a file that cannot be read as notes, which is left as it is; [`Error::File`] when
/// it cannot be read or written; [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be
/// read.
pub fn export_to(store: &dyn Store, path: &Path) -> Result<Exported> {
    const ROUNDS: usize = 20;
    let path = crate::system::file::followed(path);
    let _turn = exchange::turn(&path)?;
    exchange::clear_left_over(&path);
    let mut before = bytes(&path)?;
    let mut file = NotesFile::read(before.as_deref().unwrap_or_default(), &path)?;
    let first = file.clone();
    let mut theirs = BTreeSet::new();
    // Removed once what is new in them is in the file.
    let mut displaced: Vec<Displaced> = Vec::new();
    // What the file held before somebody wrote it.
    let mut held = file.clone();
    for _ in 0..ROUNDS {
        lay_into(store, &mut file, &theirs)?;
        let text = file.to_text().into_bytes();
        match exchange::put(&path, &text, before.as_deref())? {
            Put::Clean => {
                for other in displaced {
                    other.remove()?;
                }
                return exported(store, &first, &file);
            }
            Put::Displaced(other) => {
                before = Some(text);
                let put = file.clone();
                for (key, value) in other.side.notes.changed_since(&held) {
                    theirs.insert(key.clone());
                    file.entries.insert(key.clone(), value.clone());
                }
                held = put;
                displaced.push(other);
            }
            Put::Appeared => {
                before = bytes(&path)?;
                file = NotesFile::read(before.as_deref().unwrap_or_default(), &path)?;
                held = file.clone();
            }
        }
    }
    let busy = std::io::Error::other("other programs keep writing it");
    Err(Error::file(path, "written", busy))
}
