//! The environment variables that waynote reads and passes on to its other processes.

use std::sync::OnceLock;

use waynote_clients::Machine;

use crate::home;
use crate::settings::KNOWN;

pub(crate) use waynote_system::variables::{
    CONFIG, CONFIG_FOLDER, DATA_FOLDER, HOOK_WAIT, HOOKS, LOOP, NOW, PASSWORD, PASSWORD_FILE,
    STATE_FOLDER,
};

/// The variables that a client passes on to our server, if the client passes only those that its entry names. The order
/// is that of the entries in clients' files, and must stay.
pub(crate) fn handed_on() -> impl Iterator<Item = &'static str> {
    let handed_on = |in_file: bool| {
        let settings = KNOWN.all().filter(|known| known.is_handed_on);
        settings
            .filter(move |known| known.in_file.is_some() == in_file)
            .map(|known| known.variable)
    };
    handed_on(true)
        .chain([CONFIG])
        .chain(handed_on(false))
        .chain([LOOP, DATA_FOLDER, CONFIG_FOLDER, STATE_FOLDER])
        .chain([PASSWORD_FILE, PASSWORD])
}

/// This machine, as the code for clients needs it.
pub(crate) fn machine() -> Machine<'static> {
    static HANDED_ON: OnceLock<Vec<&str>> = OnceLock::new();
    Machine {
        environment: home::environment(),
        handed_on: HANDED_ON.get_or_init(|| handed_on().collect()),
    }
}

/// True if a variable changes what waynote reads, writes or prints. The one that sets the time does not count.
pub(crate) fn decides(name: &str) -> bool {
    let is_ours = name.starts_with("WAYNOTE_") && name != NOW;
    is_ours || handed_on().any(|handed_on| handed_on == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use waynote_system::variables::{AUTHOR, NOTES_FILE, STORE, TOKEN_FILE};

    #[test]
    fn every_setting_is_handed_on_but_the_author_and_the_token() {
        let handed_on: Vec<_> = handed_on().collect();
        for known in KNOWN.all() {
            let is_handed_on = handed_on.contains(&known.variable);
            // A client's file is no place for where a token comes from, for a command of the user's own, and for what a
            // person trusts.
            let stays = [
                AUTHOR,
                TOKEN_FILE,
                "WAYNOTE_TOKEN_COMMAND",
                "WAYNOTE_POSTGRES_PASSWORD_COMMAND",
                "WAYNOTE_NOTIFY",
                "WAYNOTE_TRUST",
            ];
            assert_eq!(
                is_handed_on,
                !stays.contains(&known.variable),
                "{}",
                known.name
            );
        }
        let others = [
            CONFIG,
            LOOP,
            DATA_FOLDER,
            CONFIG_FOLDER,
            STATE_FOLDER,
            PASSWORD,
            PASSWORD_FILE,
        ];
        for name in others {
            assert!(handed_on.contains(&name), "{name}");
        }
        assert_eq!(handed_on.len(), KNOWN.all().count() - 6 + others.len());
    }

    #[test]
    fn what_is_not_ours_decides_nothing() {
        for (name, expected) in [
            (STORE, true),
            (AUTHOR, true),
            (HOOK_WAIT, true),
            (NOTES_FILE, true),
            (STATE_FOLDER, true),
            (NOW, false),
            ("HOME", false),
            ("PATH", false),
        ] {
            assert_eq!(decides(name), expected, "{name}");
        }
    }
}
