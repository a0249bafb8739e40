//! The files beside a store: the lock, the WAL, the memory that readers share.

use std::ffi::OsStr;
use std::fs::{File, Metadata, OpenOptions, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, OFlags, accessat};

use crate::error::{Error, StorageError};
use crate::system::holder;
use crate::system::room::{self, Shortage};
use waynote_files::followed;

/// The suffixes of the files that SQLite itself makes beside a store.
const OF_ENGINE: [&str; 3] = ["-wal", "-shm", "-journal"];

/// The file beside a store with this suffix.
pub(in crate::sqlite) fn beside(store: &Path, suffix: impl AsRef<OsStr>) -> PathBuf {
    let mut path = store.as_os_str().to_owned();
    path.push(suffix);
    path.into()
}

/// Opens the lock of a store, or makes it. A link in its place is not followed.
pub(in crate::sqlite::file) fn open_lock(lock: &Path, store: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).custom_flags(guarded()?);
    let opened = match options.open(lock) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            match options.create_new(true).mode(0o600).open(lock) {
                Ok(file) => {
                    belong_to(store, &file);
                    return Ok(file);
                }
                // Another process was first.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    options.create_new(false).open(lock)
                }
                Err(error) => Err(error),
            }
        }
        opened => opened,
    };
    let file = opened?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(ErrorKind::InvalidInput.into()),
    }
}

/// Opens the lock of a store to read its records.
pub(in crate::sqlite::file) fn read_lock(lock: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(guarded()?).open(lock)
}

/// The flags for opening a lock: do not follow a link in its place, and do not wait for a pipe.
fn guarded() -> io::Result<i32> {
    let guarded = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    i32::try_from(guarded.bits()).map_err(io::Error::other)
}

/// Gives a new lock the store's owner, and makes it writable for those who may write the store. Best effort: only root
/// may give files away, and the user that made the lock can use it.
fn belong_to(store: &Path, lock: &File) {
    let (Ok(store), Ok(made)) = (std::fs::metadata(store), lock.metadata()) else {
        return;
    };
    let is_same = (store.uid(), store.gid()) == (made.uid(), made.gid());
    if is_same || fchown(lock, Some(store.uid()), Some(store.gid())).is_ok() {
        // Readers of the store get no access: even a lock that is only readable could keep the writers out.
        let writers = store.mode() & 0o222;
        let _ = lock.set_permissions(Permissions::from_mode(writers << 1 | writers | 0o600));
    }
}

/// The error of a lock that cannot be opened. `store` is the name that the user gave.
pub(in crate::sqlite::file) fn refused(store: &Path, lock: &Path, error: &io::Error) -> Error {
    let path = store.to_owned();
    if let Some(lack) = room::of_error(error) {
        return no_room(path, lack);
    }
    let file = std::fs::metadata(followed(store)).ok();
    match file.and_then(|file| problem(lock, &file)) {
        Some(other_owner) => StorageError::SideFile {
            path,
            file: lock.to_owned(),
            other_owner,
        }
        .into(),
        None => Error::read_only(path, error.to_string()),
    }
}

/// The error of a store that the engine cannot open because of a file that the engine made beside it.
pub(in crate::sqlite) fn denied(store: &Path) -> Option<Error> {
    let real = followed(store);
    let file = std::fs::metadata(&real).ok()?;
    OF_ENGINE.iter().find_map(|suffix| {
        let beside = beside(&real, suffix);
        let other_owner = problem(&beside, &file)?;
        let error = StorageError::SideFile {
            path: store.to_owned(),
            file: beside,
            other_owner,
        };
        Some(error.into())
    })
}

/// The owners of a file beside a store and of the store, if another user's program made it; none in it for what is no
/// regular file. None: it can be used.
fn problem(beside: &Path, store: &Metadata) -> Option<Option<(u32, u32, u32)>> {
    let found = std::fs::symlink_metadata(beside).ok()?;
    if !found.is_file() {
        return Some(None);
    }
    let is_another_ones = found.uid() != store.uid() && !is_writable(beside);
    is_another_ones.then(|| Some((found.uid(), store.uid(), store.gid())))
}

/// True if this process may write a file or a folder.
fn is_writable(path: &Path) -> bool {
    accessat(CWD, path, Access::WRITE_OK, AtFlags::EACCESS).is_ok()
}

/// The processes that have a store open, but for this one: each holds a lock on the memory that readers share.
pub(in crate::sqlite) fn open_in(store: &Path) -> Vec<u32> {
    let shared = std::fs::metadata(beside(store, "-shm"));
    let mut processes = shared.map_or_else(|_| Vec::new(), |file| holder::all_of_bytes(&file));
    processes.retain(|process| *process != std::process::id());
    processes
}

/// The error of a store whose files cannot grow; none when they can.
pub(in crate::sqlite) fn not_growing(store: &Path) -> Option<Error> {
    let real = followed(store);
    let longest = ["", "-wal", "-shm"]
        .iter()
        .filter_map(|suffix| Some(std::fs::metadata(beside(&real, suffix)).ok()?.len()))
        .max();
    let lack = room::lack(real.parent()?, longest.unwrap_or(0))?;
    Some(no_room(store.to_owned(), lack))
}

/// The error for a lack of room.
pub(in crate::sqlite::file) fn no_room(path: PathBuf, lack: Shortage) -> Error {
    match lack {
        Shortage::Disk => Error::DiskFull { path },
        Shortage::Quota => StorageError::QuotaExceeded { path }.into(),
        Shortage::FileSize => StorageError::FileSizeLimit { path }.into(),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn store(folder: &Path) -> (PathBuf, PathBuf) {
        let store = folder.join("notes.db");
        std::fs::write(&store, "").unwrap();
        (store.clone(), beside(&store, "-lock"))
    }

    #[test]
    fn a_lock_is_for_those_who_may_write_the_store() {
        let folder = tempfile::tempdir().unwrap();
        for (of_store, of_lock) in [(0o600, 0o600), (0o644, 0o600), (0o664, 0o660)] {
            let (store, lock) = store(folder.path());
            std::fs::set_permissions(&store, Permissions::from_mode(of_store)).unwrap();
            let file = open_lock(&lock, &store).unwrap();
            assert_eq!(file.metadata().unwrap().mode() & 0o777, of_lock);
            std::fs::remove_file(&lock).unwrap();
        }
    }

    #[test]
    fn what_is_no_file_is_not_opened_as_a_lock() {
        let folder = tempfile::tempdir().unwrap();
        let (store, lock) = store(folder.path());
        let victim = folder.path().join("victim");
        let said = || {
            let error = open_lock(&lock, &store).unwrap_err();
            let said = refused(&store, &lock, &error).to_string();
            said.replace(folder.path().to_str().unwrap(), "FOLDER")
        };
        const REFUSED: &str =
            "the store FOLDER/notes.db cannot be used: FOLDER/notes.db-lock is not a regular file";
        symlink(&victim, &lock).unwrap();
        assert_eq!(said(), REFUSED);
        assert!(!victim.exists());
        std::fs::write(&victim, "").unwrap();
        assert_eq!(said(), REFUSED);
        std::fs::remove_file(&lock).unwrap();
        std::fs::create_dir(&lock).unwrap();
        assert_eq!(said(), REFUSED);
    }
}
