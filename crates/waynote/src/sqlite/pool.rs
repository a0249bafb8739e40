//! A file of our own, shared by threads: each call takes a connection, and gives it back.

use std::fs::Metadata;
use std::ops::Deref;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock};
use std::time::Duration;

use rusqlite::Connection;

use crate::engine::{Engine, Read, Transaction, Writing};
use crate::error::{Error, Result};
use crate::forget::Residue;
use crate::system::file::followed;
use crate::system::mutex::locked;

use super::alone::{Alone, Pooled};
use super::frozen::Frozen;
use super::missing::Missing;
use super::open::{self, Access};
use super::queue::{Queue, Turn};
use super::rows::Handle;
use super::{Named, Options, erase, migrate, transaction};

/// Keeps a store's rows in a SQLite file of its own.
pub struct Sqlite {
    named: Named,
    /// The file, absolute and with links followed, so that it stays the same one and has one queue.
    file: PathBuf,
    options: Options,
    queue: Queue,
    /// Connections that nobody uses now, the last used one last.
    idle: Mutex<Vec<Connection>>,
    /// The same while the store can only be read.
    frozen: Frozen,
    /// How the file was opened first, and which file that was.
    opened: OnceLock<(Access, FileId)>,
    is_wal: AtomicBool,
    wrote: AtomicBool,
}

/// Device and inode of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileId(u64, u64);

impl FileId {
    fn of(file: &Metadata) -> Self {
        Self(file.dev(), file.ino())
    }
}

/// So many connections are kept for the next call; more, which many threads at once needed, are closed.
const MOST_IDLE: usize = 8;

/// A WAL longer than this is folded into the database when a writer closes: the first to open the store
/// afterwards has to read it all.
const LONG_WAL_BYTES: u64 = 256 * 1024;

impl Sqlite {
    /// As [`SqliteStore::open`](super::SqliteStore).
    pub(super) fn open(path: &Path, options: &Options) -> Result<Self> {
        let sqlite = Self::at(path, options);
        // What is wrong with it is told now.
        if sqlite.is_there()? {
            sqlite.lease()?;
        }
        Ok(sqlite)
    }

    /// As [`SqliteStore::at`](super::SqliteStore).
    pub(super) fn at(path: &Path, options: &Options) -> Self {
        let file = followed(path);
        Self {
            named: Named {
                path: path.to_owned(),
                wait: options.wait,
            },
            options: *options,
            queue: Queue::beside(&file),
            file,
            idle: Mutex::default(),
            frozen: Frozen::default(),
            opened: OnceLock::new(),
            is_wal: AtomicBool::new(false),
            wrote: AtomicBool::new(false),
        }
    }

    pub(super) fn named(&self) -> &Named {
        &self.named
    }

    /// Whether the store exists. One that existed for this value before must still be there.
    pub(super) fn is_there(&self) -> Result<bool> {
        let found = self.shown(open::found(&self.file))?;
        let Some((_, opened)) = self.opened.get() else {
            return Ok(found.is_some());
        };
        match found {
            Some(file) if FileId::of(&file) == *opened => Ok(true),
            Some(_) => Err(self.lost("another file has taken its place since it was opened")),
            None => Err(self.lost("it was deleted after it was opened")),
        }
    }

    /// Errors name the store as its user does.
    fn shown<T>(&self, outcome: Result<T>) -> Result<T> {
        outcome.map_err(|mut error| {
            if let Error::NotAStore { path, .. }
            | Error::ForeignStore { path }
            | Error::NewerStore { path, .. }
            | Error::ReadOnly { path, .. }
            | Error::DiskFull { path }
            | Error::Busy { path, .. }
            | Error::DamagedStore { path, .. }
            | Error::DamagedIndex { path, .. }
            | Error::Engine { path, .. }
            | Error::File { path, .. } = &mut error
            {
                path.clone_from(&self.named.path);
            }
            if let Error::Storage(error) = &mut error {
                error.name_store(&self.named.path);
            }
            error
        })
    }

    fn lost(&self, reason: &str) -> Error {
        Error::StoreLost {
            path: self.named.path.clone(),
            reason: reason.into(),
        }
    }

    /// A connection to a file that is there.
    pub(super) fn lease(&self) -> Result<Lease<'_>> {
        self.lease_within(None)
    }

    /// The same for whoever has the turn, if one is given.
    pub(super) fn lease_within(&self, turn: Option<&Turn<'_>>) -> Result<Lease<'_>> {
        let idle = self.idle().pop();
        let (conn, access) = match idle {
            Some(conn) => (conn, Access::Usual),
            None => self.connect(turn)?,
        };
        Ok(Lease {
            sqlite: self,
            conn: Some(conn),
            access,
        })
    }

    fn connect(&self, turn: Option<&Turn<'_>>) -> Result<(Connection, Access)> {
        let path = &self.file;
        // What could only be read at first is perhaps writable by now.
        if let Some((Access::Usual, _)) = self.opened.get() {
            let conn = self.named.mapped(open::connect(path, &self.options))?;
            return Ok((conn, Access::Usual));
        }
        if let Some((state, conn)) = self.frozen.take(path) {
            return Ok((conn, Access::Frozen(state)));
        }
        let before = self.shown(open::found(path))?;
        let first = open::first(path, before.as_ref(), &self.options, &self.queue, turn);
        let (conn, access) = self.shown(first)?;
        let after = self.shown(open::found(path))?;
        match (
            before.as_ref().map(FileId::of),
            after.as_ref().map(FileId::of),
        ) {
            (Some(before), Some(after)) if before == after => {
                let _ = self.opened.set((access, after));
                Ok((conn, access))
            }
            _ => Err(self.lost("another file took its place while it was opened")),
        }
    }

    /// Makes the file, unless it is there.
    pub(super) fn make(&self) -> Result<()> {
        self.shown(open::make_file(&self.file))
    }

    /// Makes the folder of a store that does not exist, so that its writers can queue.
    pub(super) fn make_folder(&self) -> Result<()> {
        self.shown(open::make_folder(&self.file))
    }

    /// Waits for the turn to write.
    pub(super) fn turn(&self) -> Result<Turn<'_>> {
        self.queue.turn(&self.named.path, self.options.wait)
    }

    /// A copy of a store may be in another mode, in which readers and writers block each other. A database that an
    /// application keeps its own tables in stays as the application has it. The caller has its turn.
    pub(super) fn ensure_wal(&self, conn: &Connection) -> Result<()> {
        if self.is_wal.load(Ordering::Relaxed) {
            return Ok(());
        }
        let mode = conn.query_row("PRAGMA journal_mode", [], |row| row.get::<_, String>(0));
        let mode = self.named.mapped(mode.map_err(Into::into))?;
        if mode != "wal" && self.named.mapped(migrate::is_ours(conn))? {
            let changed = conn.pragma_update(None, "journal_mode", "wal");
            self.named.mapped(changed.map_err(Into::into))?;
        }
        self.is_wal.store(true, Ordering::Relaxed);
        Ok(())
    }

    pub(super) fn has_written(&self) {
        self.wrote.store(true, Ordering::Relaxed);
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        locked(&self.idle)
    }
}

/// A connection in use.
pub(super) struct Lease<'e> {
    sqlite: &'e Sqlite,
    conn: Option<Connection>,
    access: Access,
}

impl Lease<'_> {
    /// Whether nothing can be written, and no lock be made beside the file.
    pub(super) fn is_immutable(&self) -> bool {
        matches!(self.access, Access::Frozen(_))
    }
}

impl Deref for Lease<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.conn.as_ref().expect("it is taken when it is dropped")
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        let conn = self.conn.take();
        // One that a panic left inside a transaction is closed, which takes the transaction back.
        let conn = conn.filter(Connection::is_autocommit);
        if let Access::Frozen(state) = self.access {
            self.sqlite.frozen.keep(state, conn);
            return;
        }
        let mut idle = self.sqlite.idle();
        if idle.len() < MOST_IDLE {
            idle.extend(conn);
        }
    }
}

impl Engine for Sqlite {
    fn rows(&self) -> Result<Box<dyn Read + '_>> {
        if !self.is_there()? {
            return Ok(Box::new(Missing::new(&self.named)));
        }
        let conn = self.lease()?;
        Ok(Box::new(Pooled { sqlite: self, conn }))
    }

    fn snapshot(&self, work: &mut dyn FnMut(&dyn Read) -> Result<()>) -> Result<()> {
        if !self.is_there()? {
            return work(&Missing::new(&self.named));
        }
        let conn = self.lease()?;
        transaction::snapshot(&Handle::new(&self.named, &conn), work)
    }

    fn write(
        &self,
        writing: Writing,
        work: &mut dyn FnMut(&dyn Transaction) -> Result<()>,
    ) -> Result<()> {
        Alone::of(self)?.write(writing, work)
    }

    fn exclusively(&self, work: &mut dyn FnMut(&dyn Engine) -> Result<()>) -> Result<()> {
        work(&Alone::exclusive(self)?)
    }

    fn scrub(&self) -> Option<Residue> {
        match self.lease() {
            Ok(conn) => erase::scrub(&self.named, &conn),
            Err(error) => Some(Residue::Failed(error.to_string())),
        }
    }

    fn name(&self) -> String {
        self.named.path.to_string_lossy().into_owned()
    }
}

/// A writer that closes leaves a short WAL behind. Best effort: whoever is busy there does it later.
impl Drop for Sqlite {
    fn drop(&mut self) {
        if !*self.wrote.get_mut() {
            return;
        }
        let mut wal = self.file.as_os_str().to_owned();
        wal.push("-wal");
        if std::fs::metadata(wal).is_ok_and(|wal| wal.len() > LONG_WAL_BYTES)
            && let Some(conn) = self.idle().pop()
        {
            let _ = conn.busy_timeout(Duration::ZERO);
            let _ = conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        }
    }
}
