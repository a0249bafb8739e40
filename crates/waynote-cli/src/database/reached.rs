//! A store in PostgreSQL: how it is reached, and its password.

use std::path::PathBuf;
use std::time::Duration;

use waynote::EngineStore;
use waynote::copy::CopyReport;
use waynote::engine::Engine;
use waynote::visible::visible;
use waynote_postgres::{Options, Postgres, stores};
use waynote_system::variables::{PASSWORD, PASSWORD_FILE};

use super::{is_url, own_password_file};
use crate::error::{Failure, Outcome};
use crate::settings::Settings;
use crate::{home, remote, secret_command};

/// A store in a database, which is connected to at the first call.
pub(crate) type DatabaseStore = EngineStore<Postgres>;

/// The store at this address, written by the role that this names in place of a person. Nothing is sent yet.
pub(crate) fn open(
    settings: &Settings,
    url: &str,
    longest: Option<Duration>,
) -> Outcome<DatabaseStore> {
    let options = reached(settings, url)?;
    let options = match longest {
        Some(longest) => options.within(longest),
        None => options,
    };
    let role = options.role();
    Ok(waynote_postgres::at(options)?.held_by(role))
}

/// How the store at this address is reached with these settings.
pub(super) fn reached(settings: &Settings, url: &str) -> Outcome<Options> {
    remote::refuse_local_parts(settings, url)?;
    Ok(options(settings, url)?.wait(settings.lock_wait.value))
}

/// How the database of this address is reached.
pub(crate) fn options(settings: &Settings, url: &str) -> Outcome<Options> {
    if !is_url(url) {
        return Err(Failure::usage(
            format!("`{}` is not the address of a database", visible(url)),
            "write it as postgres://USER@HOST/DATABASE?store=NAME; a store in a file is made by the first write",
        ));
    }
    let options = Options::of_url(url)?.password(home::variable(PASSWORD)?);
    let command = settings.postgres_password_command.value.clone();
    Ok(match (command, password_file()?) {
        (Some(command), _) => options
            .password_from(move || secret_command::printed("postgres_password_command", &command)),
        (None, Some(file)) => options.password_file(&file)?,
        (None, None) => options,
    })
}

/// The options of an address that names a store.
pub(crate) fn named(settings: &Settings, url: &str) -> Outcome<Options> {
    let options = options(settings, url)?;
    match options.store_name() {
        Some(_) => Ok(options),
        None => Err(Failure::usage(
            "the address names no store",
            "add its name, `?store=NAME`: postgres://USER@HOST/DATABASE?store=NAME",
        )),
    }
}

/// The file that `PGPASSFILE` names, else the one in the home directory.
fn password_file() -> Outcome<Option<PathBuf>> {
    let named = home::variable(PASSWORD_FILE)?.map(PathBuf::from);
    Ok(named.or_else(own_password_file))
}

/// Begins a write of the store, and takes it back.
pub(crate) fn try_write(settings: &Settings, url: &str) -> Outcome {
    Ok(open(settings, url, None)?.engine().try_write()?)
}

/// A store that is copied.
pub(crate) fn source(settings: &Settings, url: &str) -> Outcome<DatabaseStore> {
    Ok(waynote_postgres::at(for_copy(settings, url)?)?)
}

/// The name of a new store, and what came of filling it. It is there only when it is complete.
pub(crate) fn made(
    settings: &Settings,
    url: &str,
    fill: impl FnOnce(&dyn Engine) -> waynote::Result<CopyReport>,
) -> Outcome<(waynote::Result<CopyReport>, String)> {
    let options = for_copy(settings, url)?;
    let name = options.shown();
    Ok((stores::make(options, |target| fill(target)), name))
}

/// How long one answer of a database may take: tables that were just filled have no statistics yet.
const ANSWER: Duration = Duration::from_secs(600);

fn for_copy(settings: &Settings, url: &str) -> Outcome<Options> {
    let wait = settings.lock_wait.value;
    Ok(options(settings, url)?.wait(wait).answer(ANSWER))
}

/// Refuses an address that no store can have, and one with a password: it would be shown wherever the store is.
///
/// # Errors
/// Those of [`Options::of_url`], which do not show the password.
pub(crate) fn check(url: &str) -> Outcome {
    Options::of_url(url)?;
    Ok(())
}
