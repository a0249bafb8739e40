//! The environment variables that decide which notes are meant, for programs that start ours without their whole environment.

/// Every variable that a setting is read from.
const SETTINGS: [&str; 14] = [
    "WAYNOTE_CONFIG",
    "WAYNOTE_STORE",
    "WAYNOTE_AGENT",
    "WAYNOTE_SESSION",
    "WAYNOTE_ITERATION",
    AUTHOR,
    "WAYNOTE_MAX_BYTES",
    "WAYNOTE_MAX_NOTES",
    "ZRB_LLM_NOTE_FILE",
    "WAYNOTE_STYLE",
    "WAYNOTE_BUDGET",
    "WAYNOTE_TOKEN_FACTOR",
    "WAYNOTE_LOCK_WAIT",
    "WAYNOTE_ALLOW_SECRETS",
];

/// Who writes. A client's entry of our server says it itself.
const AUTHOR: &str = "WAYNOTE_AUTHOR";

/// Set for the agents of a loop: the session's name.
pub(crate) const LOOP: &str = "WAYNOTE_LOOP";

/// The folders in which store, configuration and what was delivered are looked for.
const FOLDERS: [&str; 4] = [
    "XDG_DATA_HOME",
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
    "XDG_RUNTIME_DIR",
];

/// The variables that a client hands on to our server where it hands on only what its entry names.
pub(crate) fn handed_on() -> impl Iterator<Item = &'static str> {
    let settings = SETTINGS.into_iter().filter(|name| *name != AUTHOR);
    settings.chain([LOOP]).chain(FOLDERS)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The variables that a source file names in quotes.
    fn named(source: &str) -> BTreeSet<&str> {
        let words = source.split('"');
        let is_ours = |word: &&str| word.starts_with("WAYNOTE_") || word.starts_with("ZRB_");
        words.filter(is_ours).collect()
    }

    #[test]
    fn every_setting_is_handed_on() {
        let read = named(include_str!("settings.rs"));
        assert_eq!(read, BTreeSet::from(SETTINGS));
        let handed_on: BTreeSet<_> = handed_on().collect();
        let missing: Vec<_> = read.difference(&handed_on).collect();
        assert_eq!(missing, [&AUTHOR]);
        for more in [LOOP, "XDG_DATA_HOME"] {
            assert!(handed_on.contains(more), "{more}");
        }
    }
}
