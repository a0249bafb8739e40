//! The embedded engine: one SQLite file, or a connection that an application lends.
//!
//! A file of its own ([`Sqlite`]) is in WAL mode with `synchronous=FULL`, so that an acknowledged note is on disk. Its
//! writers queue in the kernel on a file beside the store; its readers wait for nobody. Threads share it: each call
//! takes a connection from a pool that grows to as many as are used at once. On a lent connection ([`AttachedEngine`])
//! a write is a savepoint inside the application's transaction, or a transaction of its own when there is none; waiting
//! and durability are as the application set them.

mod attached;
mod errors;
mod file;
mod options;
mod repair;
mod rows;
mod schema;
#[cfg(test)]
pub(crate) mod tests;
mod transaction;

use std::path::Path;

use rusqlite::Connection;

use crate::error::Result;
use crate::rules::EngineStore;

pub use attached::{AttachedEngine, Attachment};
pub use file::pool::Sqlite;
pub use options::{Options, Rollback};
pub use repair::backup::Backup;
pub use repair::restore::RestoreReport;

/// True if a database holds a store's tables.
pub fn is_store(conn: &Connection) -> bool {
    matches!(schema::version(conn), Ok(Some(_)))
}

/// A store in a SQLite file of its own. Threads can share it.
pub type SqliteStore = EngineStore<Sqlite>;

/// A store in a database that an application has open.
pub type AttachedStore<'c> = EngineStore<AttachedEngine<'c>>;

impl EngineStore<Sqlite> {
    /// Opens the store in a file. One that does not exist is empty, and the first write makes it with its folder (file
    /// mode 0600, folder 0700). One that cannot be written can be read.
    ///
    /// # Errors
    /// [`crate::Error::NotAStore`], [`crate::Error::ForeignStore`], [`crate::Error::OtherVersion`],
    /// [`crate::Error::ReadOnly`], [`crate::Error::DiskFull`], [`crate::Error::Busy`],
    /// [`crate::Error::DamagedStore`], [`crate::Error::File`].
    pub fn open(path: impl AsRef<Path>, options: &Options) -> Result<Self> {
        Sqlite::open(path.as_ref(), options).map(Self::new)
    }

    /// The store in a file, which is not opened before the first call. For a program that keeps running and has to
    /// start in any state of the file. Until a fault of the file is mended, each call returns it as its error.
    pub fn at(path: impl AsRef<Path>, options: &Options) -> Self {
        Self::new(Sqlite::at(path.as_ref(), options))
    }

    /// The acknowledged writes that the store has lost, if any: its WAL was damaged or deleted, or an older copy has
    /// taken its place. Such a store can be read, and each write is [`crate::Error::LostWrites`].
    ///
    /// # Errors
    /// As [`EngineStore::open`].
    pub fn rollback(&self) -> Result<Option<Rollback>> {
        self.engine().rollback()
    }

    /// Refuses a store whose file has another hard link, as each write of it does.
    ///
    /// # Errors
    /// [`crate::Error::Storage`], and as [`EngineStore::open`].
    pub fn may_be_written(&self) -> Result<()> {
        self.engine().is_there()?;
        self.engine().refuse_links()
    }

    /// Accepts the store as it is, so that it can be written again. Returns the writes that are lost for good. For a
    /// restored backup, and for a store that cannot be brought back in another way.
    ///
    /// # Errors
    /// [`crate::Error::Busy`], [`crate::Error::File`], and as [`EngineStore::open`].
    pub fn accept_rollback(&self) -> Result<Option<Rollback>> {
        self.engine().accept_rollback()
    }
}

impl<'c> EngineStore<AttachedEngine<'c>> {
    /// Keeps notes in a database that an application has open, beside its own tables: [`Attachment::prepare`] and
    /// [`Attachment::on`] in one.
    ///
    /// # Errors
    /// As [`Attachment::prepare`].
    pub fn attach(connection: &'c Connection) -> Result<Self> {
        Ok(Attachment::prepare(connection)?.on(connection))
    }
}
