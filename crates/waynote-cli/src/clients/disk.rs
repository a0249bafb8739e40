//! Clients' files, read and exchanged in one step: links are followed, modes stay.

use std::fs::{self, DirBuilder, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::error::{Failure, Outcome};

/// The text of a file; none when there is none.
pub(crate) fn read(path: &Path) -> Outcome<Option<String>> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Failure::file(path, "read", error)),
    };
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        damaged(
            path,
            Some(1 + before.iter().filter(|byte| **byte == b'\n').count()),
            "it is not UTF-8",
        )
    })
}

/// A file that cannot be read as what it should be.
pub(crate) fn damaged(path: &Path, line: Option<usize>, reason: impl Into<String>) -> Failure {
    Failure::Library(waynote::Error::DamagedFile {
        path: path.to_owned(),
        line,
        reason: reason.into(),
    })
}

/// Puts a text in a file's place, in one step. What the file held meanwhile must be `before`. Returns the folders that were
/// made for it, the outermost first.
pub(crate) fn put(
    path: &Path,
    text: &str,
    before: Option<&str>,
    new_mode: u32,
) -> Outcome<Vec<PathBuf>> {
    let target = followed(path);
    let failed = |error| Failure::file(&target, "written", error);
    let made = make_folder(&target)?;
    let folder = target.parent().unwrap_or(Path::new("/"));
    let mode = match fs::metadata(&target) {
        Ok(file) => file.permissions().mode() & 0o7777,
        Err(_) => new_mode,
    };
    let mut new = tempfile::Builder::new()
        .prefix(".waynote-")
        .tempfile_in(folder)
        .map_err(failed)?;
    new.write_all(text.as_bytes()).map_err(failed)?;
    new.as_file()
        .set_permissions(Permissions::from_mode(mode))
        .map_err(failed)?;
    new.as_file().sync_all().map_err(failed)?;
    if read(&target)?.as_deref() != before {
        return Err(Failure::refused(
            "changed_meanwhile",
            format!("{} was changed meanwhile", target.display()),
            "run the command again; nothing was written to it",
        ));
    }
    new.persist(&target).map_err(|error| failed(error.error))?;
    Ok(made)
}

/// Makes a file say that, if it does not already.
pub(crate) fn refresh(path: &Path, bytes: &[u8]) -> Outcome {
    let failed = |error| Failure::file(path, "written", error);
    if fs::read(path).is_ok_and(|now| now == bytes) {
        return Ok(());
    }
    make_folder(path)?;
    let folder = path.parent().unwrap_or(Path::new("/"));
    let mut new = tempfile::Builder::new()
        .prefix(".waynote-")
        .tempfile_in(folder)
        .map_err(failed)?;
    new.write_all(bytes).map_err(failed)?;
    new.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

/// Removes a file, and folders that were made for it and are empty.
pub(crate) fn remove(path: &Path, made: &[PathBuf]) -> Outcome {
    let target = followed(path);
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
