//! Reading a file that others write in place, and replacing it without losing what they wrote meanwhile.
//!
//! The two files are exchanged atomically: the new one takes the name, and the old one, now under the new one's name,
//! is compared with what was read. A program that writes in place truncates the file when it opens it and may still be
//! writing when it is replaced. Then the old file is empty or cut off, and is read again, because that program goes on
//! writing there. No old file is removed before it is known to hold nothing new.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use waynote::note::micros;
use waynote::{Error, Result};
use waynote_files::{
    lock as file_lock, make_folder, make_private, open_regular, read_up_to, take_after,
};

use super::notes_file::{NotesFile, damaged};
use crate::source::MAX_SOURCE;

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
pub(crate) type Fingerprint = Vec<u8>;

/// The fingerprint of a file; none when there is none.
pub(crate) fn fingerprint(path: &Path) -> Option<Fingerprint> {
    fs::metadata(path).ok().map(|file| fingerprint_of(&file))
}

fn fingerprint_of(file: &Metadata) -> Fingerprint {
    let (seconds, nanos) = (file.mtime(), file.mtime_nsec());
    format!("{} {seconds}.{nanos} {}", file.len(), file.ino()).into_bytes()
}

/// Pause between two attempts to read a file that another program may be writing.
const RETRY_INTERVAL: Duration = Duration::from_millis(2);

/// How long a process waits for another that exchanges the same file.
const LOCK_WAIT: Duration = Duration::from_secs(10);

/// How often to try again when a file is empty or cannot be read, because another program may be writing it: 10 ms for
/// a reader, as a prompt may be waiting, and a tenth of a second for a writer.
pub(crate) const READER_RETRIES: usize = 5;
pub(crate) const WRITER_RETRIES: usize = 50;

/// How often to begin again when others write the file or the store at the same time.
pub(crate) const ROUNDS: usize = 50;

/// The error of a writer who began again too often.
pub(crate) fn busy(path: &Path) -> Error {
    let busy = io::Error::other("other programs keep writing it");
    Error::file(path, "brought up to date", busy)
}

pub(crate) fn remove(path: &Path) -> Result<()> {
    fs::remove_file(path).map_err(|error| Error::file(path, "removed", error))
}

/// Locks the file for writing, against every process of every store that is kept in sync with it; its folder is made
/// when it is not there. The lock is on the folder, so that no lock file is left behind.
pub(crate) fn lock(path: &Path) -> Result<File> {
    let folder = folder(path);
    let locked = make_folder(folder, 0o700)
        .and_then(|()| file_lock::within(LOCK_WAIT, || File::open(folder)))
        .and_then(|locked| locked.ok_or_else(|| ErrorKind::TimedOut.into()));
    locked.map_err(|error| Error::file(path, "written", error))
}

fn folder(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("/"))
}

/// Reads the file; none when there is none. One that is empty or cannot be read is read again for a while.
pub(crate) fn read(path: &Path, retries: usize) -> Result<Option<FileContents>> {
    for _ in 0..retries {
        match try_read(path) {
            Ok(None) => return Ok(None),
            Ok(Some(file)) if !file.bytes.is_empty() => return Ok(Some(file)),
            _ => std::thread::sleep(RETRY_INTERVAL),
        }
    }
    try_read(path)
}

/// Reads the file as it is; none when there is none.
pub(super) fn try_read(path: &Path) -> Result<Option<FileContents>> {
    let refused = |error| Error::file(path, "read", error);
    let (file, found) = match open_regular(path, true) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        // It is no file.
        Err(error) if error.kind() == ErrorKind::Other => {
            return Err(damaged(path, None, error.to_string()).into());
        }
        opened => opened.map_err(refused)?,
    };
    let bytes = read_up_to(file, MAX_SOURCE).map_err(refused)?;
    let written_at = found.modified().map_err(refused)?;
    Ok(Some(FileContents {
        notes: NotesFile::read(&bytes, path)?,
        bytes,
        written_at: micros(Timestamp::try_from(written_at).unwrap_or_default()),
        fingerprint: fingerprint_of(&found),
    }))
}

/// Replaces the file, which held `expected` when it was read (none: there was no file), with a text. None if another
/// program wrote meanwhile: then nothing is replaced, or what it wrote is left over beside the file. The caller holds
/// the file's [`lock`].
///
/// # Errors
/// [`Error::File`] when it cannot be.
pub(crate) fn replace(
    path: &Path,
    text: &[u8],
    expected: Option<&[u8]>,
) -> Result<Option<Fingerprint>> {
    let new = free_name(path);
    let replaced = write_new(path, &new, text).and_then(|ours| {
        let displaced = match expected {
            Some(_) => Some(swap(&new, path)?),
            None => {
                // A link replaces nothing.
                fs::hard_link(&new, path)?;
                fs::remove_file(&new)?;
                None
            }
        };
        // The name must be on disk before anything says that the file holds the text.
        File::open(folder(path))?.sync_all()?;
        Ok((ours, displaced))
    });
    let (ours, displaced) = match replaced {
        Ok(replaced) => replaced,
        Err(error) => {
            let _ = fs::remove_file(&new);
            return match error.kind() {
                ErrorKind::NotFound | ErrorKind::AlreadyExists => Ok(None),
                _ => Err(Error::file(path, "written", error)),
            };
        }
    };
    let Some(displaced) = displaced else {
        return Ok(Some(ours));
    };
    // An empty one is about to be written.
    match fs::read(&displaced) {
        Ok(bytes) if !bytes.is_empty() && expected == Some(&*bytes) => {
            remove(&displaced).map(|()| Some(ours))
        }
        _ => Ok(None),
    }
}

/// Writes the text to a new file beside the old one, with its mode and owner.
fn write_new(path: &Path, new: &Path, text: &[u8]) -> io::Result<Fingerprint> {
    let before = fs::metadata(path).ok();
    // The folder would let us, but its owner made the file read-only.
    if before
        .as_ref()
        .is_some_and(|of| of.permissions().readonly())
    {
        return Err(io::Error::other("it is read-only"));
    }
    let mut file = make_private(new)?;
    file.write_all(text)?;
    if let Some(before) = &before {
        take_after(&file, before)?;
    }
    file.sync_data()?;
    Ok(fingerprint_of(&file.metadata()?))
}

/// Exchanges two files in one step: the path of the old one. Where the file system cannot, a file that another program
/// puts in its place between two steps is missed.
fn swap(new: &Path, path: &Path) -> io::Result<PathBuf> {
    match renameat_with(CWD, new, CWD, path, RenameFlags::EXCHANGE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            let aside = free_name(path);
            fs::hard_link(path, &aside)?;
            fs::rename(new, path)?;
            Ok(aside)
        }
        exchanged => Ok(exchanged.map(|()| new.to_owned())?),
    }
}

fn prefix(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    format!(".{name}.waynote-")
}

/// A path beside the file that is free: a leftover keeps its name. The caller holds the file's [`lock`].
fn free_name(path: &Path) -> PathBuf {
    let beside = |number| path.with_file_name(format!("{}{number}", prefix(path)));
    let is_free = |path: &PathBuf| path.symlink_metadata().is_err();
    (0..u32::MAX).map(beside).find(is_free).unwrap_or_default()
}

/// Files that earlier replacements left beside this one: texts that could not be read then, or that were not read
/// because the process was killed. The caller holds the file's [`lock`], so no other process of waynote is writing
/// them.
pub(crate) fn leftovers(path: &Path) -> Vec<PathBuf> {
    let prefix = prefix(path);
    let ours = |file: &fs::DirEntry| {
        let name = file.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix(&prefix));
        number.is_some_and(|number| number.parse::<u32>().is_ok())
            && file.file_type().is_ok_and(|kind| kind.is_file())
    };
    let files = fs::read_dir(folder(path)).into_iter().flatten().flatten();
    let mut left: Vec<PathBuf> = files.filter(ours).map(|file| file.path()).collect();
    left.sort();
    left
}

/// True if the last write to a file is ten seconds ago, so that its writer has finished.
pub(crate) fn is_settled(path: &Path) -> bool {
    const A_WHILE: Duration = Duration::from_secs(10);
    let modified = fs::metadata(path).and_then(|file| file.modified());
    modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > A_WHILE))
}
