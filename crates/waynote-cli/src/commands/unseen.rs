//! Settings of this call that the processes started by a client will not see, and what to do about each.

use crate::error::Outcome;
use crate::home;
use crate::settings::{Origin, Settings};
use crate::shell::quoted;
use crate::variables::{CONFIG, CONFIG_FOLDER, DATA_FOLDER, HOOK_WAIT};

/// What `install` says about settings that come from flags or from the environment.
pub(super) fn unseen(settings: &Settings, title: &str) -> Outcome<Vec<String>> {
    let set = config_set()?;
    let mut steps = environment(settings, title, &set)?;
    for (known, value, origin) in settings.shown() {
        let name = known.name;
        let why = match origin {
            Origin::Flag(_) => format!("{title} is not told `{origin}`"),
            Origin::Variable(name) => unknown(title, name),
            Origin::File(_) | Origin::Default => continue,
        };
        let Some(value) = value else {
            continue;
        };
        steps.push(match name {
            // The entry that `install` writes already names the author.
            "author" => continue,
            "session" | "iteration" => format!(
                "start {title} by `waynote loop`, or with {}={} in its environment, if it is to work in that {name}: {why}",
                known.variable,
                quoted(&value)
            ),
            _ => format!(
                "`{set} {name} {}`, if {title} is to use that {}: {why}",
                quoted(&value),
                if name == "agent" { "agent's notebook" } else { name }
            ),
        });
    }
    Ok(steps)
}

fn unknown(title: &str, variable: &str) -> String {
    format!("{title} does not know {variable} when it is started from elsewhere than this shell")
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
            "start {title} with {name}={} in its environment, {purpose}: {}",
            quoted(value),
            unknown(title, name)
        )
    };
    let file = home::variable(CONFIG)?;
    if let Some(file) = &file {
        steps.push(start_with(
            CONFIG,
            file,
            "if it is to use that configuration file",
        ));
    }
    let folder = home::variable(CONFIG_FOLDER)?.filter(|_| file.is_none());
    if let Some(folder) = folder.filter(|_| settings.file.exists()) {
        steps.push(start_with(
            CONFIG_FOLDER,
            &folder,
            "if it is to use the configuration file there",
        ));
    }
    if home::variable(DATA_FOLDER)?.is_some() && settings.store.is_default() {
        let store = settings.store.value.display().to_string();
        steps.push(format!(
            "`{set} store {}`, if {title} is to use that store: {}",
            quoted(&store),
            unknown(title, DATA_FOLDER)
        ));
    }
    if let Some(wait) = home::variable(HOOK_WAIT)? {
        steps.push(start_with(
            HOOK_WAIT,
            &wait,
            "if its hooks are to wait that long",
        ));
    }
    Ok(steps)
}
