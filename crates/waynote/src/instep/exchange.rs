//! Reading a file that others write in place, and replacing it without losing what they wrote meanwhile.
//!
//! The exchange is atomic: the new file takes the name, and the old one, now under ours, is compared with what
//! was read. A program that writes in place truncates the file when it opens it and may still be writing when
//! the exchange comes; then the displaced file is empty or cut off, and is waited for, because it goes on
//! writing there.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use super::overlay::FileSide;
use crate::error::{Error, Result};
use crate::formats::zrb::{self, NotesFile};

/// Between two looks at a file that another program may be writing.
const LOOK: Duration = Duration::from_millis(2);

/// How long somebody waits for a file that cannot be read to become readable.
#[derive(Clone, Copy)]
pub(super) enum Patience {
    /// A prompt waits for it: 10 ms.
    Reader,
    /// A quarter of a second.
    Writer,
}

impl Patience {
    fn looks(self) -> usize {
        match self {
            Self::Reader => 5,
            Self::Writer => 125,
        }
    }
}

/// How many looks an empty displaced file gets to be written to: 50 ms.
const LOOKS_AT_EMPTY: usize = 25;

/// What an exchange came to.
pub(crate) enum Put {
    /// The file holds our text, and held what we had read.
    Clean,
    /// The file holds our text; this is what it displaced, which we had not read.
    Displaced(FileSide),
    /// There was no file when we looked, and there is one now; nothing was written.
    Appeared,
}

/// Reads the file; none when there is none. One that cannot be read as notes is looked at again for a while:
/// another program may be writing it.
pub(super) fn read(path: &Path, patience: Patience) -> Result<Option<FileSide>> {
    let mut looks = 0;
    loop {
        match look(path) {
            Err(Error::DamagedFile { line: Some(_), .. }) if looks < patience.looks() => {
                looks += 1;
                std::thread::sleep(LOOK);
            }
            other => return other,
        }
    }
}

fn look(path: &Path) -> Result<Option<FileSide>> {
    let written = match std::fs::metadata(path) {
        Ok(file) => modified(&file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::file(path, "read", error)),
    };
    let Some(bytes) = zrb::bytes(path)? else {
        return Ok(None);
    };
    let notes = NotesFile::read(&bytes, path)?;
    Ok(Some(FileSide {
        notes,
        bytes,
        written,
    }))
}

fn modified(file: &std::fs::Metadata) -> Timestamp {
    let nanos = i32::try_from(file.mtime_nsec()).unwrap_or(0);
    crate::note::micros(Timestamp::new(file.mtime(), nanos).unwrap_or(Timestamp::UNIX_EPOCH))
}

/// Puts a text in the file's place, which held `expected` when it was read (none: there was no file).
///
/// # Errors
/// [`Error::File`] when it cannot be; [`Error::DamagedFile`] names the copy of what was displaced and cannot be read.
pub(crate) fn put(path: &Path, text: &[u8], expected: Option<&[u8]>) -> Result<Put> {
    let refused = |error: io::Error| Error::file(path, "written", error);
    let folder = path.parent().unwrap_or(Path::new("/"));
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(refused)?;
    let beside = beside(path);
    write_new(&beside, text, path).map_err(refused)?;
    let swapped = match expected {
        None => Err(Errno::NOENT),
        Some(_) => swap(&beside, path),
    };
    match swapped {
        Ok(()) => displaced(path, &beside, expected.unwrap_or_default()),
        // There is no file, or there is none any more.
        Err(Errno::NOENT) => match std::fs::hard_link(&beside, path) {
            Ok(()) => std::fs::remove_file(&beside)
                .map_err(refused)
                .map(|()| Put::Clean),
            Err(error) => {
                let _ = std::fs::remove_file(&beside);
                if error.kind() == io::ErrorKind::AlreadyExists {
                    Ok(Put::Appeared)
                } else {
                    Err(refused(error))
                }
            }
        },
        Err(error) => {
            let _ = std::fs::remove_file(&beside);
            Err(refused(error.into()))
        }
    }
}

fn write_new(beside: &Path, text: &[u8], path: &Path) -> io::Result<()> {
    let mode = std::fs::metadata(path).map_or(0o600, |file| file.permissions().mode() & 0o777);
    let mut file: File = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(beside)?;
    file.write_all(text)?;
    file.sync_data()
}

/// Exchanges two files in one step. Where the file system cannot, the old one is linked aside first: a writer
/// that comes in between by renaming is then not seen.
fn swap(beside: &Path, path: &Path) -> std::result::Result<(), Errno> {
    match renameat_with(CWD, beside, CWD, path, RenameFlags::EXCHANGE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            let mut aside = beside.as_os_str().to_owned();
            aside.push("-old");
            let aside = PathBuf::from(aside);
            let errno = |error: io::Error| Errno::from_io_error(&error).unwrap_or(Errno::IO);
            std::fs::hard_link(path, &aside).map_err(errno)?;
            std::fs::rename(beside, path).map_err(errno)?;
            std::fs::rename(&aside, beside).map_err(errno)
        }
        other => other,
    }
}

/// Looks at what was displaced until it can be read.
fn displaced(path: &Path, beside: &Path, expected: &[u8]) -> Result<Put> {
    let done = |put| {
        std::fs::remove_file(beside).map_err(|error| Error::file(beside, "removed", error))?;
        Ok(put)
    };
    for looks in 0..Patience::Writer.looks() {
        let side = look(beside);
        match side {
            // Empty is what a file is that is about to be written.
            Ok(Some(side)) if side.bytes.is_empty() && looks < LOOKS_AT_EMPTY => {}
            Ok(Some(side)) if side.bytes == expected => return done(Put::Clean),
            Ok(Some(side)) => return done(Put::Displaced(side)),
            Ok(None) => return Ok(Put::Clean),
            Err(_) => {}
        }
        std::thread::sleep(LOOK);
    }
    // Whatever it is, it is kept.
    let mut kept = path.as_os_str().to_owned();
    kept.push(format!(".damaged-{}", std::process::id()));
    let kept = PathBuf::from(kept);
    std::fs::rename(beside, &kept).map_err(|error| Error::file(beside, "kept", error))?;
    match look(&kept) {
        Err(error) => Err(error),
        Ok(_) => Ok(Put::Clean),
    }
}

/// A name beside the file, this process's own.
fn beside(path: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    path.with_file_name(format!(
        "{}{}-{count}",
        beside_prefix(path),
        std::process::id()
    ))
}

fn beside_prefix(path: &Path) -> String {
    format!(
        ".{}.waynote-",
        path.file_name().unwrap_or_default().to_string_lossy()
    )
}

/// What processes that were killed in the middle of an exchange left beside the file: perhaps a displaced text
/// that nobody has looked at. Each is removed by whoever has taken it in.
pub(super) fn left_over(path: &Path) -> Vec<PathBuf> {
    let prefix = beside_prefix(path);
    let Some(Ok(folder)) = path.parent().map(std::fs::read_dir) else {
        return Vec::new();
    };
    let files = folder.flatten().map(|entry| entry.path());
    files
        .filter(|file| owner(file, &prefix).is_some_and(|pid| !is_alive(pid)))
        .collect()
}

fn owner(file: &Path, prefix: &str) -> Option<i32> {
    file.file_name()?
        .to_str()?
        .strip_prefix(prefix)?
        .split('-')
        .next()?
        .parse()
        .ok()
}

fn is_alive(pid: i32) -> bool {
    Pid::from_raw(pid).is_some_and(|pid| test_kill_process(pid) != Err(Errno::SRCH))
}
