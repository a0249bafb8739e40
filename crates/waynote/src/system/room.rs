//! The reason that a folder takes no more bytes. An engine may report every failed write as the same I/O error, so this
//! module asks the file system itself.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use rustix::process::{Resource, getrlimit};

/// The resource that is short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shortage {
    Disk,
    Quota,
    /// The process may not write files of this size.
    FileSize,
}

/// More bytes than an engine writes at once.
const PROBE_BYTES: usize = 64 * 1024;

/// The resource that is short when a file of this many bytes grows in this folder. None: it can grow.
pub(crate) fn lack(folder: &Path, file_bytes: u64) -> Option<Shortage> {
    let limit = getrlimit(Resource::Fsize).current;
    if limit.is_some_and(|limit| file_bytes.saturating_add(PROBE_BYTES as u64) > limit) {
        return Some(Shortage::FileSize);
    }
    of_error(&probe(folder).err()?)
}

/// The resource that is short according to an error of the system.
pub(crate) fn of_error(error: &io::Error) -> Option<Shortage> {
    match error.kind() {
        ErrorKind::StorageFull => Some(Shortage::Disk),
        ErrorKind::QuotaExceeded => Some(Shortage::Quota),
        ErrorKind::FileTooLarge => Some(Shortage::FileSize),
        _ => None,
    }
}

/// Writes to a file without a name, which leaves nothing behind even if this process is killed.
fn probe(folder: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    let mut file = {
        let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
        File::from(rustix::fs::open(folder, flags, Mode::RUSR | Mode::WUSR)?)
    };
    #[cfg(not(target_os = "linux"))]
    let mut file = {
        let path = folder.join(format!(".waynote-room-{}", std::process::id()));
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let file = rustix::fs::open(&path, flags, Mode::RUSR | Mode::WUSR)?;
        std::fs::remove_file(&path)?;
        File::from(file)
    };
    file.write_all(&[0; PROBE_BYTES])?;
    // Some file systems allocate space only here.
    file.sync_data()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ordinary_folder_lacks_nothing_and_nothing_is_left_in_it() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(lack(folder.path(), 4096), None);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        // A folder that cannot be written at all lacks nothing: that is another error.
        assert_eq!(lack(&folder.path().join("none"), 4096), None);
    }

    #[test]
    fn each_error_of_the_system_says_what_is_lacking() {
        use rustix::io::Errno;

        let of = |errno: Errno| of_error(&errno.into());
        assert_eq!(of(Errno::NOSPC), Some(Shortage::Disk));
        assert_eq!(of(Errno::DQUOT), Some(Shortage::Quota));
        assert_eq!(of(Errno::FBIG), Some(Shortage::FileSize));
        assert_eq!(of(Errno::IO), None);
    }
}
