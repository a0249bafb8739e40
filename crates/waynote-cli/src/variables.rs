//! The environment variables that decide which notes are meant, for programs that start ours without their whole environment.

use crate::settings::known::KNOWN;

/// Variables of ours that are no setting of the configuration file: where that is, which iteration runs, and in which loop.
const BESIDE_SETTINGS: [&str; 3] = ["WAYNOTE_CONFIG", ITERATION, LOOP];

/// The iteration that runs.
pub(crate) const ITERATION: &str = "WAYNOTE_ITERATION";

/// Who writes. A client's entry of our server says it itself.
const AUTHOR: &str = "WAYNOTE_AUTHOR";

/// Set for the agents of a loop: the session's name.
pub(crate) const LOOP: &str = "WAYNOTE_LOOP";

/// The folders in which store, configuration and what was delivered are looked for.
const FOLDERS: [&str; 3] = ["XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"];

/// The variables that a client hands on to our server where it hands on only what its entry names.
pub(crate) fn handed_on() -> impl Iterator<Item = &'static str> {
    let settings = KNOWN.iter().map(|known| known.variable);
    settings
        .filter(|name| *name != AUTHOR)
        .chain(BESIDE_SETTINGS)
        .chain(FOLDERS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_handed_on_but_the_author() {
        let handed_on: Vec<_> = handed_on().collect();
        for name in [
            "WAYNOTE_STORE",
            "ZRB_LLM_NOTE_FILE",
            "WAYNOTE_CONFIG",
            ITERATION,
            LOOP,
        ] {
            assert!(handed_on.contains(&name), "{name}");
        }
        assert!(!handed_on.contains(&AUTHOR));
        assert_eq!(
            handed_on.len(),
            KNOWN.len() - 1 + BESIDE_SETTINGS.len() + FOLDERS.len()
        );
    }
}
