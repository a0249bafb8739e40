//! Settings of this call that the processes started by a client will not see, and what to do about each.

use waynote::visible::visible;
use waynote_clients::{Setup, Target};
use waynote_postgres::is_url;
use waynote_system::variables::{PASSWORD, PASSWORD_FILE, TOKEN};

use crate::database;
use crate::error::Outcome;
use crate::home;
use crate::settings::{Origin, Settings};
use crate::shell::quoted;
use crate::variables::{CONFIG, CONFIG_FOLDER, DATA_FOLDER, HOOK_WAIT};

/// What `install` says about settings that come from flags or from the environment.
pub(super) fn unseen(settings: &Settings, setup: &Setup<'_>) -> Outcome<Vec<String>> {
    let title = setup.client().title();
    let set = config_set()?;
    let mut steps = match setup.target {
        // No program of ours runs.
        Target::Endpoint(_) => Vec::new(),
        _ => environment(settings, title, &set)?,
    };
    steps.extend(match database(settings, setup) {
        Some(url) => password(url, setup)?,
        None => token(settings, setup, &set)?,
    });
    for (known, value, origin) in settings.shown() {
        let name = known.name;
        let why = match origin {
            Origin::Flag(_) => format!("it starts waynote without `{origin}`"),
            Origin::Variable(name) => unknown(name),
            Origin::File(_) | Origin::Default => continue,
        };
        let Some(value) = value else {
            continue;
        };
        steps.push(match name {
            // The entry that `install` writes already names the author.
            "author" => continue,
            // So does the entry of a store on a server or in a database, if that was named.
            "store" if setup.target.store() == Some(&value) => continue,
            // It has its own.
            _ if setup.target.is_endpoint() => continue,
            "session" | "iteration" => format!(
                "start {title} with `waynote loop`, or with {}={} in its environment, if it should work in this {name}: {why}",
                known.variable,
                quoted(&value)
            ),
            _ => format!(
                "run `{set} {name} {}` if {title} should use this {}: {why}",
                quoted(&value),
                if name == "agent" { "agent's notebook" } else { name }
            ),
        });
    }
    Ok(steps)
}

/// The address of the store in a database that the client is to use.
fn database<'s>(settings: &'s Settings, setup: &'s Setup<'_>) -> Option<&'s str> {
    match &setup.target {
        Target::Store(url) => Some(url.as_str()).filter(|url| is_url(url)),
        Target::Settings => settings.database(),
        _ => None,
    }
}

/// How the processes started by a client get the password of a store in a database. No client's file is a place for it.
fn password(url: &str, setup: &Setup<'_>) -> Outcome<Option<String>> {
    let title = setup.client().title();
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
    } else if own.exists() || setup.target == Target::Settings {
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
    if !matches!(setup.target, Target::Store(_)) || is_in_file {
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

/// What `install` says about variables that are not settings, but decide which settings and which store are used.
fn environment(settings: &Settings, title: &str, set: &str) -> Outcome<Vec<String>> {
    let mut steps = Vec::new();
    let start_with = |name: &str, value: &str, purpose: &str| {
        format!(
            "start {title} with {name}={} in its environment if {purpose}: {}",
            quoted(value),
            unknown(name)
        )
    };
    let file = home::variable(CONFIG)?;
    if let Some(file) = &file {
        steps.push(start_with(
            CONFIG,
            file,
            "it should use this configuration file",
        ));
    }
    let folder = home::variable(CONFIG_FOLDER)?.filter(|_| file.is_none());
    if let Some(folder) = folder.filter(|_| settings.file.exists()) {
        steps.push(start_with(
            CONFIG_FOLDER,
            &folder,
            "it should use the configuration file there",
        ));
    }
    if home::variable(DATA_FOLDER)?.is_some() && settings.store.is_default() {
        let store = settings.store.value.display().to_string();
        steps.push(format!(
            "run `{set} store {}` if {title} should use this store: {}",
            quoted(&store),
            unknown(DATA_FOLDER)
        ));
    }
    if let Some(wait) = home::variable(HOOK_WAIT)? {
        steps.push(start_with(
            HOOK_WAIT,
            &wait,
            "its hooks should wait that long",
        ));
    }
    Ok(steps)
}
