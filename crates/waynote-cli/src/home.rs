//! The environment of this process: read once, here, and handed on as a value.

use std::path::PathBuf;
use std::sync::OnceLock;

use waynote::Base;
use waynote_system::Environment;

use crate::error::{Failure, Outcome};

/// The environment of this process, as it was when it was first asked for.
pub(crate) fn environment() -> &'static Environment {
    static ENVIRONMENT: OnceLock<Environment> = OnceLock::new();
    ENVIRONMENT.get_or_init(|| {
        let is_set = std::env::var_os("HOME").is_some_and(|home| !home.is_empty());
        // The password database may be on a network, and a lookup then takes time.
        let home_of_user = if is_set { None } else { home_of_user() };
        Environment::new(std::env::vars_os())
            .with_home_of_user(home_of_user)
            .with_working_directory(std::env::current_dir())
            .with_own_program(own_program())
    })
}

/// This program's file: by the link through which it was started, which stays when its end is replaced.
fn own_program() -> std::io::Result<PathBuf> {
    let own = std::env::current_exe()?;
    let started = std::env::args_os().next().map(PathBuf::from);
    let started = started.filter(|path| path.components().count() > 1 && path.ends_with("waynote"));
    let started = started.and_then(|path| std::path::absolute(path).ok());
    let is_own = |path: &PathBuf| path.canonicalize().ok() == own.canonicalize().ok();
    Ok(started.filter(is_own).unwrap_or(own))
}

/// The home directory in the password database; none unless it is an absolute path in UTF-8.
fn home_of_user() -> Option<String> {
    let user = nix::unistd::User::from_uid(nix::unistd::getuid()).ok()??;
    let home = user.dir.into_os_string().into_string().ok()?;
    home.starts_with('/').then_some(home)
}

/// An environment variable that is set to something.
pub(crate) fn variable(name: &str) -> Outcome<Option<String>> {
    Ok(environment().variable(name)?)
}

/// The home directory. What can do without one asks [`if_any`].
pub(crate) fn home() -> Outcome<String> {
    Ok(environment().home()?)
}

/// The home directory, where there is one that can be used.
pub(crate) fn if_any() -> Outcome<Option<String>> {
    Ok(environment().home_if_any()?)
}

/// The base that paths are resolved against: home, if there is one, and the working directory.
pub(crate) fn base() -> Outcome<Base> {
    let cwd = std::env::current_dir()
        .map_err(|error| Failure::file("the working directory", "read", error))?;
    let cwd = cwd.to_str().ok_or_else(|| {
        waynote::Error::invalid_place(cwd.to_string_lossy().into_owned(), "it is not UTF-8")
    })?;
    Ok(environment().base_at(cwd)?)
}

/// The same for paths that are not relative. The working directory need not exist.
pub(crate) fn base_of_home() -> Outcome<Base> {
    Ok(environment().base()?)
}

/// A path with `~` for home.
pub(crate) fn expanded(path: &str) -> Outcome<PathBuf> {
    Ok(environment().expanded(path)?)
}
