//! New files that get their name when they are whole.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use crate::error::{Error, Result};
use crate::rules::EngineStore;
use waynote_files::followed;

use crate::sqlite::file::head::queue::Queue;
use crate::sqlite::file::open::{self, side_files::beside};
use crate::sqlite::file::pool::Sqlite;
use crate::sqlite::options::Options;

/// Files beside a database that belong to it.
pub(super) const BESIDE: [&str; 4] = ["-wal", "-shm", "-journal", "-lock"];

/// True if there is a file with something in it.
pub(super) fn holds_something(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|file| file.len() > 0)
}

pub(super) fn exists(file: &Path) -> Error {
    let exists = io::Error::new(io::ErrorKind::AlreadyExists, "there is such a file already");
    Error::file(file, "written", exists)
}

/// A failure to write a file, the disk being full by its own name.
pub(super) fn unwritten(file: &Path, error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::AlreadyExists => exists(file),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Error::DiskFull {
            path: file.to_owned(),
        },
        _ => Error::file(file, "written", error),
    }
}

/// A new file (mode 0600) beside the one that it becomes. It is removed unless it gets its name.
pub(super) struct Part {
    path: TempPath,
    _beside: CompanionFiles,
}

impl Part {
    /// With a name of its own.
    pub(super) fn beside(target: &Path) -> io::Result<Self> {
        let mut prefix = target.file_name().unwrap_or_default().to_owned();
        prefix.push(".part-");
        let folder = target.parent().unwrap_or(Path::new("/"));
        let new = tempfile::Builder::new()
            .prefix(&prefix)
            .tempfile_in(folder)?;
        Ok(Self::of(new.into_temp_path()))
    }

    /// With the name `….partial`. Removes the file of an earlier run. The caller has the turn to write the target.
    fn anew(target: &Path) -> io::Result<Self> {
        let path = TempPath::try_from_path(beside(target, ".partial"))?;
        drop(CompanionFiles(path.to_path_buf()));
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)?;
        Ok(Self::of(path))
    }

    fn of(path: TempPath) -> Self {
        Self {
            _beside: CompanionFiles(path.to_path_buf()),
            path,
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Waits until all of it is on disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        OpenOptions::new().write(true).open(&self.path)?.sync_all()
    }

    /// Gives it its name, and waits until that is on disk. Without `replace`, a file that came meanwhile stays.
    pub(super) fn named(self, target: &Path, replace: bool) -> io::Result<()> {
        match replace {
            true => self.path.persist(target),
            false => self.path.persist_noclobber(target),
        }
        .map_err(|error| error.error)?;
        target.parent().map_or(Ok(()), sync_folder)
    }
}

/// Removes the files that SQLite made beside a file.
struct CompanionFiles(PathBuf);

impl Drop for CompanionFiles {
    fn drop(&mut self) {
        for suffix in BESIDE {
            let _ = std::fs::remove_file(beside(&self.0, suffix));
        }
    }
}

/// Waits until the names in a folder are on disk.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

impl EngineStore<Sqlite> {
    /// Makes a new store at `path` with the rows that `fill` writes. It is written in a file beside it, `….partial`,
    /// which gets its name when it is whole and on disk. The next call removes the file of an interrupted one.
    /// Meanwhile nobody can make another store at `path`.
    ///
    /// # Errors
    /// [`Error::File`] of the kind [`io::ErrorKind::AlreadyExists`] when something is there; [`Error::Busy`] when another
    /// process makes this store, or writes it; the errors of `fill`; and those of
    /// [`EngineStore::open`](crate::SqliteStore).
    pub fn make<T>(
        path: &Path,
        options: &Options,
        fill: impl FnOnce(&Sqlite) -> Result<T>,
    ) -> Result<T> {
        let target = followed(path);
        open::make_folder(&target)?;
        let queue = Queue::beside(&target);
        let _turn = queue.turn(path, options.wait)?;
        if target.symlink_metadata().is_ok() {
            return Err(exists(path));
        }
        open::is_new(&target, &queue)?;
        let failed = |error| unwritten(path, error);
        let part = Part::anew(&target).map_err(failed)?;
        let sqlite = Sqlite::at(part.path(), options).shown_as(path);
        let filled = fill(&sqlite)?;
        let is_one_file = sqlite.fold()?;
        drop(sqlite);
        if !is_one_file || holds_something(&beside(part.path(), "-wal")) {
            return Err(failed(io::Error::other("its WAL could not be folded in")));
        }
        part.sync().map_err(failed)?;
        part.named(&target, false).map_err(failed)?;
        Ok(filled)
    }
}
