//! Files that only their owner can read, and that no reader sees half written.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use jiff::Timestamp;
use rustix::fs::OFlags;

/// The longest file, in bytes.
pub(crate) const LONGEST: u64 = 4 << 20;

/// The content of a file that only this user can read and write, else nothing. A symbolic link is not followed.
pub(crate) fn read(file: &Path) -> Option<Vec<u8>> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
    let flags = i32::try_from(flags).ok()?;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(file)
        .ok()?;
    let data = file.metadata().ok()?;
    // Whoever else could have written it could put a text into a prompt.
    let is_own = data.uid() == rustix::process::geteuid().as_raw() && data.mode() & 0o077 == 0;
    if !data.is_file() || !is_own {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Puts a file in its place. It has the time `now`.
pub(crate) fn write(
    folder: &Path,
    file: &Path,
    bytes: &[u8],
    now: Timestamp,
) -> std::io::Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    let new = file.with_extension(format!("{}.new", std::process::id()));
    let _ = fs::remove_file(&new);
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&new)
        .and_then(|mut file: File| {
            // The mask of the process may take rights away, and never adds any.
            file.set_permissions(fs::Permissions::from_mode(0o600))?;
            file.write_all(bytes)?;
            file.set_modified(now.into())
        });
    let done = written.and_then(|()| fs::rename(&new, file));
    if done.is_err() {
        let _ = fs::remove_file(&new);
    }
    done
}
