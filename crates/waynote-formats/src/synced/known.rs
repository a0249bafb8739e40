//! Side data of a file: the texts that it last held, and which file that was.

use std::collections::HashMap;

use waynote::store::SideValue;
use waynote::{ContentHash, Forgotten, LocalStore, Result};

use super::SyncedStore;
use crate::zrb::NotesFile;
use crate::zrb::exchange::Fingerprint;

/// The [side data](waynote::SideData) of a file is in a space of this prefix and its path.
const SPACE: &str = "file:";

/// The key of the file's fingerprint; places begin with `~` or `/`.
const SEEN: &str = "seen";

/// What the store knows of the file.
#[derive(Default)]
pub(super) struct Known {
    /// The texts that the file last held, by place.
    pub(super) marks: HashMap<String, ContentHash>,
    /// The file as it was last read or written.
    pub(super) seen: Option<Fingerprint>,
}

impl<S: LocalStore> SyncedStore<S> {
    /// What the store knows of the file.
    pub(super) fn known(&self) -> Result<Known> {
        let mut known = Known::default();
        for value in self.inner.side_values(&self.space())? {
            if value.key == SEEN {
                known.seen = Fingerprint::stored(&value.value);
            } else if let Some(hash) = value.about {
                known.marks.insert(value.key, hash);
            }
        }
        Ok(known)
    }

    /// Records the file's texts as known, and which file holds them.
    pub(super) fn remember(
        &self,
        file: &NotesFile,
        seen: Fingerprint,
        known: &Known,
    ) -> Result<()> {
        let now = self.marks_of(file);
        let new = now
            .iter()
            .filter(|(key, hash)| known.marks.get(*key) != Some(*hash));
        let mut new: Vec<SideValue> = new
            .map(|(key, hash)| SideValue {
                key: key.clone(),
                value: Vec::new(),
                about: Some(*hash),
            })
            .collect();
        let gone = known.marks.keys().filter(|key| !now.contains_key(*key));
        let gone: Vec<String> = gone.cloned().collect();
        if known.seen != Some(seen) {
            new.push(SideValue::new(SEEN, seen.to_bytes()));
        }
        if !new.is_empty() || !gone.is_empty() {
            self.inner.put_side_values(&self.space(), &new, &gone)?;
        }
        *self.seen.lock() = Some(seen);
        Ok(())
    }

    /// The marks of a file with these notes.
    pub(super) fn marks_of(&self, file: &NotesFile) -> HashMap<String, ContentHash> {
        file.notes(&self.base)
            .map(|(place, content)| (place.to_string(), content.hash()))
            .collect()
    }

    /// The side values of the file.
    pub(super) fn space(&self) -> String {
        format!("{SPACE}{}", self.file.display())
    }
}

/// The files that were last known to hold a forgotten text: files of earlier syncs, not of the call that forgot it.
pub fn files_that_held(forgotten: &Forgotten) -> Vec<&str> {
    let spaces = forgotten.spaces.iter();
    spaces
        .filter_map(|space| space.strip_prefix(SPACE))
        .collect()
}
