//! Opening files in folders that others write to: named pipes do not block, devices are not read, links are not
//! followed.

use std::ffi::OsString;
use std::fs::{File, FileType};
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Mode, OFlags, mkdirat, openat};
use rustix::io::Errno;
use rustix::path::Arg;

/// For lookups of names in a folder, which need not be readable.
#[cfg(target_os = "linux")]
const LOOKUP: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const LOOKUP: OFlags = OFlags::RDONLY;

/// Makes a folder that only its owner may enter, and those above it that are not there. In a home it belongs to the
/// home's owner.
///
/// # Errors
/// Those of the system.
pub fn make_private_folder(path: &Path) -> io::Result<()> {
    waynote_files::make_folder(path, 0o700)
}

/// Opens a regular file for reading. A link in its place is refused; those above it are followed.
pub fn open(path: &Path) -> io::Result<File> {
    regular(rustix::fs::open(path, reading(), Mode::empty()))
}

/// Opens a regular file for reading and writing, and makes it for its owner alone where there is none. A link in its
/// place is refused; those above it are followed.
pub fn open_or_make(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDWR | OFlags::CREATE | guarded();
    let file = regular(rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR))?;
    waynote_files::belong_to_folder(path)?;
    Ok(file)
}

/// Opens a regular file for reading by an absolute path in which no component may be a link.
pub fn open_without_links(path: &Path) -> io::Result<File> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::IsADirectory.into());
    };
    open_in(&folder(parent, false)?, name)
}

/// Opens a regular file for reading in an open folder. A link in its place is refused.
pub fn open_in(folder: &OwnedFd, name: impl Arg) -> io::Result<File> {
    regular(openat(folder, name, reading(), Mode::empty()))
}

/// As much of a file as the limit allows, and how long it is.
pub fn read(file: File, most: u64) -> io::Result<(Vec<u8>, u64)> {
    let length = file.metadata()?.len();
    // A file of a known length is read at once.
    let mut bytes = Vec::with_capacity(usize::try_from(length.min(most)).unwrap_or_default());
    file.take(most).read_to_end(&mut bytes)?;
    Ok((bytes, length))
}

/// A file that only its user can have written, which is this one; none if it is another's, or longer.
pub fn read_own(path: &Path, most: u64) -> Option<Vec<u8>> {
    let file = open(path).ok()?;
    let found = file.metadata().ok()?;
    let is_own = found.uid() == rustix::process::getuid().as_raw() && found.mode() & 0o077 == 0;
    let (bytes, length) = read(file, most).ok()?;
    (is_own && length <= most).then_some(bytes)
}

/// Opens a folder by its absolute path, in which no component may be a link. Those that are missing are made for their
/// owner alone, if so wished.
pub fn folder(path: &Path, make: bool) -> io::Result<OwnedFd> {
    let flags = LOOKUP | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut folder = rustix::fs::open("/", flags, Mode::empty())?;
    for part in path.components() {
        let name = match part {
            Component::RootDir => continue,
            Component::Normal(name) => name,
            _ => return Err(io::ErrorKind::InvalidInput.into()),
        };
        let mut inner = openat(&folder, name, flags, Mode::empty());
        if make && matches!(inner, Err(Errno::NOENT)) {
            match mkdirat(&folder, name, Mode::RWXU) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
            inner = openat(&folder, name, flags, Mode::empty());
        }
        folder = inner.map_err(|error| match error {
            Errno::NOTDIR | Errno::LOOP => {
                let name = waynote::visible::visible(&name.to_string_lossy());
                io::Error::other(format!("`{name}` is a link or a file, not a folder"))
            }
            error => error.into(),
        })?;
    }
    Ok(folder)
}

/// An absolute path with its links followed, except those within `directory`, which has no links itself: a person made the
/// links elsewhere, and an agent may have made these. Parts that do not exist stay as they are.
pub fn followed_outside(path: &Path, directory: &Path) -> io::Result<PathBuf> {
    // As many as Linux follows.
    const MOST_LINKS: usize = 40;
    let parts = |path: &Path| -> Vec<OsString> {
        let parts = path.components().rev();
        let named =
            parts.filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir));
        named.map(|part| part.as_os_str().to_owned()).collect()
    };
    let mut links = 0;
    let mut followed = PathBuf::from("/");
    // The next part is the last one.
    let mut rest = parts(path);
    while let Some(part) = rest.pop() {
        if part == ".." {
            followed.pop();
            continue;
        }
        followed.push(part);
        if followed != directory && followed.starts_with(directory) {
            continue;
        }
        let Ok(target) = followed.read_link() else {
            continue;
        };
        links += 1;
        if links > MOST_LINKS {
            return Err(Errno::LOOP.into());
        }
        followed = match target.is_absolute() {
            true => PathBuf::from("/"),
            false => followed.parent().unwrap_or(Path::new("/")).to_owned(),
        };
        rest.extend(parts(&target));
    }
    Ok(followed)
}

fn reading() -> OFlags {
    OFlags::RDONLY | guarded()
}

/// Follows no link, does not block, and is not inherited.
fn guarded() -> OFlags {
    OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC
}

fn regular(opened: rustix::io::Result<OwnedFd>) -> io::Result<File> {
    let file = match opened {
        Ok(file) => File::from(file),
        Err(Errno::LOOP) => return Err(io::Error::other("it is a link")),
        Err(Errno::NXIO) => {
            return Err(io::Error::other("it is a socket or a device, and no file"));
        }
        Err(error) => return Err(error.into()),
    };
    let kind = file.metadata()?.file_type();
    match kind.is_file() {
        true => Ok(file),
        false => {
            let what = format!("it is {}, and no file", kind_in_words(kind));
            Err(io::Error::other(what))
        }
    }
}

fn kind_in_words(kind: FileType) -> &'static str {
    if kind.is_dir() {
        "a folder"
    } else if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn only_files_are_opened_and_nothing_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "text").unwrap();
        symlink("file", at("link")).unwrap();
        let made = std::process::Command::new("mkfifo")
            .arg(at("pipe"))
            .status();
        assert!(made.unwrap().success());
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        let said = |path: &Path| open(path).map(|_| ()).map_err(|error| error.to_string());
        assert_eq!(said(&at("file")), Ok(()));
        assert_eq!(said(&at("link")), Err("it is a link".into()));
        assert_eq!(
            said(&at("pipe")),
            Err("it is a named pipe, and no file".into())
        );
        assert_eq!(
            said(folder.path()),
            Err("it is a folder, and no file".into())
        );
        assert_eq!(
            said(Path::new("/dev/zero")),
            Err("it is a device, and no file".into())
        );
        assert!(said(&at("socket")).is_err());
        let said = |path: &Path| {
            open_or_make(path)
                .map(|_| ())
                .map_err(|error| error.to_string())
        };
        assert_eq!(said(&at("link")), Err("it is a link".into()));
        assert_eq!(
            said(&at("pipe")),
            Err("it is a named pipe, and no file".into())
        );
        assert_eq!((said(&at("file")), said(&at("new"))), (Ok(()), Ok(())));
        let made = std::fs::metadata(at("new")).unwrap();
        assert_eq!(made.permissions().mode() & 0o777, 0o600);
        let (bytes, length) = read(open(&at("file")).unwrap(), 2).unwrap();
        assert_eq!((bytes.as_slice(), length), (&b"te"[..], 4));
    }

    #[test]
    fn a_link_anywhere_on_the_way_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(folder.join("real/deep")).unwrap();
        std::fs::write(folder.join("real/deep/file"), "text").unwrap();
        symlink("real", folder.join("link")).unwrap();
        open_without_links(&folder.join("real/deep/file")).unwrap();
        let refused = open_without_links(&folder.join("link/deep/file")).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "`link` is a link or a file, not a folder"
        );
        assert!(super::folder(&folder.join("link/new"), true).is_err());
        assert!(super::folder(&folder.join("real/new/er"), false).is_err());
        super::folder(&folder.join("real/new/er"), true).unwrap();
        let mode = |path: &str| {
            let what = std::fs::metadata(folder.join(path)).unwrap();
            what.permissions().mode() & 0o777
        };
        assert_eq!((mode("real/new"), mode("real/new/er")), (0o700, 0o700));
    }

    #[test]
    fn links_are_followed_outside_of_a_directory() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(folder.join("work/real")).unwrap();
        for (target, link) in [
            ("work", "same"),
            ("../same/real", "work/inner"),
            ("same/inner", "into"),
            ("work/../same/..", "back"),
            ("circle", "circle"),
        ] {
            symlink(target, folder.join(link)).unwrap();
        }
        symlink(&folder, folder.join("whole")).unwrap();
        let followed = |path: &str| {
            let followed = followed_outside(&folder.join(path), &folder.join("work")).ok()?;
            Some(followed.strip_prefix(&folder).unwrap().to_owned())
        };
        for (path, leads_to) in [
            ("work/real/new", "work/real/new"),
            ("same/inner/new", "work/inner/new"),
            ("into", "work/inner"),
            ("back/gone/new", "gone/new"),
            ("whole/whole/same", "work"),
        ] {
            assert_eq!(
                followed(path).as_deref(),
                Some(Path::new(leads_to)),
                "{path}"
            );
        }
        assert_eq!(followed("circle/new"), None);
    }
}
