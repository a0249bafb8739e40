//! Damaged rows: an error that names the note or scope that they belong to, and lists without them.

use std::cell::RefCell;
use std::fmt::Display;
use std::path::PathBuf;

use rusqlite::ffi;
use rusqlite::types::Type;
use rusqlite::{Connection, Params, Row};

use crate::error::Error;

use crate::sqlite::errors::{Failure, Outcome};

/// The error for a row that is not as it was written.
pub(in crate::sqlite) fn damaged(what: impl Display) -> rusqlite::Error {
    of_library(Error::DamagedNote {
        what: what.to_string(),
    })
}

/// An error of the library, on its way through the engine.
pub(in crate::sqlite) fn of_library(error: Error) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(0, Type::Null, Box::new(error))
}

/// The thing that an error of [`damaged`] names.
pub(in crate::sqlite) fn named(error: &rusqlite::Error) -> Option<&str> {
    match carried(error)? {
        Error::DamagedNote { what } => Some(what),
        _ => None,
    }
}

fn carried(error: &rusqlite::Error) -> Option<&Error> {
    match error {
        rusqlite::Error::FromSqlConversionFailure(_, _, source) => source.downcast_ref(),
        _ => None,
    }
}

/// The error that came through the engine with [`of_library`]; otherwise the engine's own.
pub(in crate::sqlite) fn passed(error: rusqlite::Error) -> Result<Error, rusqlite::Error> {
    match error {
        rusqlite::Error::FromSqlConversionFailure(column, kind, source) => source
            .downcast()
            .map(|error| *error)
            .map_err(|source| rusqlite::Error::FromSqlConversionFailure(column, kind, source)),
        error => Err(error),
    }
}

/// The error for a row of the search index that is not as it was written.
pub(super) fn damaged_index(reason: &str) -> rusqlite::Error {
    of_library(Error::DamagedIndex {
        path: PathBuf::new(),
        reason: reason.to_owned(),
    })
}

/// The reason of an error of [`damaged_index`].
pub(in crate::sqlite) fn of_index(error: &rusqlite::Error) -> Option<&str> {
    match carried(error)? {
        Error::DamagedIndex { reason, .. } => Some(reason),
        _ => None,
    }
}

/// Turns a page that cannot be read into damage of the search index alone.
pub(super) fn in_index<T>(read: Outcome<T>) -> Outcome<T> {
    match read {
        Err(failure) if is_corrupt(&failure) => {
            Err(damaged_index("a page of it cannot be read").into())
        }
        read => read,
    }
}

/// True if SQLite found a page that it cannot read.
pub(super) fn is_corrupt(failure: &Failure) -> bool {
    matches!(
        failure,
        Failure::Engine(rusqlite::Error::SqliteFailure(failure, _))
            if failure.extended_code & 0xff == ffi::SQLITE_CORRUPT
    )
}

/// The damaged things that were left out of lists.
#[derive(Default)]
pub(in crate::sqlite) struct LeftOut(RefCell<Vec<String>>);

impl LeftOut {
    pub(in crate::sqlite) fn add(&self, what: impl Display) {
        self.0.borrow_mut().push(what.to_string());
    }

    pub(super) fn len(&self) -> usize {
        self.0.borrow().len()
    }

    /// Each once, by address.
    pub(in crate::sqlite) fn take(&self) -> Vec<String> {
        let mut all = self.0.take();
        all.sort();
        all.dedup();
        all
    }

    /// The rows of a statement that are whole.
    pub(super) fn whole<T>(
        &self,
        conn: &Connection,
        sql: &str,
        params: impl Params,
        row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Outcome<Vec<T>> {
        let mut whole = Vec::new();
        for row in conn.prepare_cached(sql)?.query_map(params, row)? {
            match row {
                Ok(row) => whole.push(row),
                Err(error) => match named(&error) {
                    Some(what) => self.add(what),
                    None => return Err(error.into()),
                },
            }
        }
        Ok(whole)
    }

    /// A row unless it is damaged: in its row, or in a page that holds a part of it.
    pub(super) fn unless_damaged<T>(
        &self,
        row: Outcome<Option<T>>,
        what: impl Display,
    ) -> Outcome<Option<T>> {
        match row {
            Err(Failure::Engine(error)) if named(&error).is_some() => {
                self.add(named(&error).unwrap_or_default());
                Ok(None)
            }
            Err(failure) if is_corrupt(&failure) => {
                self.add(what);
                Ok(None)
            }
            row => row,
        }
    }
}
