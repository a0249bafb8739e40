//! Side data of a file: the texts that it last held, and which file that was.

use std::collections::HashMap;

use waynote::engine::Writing;
use waynote::store::SideValue;
use waynote::{ContentHash, Forgotten, LocalStore, Result};

use super::SyncedStore;
use crate::zrb::NotesFile;
use crate::zrb::exchange::Fingerprint;

/// The [side data](waynote::SideData) of a file is in a space of this prefix and its path.
const SPACE: &str = "file:";

/// The key of the file's fingerprint; places begin with `~` or `/`.
const SEEN: &str = "seen";

/// The texts that the file last held, by place.
pub(super) type Marks = HashMap<String, ContentHash>;

impl<S: LocalStore> SyncedStore<S> {
    /// What the store knows of the file: its texts, and which file it was when it was last read or written.
    pub(super) fn known(&self) -> Result<(Marks, Option<Fingerprint>)> {
        let (mut marks, mut seen) = (Marks::new(), None);
        for value in self.inner.side_values(&self.space())? {
            match value.about {
                Some(hash) => drop(marks.insert(value.key, hash)),
                None => seen = Some(value.value),
            }
        }
        Ok((marks, seen))
    }

    /// Records the file's texts as known, and which file holds them.
    pub(super) fn remember(&self, file: &NotesFile, seen: Fingerprint) -> Result<()> {
        let (mut gone, before) = self.known()?;
        let mut new = Vec::new();
        for (key, hash) in self.marks_of(file) {
            if gone.remove(&key) != Some(hash) {
                new.push(SideValue {
                    key,
                    value: Vec::new(),
                    about: Some(hash),
                });
            }
        }
        if before.as_ref() != Some(&seen) {
            new.push(SideValue::new(SEEN, seen.clone()));
        }
        if !new.is_empty() || !gone.is_empty() {
            let gone: Vec<String> = gone.into_keys().collect();
            self.inner
                .put_side_values(&self.space(), &new, &gone, Writing::Relaxed)?;
        }
        *self.seen.lock() = Some(seen);
        Ok(())
    }

    /// The marks of a file with these notes.
    pub(super) fn marks_of(&self, file: &NotesFile) -> Marks {
        let notes = file.notes(&self.base);
        notes
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
