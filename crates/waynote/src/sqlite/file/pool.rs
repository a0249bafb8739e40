//! A file of our own, shared by threads: each call takes a connection, and gives it back.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Mutex, MutexGuard};

use rusqlite::Connection;

use crate::engine::{Ask, Engine, Read, Rows, Transaction, Writing};
use crate::error::{Error, Result};
use crate::forget::Residue;
use crate::model::report::Report;
use waynote_files::followed;

use super::head::FileState;
use super::head::queue::{Queue, Turn};
use super::open::{self, Access, FileId, Files};
use super::writer::FileWriter;
use crate::sqlite::options::{Options, Rollback, StoreName};
use crate::sqlite::rows::erase;
use crate::sqlite::rows::handle::Handle;
use crate::sqlite::schema;
use crate::sqlite::transaction;

/// Keeps a store's rows in a SQLite file of its own.
pub struct Sqlite {
    named: StoreName,
    /// The file, absolute and with links followed, so that it stays the same one and has one queue.
    file: PathBuf,
    options: Options,
    pub(super) queue: Queue,
    /// Connections that nobody uses now: the one that wrote last first, then those that read, the last used one last. A
    /// connection forgets the pages that it knows when another one has written, so one of them does all the writing
    /// where it can.
    idle: Mutex<Vec<IdleConnection>>,
    /// The file that was opened first, and whether it can be written.
    opened: Mutex<Option<(Access, FileId)>>,
    is_wal: AtomicBool,
    is_ours: OnceLock<bool>,
    pub(super) wrote: AtomicBool,
    /// True if acknowledged writes were missing when it was opened. While it is open, none get lost.
    was_behind: AtomicBool,
}

/// A connection, and the files that it has open.
struct IdleConnection {
    conn: Connection,
    files: Files,
    /// True if it has the larger page cache of a writer.
    is_writer: bool,
}

impl IdleConnection {
    fn new(conn: Connection, files: Files) -> Self {
        Self {
            conn,
            files,
            is_writer: false,
        }
    }

    fn set_writer(&mut self, is_writer: bool) {
        if self.is_writer != is_writer {
            open::set_writes(&self.conn, is_writer);
            self.is_writer = is_writer;
        }
    }
}

/// So many connections are kept for the next call; more, which many threads at once needed, are closed.
const MOST_IDLE: usize = 8;

impl Sqlite {
    /// As [`SqliteStore::open`](crate::sqlite::SqliteStore).
    pub(in crate::sqlite) fn open(path: &Path, options: &Options) -> Result<Self> {
        let sqlite = Self::at(path, options);
        // Reports a damaged or unusable file now, not at the first call.
        if sqlite.is_there()? {
            sqlite.lease()?;
        }
        Ok(sqlite)
    }

    /// As [`SqliteStore::at`](crate::sqlite::SqliteStore).
    pub(in crate::sqlite) fn at(path: &Path, options: &Options) -> Self {
        let file = followed(path);
        Self {
            named: StoreName::new(path, options.wait),
            options: *options,
            queue: Queue::beside(&file),
            file,
            idle: Mutex::default(),
            opened: Mutex::default(),
            is_wal: AtomicBool::new(false),
            is_ours: OnceLock::new(),
            wrote: AtomicBool::new(false),
            was_behind: AtomicBool::new(false),
        }
    }

    /// Errors show it as the store at this path.
    pub(in crate::sqlite) fn shown_as(mut self, path: &Path) -> Self {
        path.clone_into(&mut self.named.path);
        self
    }

    pub(super) fn was_behind(&self) -> bool {
        self.was_behind.load(Ordering::Relaxed)
    }

    /// True if the database has no tables but ours.
    pub(super) fn is_ours(&self, conn: &Connection) -> Result<bool> {
        if let Some(is_ours) = self.is_ours.get() {
            return Ok(*is_ours);
        }
        let is_ours = self.named.mapped(schema::is_ours(conn))?;
        Ok(*self.is_ours.get_or_init(|| is_ours))
    }

    pub(in crate::sqlite) fn named(&self) -> &StoreName {
        &self.named
    }

    /// The file, with links followed.
    pub(in crate::sqlite) fn file(&self) -> &Path {
        &self.file
    }

    /// True if the store exists. One that existed for this value before must still be there.
    pub(in crate::sqlite) fn is_there(&self) -> Result<bool> {
        let found = self.shown(open::found(&self.file))?;
        let opened = *self.opened.lock();
        let Some((_, opened)) = opened else {
            if found.is_none() {
                self.shown(open::is_new(&self.file, &self.queue))?;
            }
            return Ok(found.is_some());
        };
        match found {
            Some(file) if FileId::of(&file) == opened => Ok(true),
            Some(_) => Err(self.lost("another file has taken its place since it was opened")),
            None => Err(self.lost("it was deleted after it was opened")),
        }
    }

    /// Refuses to write to a file with another hard link.
    pub(in crate::sqlite) fn refuse_links(&self) -> Result<()> {
        match self.shown(open::found(&self.file))? {
            Some(file) => self.shown(open::refuse_links(&self.file, &file)),
            None => Ok(()),
        }
    }

    /// Errors name the store as its user does.
    fn shown<T>(&self, outcome: Result<T>) -> Result<T> {
        outcome.map_err(|mut error| {
            error.set_path(&self.named.path);
            error
        })
    }

    pub(super) fn lost(&self, reason: &str) -> Error {
        Error::store_lost(self.named.path.clone(), reason)
    }

    pub(super) fn lost_writes(&self, rollback: Rollback) -> Error {
        Error::LostWrites {
            path: self.named.path.clone(),
            acknowledged: rollback.acknowledged,
            found: rollback.found,
        }
    }

    /// A connection to a file that is there.
    pub(in crate::sqlite) fn lease(&self) -> Result<Lease<'_>> {
        self.lease_within(None)
    }

    /// The same with the turn, if the caller has it.
    pub(super) fn lease_within(&self, turn: Option<&Turn<'_>>) -> Result<Lease<'_>> {
        let idle = self.idle().pop();
        let (kept, access) = match idle {
            Some(kept) => (kept, Access::Usual),
            None => self.connect(turn)?,
        };
        Ok(self.leased(kept, access))
    }

    fn leased(&self, kept: IdleConnection, access: Access) -> Lease<'_> {
        Lease {
            sqlite: self,
            kept: Some(kept),
            access,
            writes: false,
        }
    }

    /// A connection to the files that are there now, for a caller with the turn. Connections that may remember pages of a
    /// file that another program changed are closed.
    pub(super) fn lease_current(&self, turn: &Turn<'_>) -> Result<Lease<'_>> {
        self.refuse_links()?;
        let now = Files::at(&self.file);
        let file = std::fs::metadata(&self.file).ok();
        let mut idle = self.idle();
        if idle.iter().any(|kept| !kept.files.are(&now)) {
            return Err(self.lost("a file of its write-ahead log was deleted or replaced"));
        }
        let is_left = file.is_some_and(|file| turn.noted().leaves(FileState::of(&file)));
        if !is_left {
            idle.clear();
        }
        let first = (!idle.is_empty()).then(|| idle.remove(0));
        drop(idle);
        let lease = match first {
            Some(mut kept) => {
                kept.files = now;
                self.leased(kept, Access::Usual)
            }
            None => self.lease_within(Some(turn))?,
        };
        Ok(lease.for_writing())
    }

    fn connect(&self, turn: Option<&Turn<'_>>) -> Result<(IdleConnection, Access)> {
        let path = &self.file;
        let opened = *self.opened.lock();
        if let Some((Access::Usual, _)) = opened {
            let files = Files::at(path);
            let conn = self.named.mapped(open::connect(path, &self.options))?;
            return Ok((IdleConnection::new(conn, files), Access::Usual));
        }
        // A store that was read-only at first may be writable by now.
        let before = self.shown(open::found(path))?;
        let (options, queue) = (&self.options, &self.queue);
        let noted = queue.noted();
        let first = open::first(path, before.as_ref(), options, queue, turn);
        let (conn, access) = self.shown(first)?;
        if let Ok(Some(_)) = self.behind(&noted, &conn) {
            self.was_behind.store(true, Ordering::Relaxed);
        }
        let after = self.shown(open::found(path))?;
        match (
            before.as_ref().map(FileId::of),
            after.as_ref().map(FileId::of),
        ) {
            (Some(before), Some(after)) if before == after => {
                let mut opened = self.opened.lock();
                if access == Access::Usual || opened.is_none() {
                    *opened = Some((access, after));
                }
                drop(opened);
                let files = Files::at(path);
                Ok((IdleConnection::new(conn, files), access))
            }
            _ => Err(self.lost("another file took its place while it was opened")),
        }
    }

    /// Makes the tables unless they are there, for a caller with the turn.
    pub(super) fn prepare(&self, conn: &Connection, turn: &Turn<'_>) -> Result<()> {
        let prepared = open::prepare(conn, &self.file, &self.options, &self.queue, Some(turn));
        self.shown(prepared)
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
    /// application keeps its own tables in stays as the application has it. The caller has its turn, and `check` says
    /// whether this is still the store.
    pub(super) fn ensure_wal(
        &self,
        conn: &Connection,
        check: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        if self.is_wal.load(Ordering::Relaxed) {
            return Ok(());
        }
        let mode = conn.query_row("PRAGMA journal_mode", [], |row| row.get::<_, String>(0));
        let mode = self.named.mapped(mode.map_err(Into::into))?;
        if mode != "wal" && self.is_ours(conn)? {
            check()?;
            let changed = conn.pragma_update(None, "journal_mode", "wal");
            self.named.mapped(changed.map_err(Into::into))?;
        }
        // An empty one may be new: another program deletes it when it closes the store.
        if open::wal_bytes(&self.file) == 0 && self.is_ours(conn)? {
            self.shown(open::sync_folder_of(&self.file))?;
        }
        self.is_wal.store(true, Ordering::Relaxed);
        Ok(())
    }

    pub(super) fn has_written(&self) {
        self.wrote.store(true, Ordering::Relaxed);
    }

    fn idle(&self) -> MutexGuard<'_, Vec<IdleConnection>> {
        self.idle.lock()
    }
}

/// A connection in use.
pub(in crate::sqlite) struct Lease<'e> {
    sqlite: &'e Sqlite,
    kept: Option<IdleConnection>,
    access: Access,
    /// True if the holder of the connection has the turn to write.
    writes: bool,
}

impl Lease<'_> {
    /// The same connection, for the holder of the turn to write.
    fn for_writing(mut self) -> Self {
        self.writes = true;
        if let Some(kept) = &mut self.kept {
            kept.set_writer(true);
        }
        self
    }

    /// True if nothing can be written, not even a lock beside the file.
    pub(super) fn is_immutable(&self) -> bool {
        self.access == Access::Frozen
    }
}

impl Deref for Lease<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        let kept = self.kept.as_ref().expect("it is taken when it is dropped");
        &kept.conn
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        let kept = self.kept.take();
        // One that a panic left inside a transaction is closed, which takes the transaction back.
        let kept = kept.filter(|kept| kept.conn.is_autocommit());
        // Nothing tells one that reads frozen files of a change of them.
        let kept = kept.filter(|_| self.access == Access::Usual);
        let mut idle = self.sqlite.idle();
        let at = if self.writes { 0 } else { idle.len() };
        idle.splice(at..at, kept);
        // Only the one that wrote last keeps that many pages.
        for reader in idle.iter_mut().skip(1).filter(|_| self.writes) {
            reader.set_writer(false);
        }
        let most = idle.len().min(MOST_IDLE);
        let surplus = idle.split_off(most);
        drop(idle);
        drop(surplus);
    }
}

impl Engine for Sqlite {
    fn rows(&self) -> Result<Box<dyn Read + '_>> {
        if !self.is_there()? {
            return Ok(Box::new(NoRows));
        }
        let conn = self.lease()?;
        Ok(Box::new(PooledRows { sqlite: self, conn }))
    }

    fn snapshot(&self, work: &mut dyn FnMut(&dyn Read) -> Result<()>) -> Result<()> {
        if !self.is_there()? {
            return work(&NoRows);
        }
        let conn = self.lease()?;
        let handle = Handle::new(&self.named, &conn);
        transaction::snapshot(&handle, &mut |rows| work(&OneState { sqlite: self, rows }))
    }

    fn write(
        &self,
        writing: Writing,
        work: &mut dyn FnMut(&dyn Transaction) -> Result<()>,
    ) -> Result<()> {
        FileWriter::of(self)?.write(writing, work)
    }

    fn exclusively(&self, work: &mut dyn FnMut(&dyn Engine) -> Result<()>) -> Result<()> {
        work(&FileWriter::exclusive(self)?)
    }

    fn scrub(&self) -> Option<Residue> {
        match self.lease() {
            Ok(conn) => erase::scrub(&self.named, &self.file, &conn),
            Err(error) => Some(Residue::Failed(error.to_string())),
        }
    }

    fn checkpoint(&self) -> Result<bool> {
        self.fold()
    }

    fn name(&self) -> String {
        self.named.path.to_string_lossy().into_owned()
    }
}

/// The rows of a store that does not exist yet: every answer is empty.
pub(super) struct NoRows;

impl Read for NoRows {
    fn read(&self, ask: &Ask) -> Result<Rows> {
        Ok(Rows::none(ask))
    }

    fn verify(&self, _: &mut Report) -> Result<bool> {
        Ok(true)
    }
}

/// Rows on a connection of the pool.
pub(super) struct PooledRows<'e> {
    pub(super) sqlite: &'e Sqlite,
    pub(in crate::sqlite) conn: Lease<'e>,
}

impl PooledRows<'_> {
    fn at_once<T>(&self, work: impl FnOnce(&OneState<'_>) -> T) -> T {
        let sqlite = self.sqlite;
        let rows = &Handle::new(sqlite.named(), &self.conn);
        work(&OneState { sqlite, rows })
    }
}

impl Read for PooledRows<'_> {
    fn read(&self, ask: &Ask) -> Result<Rows> {
        self.at_once(|state| state.read(ask))
    }

    fn verify(&self, report: &mut Report) -> Result<bool> {
        self.at_once(|state| state.verify(report))
    }
}

/// Rows of one state.
pub(super) struct OneState<'e> {
    pub(super) sqlite: &'e Sqlite,
    pub(super) rows: &'e dyn Read,
}

impl Read for OneState<'_> {
    fn read(&self, ask: &Ask) -> Result<Rows> {
        let mut rows = self.rows.read(ask)?;
        let ask = &ask.store;
        // The faults of the store as a whole belong to the damage of lists.
        if !(ask.scopes.is_empty() && ask.kinds.is_empty() && ask.pages.is_empty()) {
            rows.store.damaged.extend(self.sqlite.fault());
        }
        Ok(rows)
    }

    fn verify(&self, report: &mut Report) -> Result<bool> {
        let can_go_on = self.rows.verify(report)?;
        // Compares with the newest state, not with the one that is read: the record has later writes already.
        if let Ok(Some(rollback)) = self.sqlite.rollback() {
            report.add(format!(
                "acknowledged writes are missing: the last was at position {}, the store is at {}",
                rollback.acknowledged, rollback.found
            ));
        }
        Ok(can_go_on)
    }
}
