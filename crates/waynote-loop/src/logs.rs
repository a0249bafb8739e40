//! The files that keep an agent's output, one for each iteration, each a new one of our own.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use rustix::fs::{Mode, OFlags, openat};
use rustix::io::Errno;
use sha2::{Digest, Sha256};
use waynote::Name;
use waynote::text::hex;
use waynote_files::worktree::normalized;
use waynote_system::plain;

use crate::error::{Error, Result};

/// Files of one iteration's number: a new store counts from one again.
const MAX_FILES: u32 = 1000;

/// The folder in which an agent's output is kept.
#[derive(Clone, Debug)]
pub struct Logs {
    /// The option that named it, for errors.
    option: &'static str,
    /// As it was typed.
    typed: PathBuf,
    /// Absolute, without `.` and `..`.
    folder: PathBuf,
    /// The working directory, absolute and without links: a link within may be the agent's.
    directory: PathBuf,
}

impl Logs {
    /// A folder by its path as it was typed; `option` is what it was named with, as errors say it (`--logs`).
    /// `directory` is the working directory, absolute and without links: no link in it is followed.
    pub fn new(option: &'static str, folder: &Path, directory: &Path) -> Self {
        Self {
            option,
            typed: folder.to_owned(),
            folder: normalized(&directory.join(folder)),
            directory: directory.to_owned(),
        }
    }

    /// The folder, absolute.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Makes the folder, so that an unusable one is reported before anything begins.
    ///
    /// # Errors
    /// [`Error::Logs`] when it cannot be made or used.
    pub fn check(&self) -> Result {
        self.open_folder()
            .map(drop)
            .map_err(|source| self.failed(source))
    }

    /// A new file for an iteration's output.
    pub(crate) fn file(&self, session: &Name, iteration: i64) -> Result<File> {
        self.new_file(session, iteration)
            .map_err(|source| self.failed(source))
    }

    fn new_file(&self, session: &Name, iteration: i64) -> io::Result<File> {
        let folder = self.open_folder()?;
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::RUSR | Mode::WUSR;
        for number in 1..=MAX_FILES {
            let again = match number {
                1 => String::new(),
                number => format!("-{number}"),
            };
            let name = format!("{}-{iteration:04}{again}.log", file_name(session));
            match openat(&folder, name, flags, mode) {
                Ok(file) => return Ok(file.into()),
                // Any file there is not ours.
                Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let what = format!("{MAX_FILES} files of iteration {iteration} are there already");
        Err(io::Error::other(what))
    }

    /// Outside of the working directory, a person made the links: they are followed.
    fn open_folder(&self) -> io::Result<OwnedFd> {
        let folder = plain::followed_outside(&self.folder, &self.directory)?;
        plain::folder(&folder, true)
    }

    fn failed(&self, source: io::Error) -> Error {
        let folder = format!("{} {}", self.option, self.typed.to_string_lossy());
        Error::Logs { folder, source }
    }
}

/// A session's name as part of a file's; a long one is cut, and made unique by its hash.
fn file_name(session: &Name) -> String {
    // A file's name has at most 255 bytes, and more comes behind it.
    const MAX_BYTES: usize = 200;
    let name = utf8_percent_encode(session.as_str(), NON_ALPHANUMERIC).to_string();
    if name.len() <= MAX_BYTES {
        return name;
    }
    let hash = Sha256::digest(session.as_str());
    let hash = hex(&hash[..8]);
    format!("{}-{hash}", &name[..MAX_BYTES - hash.len() - 1])
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn what_lies_in_the_way_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let work = folder.path().canonicalize().unwrap();
        let victim = work.join("victim");
        std::fs::write(&victim, "mine\n").unwrap();
        std::fs::create_dir(work.join("logs")).unwrap();
        symlink(&victim, work.join("logs/s-0001.log")).unwrap();
        symlink("../nowhere", work.join("logs/s-0001-2.log")).unwrap();
        let pipe = std::process::Command::new("mkfifo")
            .arg(work.join("logs/s-0001-3.log"))
            .status();
        assert!(pipe.unwrap().success());
        std::fs::create_dir(work.join("logs/s-0001-4.log")).unwrap();
        let logs = Logs::new("--logs", Path::new("logs"), &work);
        logs.check().unwrap();
        let session: Name = "s".parse().unwrap();
        let mut file = logs.file(&session, 1).unwrap();
        file.write_all(b"said").unwrap();
        let written = work.join("logs/s-0001-5.log");
        assert_eq!(std::fs::read_to_string(&written).unwrap(), "said");
        let mode = std::fs::metadata(&written).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(std::fs::read_to_string(&victim).unwrap(), "mine\n");
        assert!(!work.join("nowhere").exists());
        // A long name of a session still names a file.
        let file = |session: String| logs.file(&session.parse().unwrap(), 1).unwrap();
        file("ü".repeat(60));
        file("ü".repeat(61));
        // The folder may go while a loop runs.
        std::fs::remove_dir_all(work.join("logs")).unwrap();
        logs.file(&session, 2).unwrap();
        assert!(work.join("logs/s-0002.log").is_file());
    }

    #[test]
    fn a_link_to_the_folder_is_followed_only_outside() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().canonicalize().unwrap().join(name);
        for name in ["work", "real"] {
            std::fs::create_dir(at(name)).unwrap();
        }
        symlink(at("real"), at("work/logs")).unwrap();
        symlink(at("real"), at("link")).unwrap();
        std::fs::write(at("work/file"), "").unwrap();
        let check = |name: &str| {
            let checked = Logs::new("--logs", Path::new(name), &at("work")).check();
            checked.map_err(|refused| refused.to_string())
        };
        insta::assert_snapshot!(check("logs").unwrap_err(), @"nothing can be logged in `--logs logs`: `logs` is a link or a file, not a folder");
        assert!(check("file/deep").is_err());
        check("../link/new").unwrap();
        assert!(at("real/new").is_dir());
        check("a/../b/c").unwrap();
        // However the working directory is spelled, and whatever leads into it.
        symlink(at("work"), at("same")).unwrap();
        symlink("work/logs", at("into")).unwrap();
        symlink("same/../work/logs", at("around")).unwrap();
        let spelled = |name: &str| check(&at(name).to_string_lossy());
        for name in ["same/logs", "same/logs/new", "into", "around/new"] {
            let refused = spelled(name).unwrap_err();
            assert!(refused.contains("`logs` is a link"), "{name}: {refused}");
        }
        assert_eq!(std::fs::read_dir(at("real")).unwrap().count(), 1);
        spelled("same/kept/new").unwrap();
        assert!(at("work/kept/new").is_dir());
        assert!(at("work/b/c").is_dir() && !at("work/a").exists());
    }
}
