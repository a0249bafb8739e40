//! A database that an application has open.

use std::path::PathBuf;
use std::time::Duration;

use rusqlite::Connection;

use crate::engine::{Engine, Read, Transaction, Writing};
use crate::error::Result;
use crate::forget::Residue;
use crate::rules::EngineStore;

use super::options::StoreName;
use super::rows::handle::Handle;
use super::{schema, transaction};

/// Notes in a database that an application has open, beside its own tables.
///
/// Only tables named `waynote_*` are made and used; no setting of the connection or the database is changed. A
/// write is a savepoint inside the application's transaction: it is durable when the application commits, and gone when it
/// rolls back. A disk that is full makes SQLite roll back the application's whole transaction. There is no queue: waiting
/// is SQLite's own. A database that another connection holds longer than the application's busy timeout is
/// [`crate::Error::Busy`].
///
/// ```
/// use waynote::{Attachment, Content, Notebook, SaveOptions, Stamp};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let now = jiff::Timestamp::UNIX_EPOCH;
/// let mut db = rusqlite::Connection::open_in_memory()?;
/// let notes = Attachment::prepare(&db)?;
/// let stamp = Stamp::new(now, "agent:builder".parse()?);
///
/// let transaction = db.transaction()?;
/// transaction.execute_batch("CREATE TABLE messages (text TEXT)")?;
/// let store = notes.on(&transaction);
/// let notebook = Notebook::of_agent(&store, "builder".parse()?);
/// notebook.save(&"deploy".parse()?, Content::text("run `make ship`")?, SaveOptions::default(), &stamp)?;
/// transaction.commit()?; // the note and the table, or neither
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Attachment {
    named: StoreName,
}

impl Attachment {
    /// Makes the tables in a database, unless they are there. Once for a database is enough.
    ///
    /// # Errors
    /// [`crate::Error::OtherVersion`], [`crate::Error::ReadOnly`], [`crate::Error::DiskFull`], [`crate::Error::Busy`],
    /// [`crate::Error::DamagedStore`], [`crate::Error::Engine`].
    pub fn prepare(connection: &Connection) -> Result<Self> {
        let path = connection
            .path()
            .filter(|path| !path.is_empty())
            .unwrap_or(":memory:");
        let named = StoreName::new(PathBuf::from(path), Duration::ZERO);
        if named
            .mapped(schema::refuse_other(connection, &named.path))?
            .is_none()
        {
            let made = transaction::run(connection, |conn| schema::make(conn, &named.path));
            named.mapped(made)?;
        }
        Ok(Self { named })
    }

    /// The store on a connection to that database, or on a transaction of it.
    pub fn on<'c>(&self, connection: &'c Connection) -> EngineStore<AttachedEngine<'c>> {
        EngineStore::new(AttachedEngine::new(self.named.clone(), connection))
    }
}

/// Keeps a store's rows in a database that an application has open.
#[derive(Debug)]
pub struct AttachedEngine<'c> {
    named: StoreName,
    conn: &'c Connection,
}

impl<'c> AttachedEngine<'c> {
    pub(super) fn new(named: StoreName, conn: &'c Connection) -> Self {
        Self { named, conn }
    }

    fn handle(&self) -> Handle<'_> {
        Handle::new(&self.named, self.conn).lent()
    }
}

impl Engine for AttachedEngine<'_> {
    fn rows(&self) -> Result<Box<dyn Read + '_>> {
        Ok(Box::new(self.handle()))
    }

    fn snapshot(&self, work: &mut dyn FnMut(&dyn Read) -> Result<()>) -> Result<()> {
        transaction::snapshot(&self.handle(), work)
    }

    fn write(
        &self,
        writing: Writing,
        work: &mut dyn FnMut(&dyn Transaction) -> Result<()>,
    ) -> Result<()> {
        // How durable a commit is, is the application's to say.
        let writing = match writing {
            Writing::Relaxed => Writing::Durable,
            other => other,
        };
        self.named
            .mapped(transaction::write(self.handle(), writing, work))
    }

    /// Inside the application's transaction nobody else can write once it has written; without one, all of `work` is one
    /// transaction.
    fn exclusively(&self, work: &mut dyn FnMut(&dyn Engine) -> Result<()>) -> Result<()> {
        self.named
            .mapped(transaction::run(self.conn, |_| Ok(work(self)?)))
    }

    fn scrub(&self) -> Option<Residue> {
        Some(Residue::Lent)
    }

    fn name(&self) -> String {
        self.named.path.to_string_lossy().into_owned()
    }
}
