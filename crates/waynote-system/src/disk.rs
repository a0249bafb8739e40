//! On what kind of file system a file lies: one of this machine, or one that several machines share.
//!
//! A store's readers and writers share memory and locks, which only one kernel keeps for them. So processes of one
//! machine may share a store on a network file system (if that has locks at all), and those of two machines may not.
//! A file system does not tell whether a second machine uses it: a program warns, and does not refuse.

use std::path::Path;

/// The network file system on which a file lies, or will lie once it is made. None: one of this machine alone, or one
/// that is not known.
#[cfg(target_os = "linux")]
pub fn network(file: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt;

    let mut there = file.ancestors().filter(|path| !path.as_os_str().is_empty());
    let there = there.find(|path| path.exists()).unwrap_or(Path::new("."));
    let magic = rustix::fs::statfs(there).ok()?.f_type;
    match kind(u32::try_from(magic & 0xffff_ffff).ok()?) {
        Kind::Network(name) => Some(name.into()),
        Kind::Fuse => {
            let device = std::fs::metadata(there).ok()?.dev();
            let mounts = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
            network_of_fuse(&mounts, device)
        }
        Kind::Other => None,
    }
}

/// Other systems: never a network file system.
#[cfg(not(target_os = "linux"))]
pub fn network(_: &Path) -> Option<String> {
    None
}

#[cfg(target_os = "linux")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Network(&'static str),
    /// A program of this machine serves it, perhaps from another one.
    Fuse,
    Other,
}

/// The file system of a kernel's number (`linux/magic.h`, and the sources of those that are not in it).
#[cfg(target_os = "linux")]
fn kind(magic: u32) -> Kind {
    Kind::Network(match magic {
        0x6969 => "NFS",
        0x517b | 0xff53_4d42 | 0xfe53_4d42 => "SMB",
        0x0102_1997 => "9p",
        0x00c3_6400 => "Ceph",
        0x0bd0_0bd0 => "Lustre",
        0x4750_4653 => "GPFS",
        0x1983_0326 => "BeeGFS",
        0x2003_0528 => "OrangeFS",
        0x7461_636f => "OCFS2",
        0x0116_1970 => "GFS2",
        0x5346_414f | 0x6b41_4653 => "AFS",
        0x7375_7245 => "Coda",
        0x786f_4256 | 0xbacb_acbc | 0x7c7c_6673 => "a folder shared with a virtual machine",
        0x6573_5546 => return Kind::Fuse,
        _ => return Kind::Other,
    })
}

/// Programs that serve another machine's files.
#[cfg(target_os = "linux")]
const REMOTE_FUSE: &str = "\
    ceph-fuse curlftpfs davfs davfs2 gcsfuse glusterfs goofys juicefs rclone s3fs seaweedfs smbnetfs sshfs \
    vmhgfs-fuse";

/// The program behind the mount of a device: `36 35 0:44 / /mnt rw - fuse.sshfs host:/ rw`.
#[cfg(target_os = "linux")]
fn network_of_fuse(mounts: &str, device: u64) -> Option<String> {
    let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
    let device = format!("{major}:{minor}");
    let of_device = |line: &&str| line.split_whitespace().nth(2) == Some(&device);
    let (_, behind) = mounts.lines().find(of_device)?.split_once(" - ")?;
    let name = behind.split_whitespace().next()?.strip_prefix("fuse.")?;
    let mut known = REMOTE_FUSE.split(' ');
    known.any(|of| of == name).then(|| name.to_owned())
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn network_file_systems_are_known_by_their_numbers() {
        for (magic, name) in [
            (0x6969, "NFS"),
            (0xff53_4d42, "SMB"),
            (0xfe53_4d42, "SMB"),
            (0x0102_1997, "9p"),
            (0x0bd0_0bd0, "Lustre"),
        ] {
            assert_eq!(kind(magic), Kind::Network(name));
        }
        // ext4, XFS, Btrfs, tmpfs, overlayfs, ZFS.
        for local in [
            0xef53,
            0x5846_5342,
            0x9123_683e,
            0x0102_1994,
            0x794c_7630,
            0x2fc1_2fc1,
        ] {
            assert_eq!(kind(local), Kind::Other, "{local:x}");
        }
        assert_eq!(kind(0x6573_5546), Kind::Fuse);
    }

    #[test]
    fn what_a_program_serves_is_known_by_the_program() {
        let mounts = "\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
36 22 0:44 / /mnt/far rw,nosuid - fuse.sshfs host:/ rw,user_id=0
37 22 0:45 / /mnt/near rw,nosuid - fuse.mergerfs a:b rw,user_id=0
38 22 0:46 / /mnt/disk rw,nosuid - fuseblk /dev/sdb1 rw
";
        let of = |minor| network_of_fuse(mounts, rustix::fs::makedev(0, minor));
        assert_eq!(of(44).as_deref(), Some("sshfs"));
        assert_eq!(of(45), None);
        assert_eq!(of(46), None);
        assert_eq!(of(47), None);
    }

    #[test]
    fn a_file_that_does_not_exist_yet_is_judged_by_its_folder() {
        // Both are on the same disk, a local or a shared one.
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &Path| network(path);
        assert_eq!(at(&folder.path().join("new/notes.db")), at(folder.path()));
    }
}
