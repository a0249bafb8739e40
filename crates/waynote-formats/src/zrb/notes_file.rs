//! A `notes.json`: one JSON object from place keys to texts.
//!
//! Keys that no path resolves to and values that are no text are kept and written back as they were.

use std::collections::BTreeMap;
use std::path::Path;

use unicode_normalization::UnicodeNormalization;

use waynote::text::line_of;
use waynote::{Base, Content, Error, Place, Result};

use super::python_json::{self, PyValue};
use crate::error::FormatError;
use crate::source;

/// A `notes.json`, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotesFile {
    entries: BTreeMap<String, PyValue>,
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
        let text = text.trim_start_matches('\u{feff}');
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

    /// The notes in it: keys that paths resolve to, with texts, by code point. If two keys spell one place, the composed
    /// one counts, and the other stays as it is.
    pub fn notes<'f>(&'f self, base: &'f Base) -> impl Iterator<Item = (Place, Content)> + 'f {
        self.entries.iter().filter_map(|(key, value)| {
            let place = place_of(key, base)?;
            if self.key_of(&place) != key {
                return None;
            }
            match value {
                PyValue::String(text) => Some((place, Content::imported(text.as_str()))),
                PyValue::Other(_) => None,
            }
        })
    }

    /// Its values beside notes, each with the reason.
    pub(super) fn others(&self, base: &Base) -> impl Iterator<Item = (String, &'static str)> {
        self.entries
            .iter()
            .filter_map(|(key, value)| match (place_of(key, base), value) {
                (None, _) => Some((key.clone(), "no path resolves to that key")),
                (_, PyValue::Other(_)) => Some((key.clone(), "its value is no text")),
                _ => None,
            })
    }

    /// The key of a place: as the file spells it, if it has no composed one.
    fn key_of<'f>(&'f self, place: &'f Place) -> &'f str {
        let composed = place.as_str();
        if composed.is_ascii() || self.entries.contains_key(composed) {
            return composed;
        }
        let spells = |key: &&String| key.nfc().eq(composed.chars());
        self.entries
            .keys()
            .find(spells)
            .map_or(composed, String::as_str)
    }

    /// The text under a place's key.
    pub fn get(&self, place: &Place) -> Option<Content> {
        match self.entries.get(self.key_of(place))? {
            PyValue::String(text) => Some(Content::imported(text.as_str())),
            PyValue::Other(_) => None,
        }
    }

    /// True if the place's key holds something that is no text.
    pub fn holds_other(&self, place: &Place) -> bool {
        matches!(
            self.entries.get(self.key_of(place)),
            Some(PyValue::Other(_))
        )
    }

    /// Sets the text under a place's key.
    pub fn set(&mut self, place: &Place, content: &Content) {
        let text = String::from_utf8_lossy(content.as_bytes()).into_owned();
        let key = self.key_of(place).to_owned();
        self.entries.insert(key, PyValue::String(text));
    }

    /// The entries that are not in `before`, or say something else there.
    pub(super) fn changed_since<'f>(
        &'f self,
        before: &'f Self,
    ) -> impl Iterator<Item = (&'f String, &'f PyValue)> {
        self.entries
            .iter()
            .filter(|(key, value)| before.entries.get(*key) != Some(*value))
    }

    /// Puts an entry in, whatever it is.
    pub(super) fn insert(&mut self, key: String, value: PyValue) {
        self.entries.insert(key, value);
    }

    /// Takes over the values that are no notes and changed from `before` to `now`.
    pub(crate) fn adopt_others(&mut self, before: &Self, now: &Self, base: &Base) {
        for (key, value) in now.changed_since(before) {
            if matches!(value, PyValue::Other(_)) || place_of(key, base).is_none() {
                self.entries.insert(key.clone(), value.clone());
            }
        }
    }

    /// Removes a place's key.
    pub fn remove(&mut self, place: &Place) {
        let key = self.key_of(place).to_owned();
        self.entries.remove(&key);
    }
}

/// The bytes of a file; none when there is none.
pub(super) fn bytes(path: &Path) -> Result<Option<Vec<u8>>> {
    let damaged = |reason: &str| FormatError::DamagedFile {
        path: path.to_owned(),
        line: None,
        reason: reason.to_owned(),
    };
    match std::fs::metadata(path) {
        Ok(file) if file.is_dir() => return Err(damaged("it is a directory").into()),
        Ok(file) if !file.is_file() => return Err(damaged("it is no regular file").into()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        _ => {}
    }
    match source::read(path) {
        Ok((bytes, _)) => Ok(Some(bytes)),
        // It was removed meanwhile.
        Err(Error::File { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// The place that a key is the path of.
fn place_of(key: &str, base: &Base) -> Option<Place> {
    Place::from_key(key, base)
}
