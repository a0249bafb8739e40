//! Programs: this one's own file, and those on this process's path.

use std::path::PathBuf;

use crate::error::Outcome;
use crate::home::environment;

/// This program's own file.
pub(crate) fn own() -> Outcome<PathBuf> {
    Ok(environment().own_program()?.to_owned())
}

/// The path of a program in `PATH`, for use by other processes: relative folders are skipped.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    environment().on_path(name)
}
