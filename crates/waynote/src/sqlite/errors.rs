//! Turns SQLite's errors into the library's.

use std::path::Path;

use rusqlite::ffi;

use crate::error::{Error, Result, StorageError};
use crate::system::holder::{self, Kind};
use waynote_files::followed;

use super::options::StoreName;
use super::{file::open::side_files, rows::damage};

/// Inside this module a failure is the engine's or already the library's.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(super) enum Failure {
    Engine(#[from] rusqlite::Error),
    Ours(#[from] Error),
}

impl From<rusqlite::types::FromSqlError> for Failure {
    fn from(error: rusqlite::types::FromSqlError) -> Self {
        Self::Engine(error.into())
    }
}

pub(super) type Outcome<T> = std::result::Result<T, Failure>;

impl StoreName {
    /// Names the store in the engine's failures.
    pub(super) fn mapped<T>(&self, outcome: Outcome<T>) -> Result<T> {
        outcome.map_err(|failure| failure.at(&self.path, self.wait))
    }
}

impl Failure {
    pub(super) fn at(self, path: &Path, waited: std::time::Duration) -> Error {
        let error = match self {
            Self::Ours(error) => return error,
            Self::Engine(error) => error,
        };
        let path = path.to_owned();
        if let Some(reason) = damage::of_index(&error) {
            let reason = reason.to_owned();
            return Error::DamagedIndex { path, reason };
        }
        let error = match damage::passed(error) {
            Ok(error) => return error,
            Err(error) => error,
        };
        let code = match &error {
            rusqlite::Error::SqliteFailure(failure, _) => failure.extended_code & 0xff,
            _ => return Error::engine(path, error),
        };
        match code {
            // A reader gives up with the third while another process recovers the WAL and does not go on.
            ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED | ffi::SQLITE_PROTOCOL => Error::Busy {
                holder: holder(&path),
                path,
                waited,
            },
            ffi::SQLITE_FULL => Error::DiskFull { path },
            // The engine says "full" for one of the system's errors only, and throws away which one it was.
            ffi::SQLITE_IOERR => side_files::not_growing(&path).unwrap_or_else(|| {
                let reason = error.to_string();
                StorageError::DiskError { path, reason }.into()
            }),
            ffi::SQLITE_READONLY => {
                side_files::denied(&path).unwrap_or(Error::read_only(path, "it is read-only"))
            }
            ffi::SQLITE_PERM | ffi::SQLITE_CANTOPEN => side_files::denied(&path)
                .or_else(|| side_files::not_growing(&path))
                .unwrap_or(Error::read_only(
                    path,
                    "it or its folder cannot be opened for writing",
                )),
            ffi::SQLITE_NOTADB => Error::not_a_store(path, "it is not a SQLite database"),
            ffi::SQLITE_CORRUPT => Error::damaged_store(path, error.to_string()),
            _ => Error::engine(path, error),
        }
    }

    /// True if the disk did not take the written data.
    pub(super) fn is_failed_sync(&self) -> bool {
        let Self::Engine(rusqlite::Error::SqliteFailure(failure, _)) = self else {
            return false;
        };
        [ffi::SQLITE_IOERR_FSYNC, ffi::SQLITE_IOERR_DIR_FSYNC].contains(&failure.extended_code)
    }

    /// True if SQLite had no access to the file; another way of opening it may have.
    pub(super) fn is_no_access(&self) -> bool {
        let Self::Engine(rusqlite::Error::SqliteFailure(failure, _)) = self else {
            return false;
        };
        let code = failure.extended_code & 0xff;
        [ffi::SQLITE_READONLY, ffi::SQLITE_CANTOPEN, ffi::SQLITE_PERM].contains(&code)
    }
}

/// The process that keeps others out of a store by a lock of the engine.
fn holder(store: &Path) -> Option<String> {
    let store = followed(store);
    ["-shm", ""].iter().find_map(|suffix| {
        // Not opened: closing a file takes away the locks that this process has on it.
        let file = std::fs::metadata(side_files::beside(&store, suffix)).ok()?;
        let process = holder::of(Kind::Bytes, &file)?;
        Some(format!("process {process}"))
    })
}
