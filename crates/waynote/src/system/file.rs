//! Replacing a file in one step: what the new file takes over from the old one, and where a link leads.

use std::fs::{File, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

/// Gives a new file the owner and the mode of the file that it will replace.
///
/// # Errors
/// The [`std::io::Error`] when this user may not give files away. The owner of the old file could not use the new one.
pub fn take_after(new: &File, old: &Metadata) -> io::Result<()> {
    let now = new.metadata()?;
    if (now.uid(), now.gid()) != (old.uid(), old.gid()) {
        fchown(new, Some(old.uid()), Some(old.gid()))?;
    }
    // The mode comes after the owner: the system clears some modes when the owner changes.
    new.set_permissions(Permissions::from_mode(old.mode() & 0o7777))
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

/// Where a directory really is, if it exists, its path has links, and is UTF-8.
pub fn real(directory: &str) -> Option<String> {
    let real = std::fs::canonicalize(directory).ok()?;
    let real = real.into_os_string().into_string().ok()?;
    (real != directory).then_some(real)
}

#[cfg(test)]
mod tests {
    use super::*;

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
