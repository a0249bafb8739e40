//! The embedded engine: one SQLite file, or a connection that an application lends.
//!
//! A file of its own is in WAL mode with `synchronous=FULL`, so that an acknowledged note is on disk; its
//! writers queue in the kernel on a file beside the store. On a lent connection a write is a savepoint inside the
//! application's transaction, or a transaction of its own when there is none; waiting and durability are as
//! the application set them.

mod erase;
mod errors;
mod events;
mod index;
mod migrate;
mod open;
mod put;
mod queue;
mod read;
mod recent;
mod rows;
#[cfg(test)]
pub(crate) mod tests;
mod transaction;
mod verify;
mod verify_events;

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;

use crate::error::Result;
use crate::rules::EngineStore;

use queue::Queue;

/// How a store of its own file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How long a write waits for the writers before it.
    pub wait: Duration,
    /// Whether a database of another program becomes a store: our tables are made beside its own, which stay as they
    /// are. Later on such a database is opened without this.
    pub attach: bool,
}

impl Default for Options {
    /// Ten seconds; a database of another program is refused.
    fn default() -> Self {
        Self {
            wait: Duration::from_secs(10),
            attach: false,
        }
    }
}

/// Whether a database holds a store's tables.
pub(crate) fn is_store(conn: &Connection) -> bool {
    matches!(migrate::version(conn), Ok(Some(_)))
}

enum Connected<'c> {
    Owned(Box<Connection>),
    Lent(&'c Connection),
}

/// Keeps a store's rows in SQLite.
pub struct Sqlite<'c> {
    connected: Connected<'c>,
    path: PathBuf,
    queue: Option<Queue>,
    wait: Duration,
    wrote: Cell<bool>,
}

/// A store in SQLite.
pub type SqliteStore<'c> = EngineStore<Sqlite<'c>>;

impl EngineStore<Sqlite<'static>> {
    /// Opens the store in a file, made with its folder when it is not there (file mode 0600, folder 0700).
    ///
    /// # Errors
    /// [`crate::Error::NotAStore`], [`crate::Error::ForeignStore`], [`crate::Error::NewerStore`],
    /// [`crate::Error::ReadOnly`], [`crate::Error::DiskFull`], [`crate::Error::Busy`].
    pub fn open(path: &Path, options: &Options) -> Result<Self> {
        open::open(path, options).map(Self::new)
    }

    /// Opens the store in a file for reading, even where nothing can be written; none when there is no file.
    /// Writing works where the file can be written.
    ///
    /// # Errors
    /// As [`SqliteStore::open`].
    pub fn open_existing(path: &Path, options: &Options) -> Result<Option<Self>> {
        Ok(open::open_existing(path, options)?.map(Self::new))
    }
}

impl<'c> EngineStore<Sqlite<'c>> {
    /// Keeps notes in a database that an application has open, beside its own tables.
    ///
    /// Only tables named `waynote_*` are made, migrated and used; no setting of the connection or the
    /// database is changed. A write is a savepoint inside the application's transaction: it is durable when
    /// the application commits, and gone when it rolls back. A disk that is full makes SQLite roll back the
    /// application's whole transaction. There is no queue: waiting is SQLite's own. A database that another connection holds longer
    /// than the application's busy timeout is [`crate::Error::Busy`].
    ///
    /// # Errors
    /// As [`SqliteStore::open`].
    pub fn attach(connection: &'c Connection) -> Result<Self> {
        open::attach(connection).map(Self::new)
    }
}

impl Sqlite<'_> {
    fn conn(&self) -> &Connection {
        match &self.connected {
            Connected::Owned(connection) => connection,
            Connected::Lent(connection) => connection,
        }
    }
}
