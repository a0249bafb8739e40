//! The settings of this call: those that a client's entry and hooks must name, and those that the processes started by
//! the client will not see, each with a hint.

use waynote::visible::visible;
use waynote_clients::{InstallScope, Setup, Target};
use waynote_remote::Url;
use waynote_system::variables::{PASSWORD, PASSWORD_FILE, TOKEN};

use super::config::absolute;
use crate::database;
use crate::error::Outcome;
use crate::home;
use crate::settings::{Kind, Origin, SettingInfo, Settings};
use crate::shell::quoted;
use crate::variables::{CONFIG, CONFIG_FOLDER, DATA_FOLDER, HOOK_WAIT};

/// The way of a setting from this call to the processes that a client starts.
enum Way {
    /// The client's entry and hooks name it.
    Named,
    /// They do not, for that reason: a person has to do something.
    Unseen(String),
    /// It does so without this call.
    Known,
}

/// A flag is for this client. A variable reaches only processes started from this shell, and the client may not be one;
/// a variable does not belong in files that a team shares.
fn way(known: &SettingInfo, origin: &Origin, reach: InstallScope) -> Way {
    let lasts = known.in_file.is_some();
    match origin {
        Origin::File(_) | Origin::Default => Way::Known,
        Origin::Flag(_) if lasts => Way::Named,
        Origin::Flag(_) => Way::Unseen(format!("it starts waynote without `{origin}`")),
        Origin::Variable(_) if known.is_in_entries => Way::Known,
        Origin::Variable(_) if lasts && known.is_handed_on && reach == InstallScope::User => {
            Way::Named
        }
        Origin::Variable(name) => Way::Unseen(unknown(name)),
    }
}

/// The options that a client's entry and hooks are to have, with their values.
pub(super) fn named(settings: &Settings, reach: InstallScope) -> Outcome<Vec<(String, String)>> {
    let mut named = Vec::new();
    for (known, value, origin) in settings.shown() {
        if let (Way::Named, Some(value)) = (way(known, origin, reach), value) {
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
pub(super) fn unseen(settings: &Settings, setup: &Setup<'_>) -> Outcome<Vec<String>> {
    let title = setup.client().title();
    let set = config_set()?;
    let mut steps = match setup.target.is_endpoint() {
        // No program of ours runs.
        true => Vec::new(),
        false => environment(settings, title, &set)?,
    };
    steps.extend(match database(settings, setup) {
        Some(url) => password(settings, url, setup)?,
        None => token(settings, setup, &set)?,
    });
    if setup.target.is_endpoint() {
        return Ok(steps);
    }
    for (known, value, origin) in settings.shown() {
        let (Way::Unseen(why), Some(value)) = (way(known, origin, setup.reach), value) else {
            continue;
        };
        let (name, value) = (known.name, quoted(&value));
        steps.push(match known.in_file {
            Some(_) => format!("run `{set} {name} {value}` if {title} should use this {name}: {why}"),
            None => format!(
                "start {title} with `waynote loop`, or with {}={value} in its environment, if it should work in this \
                 {name}: {why}",
                known.variable
            ),
        });
    }
    Ok(steps)
}

/// The address of the store in a database that the client is to use.
fn database<'s>(settings: &'s Settings, setup: &'s Setup<'_>) -> Option<&'s str> {
    match (&setup.target, setup.target.store()) {
        (Target::Program(_), Some(store)) => Some(store).filter(|store| database::is_url(store)),
        (Target::Program(_), None) => settings.database(),
        _ => None,
    }
}

/// How the processes started by a client get the password of a store in a database. No client's file is a place for it.
fn password(settings: &Settings, url: &str, setup: &Setup<'_>) -> Outcome<Option<String>> {
    let title = setup.client().title();
    if matches!(settings.postgres_password_command.origin, Origin::File(_)) {
        return Ok(None);
    }
    let Some(own) = database::own_password_file() else {
        return Ok(None);
    };
    let shown = quoted(&own.to_string_lossy());
    Ok(if home::variable(PASSWORD)?.is_some() {
        Some(format!(
            "write the password into {shown}, which only you may read (chmod 600): {}",
            unknown(PASSWORD)
        ))
    } else if let Some(file) = home::variable(PASSWORD_FILE)? {
        Some(format!(
            "write the password into {shown}, or start {title} with {PASSWORD_FILE}={} in its environment: {}",
            quoted(&file),
            unknown(PASSWORD_FILE)
        ))
    } else if own.exists() || setup.target.store().is_none() {
        None
    } else {
        Some(format!(
            "if the server of {} wants a password: write it into {shown}, which only you may read (chmod 600), as \
             HOST:PORT:DATABASE:USER:PASSWORD",
            visible(url)
        ))
    })
}

/// How the processes started by a client get the token of a store on a server.
fn token(settings: &Settings, setup: &Setup<'_>, set: &str) -> Outcome<Option<String>> {
    let is_in_file = [&settings.token_file.origin, &settings.token_command.origin]
        .iter()
        .any(|origin| matches!(origin, Origin::File(_)));
    let is_on_server = setup.target.store().is_some_and(Url::is_meant);
    if setup.target.is_endpoint() || !is_on_server || is_in_file {
        return Ok(None);
    }
    Ok(match (home::variable(TOKEN)?, &settings.token_file.value) {
        // Said with the other settings.
        (_, Some(_)) => None,
        (Some(_), None) => Some(format!(
            "write the token into a file that only you can read, and run `{set} token_file FILE`: {}",
            unknown(TOKEN)
        )),
        (None, None) => Some(format!(
            "if the server wants a token: write it into a file that only you can read, and run `{set} token_file FILE`"
        )),
    })
}

fn unknown(variable: &str) -> String {
    format!("it sees {variable} only if it is started from this shell")
}

/// The command that writes a setting into the configuration file that waynote reads when a client starts it without the
/// variables of this shell.
fn config_set() -> Outcome<String> {
    let mut without = String::new();
    for name in [CONFIG, CONFIG_FOLDER] {
        if home::variable(name)?.is_some() {
            without += &format!("-u {name} ");
        }
    }
    Ok(match without.is_empty() {
        true => "waynote config set".into(),
        false => format!("env {without}waynote config set"),
    })
}

/// The same for variables that are no settings, but decide which settings and which store are used.
fn environment(settings: &Settings, title: &str, set: &str) -> Outcome<Vec<String>> {
    let start_with = |name: &str, value: Option<String>, purpose: &str| {
        let value = quoted(&value?);
        let why = unknown(name);
        Some(format!(
            "start {title} with {name}={value} in its environment if {purpose}: {why}"
        ))
    };
    let file = home::variable(CONFIG)?;
    let is_by_folder = file.is_none() && settings.file.exists();
    let folder = home::variable(CONFIG_FOLDER)?.filter(|_| is_by_folder);
    let is_default = home::variable(DATA_FOLDER)?.is_some() && settings.store.is_default();
    let store = is_default.then(|| {
        let store = quoted(&settings.store.value.display().to_string());
        let why = unknown(DATA_FOLDER);
        format!("run `{set} store {store}` if {title} should use this store: {why}")
    });
    let steps = [
        start_with(CONFIG, file, "it should use this configuration file"),
        start_with(
            CONFIG_FOLDER,
            folder,
            "it should use the configuration file there",
        ),
        store,
        start_with(
            HOOK_WAIT,
            home::variable(HOOK_WAIT)?,
            "its hooks should wait that long",
        ),
    ];
    Ok(steps.into_iter().flatten().collect())
}
