//! Folders of a checkout that others write to: nothing is read or written through a link, and nothing is waited for.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, fstat, mkdirat, openat, renameat, statat, unlinkat,
};
use rustix::io::Errno;
use waynote_files::read_up_to;

/// An open folder.
pub(super) struct Folder(OwnedFd);

/// The name of a file.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FileName {
    Text(String),
    /// One that is not UTF-8, as it can be shown.
    NotText(String),
}

impl FileName {
    pub(super) fn shown(&self) -> &str {
        let (Self::Text(name) | Self::NotText(name)) = self;
        name
    }
}

const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC);

const GUARDED: OFlags = OFlags::NOFOLLOW
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

impl Folder {
    /// The folder that a person named; links to it are followed.
    pub(super) fn named(path: &Path) -> io::Result<Self> {
        Ok(Self(rustix::fs::open(path, FOLDER, Mode::empty())?))
    }

    /// A folder in it that is no link.
    pub(super) fn inner(&self, name: &str) -> io::Result<Self> {
        let opened = openat(&self.0, name, FOLDER | OFlags::NOFOLLOW, Mode::empty());
        opened.map(Self).map_err(|error| match error {
            Errno::NOTDIR | Errno::LOOP => io::Error::other("it is a link or a file, not a folder"),
            error => error.into(),
        })
    }

    /// The same; it is made where there is none.
    pub(super) fn made(&self, name: &str) -> io::Result<Self> {
        match mkdirat(&self.0, name, Mode::RWXU | Mode::RWXG | Mode::RWXO) {
            Ok(()) | Err(Errno::EXIST) => self.inner(name),
            Err(error) => Err(error.into()),
        }
    }

    /// What is in it, by name; none if that is more than so many.
    pub(super) fn entries(&self, most: usize) -> io::Result<Option<Vec<(FileName, FileType)>>> {
        let mut entries = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            let entry = entry?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            if entries.len() == most {
                return Ok(None);
            }
            let kind = match entry.file_type() {
                FileType::Unknown => {
                    let found = statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
                    FileType::from_raw_mode(found.st_mode)
                }
                kind => kind,
            };
            let name = match name.to_str() {
                Ok(text) => FileName::Text(text.to_owned()),
                Err(_) => FileName::NotText(name.to_string_lossy().into_owned()),
            };
            entries.push((name, kind));
        }
        entries.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        Ok(Some(entries))
    }

    /// The bytes of a regular file.
    pub(super) fn read(&self, name: &str, most: u64) -> io::Result<Vec<u8>> {
        let opened = openat(&self.0, name, OFlags::RDONLY | GUARDED, Mode::empty());
        let file = File::from(opened.map_err(|error| match error {
            Errno::LOOP => io::Error::other(kind_in_words(FileType::Symlink)),
            Errno::NXIO => io::Error::other(kind_in_words(FileType::Socket)),
            error => error.into(),
        })?);
        let found = file.metadata()?;
        if !found.is_file() {
            let kind = FileType::from_raw_mode(fstat(&file)?.st_mode);
            return Err(io::Error::other(kind_in_words(kind)));
        }
        match found.len() > most {
            true => Err(too_long(found.len(), most)),
            false => read_up_to(file, most),
        }
    }

    /// Puts a text into a file in one step.
    pub(super) fn put(&self, name: &str, text: &str) -> io::Result<()> {
        let new = format!(".{name}.{}", std::process::id());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | GUARDED;
        let _ = unlinkat(&self.0, &new, AtFlags::empty());
        let mode = Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::WGRP | Mode::ROTH | Mode::WOTH;
        let mut file = File::from(openat(&self.0, &new, flags, mode)?);
        let written = file
            .write_all(text.as_bytes())
            .and_then(|()| file.sync_all())
            .and_then(|()| Ok(renameat(&self.0, &new, &self.0, name)?));
        if written.is_err() {
            let _ = unlinkat(&self.0, &new, AtFlags::empty());
        }
        written
    }

    /// Removes a file, or a folder that is empty.
    pub(super) fn remove(&self, name: &str, is_folder: bool) -> io::Result<()> {
        let flags = match is_folder {
            true => AtFlags::REMOVEDIR,
            false => AtFlags::empty(),
        };
        Ok(unlinkat(&self.0, name, flags)?)
    }
}

pub(super) fn too_long(bytes: u64, most: u64) -> io::Error {
    io::Error::other(format!("it has {bytes} bytes, {most} are allowed"))
}

pub(super) fn kind_in_words(kind: FileType) -> &'static str {
    match kind {
        FileType::Symlink => "it is a link",
        FileType::Directory => "it is a folder",
        FileType::Fifo => "it is a named pipe",
        FileType::Socket => "it is a socket",
        _ => "it is a device",
    }
}
