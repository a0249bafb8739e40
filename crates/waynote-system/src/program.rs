//! Programs on the path.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

/// The system's default where `PATH` is not set.
const WITHOUT_PATH: &str = "/bin:/usr/bin";

/// A program's file on the path (the value of `PATH`), for processes in other directories: relative folders are
/// skipped.
pub fn on_path(path: Option<&OsStr>, name: &str) -> Option<PathBuf> {
    let mut files = files_on_path(path, name.as_ref()).into_iter();
    files.find(|file| file.is_absolute() && is_executable(file))
}

/// The files of a name that the system would try to run from here, in its order, whether they can be run or not.
pub fn files_on_path(path: Option<&OsStr>, name: &OsStr) -> Vec<PathBuf> {
    let path = path.map_or_else(|| OsString::from(WITHOUT_PATH), OsStr::to_owned);
    let files = std::env::split_paths(&path).map(|folder| folder.join(name));
    files.filter(|file| file.is_file()).collect()
}

/// True if this user can run a file.
pub fn is_executable(file: &Path) -> bool {
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
        assert!(on_path(None, "sh").is_some_and(|file| file.is_absolute()));
        assert_eq!(on_path(None, "no-such-program"), None);
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(on_path(Some(folder.path().as_os_str()), "sh"), None);
        assert_eq!(on_path(Some("bin:.".as_ref()), "sh"), None);
    }
}
