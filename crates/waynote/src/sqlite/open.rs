//! Opening: a file of our own, a file that can only be read, a connection that an application lends.

use std::cell::Cell;
use std::fs::{DirBuilder, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use percent_encoding::{NON_ALPHANUMERIC, percent_encode};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::error::{Error, Result};

use super::errors::{Failure, Outcome};
use super::queue::Queue;
use super::{Connected, Options, Sqlite, migrate};

/// A WAL longer than this is folded into the database when a writer closes: the first to open the store
/// afterwards has to read it all.
const LONG_WAL_BYTES: u64 = 256 * 1024;

/// What runs at every write and every search stays prepared.
const STATEMENTS: usize = 64;

/// Pages that a connection keeps: those of the kernel are as near, and many servers share them. Searches are no faster with more.
const CACHE_KIBIBYTES: i64 = 512;

/// More milliseconds than this the engine cannot count.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

pub(super) fn open(path: &Path, options: &Options) -> Result<Sqlite<'static>> {
    make_file(path)?;
    let store = connect(path, options).map_err(|failure| failure.at(path, options.wait))?;
    let version = store.mapped(migrate::version(store.conn()))?;
    prepare(&store, version, options)?;
    ensure_wal(&store)?;
    Ok(store)
}

pub(super) fn open_existing(path: &Path, options: &Options) -> Result<Option<Sqlite<'static>>> {
    match std::fs::metadata(path) {
        Ok(file) if file.is_dir() => return Err(is_directory(path)),
        Ok(file) => not_too_short(path, &file)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::file(path, "read", error)),
    }
    let looked = connect(path, options)
        .and_then(|store| migrate::version(store.conn()).map(|version| (store, version)));
    match looked {
        Ok((store, version)) => {
            prepare(&store, version, options)?;
            Ok(Some(store))
        }
        Err(failure) if failure.is_no_access() => open_read_only(path, options).map(Some),
        Err(failure) => Err(failure.at(path, options.wait)),
    }
}

pub(super) fn attach(connection: &Connection) -> Result<Sqlite<'_>> {
    let path = connection
        .path()
        .filter(|path| !path.is_empty())
        .unwrap_or(":memory:");
    let store = Sqlite {
        connected: Connected::Lent(connection),
        path: PathBuf::from(path),
        queue: None,
        wait: Duration::ZERO,
        wrote: Cell::new(false),
    };
    let version = store.mapped(migrate::version(connection))?;
    store.mapped(migrate::refuse_newer(&store.path, version))?;
    if version != Some(migrate::KNOWN) {
        store.transaction(|conn| migrate::migrate(conn, &store.path))?;
    }
    Ok(store)
}

/// Makes the file and its folder for their owner alone. What is there already keeps its mode, and is not even
/// opened: closing any descriptor of a database file takes away the locks that this process holds on it.
fn make_file(path: &Path) -> Result<()> {
    let refused = |error: io::Error| match error.kind() {
        io::ErrorKind::StorageFull => Error::DiskFull {
            path: path.to_owned(),
        },
        _ => Error::ReadOnly {
            path: path.to_owned(),
            reason: error.to_string(),
        },
    };
    match std::fs::metadata(path) {
        Ok(file) if file.is_dir() => return Err(is_directory(path)),
        Ok(file) => return not_too_short(path, &file),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(refused(error)),
        Err(_) => {}
    }
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .map_err(refused)?;
    }
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
fn not_too_short(path: &Path, file: &std::fs::Metadata) -> Result<()> {
    const HEADER: u64 = 100;
    if file.is_file() && (1..HEADER).contains(&file.len()) {
        let reason = "it is no SQLite database".into();
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

fn connect(path: &Path, options: &Options) -> Outcome<Sqlite<'static>> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)?;
    conn.busy_timeout(options.wait.min(LONGEST_WAIT))?;
    // A process that adds one note must not pay for folding in the WAL each time; see `Drop`.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    conn.pragma_update(None, "synchronous", "FULL")?;
    conn.pragma_update(None, "cache_size", -CACHE_KIBIBYTES)?;
    tuned(&conn)?;
    Ok(Sqlite {
        connected: Connected::Owned(Box::new(conn)),
        path: path.to_owned(),
        queue: Some(Queue::beside(path)),
        wait: options.wait,
        wrote: Cell::new(false),
    })
}

/// What changes how fast a connection is, and nothing else.
fn tuned(conn: &Connection) -> Outcome<()> {
    // Else a statement is prepared anew whenever a number is bound that its plan could depend on; ours depend on none.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    conn.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(())
}

/// Checks the version and brings our tables up to it.
fn prepare(store: &Sqlite<'_>, version: Option<u32>, options: &Options) -> Result<()> {
    let conn = store.conn();
    store.mapped(migrate::refuse_newer(&store.path, version))?;
    if version == Some(migrate::KNOWN) {
        return Ok(());
    }
    let _turn = store.turn()?;
    if version.is_none() && store.mapped(migrate::is_empty(conn))? {
        store.mapped(
            conn.pragma_update(None, "journal_mode", "wal")
                .map_err(Failure::from),
        )?;
    }
    store.transaction(|conn| {
        let is_foreign = migrate::version(conn)?.is_none() && !migrate::is_empty(conn)?;
        if is_foreign && !options.attach {
            return Err(Failure::Ours(Error::ForeignStore {
                path: store.path.clone(),
            }));
        }
        migrate::migrate(conn, &store.path)
    })
}

/// A copy of a store may be in another mode, in which readers and writers block each other. A database that an
/// application keeps its own tables in stays as the application has it.
fn ensure_wal(store: &Sqlite<'_>) -> Result<()> {
    let conn = store.conn();
    let mode = conn.query_row("PRAGMA journal_mode", [], |row| row.get::<_, String>(0));
    if store.mapped(mode.map_err(Failure::from))? == "wal"
        || !store.mapped(migrate::is_ours(conn))?
    {
        return Ok(());
    }
    let _turn = store.turn()?;
    let changed = conn.pragma_update(None, "journal_mode", "wal");
    store.mapped(changed.map_err(Failure::from))
}

/// A store on a read-only medium: nothing can be written beside it, not even what WAL mode shares among
/// readers, so it is read as a file that does not change.
fn open_read_only(path: &Path, options: &Options) -> Result<Sqlite<'static>> {
    let unfinished = |suffix| {
        let mut beside = path.as_os_str().to_owned();
        beside.push(suffix);
        std::fs::metadata(beside).is_ok_and(|file| file.len() > 0)
    };
    let fail = |failure: Failure| failure.at(path, options.wait);
    if unfinished("-wal") || unfinished("-journal") {
        let reason = "it was not closed, and its last notes cannot be read without writing".into();
        return Err(Error::ReadOnly {
            path: path.to_owned(),
            reason,
        });
    }
    let absolute = std::path::absolute(path).map_err(|error| Error::file(path, "read", error))?;
    let encoded = percent_encode(absolute.as_os_str().as_encoded_bytes(), NON_ALPHANUMERIC);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(format!("file:{encoded}?immutable=1"), flags)
        .map_err(|error| fail(error.into()))?;
    tuned(&conn).map_err(fail)?;
    let version = migrate::version(&conn).map_err(fail)?;
    migrate::refuse_newer(path, version).map_err(fail)?;
    if version != Some(migrate::KNOWN) {
        let reason = "it has to be brought up to this program's version first".into();
        return Err(Error::ReadOnly {
            path: path.to_owned(),
            reason,
        });
    }
    Ok(Sqlite {
        connected: Connected::Owned(Box::new(conn)),
        path: path.to_owned(),
        queue: None,
        wait: options.wait,
        wrote: Cell::new(false),
    })
}

/// A writer that closes leaves a short WAL behind. Best effort: whoever is busy there does it later.
impl Drop for Sqlite<'_> {
    fn drop(&mut self) {
        let Connected::Owned(conn) = &self.connected else {
            return;
        };
        if !self.wrote.get() {
            return;
        }
        let mut wal = self.path.as_os_str().to_owned();
        wal.push("-wal");
        if std::fs::metadata(wal).is_ok_and(|wal| wal.len() > LONG_WAL_BYTES) {
            let _ = conn.busy_timeout(Duration::ZERO);
            let _ = conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        }
    }
}
