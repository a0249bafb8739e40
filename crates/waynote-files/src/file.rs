//! Replacing a file in one step: the attributes that the new file takes over, and the target of a link.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{
    DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown, lchown,
};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::SystemTime;

use rustix::fs::OFlags;
use unicode_normalization::UnicodeNormalization;

/// Gives a new file the owner and the mode of the file that it will replace.
///
/// # Errors
/// The [`std::io::Error`] if this user may not give files away: the owner of the old file could not use the new one.
pub fn take_after(new: &File, old: &Metadata) -> io::Result<()> {
    let now = new.metadata()?;
    if (now.uid(), now.gid()) != (old.uid(), old.gid()) {
        fchown(new, Some(old.uid()), Some(old.gid()))?;
    }
    // The mode is set after the owner: the system clears some modes when the owner changes.
    new.set_permissions(Permissions::from_mode(old.mode() & 0o7777))
}

/// Makes a folder with this mode, and those above it that are missing. What root makes in another user's folder belongs
/// to that user: else the first write of root in a home would keep its owner out.
///
/// # Errors
/// The [`std::io::Error`] of the system.
pub fn make_folder(path: &Path, mode: u32) -> io::Result<()> {
    if path.as_os_str().is_empty() || path.is_dir() {
        return Ok(());
    }
    if let Some(above) = path.parent() {
        make_folder(above, mode)?;
    }
    match DirBuilder::new().mode(mode).create(path) {
        Ok(()) => belong_to_folder(path),
        // Another process was first.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        Err(error) => Err(error),
    }
}

/// Gives a new file or folder of root to the owner of the folder that it is in.
///
/// # Errors
/// The [`std::io::Error`] of the system.
pub fn belong_to_folder(path: &Path) -> io::Result<()> {
    const ROOT: u32 = 0;
    let made = fs::symlink_metadata(path)?;
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = fs::metadata(folder.unwrap_or(Path::new(".")))?;
    match made.uid() == ROOT && folder.uid() != ROOT {
        true => lchown(path, Some(folder.uid()), Some(folder.gid())),
        false => Ok(()),
    }
}

/// Makes a file that only its owner can read and write. Anything in its place is refused, a link too.
///
/// # Errors
/// The [`std::io::Error`] of the system.
pub fn make_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let file = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    // The mask of the process may take rights away, and never adds any.
    file.set_permissions(Permissions::from_mode(0o600))?;
    belong_to_folder(path)?;
    Ok(file)
}

/// Puts a file that only its owner can read and write in the place of another, in one step: a reader sees the one or
/// the other. It counts as written at `at`, if that is given.
///
/// # Errors
/// The [`std::io::Error`] of the system.
pub fn replace_private(path: &Path, content: &[u8], at: Option<SystemTime>) -> io::Result<()> {
    let new = beside(path);
    let written = make_private(&new).and_then(|mut file| {
        file.write_all(content)?;
        at.map_or(Ok(()), |at| file.set_modified(at))
    });
    let done = written.and_then(|()| fs::rename(&new, path));
    if done.is_err() {
        let _ = fs::remove_file(&new);
    }
    done
}

/// The content of a regular file, up to a number of bytes; links are followed.
///
/// # Errors
/// Those of [`open_regular`] and [`read_up_to`].
pub fn contents(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_up_to(&open_regular(path, true)?.0, most)
}

/// Opens a regular file for reading. No other kind of file is opened: a device has no end, and a pipe blocks the reader.
///
/// # Errors
/// The [`std::io::Error`] when it cannot be opened, is no regular file, or is a link and `follows` is false.
pub fn open_regular(path: &Path, follows: bool) -> io::Result<(File, Metadata)> {
    let found = match follows {
        true => fs::metadata(path)?,
        false => fs::symlink_metadata(path)?,
    };
    ensure_regular(&found)?;
    let mut flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    flags.set(OFlags::NOFOLLOW, !follows);
    let mut options = OpenOptions::new();
    let file = options
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)?;
    // If it is another one by now, it did not block.
    let found = file.metadata()?;
    ensure_regular(&found)?;
    Ok((file, found))
}

fn ensure_regular(file: &Metadata) -> io::Result<()> {
    if file.is_file() {
        return Ok(());
    }
    Err(io::Error::other(match file.is_dir() {
        true => "it is a directory",
        false => "it is no regular file",
    }))
}

/// What a reader gives to its end, up to a number of bytes.
///
/// # Errors
/// The [`std::io::Error`] when it cannot be read or gives more.
pub fn read_up_to(from: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let reason = format!("it is larger than {} MiB", most >> 20);
        return Err(io::Error::other(reason));
    }
    Ok(bytes)
}

/// Puts a text into a file at a path inside a folder, in one step; false if the file holds it already. Missing folders
/// are made. A link on the way is followed inside the folder, and never out of it.
///
/// # Errors
/// The [`std::io::Error`] of the system, and when a link leads out or something else than a file is in its place.
pub fn put_inside(folder: &Path, inside: &Path, content: &[u8]) -> io::Result<bool> {
    let root = fs::canonicalize(folder)?;
    let mut path = root.clone();
    let leads_out = || io::Error::other(format!("a link leads out of {}", folder.display()));
    let mut parts = inside.components().peekable();
    while let Some(part) = parts.next() {
        if !matches!(part, Component::Normal(_)) {
            return Err(leads_out());
        }
        path.push(part);
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_symlink() => path = fs::canonicalize(&path)?,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound && parts.peek().is_some() => {
                fs::create_dir(&path)?;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        if !path.starts_with(&root) || path == root {
            return Err(leads_out());
        }
    }
    let old = match open_regular(&path, false) {
        Ok((file, found)) if found.len() == content.len() as u64 => {
            if read_up_to(file, found.len())? == content {
                return Ok(false);
            }
            Some(found)
        }
        Ok((_, found)) => Some(found),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let new = beside(&path);
    let mut options = OpenOptions::new();
    let mut file = options.write(true).create_new(true).open(&new)?;
    let written = file.write_all(content).and_then(|()| {
        if let Some(old) = old {
            take_after(&file, &old)?;
        }
        file.sync_all()?;
        fs::rename(&new, &path)
    });
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
    written.map(|()| true)
}

/// A name beside a file, for the new one that will replace it.
fn beside(path: &Path) -> PathBuf {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let new = path.with_extension(format!("{}-{number}.new", std::process::id()));
    // One of a process that had the same number and was killed.
    let _ = fs::remove_file(&new);
    new
}

/// The path with links followed, even if the target does not exist yet.
pub fn followed(file: &Path) -> PathBuf {
    const MAX_LINKS: usize = 40;
    let mut path = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    for _ in 0..MAX_LINKS {
        if let Ok(whole) = std::fs::canonicalize(&path) {
            return whole;
        }
        let folder = path.parent().unwrap_or(Path::new("/"));
        match std::fs::read_link(&path) {
            Ok(target) => path = folder.join(target),
            Err(_) => break,
        }
    }
    let folder = path
        .parent()
        .and_then(|folder| std::fs::canonicalize(folder).ok());
    match (folder, path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path,
    }
}

/// The real path of an absolute one, as far as its directories exist: a file keeps its name. None if that is the path
/// itself, or not UTF-8.
pub fn real(path: &str) -> Option<String> {
    let spelled = spelled(path.into());
    let directory = spelled.ancestors().find(|of| of.is_dir())?;
    let below = spelled.strip_prefix(directory).ok()?;
    let real = std::fs::canonicalize(directory).ok()?;
    let real = match below.as_os_str().is_empty() {
        true => real,
        false => real.join(below),
    };
    let real = real.into_os_string().into_string().ok()?;
    (real != path).then_some(real)
}

/// A path as the file system spells it: an accent is one character or two, and some file systems take these for two names.
pub fn spelled(path: PathBuf) -> PathBuf {
    let is_plain = path.as_os_str().is_ascii();
    if is_plain || path.symlink_metadata().is_ok() {
        return path;
    }
    let (Some(above), Some(name)) = (path.parent(), path.file_name().and_then(OsStr::to_str))
    else {
        return path;
    };
    let above = spelled(above.to_owned());
    let is_named = |entry: &OsString| {
        entry
            .to_str()
            .is_some_and(|entry| entry.nfc().eq(name.nfc()))
    };
    let mut entries = std::fs::read_dir(&above).into_iter().flatten().flatten();
    let entry = match name.is_ascii() {
        true => None,
        false => entries.find_map(|entry| Some(entry.file_name()).filter(is_named)),
    };
    above.join(entry.as_deref().unwrap_or(OsStr::new(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_real_as_far_as_its_directories_exist() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().canonicalize().unwrap().join(name);
        let text = |name: &str| at(name).into_os_string().into_string().unwrap();
        fs::create_dir_all(at("disk2/shop")).unwrap();
        std::os::unix::fs::symlink(at("disk2"), at("code")).unwrap();
        std::os::unix::fs::symlink("shop", at("disk2/CLAUDE.md")).unwrap();
        fs::write(at("disk2/shop/AGENTS.md"), "").unwrap();
        std::os::unix::fs::symlink("AGENTS.md", at("disk2/shop/CLAUDE.md")).unwrap();
        assert_eq!(real(&text("code/shop")), Some(text("disk2/shop")));
        assert_eq!(
            real(&text("code/shop/new/deep")),
            Some(text("disk2/shop/new/deep"))
        );
        assert_eq!(real(&text("disk2/shop/CLAUDE.md")), None);
        assert_eq!(real(&text("disk2/shop")), None);
    }

    #[test]
    fn a_path_is_found_in_either_spelling() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = ("caf\u{e9}", "cafe\u{301}");
        fs::create_dir_all(folder.path().join(two).join("src")).unwrap();
        let found = spelled(folder.path().join(one).join("src"));
        assert!(found.is_dir(), "{found:?}");
        let new = folder.path().join(two).join("new");
        assert_eq!(spelled(folder.path().join(one).join("new")), new);
    }

    #[test]
    fn only_a_regular_file_is_read_up_to_a_limit() {
        const MOST: u64 = 1 << 20;
        let folder = tempfile::tempdir().unwrap();
        let read = |path: &Path| {
            let read = contents(path, MOST).map(|bytes| format!("{} bytes", bytes.len()));
            read.unwrap_or_else(|error| error.to_string())
        };
        let of = |length: u64| {
            let path = folder.path().join(length.to_string());
            File::create(&path).unwrap().set_len(length).unwrap();
            read(&path)
        };
        assert_eq!(of(0), "0 bytes");
        assert_eq!(of(MOST), "1048576 bytes");
        assert_eq!(of(MOST + 1), "it is larger than 1 MiB");
        assert_eq!(read(folder.path()), "it is a directory");
        assert_eq!(read(Path::new("/dev/zero")), "it is no regular file");
    }

    #[test]
    fn nothing_is_written_through_a_link_that_leads_out() {
        use std::os::unix::fs::symlink;

        let scratch = tempfile::tempdir().unwrap();
        let at = |path: &str| scratch.path().join(path);
        fs::create_dir_all(at("in/real")).unwrap();
        fs::write(at("out"), "mine").unwrap();
        fs::write(at("in/file"), "old").unwrap();
        symlink("../out", at("in/link")).unwrap();
        symlink("..", at("in/up")).unwrap();
        symlink("nowhere", at("in/dangling")).unwrap();
        symlink("file", at("in/inner")).unwrap();
        symlink("real", at("in/folder")).unwrap();
        let fifo = rustix::fs::FileType::Fifo;
        let mode = rustix::fs::Mode::RWXU;
        rustix::fs::mknodat(rustix::fs::CWD, at("in/pipe"), fifo, mode, 0).unwrap();
        let put = |path: &str| {
            let written = put_inside(&at("in"), Path::new(path), b"new");
            written.map_err(|error| {
                error
                    .to_string()
                    .replace(scratch.path().to_str().unwrap(), "")
            })
        };
        for path in ["link", "up/out", "up/new", "up", "real/../../out"] {
            assert_eq!(put(path), Err("a link leads out of /in".into()), "{path}");
        }
        assert!(put("dangling").is_err());
        assert_eq!(put("pipe"), Err("it is no regular file".into()));
        assert_eq!(put("real"), Err("it is a directory".into()));
        assert_eq!(fs::read(at("out")).unwrap(), b"mine");
        for path in ["inner", "folder/a/b", "new"] {
            assert_eq!((put(path), put(path)), (Ok(true), Ok(false)), "{path}");
        }
        assert!(at("in/inner").is_symlink());
        assert_eq!(fs::read(at("in/file")).unwrap(), b"new");
        assert_eq!(fs::read(at("in/real/a/b")).unwrap(), b"new");
    }

    #[test]
    fn what_root_makes_in_a_home_belongs_to_its_owner() {
        const SOMEBODY: u32 = 1234;
        let home = tempfile::tempdir().unwrap();
        if lchown(home.path(), Some(SOMEBODY), Some(SOMEBODY)).is_err() {
            // Only root gives files away.
            return;
        }
        let folder = home.path().join(".local/share/waynote");
        make_folder(&folder, 0o700).unwrap();
        make_folder(&folder, 0o700).unwrap();
        replace_private(&folder.join("file"), b"text", None).unwrap();
        for made in [
            ".local",
            ".local/share",
            ".local/share/waynote",
            ".local/share/waynote/file",
        ] {
            let made = fs::metadata(home.path().join(made)).unwrap();
            assert_eq!((made.uid(), made.gid()), (SOMEBODY, SOMEBODY));
        }
        assert_eq!(fs::metadata(&folder).unwrap().mode() & 0o777, 0o700);
    }

    #[test]
    fn a_new_file_has_the_mode_of_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let make = |name: &str, mode| {
            let file = File::create(folder.path().join(name)).unwrap();
            file.set_permissions(Permissions::from_mode(mode)).unwrap();
            file
        };
        for mode in [0o600, 0o644, 0o4755] {
            let old = make("old", mode).metadata().unwrap();
            let new = make("new", 0o600);
            take_after(&new, &old).unwrap();
            let new = new.metadata().unwrap();
            assert_eq!(new.mode() & 0o7777, mode);
            assert_eq!((new.uid(), new.gid()), (old.uid(), old.gid()));
        }
    }
}
