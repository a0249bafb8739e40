//! Replacing a file in one step: the attributes that the new file takes over, and the target of a link.

use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::SystemTime;

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
    Ok(file)
}

/// Puts a file that only its owner can read and write in the place of another, in one step: a reader sees the one or
/// the other. It counts as written at `at`, if that is given.
///
/// # Errors
/// The [`std::io::Error`] of the system.
pub fn replace_private(path: &Path, content: &[u8], at: Option<SystemTime>) -> io::Result<()> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let new = path.with_extension(format!("{}-{number}.new", std::process::id()));
    // One of a process that had the same number and was killed.
    let _ = fs::remove_file(&new);
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

/// The content of a regular file, up to a number of bytes; links are followed. No other kind of file is opened: a
/// device has no end, and a pipe blocks the reader.
///
/// # Errors
/// The [`std::io::Error`] when it cannot be read, is no regular file or is longer, even if it grew meanwhile.
pub fn contents(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let found = std::fs::metadata(path)?;
    if !found.is_file() {
        return Err(io::Error::other(match found.is_dir() {
            true => "it is a directory",
            false => "it is no regular file",
        }));
    }
    let mut bytes = Vec::new();
    if found.len() <= most {
        File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    }
    if found.len().max(bytes.len() as u64) > most {
        let reason = format!("it is larger than {} MiB", most >> 20);
        return Err(io::Error::other(reason));
    }
    Ok(bytes)
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

/// The real path of a directory, if it differs and is UTF-8; none if the directory does not exist.
pub fn real(directory: &str) -> Option<String> {
    let real = std::fs::canonicalize(directory).ok()?;
    let real = real.into_os_string().into_string().ok()?;
    (real != directory).then_some(real)
}

#[cfg(test)]
mod tests {
    use super::*;

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
