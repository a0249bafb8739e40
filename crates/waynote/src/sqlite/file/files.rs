//! The files that a connection has open, to find out if they are still those at the store's path.
//!
//! A connection keeps the files that it opened, even after `rm`, after a rename over them, and when another file is put
//! in their place. Its writes then do not reach the store. A file that `cp` overwrites stays the same file; its size
//! and time tell (see [`super::head::FileState`]).

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rusqlite::Connection;

use super::side_files::beside;
use crate::sqlite::errors::Outcome;

/// Device and inode of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sqlite) struct FileId(u64, u64);

impl FileId {
    pub(in crate::sqlite) fn of(file: &Metadata) -> Self {
        Self(file.dev(), file.ino())
    }

    fn at(path: &Path) -> Option<Self> {
        std::fs::metadata(path).ok().as_ref().map(Self::of)
    }
}

/// A database file, its WAL and the index of its WAL that processes share; none for one that does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Files {
    database: Option<FileId>,
    wal: Option<FileId>,
    shared: Option<FileId>,
}

impl Files {
    /// Those at a path.
    pub(super) fn at(database: &Path) -> Self {
        Self {
            database: FileId::at(database),
            wal: FileId::at(&beside(database, "-wal")),
            shared: FileId::at(&beside(database, "-shm")),
        }
    }

    /// True if they are still the ones at the path. A file that did not exist when it was looked for has been made by
    /// SQLite itself since.
    pub(super) fn are(&self, now: &Self) -> bool {
        let is_same =
            |opened: Option<FileId>, now: Option<FileId>| opened.is_none() || opened == now;
        self.database == now.database
            && is_same(self.wal, now.wal)
            && is_same(self.shared, now.shared)
    }
}

/// Brings all of the WAL into the database and empties it. False: somebody reads it, and it is not empty.
pub(in crate::sqlite) fn empty_wal(conn: &Connection) -> Outcome<bool> {
    let is_blocked: bool =
        conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    Ok(!is_blocked)
}

/// Writes all of a WAL again, as every process reads it, and syncs it. After a failed sync the kernel counts the pages
/// that it could not write as written, and a later sync reports no error. A power cut during a checkpoint would then
/// leave half of the WAL in the database, and no WAL to finish it from. Nobody may write meanwhile.
pub(super) fn write_wal_again(database: &Path) -> io::Result<()> {
    let mut wal = match File::options()
        .read(true)
        .write(true)
        .open(beside(database, "-wal"))
    {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        wal => wal?,
    };
    let mut bytes = Vec::new();
    wal.read_to_end(&mut bytes)?;
    wal.rewind()?;
    wal.write_all(&bytes)?;
    wal.sync_data()
}

/// The bytes of a database's WAL; 0 when there is none.
pub(in crate::sqlite) fn wal_bytes(database: &Path) -> u64 {
    std::fs::metadata(beside(database, "-wal")).map_or(0, |wal| wal.len())
}
