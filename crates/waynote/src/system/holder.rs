//! The process that holds a lock on a file, as Linux lists locks in `/proc/locks`. This module alone knows that format.
//! On other systems no process is named.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

/// The two kinds of locks that programs put on files.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// On a whole open file: `flock`.
    File,
    /// On bytes of a file, held by a process: `fcntl`. Only exclusive ones count.
    Bytes,
}

/// The process that holds such a lock on this file; none if no process of this process's PID namespace does.
pub(crate) fn of(kind: Kind, file: &Metadata) -> Option<u32> {
    named_in(
        &std::fs::read_to_string("/proc/locks").ok()?,
        kind,
        file.ino(),
    )
}

/// The processes that hold a lock on bytes of this file, shared ones too.
pub(crate) fn all_of_bytes(file: &Metadata) -> Vec<u32> {
    let locks = std::fs::read_to_string("/proc/locks").unwrap_or_default();
    let mut holders: Vec<u32> = held(&locks, Kind::Bytes, file.ino(), &["READ", "WRITE"]).collect();
    holders.sort_unstable();
    holders.dedup();
    holders
}

fn named_in(locks: &str, kind: Kind, inode: u64) -> Option<u32> {
    held(locks, kind, inode, &["WRITE"]).next()
}

/// A line is `1: FLOCK  ADVISORY  WRITE 4711 fd:00:2054 0 EOF`; a line with an arrow is one that waits. The device is
/// not compared, because some file systems report another one here than to `stat`.
fn held<'l>(
    locks: &'l str,
    kind: Kind,
    inode: u64,
    modes: &'l [&'l str],
) -> impl Iterator<Item = u32> + 'l {
    let inode = inode.to_string();
    let word = match kind {
        Kind::File => "FLOCK",
        Kind::Bytes => "POSIX",
    };
    locks.lines().filter_map(move |line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        match fields[..] {
            [_, found, _, mode, pid, place, ..]
                if found == word
                    && modes.contains(&mode)
                    && place.rsplit(':').next() == Some(&inode) =>
            {
                // Zero is a process of another namespace.
                pid.parse().ok().filter(|pid| *pid != 0)
            }
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_holder_is_the_one_that_does_not_wait() {
        let locks = "\
1: -> FLOCK  ADVISORY  WRITE 11 fd:00:2054 0 EOF
2: FLOCK  ADVISORY  WRITE 12 fd:00:2054 0 EOF
3: POSIX  ADVISORY  READ 13 fd:00:2054 128 128
4: POSIX  ADVISORY  WRITE 14 fd:00:2054 120 120
5: OFDLCK ADVISORY  WRITE -1 fd:00:2055 0 EOF
6: POSIX  ADVISORY  WRITE 0 fd:00:2056 0 EOF
";
        assert_eq!(named_in(locks, Kind::File, 2054), Some(12));
        assert_eq!(named_in(locks, Kind::Bytes, 2054), Some(14));
        assert_eq!(named_in(locks, Kind::Bytes, 2055), None);
        assert_eq!(named_in(locks, Kind::Bytes, 2056), None);
        assert_eq!(named_in(locks, Kind::File, 54), None);
        assert_eq!(named_in("", Kind::File, 2054), None);
        let all: Vec<u32> = held(locks, Kind::Bytes, 2054, &["READ", "WRITE"]).collect();
        assert_eq!(all, [13, 14]);
    }
}
