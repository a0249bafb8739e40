//! A store beside which this process can make no file: its files are read as they are, without locks.
//!
//! A reader of a WAL shares memory with the other readers in a file beside the store. If that file is missing and
//! cannot be made, no other program has the store open, and each connection keeps an index of the WAL for itself.
//! Nothing tells such a connection of a change, so each call opens one of its own.

use std::path::Path;

use percent_encoding::{NON_ALPHANUMERIC, percent_encode};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::error::{Error, Result};

use super::side_files::{self, beside};
use crate::sqlite::errors::{Failure, Outcome};
use crate::sqlite::options::Options;
use crate::sqlite::schema;

/// Opens a store that can only be read.
pub(in crate::sqlite::file) fn open(store: &Path, options: &Options) -> Result<Connection> {
    let has = |suffix| std::fs::metadata(beside(store, suffix)).is_ok_and(|file| file.len() > 0);
    let fail = |failure: Failure| failure.at(store, options.wait);
    if has("-journal") {
        return Err(read_only(
            store,
            "a write of it was cut short, and cannot be taken back without writing",
        ));
    }
    let conn = match has("-wal") {
        // Another program may write, and its changes cannot be seen here.
        true if has("-shm") => {
            let reason = "its `-shm` file cannot be opened";
            return Err(side_files::denied(store).unwrap_or_else(|| read_only(store, reason)));
        }
        true => with_wal(store),
        false => unchanging(store),
    };
    let conn = conn.map_err(fail)?;
    match schema::refuse_other(&conn, store).map_err(fail)? {
        None => Err(read_only(store, "it is empty")),
        Some(_) => Ok(conn),
    }
}

fn read_only(store: &Path, reason: &str) -> Error {
    Error::read_only(store, reason)
}

/// A connection that has the WAL for itself keeps its index in memory of its own. The exclusive lock that goes with it
/// is one that is never taken: a file that can only be read takes none.
fn with_wal(store: &Path) -> Outcome<Connection> {
    let conn = connect(store, "mode=ro&vfs=unix-none")?;
    conn.pragma_update(None, "locking_mode", "exclusive")?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(conn)
}

/// A connection to a file without a WAL that nobody changes.
pub(in crate::sqlite) fn unchanging(file: &Path) -> Outcome<Connection> {
    connect(file, "immutable=1")
}

fn connect(store: &Path, how: &str) -> Outcome<Connection> {
    let absolute = std::path::absolute(store).map_err(|error| Error::file(store, "read", error))?;
    let encoded = percent_encode(absolute.as_os_str().as_encoded_bytes(), NON_ALPHANUMERIC);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(format!("file:{encoded}?{how}"), flags)?;
    super::tuned(&conn)?;
    Ok(conn)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    /// A store with a WAL and without the memory that readers share, as a copy of its two files has it.
    fn copied(folder: &Path) -> PathBuf {
        let (made, copy) = (folder.join("made.db"), folder.join("notes.db"));
        let conn = Connection::open(&made).unwrap();
        conn.pragma_update(None, "journal_mode", "wal").unwrap();
        schema::make(&conn, &made).unwrap();
        for suffix in ["", "-wal"] {
            std::fs::copy(beside(&made, suffix), beside(&copy, suffix)).unwrap();
        }
        copy
    }

    #[test]
    fn what_stands_in_a_wal_is_read_without_the_shared_memory() {
        let folder = tempfile::tempdir().unwrap();
        let store = copied(folder.path());
        assert!(std::fs::metadata(beside(&store, "-wal")).unwrap().len() > 0);
        let conn = open(&store, &Options::default()).unwrap();
        assert_eq!(schema::version(&conn).unwrap(), Some(schema::VERSION));
        assert!(conn.execute("DELETE FROM waynote_journal", []).is_err());
        drop(conn);
        assert!(!beside(&store, "-shm").exists());
        assert!(std::fs::metadata(beside(&store, "-wal")).unwrap().len() > 0);
    }
}
