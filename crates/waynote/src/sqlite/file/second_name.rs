//! A store's file under a second name: a hard link, or a mount of the file alone.
//!
//! The write-ahead log, the memory that readers share and the lock belong to a name and not to a file. Programs that
//! use the file under two names do not see each other, and one overwrites the acknowledged writes of the other. So a
//! store with a second name is read and not written.

use std::fs::Metadata;
use std::os::unix::fs::{DirEntryExt, MetadataExt};
use std::path::Path;

use crate::error::SecondName;

use super::side_files::beside;

/// The second name of a store's file; none when it has one name.
pub(super) fn of(store: &Path, file: &Metadata) -> Option<SecondName> {
    linked(store, file).or_else(|| is_mount_point(store).then_some(SecondName::Mount))
}

fn linked(store: &Path, file: &Metadata) -> Option<SecondName> {
    if file.nlink() < 2 {
        return None;
    }
    let folder = store.parent()?;
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter(|entry| entry.ino() == file.ino());
    let (left, others): (Vec<_>, Vec<_>) = names
        .map(|entry| entry.path())
        .filter(|path| path != store)
        .partition(|path| is_left_by_us(store, path));
    let links = file.nlink().saturating_sub(left.len() as u64);
    (links > 1).then(|| SecondName::Link {
        links,
        other: others.into_iter().min(),
    })
}

/// True if it is a name that a backup or a restore leaves behind when it is killed. Such a name is never written to:
/// seen from there, the store's own name would be the second one.
fn is_left_by_us(store: &Path, path: &Path) -> bool {
    let starts = |suffix: &str| {
        let start = beside(store, suffix);
        let (path, start) = (path.as_os_str(), start.as_os_str());
        path.as_encoded_bytes()
            .starts_with(start.as_encoded_bytes())
    };
    starts(".before-") || starts(".part")
}

/// True if a file is mounted by itself, as `docker run -v FILE:FILE` does it.
#[cfg(target_os = "linux")]
pub(in crate::sqlite) fn is_mount_point(file: &Path) -> bool {
    use rustix::fs::{AtFlags, CWD, StatxAttributes, StatxFlags, statx};

    let root = StatxAttributes::MOUNT_ROOT;
    match statx(CWD, file, AtFlags::empty(), StatxFlags::empty()) {
        Ok(found) if found.stx_attributes_mask.contains(root) => {
            found.stx_attributes.contains(root)
        }
        // Linux before 5.8 does not say it there.
        _ => std::fs::read_to_string("/proc/self/mountinfo")
            .is_ok_and(|mounts| is_listed(&mounts, file)),
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn is_mount_point(_: &Path) -> bool {
    false
}

/// True if a file is the fifth word of a line: `36 35 8:1 /a/notes.db /data/notes.db rw - ext4 /dev/sda1 rw`.
#[cfg(target_os = "linux")]
fn is_listed(mounts: &str, file: &Path) -> bool {
    let Some(file) = file.to_str() else {
        return false;
    };
    let escaped = file
        .replace('\\', "\\134")
        .replace(' ', "\\040")
        .replace('\t', "\\011")
        .replace('\n', "\\012");
    let mut points = mounts.lines().map(|line| line.split(' ').nth(4));
    points.any(|point| point == Some(&escaped))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_name_is_found_and_what_a_killed_restore_leaves_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("notes.db");
        std::fs::write(&store, "x").unwrap();
        let found = || of(&store, &std::fs::metadata(&store).unwrap());
        assert_eq!(found(), None);
        let before = beside(&store, ".before-20260101T000000Z");
        std::fs::hard_link(&store, &before).unwrap();
        assert_eq!(found(), None);
        let from_there = of(&before, &std::fs::metadata(&before).unwrap());
        let link = |links, other: Option<&Path>| {
            let other = other.map(Path::to_owned);
            Some(SecondName::Link { links, other })
        };
        assert_eq!(from_there, link(2, Some(&store)));
        let other = folder.path().join("other.db");
        std::fs::hard_link(&store, &other).unwrap();
        assert_eq!(found(), link(2, Some(&other)));
        let elsewhere = tempfile::tempdir_in(folder.path()).unwrap();
        std::fs::rename(&other, elsewhere.path().join("notes.db")).unwrap();
        assert_eq!(found(), link(2, None));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_mounted_file_is_listed_by_its_escaped_name() {
        let mounts = "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n\
                      36 22 8:1 /a/notes.db /my\\040data/notes.db rw,relatime - ext4 /dev/sda1 rw\n";
        assert!(is_listed(mounts, Path::new("/my data/notes.db")));
        assert!(!is_listed(mounts, Path::new("/a/notes.db")));
        assert!(!is_listed(mounts, Path::new("/my data")));
    }
}
