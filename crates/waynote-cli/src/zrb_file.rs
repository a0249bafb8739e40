//! Zrb's `notes.json` without a sync to the store: it is found, and named with a hint.

use std::fs::OpenOptions;
use std::path::PathBuf;

use serde_json::json;
use waynote_system::plain::make_private_folder;

use crate::error::say;
use crate::home;
use crate::settings::Settings;

/// The default path of Zrb's notes.
pub(crate) const DEFAULT: &str = "~/.zrb/notes.json";

/// The command that keeps the store in sync with that file.
pub(crate) const SYNC: &str = "waynote config set notes_file ~/.zrb/notes.json";

/// Remembers, beside the default store, that a `place` command has named the file.
const TOLD: &str = "waynote/told-of-zrb-notes";

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

/// Names the file on standard error, only at this user's first `place` command. If the fact cannot be stored, nothing
/// is printed, because the message would come every time.
pub(crate) fn say_once(settings: &Settings, as_json: bool) {
    if not_in_sync(settings).is_none() || !is_first() {
        return;
    }
    let message = format!("Zrb's notes in {DEFAULT} are not read");
    let hint = format!("keep both in sync with `{SYNC}`; this is said once");
    if as_json {
        let notice = json!({ "kind": "zrb_notes_file", "message": message, "hint": hint });
        crate::error::say_json(&json!({ "notice": notice }));
    } else {
        say(&format!("note: {message}\n  {hint}"));
    }
}

fn is_first() -> bool {
    let Ok(told) = home::data().map(|data| data.join(TOLD)) else {
        return false;
    };
    if let Some(folder) = told.parent() {
        let _ = make_private_folder(folder);
    }
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(told)
        .is_ok()
}
