//! Programs: this one's own file, and those on the path.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use crate::error::{Failure, Outcome};

/// Where the system looks for programs when PATH is not set.
const WITHOUT_PATH: &str = "/bin:/usr/bin";

/// This program's own file.
pub(crate) fn own() -> Outcome<PathBuf> {
    std::env::current_exe().map_err(|error| Failure::file("the program's own file", "found", error))
}

/// Where a program is on the path, for others: they have another working directory, so a relative folder is passed
/// over.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let mut files = files_on_path(name.as_ref()).into_iter();
    files.find(|file| file.is_absolute() && is_executable(file))
}

/// The files of a name that the system would try to run from here, in its order, whether they can be run or not.
pub(crate) fn files_on_path(name: &OsStr) -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_else(|| OsString::from(WITHOUT_PATH));
    let files = std::env::split_paths(&path).map(|folder| folder.join(name));
    files.filter(|file| file.is_file()).collect()
}

/// Whether a file can be run by this user.
pub(crate) fn is_executable(file: &Path) -> bool {
    file.is_file() && access(file, Access::EXEC_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_file_needs_the_right_to_be_run() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("agent");
        assert!(!is_executable(&file));
        std::fs::write(&file, "").unwrap();
        assert!(!is_executable(&file));
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert!(is_executable(&file));
        assert!(!is_executable(folder.path()), "a folder");
    }

    #[test]
    fn programs_are_found_by_name() {
        assert!(on_path("sh").is_some_and(|file| file.is_absolute()));
        assert_eq!(on_path("no-such-program"), None);
    }
}
