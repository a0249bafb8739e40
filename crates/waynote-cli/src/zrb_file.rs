//! Zrb's `notes.json` without a sync to the store: it is found, and named with a hint.

use std::path::PathBuf;

use crate::home;
use crate::settings::Settings;

/// The default path of Zrb's notes.
pub(crate) const DEFAULT: &str = "~/.zrb/notes.json";

/// The command that keeps the store in sync with that file.
pub(crate) const SYNC: &str = "waynote config set notes_file ~/.zrb/notes.json";

/// Zrb's file, when it exists and no file is set to be kept in sync.
pub(crate) fn not_in_sync(settings: &Settings) -> Option<PathBuf> {
    if settings.notes_file.value.is_some() {
        return None;
    }
    let file = home::expanded(DEFAULT).ok()?;
    std::fs::metadata(&file)
        .is_ok_and(|found| found.is_file())
        .then_some(file)
}
