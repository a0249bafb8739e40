//! Text files of other programs, read and replaced in one step: links are followed, modes and owners stay.

use std::fs::{self, Metadata, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, CWD, RenameFlags, access, renameat_with};
use rustix::io::Errno;
use tempfile::NamedTempFile;
use thiserror::Error;
use waynote::text::line_of;
use waynote_files::{belong_to_folder, contents, followed, take_after};

/// Longer files are not read: no program writes such settings.
const MAX_BYTES: u64 = 64 << 20;

/// Why a file is not read or not written. It is left as it is.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FileError {
    /// It is not UTF-8.
    #[error("{} is damaged: line {line}: it is not UTF-8", .path.display())]
    NotUtf8 {
        /// The file.
        path: PathBuf,
        /// The first line that is not, from 1.
        line: usize,
    },
    /// It is longer than what is read.
    #[error("{} is too long: {} MiB, {} are read", .path.display(), .bytes >> 20, MAX_BYTES >> 20)]
    TooLong {
        /// The file.
        path: PathBuf,
        /// Its length.
        bytes: u64,
    },
    /// This user may not read it.
    #[error("{} cannot be read: you have no right to", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
    },
    /// Something else stands in its place, or in the place of a folder above it.
    #[error("{} is {found} should be there", .path.display())]
    InTheWay {
        /// The path of the obstacle.
        path: PathBuf,
        /// Its kind, and the kind that should be there.
        found: &'static str,
    },
    /// A symbolic link leads out of the folder that it should be in.
    #[error("{} leads out of {}, to {}", .path.display(), .folder.display(), .target.display())]
    Outside {
        /// The file.
        path: PathBuf,
        /// The end of the link.
        target: PathBuf,
        /// The folder.
        folder: PathBuf,
    },
    /// This user, or any user, may not write to it.
    #[error("{} is read-only", link_to(.path, .target))]
    ReadOnly {
        /// The file.
        path: PathBuf,
        /// The end of the link, if it is one.
        target: PathBuf,
        /// The user it belongs to, where that is another.
        owner: Option<u32>,
    },
    /// This user may not write to the folder.
    #[error("{} cannot be changed: you have no right to write to {}", .path.display(), .folder.display())]
    ReadOnlyFolder {
        /// The file.
        path: PathBuf,
        /// The folder.
        folder: PathBuf,
    },
    /// Another process wrote it meanwhile.
    #[error("{} was changed meanwhile", .path.display())]
    ChangedMeanwhile {
        /// The file.
        path: PathBuf,
    },
    /// The system refuses: [`waynote::Error::File`].
    #[error(transparent)]
    Library(#[from] waynote::Error),
}

type Result<T = ()> = std::result::Result<T, FileError>;

impl FileError {
    fn io(path: &Path, action: &'static str, source: io::Error) -> Self {
        let path = path.to_owned();
        Self::Library(waynote::Error::file(path, action, source))
    }
}

fn link_to(path: &Path, target: &Path) -> String {
    match target == path {
        true => target.display().to_string(),
        false => format!("{}, a link to {},", path.display(), target.display()),
    }
}

/// The text of a file; none when there is none.
///
/// # Errors
/// [`FileError::NotUtf8`], [`FileError::TooLong`], [`FileError::Unreadable`], [`FileError::InTheWay`],
/// [`FileError::Library`].
pub fn read(path: &Path) -> Result<Option<String>> {
    let file = match fs::metadata(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            let above = path.ancestors().find(|above| above.is_file());
            return Err(in_the_way(above.unwrap_or(path), "a file; a directory"));
        }
        Err(error) => return Err(not_readable(path, error)),
    };
    if file.is_dir() {
        return Err(in_the_way(path, "a directory; a file"));
    }
    if !file.is_file() {
        return Err(in_the_way(path, "no regular file; one"));
    }
    if file.len() > MAX_BYTES {
        return Err(FileError::TooLong {
            path: path.to_owned(),
            bytes: file.len(),
        });
    }
    let bytes = contents(path, MAX_BYTES).map_err(|error| not_readable(path, error))?;
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let line = line_of(error.as_bytes(), error.utf8_error().valid_up_to());
        let path = path.to_owned();
        FileError::NotUtf8 { path, line }
    })
}

fn not_readable(path: &Path, error: io::Error) -> FileError {
    match error.kind() {
        io::ErrorKind::PermissionDenied => FileError::Unreadable {
            path: path.to_owned(),
        },
        _ => FileError::io(path, "read", error),
    }
}

fn in_the_way(path: &Path, found: &'static str) -> FileError {
    let path = path.to_owned();
    FileError::InTheWay { path, found }
}

/// Checks that a file may be written, or created. A read-only file in a writable folder counts as not writable: its
/// owner meant it so.
///
/// # Errors
/// [`FileError::ReadOnly`], [`FileError::ReadOnlyFolder`].
pub fn may_write(path: &Path) -> Result {
    let target = followed(path);
    let Ok(file) = fs::metadata(&target) else {
        return may_change_folder(&target);
    };
    let is_writable = !file.permissions().readonly() && access(&target, Access::WRITE_OK).is_ok();
    if is_writable {
        return Ok(());
    }
    let owner = file.uid();
    let is_own = owner == rustix::process::geteuid().as_raw();
    Err(FileError::ReadOnly {
        path: path.to_owned(),
        target,
        owner: (!is_own).then_some(owner),
    })
}

/// Checks that a file is below a folder when all symbolic links are followed. The file need not exist.
///
/// # Errors
/// [`FileError::Outside`], [`FileError::Library`].
pub fn is_below(path: &Path, folder: &Path) -> Result {
    let real = |path: &Path| path.canonicalize();
    let failed = |error| FileError::io(path, "resolved", error);
    let target = followed(path);
    let above = target.ancestors().find(|above| above.exists());
    let above = real(above.unwrap_or(Path::new("/"))).map_err(failed)?;
    if above.starts_with(real(folder).map_err(failed)?) {
        return Ok(());
    }
    Err(FileError::Outside {
        path: path.to_owned(),
        target,
        folder: folder.to_owned(),
    })
}

/// Checks that a file may be removed.
///
/// # Errors
/// [`FileError::ReadOnly`], [`FileError::ReadOnlyFolder`].
pub fn may_remove(path: &Path) -> Result {
    may_write(path)?;
    may_change_folder(&followed(path))
}

/// Checks that a file's folder, or the nearest existing one above, may be written to.
fn may_change_folder(file: &Path) -> Result {
    let folder = file.ancestors().skip(1).find(|folder| folder.exists());
    let folder = folder.unwrap_or(Path::new("/"));
    if access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok() {
        return Ok(());
    }
    Err(FileError::ReadOnlyFolder {
        path: file.to_owned(),
        folder: folder.to_owned(),
    })
}

/// Replaces a file that still holds `before`. Returns the folders that were made for it, the outermost first.
///
/// # Errors
/// [`FileError::ChangedMeanwhile`], and those of [`read`] and [`may_write`].
pub fn put(path: &Path, text: &str, before: Option<&str>, new_mode: u32) -> Result<Vec<PathBuf>> {
    let target = followed(path);
    let failed = |error| FileError::io(&target, "written", error);
    may_write(path)?;
    let made = make_folder(&target)?;
    let old = fs::metadata(&target).ok();
    let beside = write_beside(&target, text, old.as_ref(), new_mode);
    if read(&target)?.as_deref() != before {
        return Err(FileError::ChangedMeanwhile { path: target });
    }
    let exchanged = match beside {
        Ok(Some(new)) if old.is_some() => match exchange(new.path(), &target) {
            // Another program replaced it in the meantime: its file comes back, also one that cannot be read.
            Ok(()) if read(new.path()).ok().flatten().as_deref() != before => {
                exchange(new.path(), &target).map_err(|error| failed(error.into()))?;
                return Err(FileError::ChangedMeanwhile { path: target });
            }
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => persist(new, &target),
            exchanged => exchanged.map_err(io::Error::from),
        },
        Ok(Some(new)) => persist(new, &target),
        Ok(None) => write_in_place(&target, text),
        Err(error) => Err(error),
    };
    match exchanged {
        // Its folder is read-only, or something is mounted on it.
        Err(error) if old.is_some() && is_place_fixed(&error) => {
            write_in_place(&target, text).map_err(failed)?;
        }
        exchanged => exchanged.map_err(failed)?,
    }
    Ok(made)
}

fn exchange(new: &Path, target: &Path) -> std::result::Result<(), Errno> {
    renameat_with(CWD, new, CWD, target, RenameFlags::EXCHANGE)
}

fn persist(new: NamedTempFile, target: &Path) -> io::Result<()> {
    new.persist(target).map(drop).map_err(|error| error.error)
}

fn is_place_fixed(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied
            | io::ErrorKind::ReadOnlyFilesystem
            | io::ErrorKind::ResourceBusy
    )
}

/// A temporary file with the old one's mode and owner, to replace it in one step; none if the old one has other names,
/// or an owner that cannot be given away.
fn write_beside(
    target: &Path,
    text: &str,
    old: Option<&Metadata>,
    new_mode: u32,
) -> io::Result<Option<NamedTempFile>> {
    if old.is_some_and(|old| old.nlink() > 1) {
        return Ok(None);
    }
    let folder = target.parent().unwrap_or(Path::new("/"));
    let mut new = tempfile::Builder::new()
        .prefix(".waynote-")
        .tempfile_in(folder)?;
    new.write_all(text.as_bytes())?;
    match old {
        Some(old) if take_after(new.as_file(), old).is_err() => return Ok(None),
        Some(_) => {}
        None => {
            let mode = Permissions::from_mode(new_mode);
            new.as_file().set_permissions(mode)?;
            belong_to_folder(new.path())?;
        }
    }
    new.as_file().sync_all()?;
    Ok(Some(new))
}

fn write_in_place(target: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).truncate(true).open(target)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Removes a file, and folders that were made for it and are empty.
///
/// # Errors
/// [`FileError::ReadOnly`], [`FileError::ReadOnlyFolder`], [`FileError::Library`].
pub fn remove(path: &Path, made: &[PathBuf]) -> Result {
    let target = followed(path);
    may_remove(path)?;
    match fs::remove_file(&target) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(FileError::io(&target, "removed", error)),
    }
    for folder in made.iter().rev() {
        // One that is not empty is in use.
        if fs::remove_dir(folder).is_err() {
            break;
        }
    }
    Ok(())
}

/// Makes the missing folders above a file; returns them, the outermost first.
fn make_folder(path: &Path) -> Result<Vec<PathBuf>> {
    let mut missing: Vec<PathBuf> = path
        .ancestors()
        .skip(1)
        .take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists())
        .map(Path::to_owned)
        .collect();
    missing.reverse();
    for folder in &missing {
        waynote_files::make_folder(folder, 0o755)
            .map_err(|error| FileError::io(folder, "made", error))?;
    }
    Ok(missing)
}
