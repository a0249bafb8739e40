//! What the engine says, as the library's errors.

use std::path::Path;

use rusqlite::ffi;

use crate::error::{Error, Result};

use super::{Named, damage};

/// Inside this module a failure is the engine's or already the library's.
#[derive(Debug)]
pub(super) enum Failure {
    Engine(rusqlite::Error),
    Ours(Error),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Engine(error)
    }
}

impl From<rusqlite::types::FromSqlError> for Failure {
    fn from(error: rusqlite::types::FromSqlError) -> Self {
        Self::Engine(error.into())
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Ours(error)
    }
}

pub(super) type Outcome<T> = std::result::Result<T, Failure>;

impl Named {
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
        if let Some(what) = damage::named(&error) {
            return Error::DamagedNote {
                what: what.to_owned(),
            };
        }
        let path = path.to_owned();
        if let Some(reason) = damage::of_index(&error) {
            let reason = reason.to_owned();
            return Error::DamagedIndex { path, reason };
        }
        let (code, extended) = match &error {
            rusqlite::Error::SqliteFailure(failure, _) => {
                (failure.extended_code & 0xff, failure.extended_code)
            }
            _ => {
                return Error::Engine {
                    path,
                    source: Box::new(error),
                };
            }
        };
        match code {
            ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED => Error::Busy {
                path,
                waited,
                holder: None,
            },
            ffi::SQLITE_FULL => Error::DiskFull { path },
            ffi::SQLITE_IOERR if extended == ffi::SQLITE_IOERR_SHMSIZE => Error::DiskFull { path },
            ffi::SQLITE_READONLY => Error::ReadOnly {
                path,
                reason: "it is read-only".into(),
            },
            ffi::SQLITE_PERM | ffi::SQLITE_CANTOPEN => Error::ReadOnly {
                path,
                reason: "it or its folder cannot be opened for writing".into(),
            },
            ffi::SQLITE_NOTADB => Error::NotAStore {
                path,
                reason: "it is not a SQLite database".into(),
            },
            ffi::SQLITE_CORRUPT => Error::DamagedStore {
                path,
                reason: error.to_string(),
            },
            _ => Error::Engine {
                path,
                source: Box::new(error),
            },
        }
    }

    /// Whether the engine could not get at the file, though another way of opening it may.
    pub(super) fn is_no_access(&self) -> bool {
        let Self::Engine(rusqlite::Error::SqliteFailure(failure, _)) = self else {
            return false;
        };
        let code = failure.extended_code & 0xff;
        [ffi::SQLITE_READONLY, ffi::SQLITE_CANTOPEN, ffi::SQLITE_PERM].contains(&code)
    }
}
