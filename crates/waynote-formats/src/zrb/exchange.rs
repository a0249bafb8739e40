//! Reading a file that others write in place, and replacing it without losing what they wrote meanwhile.
//!
//! The two files are exchanged atomically: the new one takes the name, and the old one, now under the new one's name,
//! is compared with what was read. A program that writes in place truncates the file when it opens it and may still be
//! writing when it is replaced. Then the old file is empty or cut off, and is read again, because that program goes on
//! writing there. No old file is removed before it is known to hold nothing new.

use std::fs::{DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use rustix::fs::{Access, CWD, RenameFlags, access, renameat_with};
use rustix::io::Errno;

use waynote::note::micros;
use waynote::{Error, Result};
use waynote_files::lock as file_lock;
use waynote_files::{make_private, take_after};

use super::notes_file::{NotesFile, bytes};
use crate::error::FormatError;

/// The contents of a file.
#[derive(Clone, Debug)]
pub(crate) struct FileContents {
    pub(crate) notes: NotesFile,
    pub(crate) bytes: Vec<u8>,
    /// When it was last written.
    pub(crate) written_at: Timestamp,
    pub(crate) fingerprint: Fingerprint,
}

/// Size, time and inode of a file, which differ when another program has written it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    bytes: u64,
    /// In microseconds.
    written: i64,
    inode: u64,
}

impl Fingerprint {
    fn of(file: &std::fs::Metadata) -> Self {
        Self {
            bytes: file.len(),
            written: modified(file).as_microsecond(),
            inode: file.ino(),
        }
    }

    /// The fingerprint of a file; none when there is none.
    pub(crate) fn at(path: &Path) -> Option<Self> {
        std::fs::metadata(path).ok().map(|file| Self::of(&file))
    }

    /// Its three numbers, as a store keeps them.
    pub(crate) fn to_bytes(self) -> Vec<u8> {
        format!("{} {} {}", self.bytes, self.written, self.inode).into_bytes()
    }

    /// From [`to_bytes`](Self::to_bytes); none for anything else.
    pub(crate) fn stored(bytes: &[u8]) -> Option<Self> {
        let mut numbers = std::str::from_utf8(bytes).ok()?.split(' ');
        Some(Self {
            bytes: numbers.next()?.parse().ok()?,
            written: numbers.next()?.parse().ok()?,
            inode: numbers.next()?.parse().ok()?,
        })
    }
}

/// Pause between two attempts to read a file that another program may be writing.
const RETRY_INTERVAL: Duration = Duration::from_millis(2);

/// How long a process waits for another that exchanges the same file.
const LOCK_WAIT: Duration = Duration::from_secs(10);

/// How often to try again when a file cannot be read, because another program may be writing it: 10 ms for a reader, as
/// a prompt may be waiting, and a tenth of a second for a writer.
pub(crate) const READER_RETRIES: usize = 5;
pub(crate) const WRITER_RETRIES: usize = 50;

/// How often an empty file that was overwritten is read again, until its program has written it: 50 ms.
const RETRIES_OF_EMPTY: usize = 25;

/// The outcome of replacing the file.
pub(crate) enum ReplaceOutcome {
    /// The file holds our text, and held what we had read, or something that cannot be read yet and is left over.
    Clean(Fingerprint),
    /// The file holds our text; another program wrote this meanwhile, and our text overwrote it. It lies beside ours, at
    /// this path, until it is [removed](remove): once all that is new in it is kept.
    Overwrote(FileContents, PathBuf, Fingerprint),
    /// There was no file when we looked, and there is one now; nothing was written.
    FileAppeared,
}

pub(crate) fn remove(path: &Path) -> Result<()> {
    std::fs::remove_file(path).map_err(|error| Error::file(path, "removed", error))
}

/// Locks the file for writing, against every process of every store that is kept in sync with it; its folder is made
/// when it is not there. The lock is on the folder, so that no lock file is left behind.
pub(crate) fn lock(path: &Path) -> Result<File> {
    let folder = folder(path);
    let refused = |error: io::Error| Error::file(path, "written", error);
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(refused)?;
    let locked = file_lock::within(LOCK_WAIT, || File::open(folder)).map_err(refused)?;
    locked.ok_or_else(|| refused(io::Error::from(io::ErrorKind::TimedOut)))
}

fn folder(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("/"))
}

/// Reads the file; none when there is none. One that cannot be read as notes is read again for a while: another program
/// may be writing it.
pub(crate) fn read(path: &Path, most: usize) -> Result<Option<FileContents>> {
    let mut retries = 0;
    loop {
        match try_read(path) {
            Err(error) if is_half_written(&error) && retries < most => {
                retries += 1;
                std::thread::sleep(RETRY_INTERVAL);
            }
            other => return other,
        }
    }
}

/// True if a file may be readable once the program that writes it has finished.
fn is_half_written(error: &Error) -> bool {
    let format = error.downcast_ref();
    matches!(format, Some(FormatError::DamagedFile { line: Some(_), .. }))
}

fn try_read(path: &Path) -> Result<Option<FileContents>> {
    let file = match std::fs::metadata(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::file(path, "read", error)),
    };
    let Some(bytes) = bytes(path)? else {
        return Ok(None);
    };
    let notes = NotesFile::read(&bytes, path)?;
    Ok(Some(FileContents {
        notes,
        bytes,
        written_at: modified(&file),
        fingerprint: Fingerprint::of(&file),
    }))
}

fn modified(file: &std::fs::Metadata) -> Timestamp {
    let nanos = i32::try_from(file.mtime_nsec()).unwrap_or(0);
    micros(Timestamp::new(file.mtime(), nanos).unwrap_or(Timestamp::UNIX_EPOCH))
}

/// Replaces the file, which held `expected` when it was read (none: there was no file), with a text. The caller holds
/// its [`lock`].
///
/// # Errors
/// [`Error::File`] when it cannot be.
pub(crate) fn replace(path: &Path, text: &[u8], expected: Option<&[u8]>) -> Result<ReplaceOutcome> {
    let refused = |error: io::Error| Error::file(path, "written", error);
    let (beside, ours) = write_beside(path, text).map_err(refused)?;
    let swapped = match expected {
        None => Err(Errno::NOENT),
        Some(_) => swap(&beside, path),
    };
    // There is no file, or there is none any more.
    let appeared = match swapped {
        Err(Errno::NOENT) => move_to_free(&beside, path).map(|moved| !moved),
        swapped => swapped.map_err(io::Error::from).map(|()| false),
    };
    match appeared {
        Ok(appeared) => {
            // The name must be on disk before anything says that the file holds the text.
            File::open(folder(path))
                .and_then(|folder| folder.sync_all())
                .map_err(refused)?;
            match (appeared, expected) {
                (true, _) => remove(&beside).map(|()| ReplaceOutcome::FileAppeared),
                (false, Some(expected)) if beside.exists() => overwritten(&beside, expected, ours),
                (false, _) => Ok(ReplaceOutcome::Clean(ours)),
            }
        }
        Err(error) => {
            let _ = std::fs::remove_file(&beside);
            Err(refused(error))
        }
    }
}

/// Writes the text to a new file beside the old one, with its mode and owner.
fn write_beside(path: &Path, text: &[u8]) -> io::Result<(PathBuf, Fingerprint)> {
    let before = std::fs::metadata(path).ok();
    // The folder would let us, but its owner made the file read-only.
    if before
        .as_ref()
        .is_some_and(|before| before.permissions().readonly())
    {
        return Err(io::Error::other("it is read-only"));
    }
    if before.is_some() {
        access(path, Access::WRITE_OK)?;
    }
    let mut number = 0;
    let (beside, mut file) = loop {
        let beside = path.with_file_name(format!("{}{number}", prefix(path)));
        match make_private(&beside) {
            Ok(file) => break (beside, file),
            // A leftover that cannot be read yet keeps its name.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error),
        }
    };
    let written = file.write_all(text).and_then(|()| {
        if let Some(before) = before {
            take_after(&file, &before)?;
        }
        file.sync_data()?;
        Ok(Fingerprint::of(&file.metadata()?))
    });
    match written {
        Ok(written) => Ok((beside, written)),
        Err(error) => {
            let _ = std::fs::remove_file(&beside);
            Err(error)
        }
    }
}

/// Exchanges two files in one step. Where the file system cannot, the old one is copied aside first:
/// writes in between are then missed.
fn swap(beside: &Path, path: &Path) -> std::result::Result<(), Errno> {
    match renameat_with(CWD, beside, CWD, path, RenameFlags::EXCHANGE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            let mut aside = beside.as_os_str().to_owned();
            aside.push(OLD);
            let aside = PathBuf::from(aside);
            let errno = |error: io::Error| Errno::from_io_error(&error).unwrap_or(Errno::IO);
            std::fs::hard_link(path, &aside)
                .or_else(|_| std::fs::copy(path, &aside).map(|_| ()))
                .map_err(errno)?;
            std::fs::rename(beside, path)
                .and_then(|()| std::fs::rename(&aside, beside))
                .inspect_err(|_| drop(std::fs::remove_file(&aside)))
                .map_err(errno)
        }
        other => other,
    }
}

/// Moves a file to a name that is free; false if it is not.
fn move_to_free(beside: &Path, path: &Path) -> io::Result<bool> {
    match renameat_with(CWD, beside, CWD, path, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(true),
        Err(Errno::EXIST) => Ok(false),
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) if path.exists() => Ok(false),
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            std::fs::rename(beside, path).map(|()| true)
        }
        Err(error) => Err(error.into()),
    }
}

/// Reads the overwritten file, with retries. An unreadable one stays in its place for the next write: the program that
/// has it open goes on writing there.
fn overwritten(beside: &Path, expected: &[u8], ours: Fingerprint) -> Result<ReplaceOutcome> {
    for retries in 0..WRITER_RETRIES {
        match try_read(beside) {
            // An empty file is about to be written.
            Ok(Some(file)) if file.bytes.is_empty() => {
                if retries >= RETRIES_OF_EMPTY {
                    return Ok(ReplaceOutcome::Clean(ours));
                }
            }
            Ok(Some(file)) if file.bytes == expected => {
                return remove(beside).map(|()| ReplaceOutcome::Clean(ours));
            }
            Ok(Some(file)) => {
                return Ok(ReplaceOutcome::Overwrote(file, beside.to_owned(), ours));
            }
            Ok(None) => return Ok(ReplaceOutcome::Clean(ours)),
            Err(_) => {}
        }
        std::thread::sleep(RETRY_INTERVAL);
    }
    Ok(ReplaceOutcome::Clean(ours))
}

/// Ends the name of a copy that is made where files cannot be exchanged.
const OLD: &str = "-old";

/// Removes settled, empty leftovers of a file that no store is kept in sync with.
pub(super) fn remove_empty_leftovers(path: &Path) {
    for file in leftovers(path) {
        if std::fs::metadata(&file).is_ok_and(|file| file.len() == 0) && is_settled(&file) {
            let _ = std::fs::remove_file(&file);
        }
    }
}

fn prefix(path: &Path) -> String {
    format!(
        ".{}.waynote-",
        path.file_name().unwrap_or_default().to_string_lossy()
    )
}

/// Files that earlier replacements left beside this one: texts that could not be read then, or that were not read
/// because the process was killed. The caller holds the file's [`lock`], so no other process of waynote is writing
/// them.
pub(crate) fn leftovers(path: &Path) -> Vec<PathBuf> {
    let prefix = prefix(path);
    let Ok(files) = std::fs::read_dir(folder(path)) else {
        return Vec::new();
    };
    let ours = |file: &std::fs::DirEntry| {
        let name = file.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix(&prefix));
        let number = number.map(|number| number.strip_suffix(OLD).unwrap_or(number));
        number.is_some_and(|number| number.parse::<u32>().is_ok())
            && file.file_type().is_ok_and(|kind| kind.is_file())
    };
    let mut left: Vec<PathBuf> = files
        .flatten()
        .filter(ours)
        .map(|file| file.path())
        .collect();
    left.sort();
    left
}

/// True if the last write to a file is ten seconds ago, so that its writer has finished.
pub(crate) fn is_settled(path: &Path) -> bool {
    const A_WHILE: Duration = Duration::from_secs(10);
    let modified = std::fs::metadata(path).and_then(|file| file.modified());
    modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > A_WHILE))
}
