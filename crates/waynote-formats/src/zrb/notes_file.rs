//! A `notes.json`: one JSON object from place keys to texts.
//!
//! Keys that no path resolves to and values that are no text are kept and written back as they were.

use std::collections::BTreeMap;
use std::path::Path;

use unicode_normalization::UnicodeNormalization;

#[cfg(doc)]
use waynote::Error;
use waynote::text::line_of;
use waynote::{Base, Content, Place, Result};

use super::exchange;
use super::python_json::{self, PyValue};
use crate::error::FormatError;

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
        let damaged = |line, reason| damaged(path, Some(line), reason);
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let line = line_of(bytes, error.valid_up_to());
            damaged(line, "it is not UTF-8".into())
        })?;
        let text = text.trim_start_matches('\u{feff}');
        if text.trim_ascii().is_empty() {
            return Ok(Self::default());
        }
        let entries =
            python_json::read_object(text).map_err(|(line, reason)| damaged(line, reason))?;
        Ok(Self { entries })
    }

    /// Reads a file; none when there is none.
    ///
    /// # Errors
    /// [`FormatError::DamagedFile`], or [`Error::File`] when it cannot be read.
    pub fn open(path: &Path) -> Result<Option<Self>> {
        Ok(exchange::try_read(path)?.map(|file| file.notes))
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

    /// Removes a place's key.
    pub fn remove(&mut self, place: &Place) {
        let key = self.key_of(place).to_owned();
        self.entries.remove(&key);
    }
}

pub(super) fn damaged(path: &Path, line: Option<usize>, reason: String) -> FormatError {
    let path = path.to_owned();
    FormatError::DamagedFile { path, line, reason }
}

/// The place that a key is the path of. The file knows no places of repositories.
fn place_of(key: &str, base: &Base) -> Option<Place> {
    Place::from_key(key, base).filter(|place| place.in_repository().is_none())
}
