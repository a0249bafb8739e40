//! Files that only their owner can read, and that no reader sees half written.

use std::fs::OpenOptions;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use jiff::Timestamp;
use rustix::fs::OFlags;
use waynote_files::replace_private;

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
    waynote_files::make_folder(folder, 0o700)?;
    replace_private(file, bytes, Some(now.into()))
}
