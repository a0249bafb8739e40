//! Room for the index of the WAL, which SQLite maps into memory. SQLite extends the file by writing one byte for each 4
//! KiB. On a file system with smaller blocks, the rest of those 4 KiB has no room yet: on a full disk a write to it
//! ends the process with a signal (SIGBUS) instead of an error.

use std::path::Path;

use rustix::fs::statvfs;

use crate::error::{Error, Result};

/// The part of the index's file that one byte gives room to, if a block is as large.
const PAGE: u64 = 4096;

/// The bytes that an open and a first write need: the index, and some pages of the WAL.
const NEEDED: u64 = 128 * 1024;

/// Refuses to open a store where the index may not fit.
pub(super) fn check(path: &Path) -> Result<()> {
    let folder = path.parent().filter(|of| !of.as_os_str().is_empty());
    let Ok(disk) = statvfs(folder.unwrap_or(Path::new("."))) else {
        return Ok(());
    };
    match has_room(disk.f_frsize, disk.f_bavail) {
        true => Ok(()),
        false => Err(Error::DiskFull {
            path: path.to_owned(),
        }),
    }
}

fn has_room(block: u64, available: u64) -> bool {
    block >= PAGE || block == 0 || available.saturating_mul(block) >= NEEDED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_blocks_need_room_and_large_ones_do_not() {
        assert!(has_room(4096, 0));
        assert!(has_room(1024, 128));
        assert!(!has_room(1024, 127));
        assert!(!has_room(512, 0));
    }
}
