//! Opening: a file of our own, or one that can only be read.

use std::fs::{DirBuilder, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

use percent_encoding::{NON_ALPHANUMERIC, percent_encode};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::error::{Error, Result};

use super::errors::{Failure, Outcome};
use super::queue::{Queue, Turn};
use super::{Options, migrate, transaction};

/// What runs at every write and every search stays prepared.
const STATEMENTS: usize = 64;

/// Pages that a connection keeps: those of the kernel are as near, and many servers share them. Searches are no faster with more.
const CACHE_KIBIBYTES: i64 = 512;

/// More milliseconds than this the engine cannot count.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

/// How a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// To be read and written.
    Usual,
    /// On a medium that nothing can be written to, not even what WAL mode shares among readers: as a file that does not
    /// change.
    Immutable,
}

/// The file at a store's path; none when there is none.
pub(super) fn found(path: &Path) -> Result<Option<Metadata>> {
    match std::fs::metadata(path) {
        Ok(file) if file.is_dir() => Err(is_directory(path)),
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::file(path, "read", error)),
    }
}

/// The first connection to a file that is there: it is checked, and its tables are brought up to this program's version.
pub(super) fn first(
    path: &Path,
    file: Option<&Metadata>,
    options: &Options,
    queue: &Queue,
    turn: Option<&Turn<'_>>,
) -> Result<(Connection, Access)> {
    if let Some(file) = file {
        not_too_short(path, file)?;
    }
    let looked = Access::Usual
        .connect(path, options)
        .and_then(|conn| migrate::version(&conn).map(|version| (conn, version)));
    match looked {
        Ok((conn, version)) => {
            prepare(&conn, path, version, options, queue, turn)?;
            Ok((conn, Access::Usual))
        }
        Err(failure) if failure.is_no_access() => {
            Ok((read_only(path, options)?, Access::Immutable))
        }
        Err(failure) => Err(failure.at(path, options.wait)),
    }
}

/// Makes the folder of a store for its owner alone, unless it is there.
pub(super) fn make_folder(path: &Path) -> Result<()> {
    let folder = path.parent();
    let Some(folder) = folder.filter(|folder| !folder.as_os_str().is_empty()) else {
        return Ok(());
    };
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(|error| refused(path, &error))
}

fn refused(path: &Path, error: &io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::StorageFull => Error::DiskFull {
            path: path.to_owned(),
        },
        _ => Error::ReadOnly {
            path: path.to_owned(),
            reason: error.to_string(),
        },
    }
}

/// Makes the file and its folder for their owner alone. What is there already keeps its mode, and is not even
/// opened: closing any descriptor of a database file takes away the locks that this process holds on it.
pub(super) fn make_file(path: &Path) -> Result<()> {
    let refused = |error: io::Error| refused(path, &error);
    match std::fs::metadata(path) {
        Ok(file) if file.is_dir() => return Err(is_directory(path)),
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
        Ok(_) => Ok(()),
        // Another process was first.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(refused(error)),
    }
}

/// A database is empty or has a header; the engine takes a file of one byte for an empty one.
fn not_too_short(path: &Path, file: &Metadata) -> Result<()> {
    const HEADER: u64 = 100;
    if file.is_file() && (1..HEADER).contains(&file.len()) {
        let reason = "it is not a SQLite database".into();
        return Err(Error::NotAStore {
            path: path.to_owned(),
            reason,
        });
    }
    Ok(())
}

fn is_directory(path: &Path) -> Error {
    Error::NotAStore {
        path: path.to_owned(),
        reason: "it is a directory".into(),
    }
}

impl Access {
    pub(super) fn connect(self, path: &Path, options: &Options) -> Outcome<Connection> {
        match self {
            Self::Usual => connect(path, options),
            Self::Immutable => immutable(path),
        }
    }
}

fn connect(path: &Path, options: &Options) -> Outcome<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)?;
    conn.busy_timeout(options.wait.min(LONGEST_WAIT))?;
    // A process that adds one note must not pay for folding in the WAL each time; the last one of a writer does.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    conn.pragma_update(None, "synchronous", "FULL")?;
    conn.pragma_update(None, "cache_size", -CACHE_KIBIBYTES)?;
    tuned(&conn)?;
    Ok(conn)
}

fn immutable(path: &Path) -> Outcome<Connection> {
    let absolute = std::path::absolute(path).map_err(|error| Error::file(path, "read", error))?;
    let encoded = percent_encode(absolute.as_os_str().as_encoded_bytes(), NON_ALPHANUMERIC);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(format!("file:{encoded}?immutable=1"), flags)?;
    tuned(&conn)?;
    Ok(conn)
}

/// What changes how fast a connection is, and nothing else.
fn tuned(conn: &Connection) -> Outcome<()> {
    // Else a statement is prepared anew whenever a number is bound that its plan could depend on; ours depend on none.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    conn.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(())
}

/// Checks the version and brings our tables up to it.
fn prepare(
    conn: &Connection,
    path: &Path,
    version: Option<u32>,
    options: &Options,
    queue: &Queue,
    turn: Option<&Turn<'_>>,
) -> Result<()> {
    let mapped = |failure: Failure| failure.at(path, options.wait);
    migrate::refuse_newer(path, version).map_err(mapped)?;
    if version == Some(migrate::KNOWN) {
        return Ok(());
    }
    let _turn = match turn {
        Some(_) => None,
        None => Some(queue.turn(path, options.wait)?),
    };
    if version.is_none() && migrate::is_empty(conn).map_err(mapped)? {
        conn.pragma_update(None, "journal_mode", "wal")
            .map_err(|error| mapped(error.into()))?;
    }
    let migrated = transaction::run(conn, |conn| {
        let is_foreign = migrate::version(conn)?.is_none() && !migrate::is_empty(conn)?;
        if is_foreign && !options.attach {
            return Err(Failure::Ours(Error::ForeignStore {
                path: path.to_owned(),
            }));
        }
        migrate::migrate(conn, path)
    });
    migrated.map_err(mapped)?;
    if version.is_some() {
        empty_wal(conn, options);
    }
    Ok(())
}

/// A migration writes every row anew: the WAL that it leaves would be read by each process that opens the store. Best
/// effort: while somebody reads, it is left to the next long write.
fn empty_wal(conn: &Connection, options: &Options) {
    let _ = conn.busy_timeout(Duration::ZERO);
    let _ = conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    let _ = conn.busy_timeout(options.wait.min(LONGEST_WAIT));
}

/// A store on a read-only medium.
fn read_only(path: &Path, options: &Options) -> Result<Connection> {
    let unfinished = |suffix| {
        let mut beside = path.as_os_str().to_owned();
        beside.push(suffix);
        std::fs::metadata(beside).is_ok_and(|file| file.len() > 0)
    };
    let fail = |failure: Failure| failure.at(path, options.wait);
    if unfinished("-wal") || unfinished("-journal") {
        let reason =
            "it was not closed properly, and its last notes cannot be read without writing".into();
        return Err(Error::ReadOnly {
            path: path.to_owned(),
            reason,
        });
    }
    let conn = immutable(path).map_err(fail)?;
    let version = migrate::version(&conn).map_err(fail)?;
    migrate::refuse_newer(path, version).map_err(fail)?;
    if version != Some(migrate::KNOWN) {
        let reason = "it has to be upgraded to this program's version first".into();
        return Err(Error::ReadOnly {
            path: path.to_owned(),
            reason,
        });
    }
    Ok(conn)
}
