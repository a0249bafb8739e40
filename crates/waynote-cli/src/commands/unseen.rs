//! The settings of this call: those that a client's entry and hooks must name, and those that the processes started by
//! the client will not see, each with a hint.

use waynote_clients::{InstallScope, Setup};
use waynote_remote::Url;

use super::config::absolute;
use crate::database;
use crate::error::Outcome;
use crate::settings::{Kind, Origin, SettingInfo, Settings};
use crate::shell::quoted;

/// True if the client's entry and hooks name a setting. A flag is for this client. A variable reaches only processes
/// started from this shell, and the client may not be one; a variable does not belong in files that a team shares.
fn is_named(known: &SettingInfo, origin: &Origin, reach: InstallScope) -> bool {
    known.in_file.is_some()
        && match origin {
            Origin::Flag(_) => true,
            Origin::Variable(_) => known.is_handed_on && reach == InstallScope::User,
            Origin::File(_) | Origin::Default => false,
        }
}

/// The options that a client's entry and hooks are to have, with their values.
pub(super) fn named(settings: &Settings, reach: InstallScope) -> Outcome<Vec<(String, String)>> {
    let mut named = Vec::new();
    for (known, value, origin) in settings.shown() {
        if let (true, Some(value)) = (is_named(known, origin, reach), value) {
            // A client starts it in another directory.
            let value = match known.in_file {
                Some(Kind::Path) => absolute(&value)?,
                _ => value,
            };
            named.push(known.option(&value));
        }
    }
    Ok(named)
}

/// The steps of `install` for settings that the client's entry and hooks do not name.
pub(super) fn unseen(settings: &Settings, setup: &Setup<'_>) -> Vec<String> {
    let mut steps: Vec<String> = credential(settings, setup).into_iter().collect();
    if setup.target.is_endpoint() {
        // No program of ours runs.
        return steps;
    }
    let title = setup.client().title();
    for (known, value, origin) in settings.shown() {
        let is_unseen = known.in_file.is_some()
            && !known.is_in_entries
            && !is_named(known, origin, setup.reach);
        if let (Origin::Variable(variable), true, Some(value)) = (origin, is_unseen, value) {
            let (name, value) = (known.name, quoted(&value));
            steps.push(format!(
                "run `waynote config set {name} {value}` if {title} should use this {name}: it sees {variable} only if \
                 it is started from this shell"
            ));
        }
    }
    steps
}

/// How the processes started by a client get the token or the password of its store, unless the configuration file says
/// it. No client's file is a place for it.
fn credential(settings: &Settings, setup: &Setup<'_>) -> Option<String> {
    let is_in_file = |origin: &Origin| matches!(origin, Origin::File(_));
    let store = setup.target.store()?;
    if Url::is_meant(store) {
        let is_set = is_in_file(&settings.token_file.origin)
            || is_in_file(&settings.token_command.origin)
            || setup.target.is_endpoint();
        return (!is_set).then(|| {
            "if the server wants a token: write it into a file that only you can read, and run \
             `waynote config set token_file FILE`"
                .into()
        });
    }
    let is_set = is_in_file(&settings.postgres_password_command.origin);
    let file = database::own_password_file().filter(|_| database::is_url(store) && !is_set)?;
    let shown = quoted(&file.to_string_lossy());
    (!file.exists()).then(|| {
        format!(
            "if the server of the database wants a password: write it into {shown}, which only you may read (chmod \
             600), as HOST:PORT:DATABASE:USER:PASSWORD"
        )
    })
}
