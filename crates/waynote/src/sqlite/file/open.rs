//! Opening: a file of our own, or one that can only be read; and which files a connection has open.
//!
//! A connection keeps the files that it opened, even after `rm`, after a rename over them, and when another file is put
//! in their place. Its writes then do not reach the store.

pub(in crate::sqlite) mod frozen;
pub(in crate::sqlite) mod side_files;

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{DirEntryExt, FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use rustix::fs::statvfs;

use crate::error::{Error, Result, StorageError};
use crate::note::Position;
use crate::system::room;

use self::side_files::{beside, no_room};
use super::head::LockRecords;
use super::head::queue::{Queue, Turn};
use crate::sqlite::errors::{Failure, Outcome};
use crate::sqlite::options::{LOG_PAGES, Options};
use crate::sqlite::schema;
use crate::sqlite::transaction;

/// The capacity of the cache of prepared statements: it holds all those of writes and searches.
const STATEMENTS: usize = 64;

/// The pages that a connection keeps, in KiB. Those of the kernel are as near, and many servers share them: searches
/// are no faster with more.
const CACHE: i64 = 512;

/// The pages that the connection keeps that writes, in KiB. A transaction that changes more pages than that writes some
/// of them more than once: one of 30 notes in a large store changes over a megabyte.
const WRITER_CACHE: i64 = 2048;

/// More milliseconds than this the engine cannot count.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

/// How a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// To be read and written.
    Usual,
    /// For a store that cannot be written, and whose readers cannot share an index either: its files are read as if
    /// they never change.
    Frozen,
}

/// The file at a store's path; none when there is none.
pub(in crate::sqlite) fn found(path: &Path) -> Result<Option<Metadata>> {
    match std::fs::metadata(path) {
        Ok(file) if !file.is_file() => Err(not_a_file(path, &file)),
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::file(path, "read", error)),
    }
}

/// The first connection to a file that is there: it is checked.
pub(super) fn first(
    path: &Path,
    file: Option<&Metadata>,
    options: &Options,
    queue: &Queue,
    turn: Option<&Turn<'_>>,
) -> Result<(Connection, Access)> {
    if let Some(file) = file {
        not_too_short(path, file)?;
        if file.is_file() && file.len() == 0 {
            is_new(path, queue)?;
        }
    }
    let looked = connect(path, options)
        .and_then(|conn| schema::refuse_other(&conn, path).map(|version| (conn, version)));
    match looked {
        Ok((conn, Some(_))) => Ok((conn, Access::Usual)),
        Ok((conn, None)) => {
            prepare(&conn, path, options, queue, turn)?;
            Ok((conn, Access::Usual))
        }
        Err(failure) if failure.is_no_access() => {
            Ok((frozen::open(path, options)?, Access::Frozen))
        }
        Err(failure) => Err(failure.at(path, options.wait)),
    }
}

/// Checks that a store without a file, or with an empty one, is a new one. It is not if writes to it were acknowledged,
/// or if its WAL has notes: SQLite would delete that WAL.
pub(in crate::sqlite) fn is_new(path: &Path, queue: &Queue) -> Result<()> {
    let highest = queue.noted().highest();
    let has_wal = wal_bytes(path) > 0;
    // Another process may have made it meanwhile.
    if found(path)?.is_some_and(|file| file.len() > 0) {
        return Ok(());
    }
    if let Some(highest) = highest {
        return Err(gone(path, highest));
    }
    if has_wal {
        return Err(Error::damaged_store(
            path,
            "its file is empty or gone, but its write-ahead log (`-wal`) has notes",
        ));
    }
    Ok(())
}

/// Refuses to write to a file with another hard link. The write-ahead log, the memory that readers share and the lock
/// belong to a name and not to a file, so programs that use it under two names overwrite each other's writes.
pub(in crate::sqlite) fn refuse_links(path: &Path, file: &Metadata) -> Result<()> {
    if file.nlink() < 2 {
        return Ok(());
    }
    let links = file.nlink() - left_by_us(path, file);
    match links > 1 {
        true => Err(StorageError::SecondName {
            path: path.to_owned(),
            links,
        }
        .into()),
        false => Ok(()),
    }
}

/// The number of names that a backup or a restore left when it was killed. They are never written to: seen from there,
/// the store's own name is the second one.
fn left_by_us(path: &Path, file: &Metadata) -> u64 {
    let entries = path.parent().map(std::fs::read_dir);
    let names = entries.into_iter().flatten().flatten().flatten();
    let is_left = |entry: &std::fs::DirEntry| {
        let name = entry.path();
        let name = name.as_os_str().as_encoded_bytes();
        [".before-", ".part"]
            .iter()
            .any(|suffix| name.starts_with(beside(path, suffix).as_os_str().as_encoded_bytes()))
    };
    let left = names.filter(|entry| entry.ino() == file.ino() && is_left(entry));
    left.count() as u64
}

/// The error for a store that has lost all acknowledged writes.
fn gone(path: &Path, highest: i64) -> Error {
    Error::LostWrites {
        path: path.to_owned(),
        acknowledged: Position::new(highest),
        found: Position::new(0),
    }
}

/// Makes the folder of a store for its owner alone, unless it is there. In a home it belongs to the home's owner.
pub(in crate::sqlite) fn make_folder(path: &Path) -> Result<()> {
    let Some(folder) = path.parent() else {
        return Ok(());
    };
    waynote_files::make_folder(folder, 0o700).map_err(|error| refused(path, &error))
}

/// Syncs the folder of a new store and those above it, some of which may be new too: a note that is on disk is lost if
/// a folder on the way to it is not. Runs before the tables are made, so that a store with tables has its folders
/// synced.
fn sync_folders(path: &Path) -> Result<()> {
    sync_each(path.ancestors().skip(1))
}

/// Syncs the folder of a store, so that the name of a new WAL is on disk. SQLite syncs it too, and says nothing if that
/// fails.
pub(super) fn sync_folder_of(path: &Path) -> Result<()> {
    sync_each(path.ancestors().skip(1).take(1))
}

fn sync_each<'p>(folders: impl Iterator<Item = &'p Path>) -> Result<()> {
    for folder in folders {
        let Ok(file) = File::open(folder) else {
            // A process that cannot read a folder has not made it.
            continue;
        };
        match file.sync_all() {
            Err(error) if is_no_sync(error.kind()) => {}
            synced => synced.map_err(|error| Error::file(folder, "synced", error))?,
        }
    }
    Ok(())
}

/// True for the errors of file systems that do not sync folders.
fn is_no_sync(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{InvalidInput, PermissionDenied, ReadOnlyFilesystem, Unsupported};
    matches!(
        kind,
        InvalidInput | PermissionDenied | ReadOnlyFilesystem | Unsupported
    )
}

fn refused(path: &Path, error: &io::Error) -> Error {
    match room::of_error(error) {
        Some(lack) => no_room(path.to_owned(), lack),
        None => Error::read_only(path, error.to_string()),
    }
}

/// Makes the file and its folder for their owner alone. A file that is there already keeps its mode, and is not even
/// opened: closing any descriptor of a database file takes away the locks that this process holds on it.
pub(super) fn make_file(path: &Path) -> Result<()> {
    let refused = |error: io::Error| refused(path, &error);
    match std::fs::metadata(path) {
        Ok(file) if !file.is_file() => return Err(not_a_file(path, &file)),
        Ok(file) => return not_too_short(path, &file),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(refused(error)),
        Err(_) => {}
    }
    make_folder(path)?;
    match OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
    {
        Ok(_) => waynote_files::belong_to_folder(path).map_err(refused),
        // Another process was first.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(refused(error)),
    }
}

/// A database is empty or has a header; the engine takes a file of one byte for an empty one.
fn not_too_short(path: &Path, file: &Metadata) -> Result<()> {
    const HEADER: u64 = 100;
    if file.is_file() && (1..HEADER).contains(&file.len()) {
        let reason = "it is not a SQLite database";
        return Err(Error::not_a_store(path, reason));
    }
    Ok(())
}

/// The error for a path with something else than a file. It is not opened: a pipe would make this process wait, and a
/// device answers as it likes.
fn not_a_file(path: &Path, file: &Metadata) -> Error {
    let kind = file.file_type();
    let what = match () {
        () if kind.is_dir() => "a directory",
        () if kind.is_fifo() => "a pipe",
        () if kind.is_socket() => "a socket",
        () => "a device",
    };
    Error::not_a_store(path, format!("it is {what}"))
}

pub(in crate::sqlite) fn connect(path: &Path, options: &Options) -> Outcome<Connection> {
    has_room(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)?;
    conn.busy_timeout(within(options.wait))?;
    // A process that adds one note must not pay for folding in the WAL each time; the last one of a writer does.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    conn.pragma_update(None, "synchronous", "FULL")?;
    conn.pragma_update(None, "cache_size", -CACHE)?;
    if options.log_pages != LOG_PAGES {
        conn.pragma_update(None, "wal_autocheckpoint", options.log_pages)?;
    }
    tuned(&conn)?;
    Ok(conn)
}

/// How many pages a connection keeps, for writing or for reading only. A failure changes only how fast it is.
pub(super) fn set_writes(conn: &Connection, writes: bool) {
    let size = if writes { WRITER_CACHE } else { CACHE };
    let _ = conn.pragma_update(None, "cache_size", -size);
}

/// A wait that the engine can count.
pub(super) fn within(wait: Duration) -> Duration {
    wait.min(LONGEST_WAIT)
}

/// Settings that change the speed of a connection, and nothing else.
pub(super) fn tuned(conn: &Connection) -> Outcome<()> {
    // Else a statement is prepared anew whenever a number is bound that its plan could depend on; ours depend on none.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    conn.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(())
}

/// Makes the tables, unless they are there.
pub(super) fn prepare(
    conn: &Connection,
    path: &Path,
    options: &Options,
    queue: &Queue,
    turn: Option<&Turn<'_>>,
) -> Result<()> {
    let mapped = |failure: Failure| failure.at(path, options.wait);
    if schema::refuse_other(conn, path).map_err(mapped)?.is_some() {
        return Ok(());
    }
    if let Some(file) = found(path)? {
        refuse_links(path, &file)?;
    }
    let own = match turn {
        Some(_) => None,
        None => Some(queue.turn(path, options.wait)?),
    };
    let turn = turn.or(own.as_ref());
    if schema::is_empty(conn).map_err(mapped)? {
        if let Some(highest) = queue.noted().highest() {
            return Err(gone(path, highest));
        }
        conn.pragma_update(None, "journal_mode", "wal")
            .map_err(|error| mapped(error.into()))?;
        // The first read in this mode makes the WAL, and its name has to be on disk, too.
        schema::is_empty(conn).map_err(mapped)?;
        sync_folders(path)?;
    }
    let made = transaction::run(conn, |conn| {
        let is_foreign = schema::version(conn)?.is_none() && !schema::is_empty(conn)?;
        if is_foreign && !options.attach {
            return Err(Failure::Ours(Error::ForeignStore {
                path: path.to_owned(),
            }));
        }
        schema::make(conn, path)
    });
    if made.as_ref().is_err_and(Failure::is_failed_sync)
        && let Some(lock) = turn.and_then(Turn::file)
    {
        // A later process finds the tables, which may never reach the disk.
        let _ = LockRecords::mark_unsynced(lock, true);
    }
    made.map_err(mapped)
}

/// The part of the index's file that one byte gives room to, if a block is as large.
const PAGE: u64 = 4096;

/// The bytes that an open and a first write need: the index, and some pages of the WAL.
const NEEDED: u64 = 128 * 1024;

/// Refuses to open a store where the index of the WAL may not fit, which SQLite maps into memory. SQLite extends the file
/// by writing one byte for each 4 KiB. On a file system with smaller blocks, the rest of those 4 KiB has no room yet: on a
/// full disk a write to it ends the process with a signal (SIGBUS) instead of an error.
fn has_room(path: &Path) -> Result<()> {
    let folder = path.parent().filter(|of| !of.as_os_str().is_empty());
    let Ok(disk) = statvfs(folder.unwrap_or(Path::new("."))) else {
        return Ok(());
    };
    match is_enough(disk.f_frsize, disk.f_bavail) {
        true => Ok(()),
        false => Err(Error::DiskFull {
            path: path.to_owned(),
        }),
    }
}

fn is_enough(block: u64, available: u64) -> bool {
    block >= PAGE || block == 0 || available.saturating_mul(block) >= NEEDED
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_blocks_need_room_and_large_ones_do_not() {
        assert!(is_enough(4096, 0));
        assert!(is_enough(1024, 128));
        assert!(!is_enough(1024, 127));
        assert!(!is_enough(512, 0));
    }
}
