//! Clients' files, read and exchanged in one step: links are followed, modes and owners stay.

use std::fs::{self, DirBuilder, Metadata, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use tempfile::NamedTempFile;
use waynote::file::take_after;
use waynote::text::line_of;

use super::change::Refusal;
use super::shell::quoted;
use crate::error::{Failure, Outcome};

/// No client's file is longer; what is was not written by a client.
const MOST_BYTES: u64 = 64 << 20;

/// The text of a file; none when there is none.
pub(crate) fn read(path: &Path) -> Outcome<Option<String>> {
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
    if file.len() > MOST_BYTES {
        return Err(Failure::left_as_it_is(
            "file_too_long",
            format!(
                "{} is too long: {} MiB, {} are read",
                path.display(),
                file.len() >> 20,
                MOST_BYTES >> 20
            ),
            "look at what filled it, or move it away",
        ));
    }
    let bytes = fs::read(path).map_err(|error| not_readable(path, error))?;
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let line = line_of(error.as_bytes(), error.utf8_error().valid_up_to());
        Refusal::damaged(Some(line), "it is not UTF-8").of(path)
    })
}

fn not_readable(path: &Path, error: io::Error) -> Failure {
    if error.kind() != io::ErrorKind::PermissionDenied {
        return Failure::file(path, "read", error);
    }
    Failure::left_as_it_is(
        "unreadable_file",
        format!("{} cannot be read: you have no right to", path.display()),
        format!(
            "`ls -l {}` tells whose it is",
            quoted(&path.to_string_lossy())
        ),
    )
}

fn in_the_way(path: &Path, what: &str) -> Failure {
    Failure::left_as_it_is(
        "not_a_file",
        format!("{} is {what} should be there", path.display()),
        "move it away, then run the command again",
    )
}

/// Whether a file may be written, or made where there is none. Its folder would let us exchange it; whoever took the right to write
/// away from the file would not.
pub(crate) fn may_write(path: &Path) -> Outcome {
    let target = followed(path);
    let Ok(file) = fs::metadata(&target) else {
        return may_change_folder(&target);
    };
    let is_writable = !file.permissions().readonly() && access(&target, Access::WRITE_OK).is_ok();
    if is_writable {
        return Ok(());
    }
    let shown = target.display();
    let what = match target == path {
        true => format!("{shown} is read-only"),
        false => format!("{}, a link to {shown}, is read-only", path.display()),
    };
    let how = if file.uid() == rustix::process::geteuid().as_raw() {
        format!(
            "`chmod u+w {}` makes it writable",
            quoted(&target.to_string_lossy())
        )
    } else {
        format!("it belongs to user {}, who may change it", file.uid())
    };
    Err(Failure::left_as_it_is(
        "read_only_file",
        what,
        format!("{how}; when another program manages it, change it there: `--dry-run` shows how"),
    ))
}

/// Whether a file may be removed.
pub(crate) fn may_remove(path: &Path) -> Outcome {
    may_write(path)?;
    may_change_folder(&followed(path))
}

/// Whether the folder of a file, or the nearest above it that there is, lets a file be made and removed in it.
fn may_change_folder(file: &Path) -> Outcome {
    let folder = file.ancestors().skip(1).find(|folder| folder.exists());
    let folder = folder.unwrap_or(Path::new("/"));
    if access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok() {
        return Ok(());
    }
    Err(Failure::left_as_it_is(
        "read_only_folder",
        format!(
            "{} cannot be changed: you have no right to write to {}",
            file.display(),
            folder.display()
        ),
        format!(
            "`ls -ld {}` tells whose it is",
            quoted(&folder.to_string_lossy())
        ),
    ))
}

/// Puts a text in a file's place. What the file held meanwhile must be `before`. Returns the folders that were made for it, the
/// outermost first.
pub(crate) fn put(
    path: &Path,
    text: &str,
    before: Option<&str>,
    new_mode: u32,
) -> Outcome<Vec<PathBuf>> {
    let target = followed(path);
    let failed = |error| Failure::file(&target, "written", error);
    may_write(path)?;
    let made = make_folder(&target)?;
    let old = fs::metadata(&target).ok();
    let beside = write_beside(&target, text, old.as_ref(), new_mode);
    if read(&target)?.as_deref() != before {
        return Err(Failure::refused(
            "changed_meanwhile",
            format!("{} was changed meanwhile", target.display()),
            "run the command again; nothing was written to it",
        ));
    }
    let exchanged = match beside {
        Ok(Some(new)) => new.persist(&target).map(drop).map_err(|error| error.error),
        Ok(None) => write_in_place(&target, text),
        Err(error) => Err(error),
    };
    match exchanged {
        // Its folder is nobody's to change, or something is mounted on it.
        Err(error) if old.is_some() && is_place_fixed(&error) => {
            write_in_place(&target, text).map_err(failed)?;
        }
        exchanged => exchanged.map_err(failed)?,
    }
    Ok(made)
}

fn is_place_fixed(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied
            | io::ErrorKind::ReadOnlyFilesystem
            | io::ErrorKind::ResourceBusy
    )
}

/// A file that can take the old one's place in one step, with its mode and owner; none where its place is not all there is to
/// the old one: it has other names, or an owner that cannot be given away.
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
pub(crate) fn remove(path: &Path, made: &[PathBuf]) -> Outcome {
    let target = followed(path);
    may_remove(path)?;
    match fs::remove_file(&target) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(Failure::file(&target, "removed", error)),
    }
    for folder in made.iter().rev() {
        // One that is not empty is used by somebody.
        if fs::remove_dir(folder).is_err() {
            break;
        }
    }
    Ok(())
}

/// The folders above a file that are not there, made; the outermost first.
fn make_folder(path: &Path) -> Outcome<Vec<PathBuf>> {
    let mut missing: Vec<PathBuf> = path
        .ancestors()
        .skip(1)
        .take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists())
        .map(Path::to_owned)
        .collect();
    missing.reverse();
    for folder in &missing {
        match DirBuilder::new().mode(0o755).create(folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(Failure::file(folder, "made", error));
            }
            _ => {}
        }
    }
    Ok(missing)
}

/// Where a chain of links ends, whether or not something is there.
fn followed(path: &Path) -> PathBuf {
    const MOST_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(to) = fs::read_link(&path) else {
            break;
        };
        path = match path.parent() {
            Some(folder) => folder.join(to),
            None => to,
        };
    }
    path
}
