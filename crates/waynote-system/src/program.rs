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

/// True if a tool runs a file from a cache that it empties, as `npx`, `uvx` and `pipx run` do, or from a project's own
/// `node_modules`: nothing may rely on it.
fn is_in_cache(file: &Path) -> bool {
    let parts: Vec<_> = file.iter().filter_map(OsStr::to_str).collect();
    let modules = parts.iter().position(|part| *part == "node_modules");
    // What npm has installed for the whole machine lies in `lib/node_modules`.
    modules.is_some_and(|at| at == 0 || parts[at - 1] != "lib")
        || parts.iter().any(|part| part.starts_with("archive-v"))
        || parts
            .windows(2)
            .any(|pair| matches!(pair, ["pipx", ".cache"] | [".cache", "pipx"]))
}

/// True if a file goes when its tool upgrades what it installed: one in a cache, or in a folder of one version, as nvm,
/// mise, asdf, Homebrew and others make them. A link that leads there is no such file.
pub fn goes_with_an_upgrade(file: &Path) -> bool {
    let is_version = |part: &str| {
        let number = part.rsplit_once('-').map_or(part, |(_, end)| end);
        let number = number.strip_prefix('v').unwrap_or(number);
        let mut parts = number.split('.');
        number.contains('.')
            && parts.all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let folders = file.parent().into_iter().flat_map(Path::iter);
    is_in_cache(file) || folders.filter_map(OsStr::to_str).any(is_version)
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
    fn a_tools_cache_is_no_place_to_rely_on() {
        for (file, is_in) in [
            (
                "/home/a/.npm/_npx/1f/node_modules/waynote-linux-x64/bin/waynote",
                true,
            ),
            ("/srv/shop/node_modules/waynote-linux-x64/bin/waynote", true),
            ("/home/a/.cache/uv/archive-v0/x/bin/waynote", true),
            ("/home/a/.local/share/pipx/.cache/1f/bin/waynote", true),
            (
                "/usr/lib/node_modules/waynote/node_modules/waynote-linux-x64/bin/waynote",
                false,
            ),
            ("/home/a/.local/share/uv/tools/waynote/bin/waynote", false),
            ("/usr/bin/waynote", false),
        ] {
            assert_eq!(is_in_cache(Path::new(file)), is_in, "{file}");
        }
    }

    #[test]
    fn programs_are_found_by_name() {
        assert!(on_path(None, "sh").is_some_and(|file| file.is_absolute()));
        assert_eq!(on_path(None, "no-such-program"), None);
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(on_path(Some(folder.path().as_os_str()), "sh"), None);
        assert_eq!(on_path(Some("bin:.".as_ref()), "sh"), None);
    }

    #[test]
    fn a_folder_of_one_version_goes_with_an_upgrade() {
        for (file, goes) in [
            (
                "/home/a/.nvm/versions/node/v22.1.0/lib/node_modules/waynote/bin/waynote",
                true,
            ),
            (
                "/home/a/.local/share/mise/installs/waynote/1.2.3/bin/waynote",
                true,
            ),
            ("/home/a/.asdf/installs/waynote/1.2.3/bin/waynote", true),
            ("/opt/homebrew/Cellar/waynote/1.2.3/bin/waynote", true),
            ("/opt/waynote-1.2.3/bin/waynote", true),
            ("/home/a/.cache/uv/archive-v0/x/bin/waynote", true),
            ("/home/a/shop/.venv/bin/waynote", false),
            (
                "/home/a/.local/share/mise/installs/waynote/latest/bin/waynote",
                false,
            ),
            ("/home/a/.cargo/bin/waynote", false),
            ("/usr/bin/waynote", false),
            ("/srv/a.b/x-1/waynote", false),
        ] {
            assert_eq!(goes_with_an_upgrade(Path::new(file)), goes, "{file}");
        }
    }
}
