//! Programs: this one's own file, and those on this process's path.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::error::{Failure, Outcome};

/// This program's own file.
pub(crate) fn own() -> Outcome<PathBuf> {
    std::env::current_exe().map_err(|error| Failure::file("the program's own file", "found", error))
}

/// Where programs are looked for, if that is set.
pub(crate) fn path() -> Option<OsString> {
    std::env::var_os("PATH")
}

/// Where a program is on the path, for others: relative folders are skipped.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    waynote_system::program::on_path(path().as_deref(), name)
}
