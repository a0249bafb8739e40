//! The settings that there are: the name of each in the configuration file, and the variable that sets it.

/// A setting.
pub(crate) struct Known {
    /// Its name in the configuration file.
    pub(crate) name: &'static str,
    /// The environment variable that sets it.
    pub(crate) variable: &'static str,
    /// What the configuration file holds for it.
    pub(crate) kind: Kind,
}

/// How a setting is written in the configuration file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name or a word.
    Text,
    /// A file.
    Path,
    /// A whole number.
    Whole,
    /// A number.
    Number,
    /// A list of names.
    Names,
}

impl Kind {
    /// What a person should have written.
    pub(super) fn expected(self) -> &'static str {
        match self {
            Self::Text => "a text in quotes",
            Self::Path => "a path in quotes",
            Self::Whole => "a whole number",
            Self::Number => "a number",
            Self::Names => "a list of texts, as [\"jwt\"]",
        }
    }
}

const fn setting(name: &'static str, variable: &'static str, kind: Kind) -> Known {
    Known {
        name,
        variable,
        kind,
    }
}

/// Every setting of the configuration file.
pub(crate) const KNOWN: [Known; 13] = [
    setting("store", "WAYNOTE_STORE", Kind::Path),
    setting("agent", "WAYNOTE_AGENT", Kind::Text),
    setting("session", "WAYNOTE_SESSION", Kind::Text),
    setting("author", "WAYNOTE_AUTHOR", Kind::Text),
    setting("max_bytes", "WAYNOTE_MAX_BYTES", Kind::Whole),
    setting("max_notes", "WAYNOTE_MAX_NOTES", Kind::Whole),
    setting("max_place_bytes", "WAYNOTE_MAX_PLACE_BYTES", Kind::Whole),
    setting("notes_file", "ZRB_LLM_NOTE_FILE", Kind::Path),
    setting("style", "WAYNOTE_STYLE", Kind::Text),
    setting("budget", "WAYNOTE_BUDGET", Kind::Whole),
    setting("token_factor", "WAYNOTE_TOKEN_FACTOR", Kind::Number),
    setting("lock_wait", "WAYNOTE_LOCK_WAIT", Kind::Number),
    setting("allow_secrets", "WAYNOTE_ALLOW_SECRETS", Kind::Names),
];

/// The settings that say where notes go and whose they are. A default must not stand in for one that cannot be used: notes would
/// go into another store, or under another name.
pub(super) const IDENTITY: [&str; 5] = ["store", "agent", "author", "session", "iteration"];

/// The setting of that name.
pub(crate) fn known(name: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.name == name)
}

/// The setting that a mistyped name seems to mean.
pub(crate) fn nearest(name: &str) -> Option<&'static Known> {
    const MOST_EDITS: usize = 2;
    let name = name.to_lowercase().replace('-', "_");
    let edits = |known: &&Known| strsim::osa_distance(&name, known.name);
    KNOWN
        .iter()
        .min_by_key(edits)
        .filter(|known| edits(known) <= MOST_EDITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_name_is_recognized() {
        for (typed, meant) in [
            ("max_note", Some("max_notes")),
            ("sotre", Some("store")),
            ("Agent", Some("agent")),
            ("notes-file", Some("notes_file")),
            ("colour", None),
        ] {
            assert_eq!(nearest(typed).map(|known| known.name), meant, "{typed}");
        }
    }
}
