//! Programs: this one's own file, and those on this process's path.

use std::ffi::OsStr;
use std::path::PathBuf;

pub(crate) use waynote_system::program::is_executable;

use crate::error::Outcome;
use crate::home::environment;

/// This program's own file.
pub(crate) fn own() -> Outcome<PathBuf> {
    Ok(environment().own_program()?.to_owned())
}

/// Where a program is on the path, for others: relative folders are skipped.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    environment().on_path(name)
}

/// The files of a name that the system would try to run from here, in its order, whether they can be run or not.
pub(crate) fn files_on_path(name: &OsStr) -> Vec<PathBuf> {
    waynote_system::program::files_on_path(environment().path(), name)
}
