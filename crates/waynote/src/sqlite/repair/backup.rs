//! Backups: one state of a whole store in one file, even while others write.
//!
//! A copy of the database file alone misses the notes that are still in the WAL, and a copy made while somebody writes
//! mixes two states. SQLite's online backup copies every page in one read transaction, which blocks no writer.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::backup::StepResult;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::error::{Error, Result};
use crate::id::StoreId;
use crate::model::report::Report;
use crate::note::Position;
use crate::rules::EngineStore;
use crate::store::{LocalStore, Reader, Store};
use waynote_files::followed;

use crate::sqlite::attached::AttachedEngine;
use crate::sqlite::errors::Failure;
use crate::sqlite::file::open::side_files::beside;
use crate::sqlite::file::open::{self, frozen};
use crate::sqlite::file::pool::Sqlite;
use crate::sqlite::options::{Options, StoreName};
use crate::sqlite::repair::part::{BESIDE, Part, exists, holds_something, unwritten};
use crate::sqlite::schema;

/// A backup. It was read back and checked as [`Store::verify`] checks a store.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Backup {
    /// The file.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// The id of the store, which a backup keeps.
    pub store_id: Option<StoreId>,
    /// The position of the last change in it.
    pub position: Option<Position>,
    /// The result of the check.
    pub report: Report,
}

impl EngineStore<Sqlite> {
    /// Writes the whole store into one new file (mode 0600): one state of it, while others go on writing. The file is
    /// on disk and was checked before it gets its name.
    ///
    /// With `replace`, a file of that name is replaced, in one step.
    ///
    /// # Errors
    /// [`Error::File`] of the kind [`io::ErrorKind::AlreadyExists`] when the file exists, and of the kind
    /// [`io::ErrorKind::ResourceBusy`] when it belongs to a store; [`Error::NotFound`] when there is no store;
    /// [`Error::DamagedStore`] when the store is damaged: nothing is written then. Otherwise as
    /// [`EngineStore::open`](crate::sqlite::SqliteStore), and [`Error::DiskFull`] with the path of the new file.
    pub fn backup(&self, file: &Path, replace: bool) -> Result<Backup> {
        let sqlite = self.engine();
        let target = followed(file);
        if !sqlite.is_there()? {
            let what = format!("store {}", sqlite.named().path.display());
            return Err(Error::NotFound { what });
        }
        refuse_part_of_a_store(file, &target, sqlite.file())?;
        if !replace && target.symlink_metadata().is_ok() {
            return Err(exists(file));
        }
        let part = Part::beside(&target).map_err(|error| unwritten(file, error))?;
        copy(&*sqlite.lease()?, sqlite.named(), file, part.path())?;
        part.sync().map_err(|error| unwritten(file, error))?;
        let backup = check(part.path(), file, &sqlite.named().path)?;
        part.named(&target, replace)
            .map_err(|error| unwritten(file, error))?;
        Ok(backup)
    }
}

/// Copies every page of one state.
fn copy(conn: &Connection, of: &StoreName, file: &Path, part: &Path) -> Result<()> {
    let named = StoreName::new(file, Duration::ZERO);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let copy = Connection::open_with_flags(part, flags);
    let mut copy = named.mapped(copy.map_err(Failure::from))?;
    // Nobody sees the file before it is whole and synced.
    let unsynced = copy.execute_batch("PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF");
    named.mapped(unsynced.map_err(Failure::from))?;
    let run = rusqlite::backup::Backup::new(conn, &mut copy).map_err(Failure::from);
    let stepped = named
        .mapped(run)?
        .step(-1)
        .map_err(|error| of_either(error, of, &named))?;
    match stepped {
        StepResult::Done => Ok(()),
        _ => Err(Error::Busy {
            path: of.path.clone(),
            waited: of.wait,
            holder: None,
        }),
    }
}

/// Assigns the failure of a step to the file that is read or to the one that is written: a damaged page is of the
/// store, the rest of the new file.
fn of_either(error: rusqlite::Error, store: &StoreName, file: &StoreName) -> Error {
    let failure = Failure::from(error);
    let of = |named: &StoreName, failure: Failure| failure.at(&named.path, named.wait);
    match of(file, failure) {
        Error::DamagedStore { reason, .. } => Error::damaged_store(store.path.clone(), reason),
        error => error,
    }
}

/// Reads a copy that nobody else knows yet, and checks all of it. Damage is that of `of`.
pub(super) fn check(copy: &Path, named: &Path, of: &Path) -> Result<Backup> {
    let shown = StoreName::new(named, Duration::ZERO);
    let conn = shown.mapped(frozen::unchanging(copy))?;
    if shown.mapped(schema::refuse_other(&conn, named))?.is_none() {
        return Err(Error::not_a_store(named, "it holds no notes of waynote"));
    }
    let store = EngineStore::new(AttachedEngine::new(shown, &conn));
    let report = store.verify()?;
    if let Some(first) = report.problems.first() {
        let more = report.problems.len() - 1;
        let reason = match more {
            0 => first.clone(),
            _ => format!(
                "{first} (and {})",
                crate::text::plural(more as u64, "more problem")
            ),
        };
        return Err(Error::damaged_store(of, reason));
    }
    let bytes = std::fs::metadata(copy).map_err(|error| Error::file(named, "read", error))?;
    Ok(Backup {
        path: named.to_owned(),
        bytes: bytes.len(),
        store_id: store.store_id()?,
        position: store.version()?.position,
        report,
    })
}

/// A backup neither replaces a part of its own store, nor a database that is in use: the WAL beside it would be taken
/// for that of the new file.
fn refuse_part_of_a_store(file: &Path, target: &Path, store: &Path) -> Result<()> {
    let is_of_store =
        target == store || BESIDE.iter().any(|suffix| target == beside(store, suffix));
    let why = if is_of_store {
        "it belongs to the store itself"
    } else if ["-wal", "-journal"]
        .iter()
        .any(|suffix| holds_something(&beside(target, suffix)))
    {
        "a WAL lies beside it, so it is a database in use"
    } else {
        return Ok(());
    };
    let busy = io::Error::new(io::ErrorKind::ResourceBusy, why);
    Err(Error::file(file, "written", busy))
}

/// Gives a copy that takes the place of a store an id of its own. Without a new id, positions and operations that others
/// remember of the store could be from after the copy.
pub(super) fn prepare(copy: &Path, named: &Path, options: &Options) -> Result<()> {
    let shown = StoreName::new(named, options.wait);
    let immutable = shown.mapped(frozen::unchanging(copy))?;
    // A file that is no store is reported by the check.
    if shown
        .mapped(schema::refuse_other(&immutable, named))?
        .is_none()
    {
        return Ok(());
    }
    drop(immutable);
    let conn = shown.mapped(open::connect(copy, options))?;
    // Closing it then folds in the WAL and removes it.
    let folds = conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false);
    shown.mapped(folds.map_err(Failure::from))?;
    EngineStore::new(AttachedEngine::new(shown, &conn)).renew_id()?;
    drop(conn);
    match holds_something(&beside(copy, "-wal")) {
        false => Ok(()),
        true => {
            let left = io::Error::other("its WAL could not be folded in");
            Err(Error::file(named, "restored", left))
        }
    }
}
