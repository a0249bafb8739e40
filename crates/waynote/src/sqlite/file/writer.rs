//! The one writer of a store's file: it has its turn in the queue, and one connection for all that it does. Before it
//! writes, it checks that the store holds everything that was acknowledged; afterwards it records the position of the
//! store. It also folds: a checkpoint that moves the whole WAL into the database file and empties the WAL.

use std::cell::OnceCell;
use std::fs::File;
use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;

use crate::engine::{Engine, Read, Transaction, Writing};
use crate::error::{Error, Result};
use crate::forget::Residue;
use crate::id::{OperationId, StoreId};
use crate::note::Position;

use super::head::queue::Turn;
use super::head::{FileState, Head, LockRecords, Record};
use super::open;
use super::pool::{Lease, NoRows, Sqlite};
use crate::sqlite::errors::{Failure, Outcome};
use crate::sqlite::options::Rollback;
use crate::sqlite::rows::erase;
use crate::sqlite::rows::handle::Handle;
use crate::sqlite::rows::query::exactly_one;
use crate::sqlite::schema;
use crate::sqlite::transaction;

/// A file while no other writer of it can run. One that does not exist is made by the first write that has something
/// to put.
pub(super) struct FileWriter<'e> {
    sqlite: &'e Sqlite,
    /// It goes before the turn.
    conn: OnceCell<Lease<'e>>,
    turn: OnceCell<Turn<'e>>,
}

impl<'e> FileWriter<'e> {
    /// For one write.
    pub(super) fn of(sqlite: &'e Sqlite) -> Result<Self> {
        let alone = Self {
            sqlite,
            conn: OnceCell::new(),
            turn: OnceCell::new(),
        };
        alone.look()?;
        Ok(alone)
    }

    /// For more than one, between which nobody else may write.
    pub(super) fn exclusive(sqlite: &'e Sqlite) -> Result<Self> {
        let alone = Self::of(sqlite)?;
        // A store cannot be made either if its folder cannot.
        if alone.conn.get().is_none() && sqlite.make_folder().is_ok() {
            let turn = sqlite.turn()?;
            let _ = alone.turn.set(turn);
            alone.look()?;
        }
        Ok(alone)
    }

    /// The connection, once the file exists: somebody else may have made it meanwhile.
    fn look(&self) -> Result<Option<&Lease<'e>>> {
        match self.conn.get() {
            None if self.sqlite.is_there()? => self.hold().map(Some),
            conn => Ok(conn),
        }
    }

    /// The connection to read with, once the file exists.
    fn handle(&self) -> Result<Option<Handle<'_>>> {
        let conn = self.look()?;
        Ok(conn.map(|conn| Handle::new(self.sqlite.named(), conn)))
    }

    /// True if the work writes anything. Runs it on an empty database in memory, for a store that does not exist.
    fn is_wanted(
        &self,
        writing: Writing,
        work: &mut dyn FnMut(&dyn Transaction) -> Result<()>,
    ) -> Result<bool> {
        let named = self.sqlite.named();
        let conn = named.mapped(empty(self.sqlite.file()))?;
        let before = conn.total_changes();
        named.mapped(transaction::write(Handle::new(named, &conn), writing, work))?;
        Ok(conn.total_changes() > before)
    }

    /// Waits for the turn.
    fn hold(&self) -> Result<&Lease<'e>> {
        if let Some(conn) = self.conn.get() {
            return Ok(conn);
        }
        // Opened first: making its tables takes a turn of its own.
        let opened = self.sqlite.lease_within(self.turn.get())?;
        if opened.is_immutable() {
            self.sqlite.refuse_links()?;
            return Ok(self.conn.get_or_init(|| opened));
        }
        drop(opened);
        let turn = match self.turn.get() {
            Some(turn) => turn,
            None => {
                let turn = self.sqlite.turn()?;
                self.turn.get_or_init(|| turn)
            }
        };
        // The wait may have been long.
        self.sqlite.is_there()?;
        let conn = self.sqlite.lease_current(turn)?;
        self.sqlite.prepare(&conn, turn)?;
        self.sqlite.ensure_wal(&conn, || {
            let guard = self.guard(&conn)?;
            guard.map_or(Ok(()), |guard| guard.check())
        })?;
        Ok(self.conn.get_or_init(|| conn))
    }

    /// The guard, which checks the store before a write and records its position afterwards.
    fn guard<'g>(&'g self, conn: &'g Connection) -> Result<Option<Guard<'g>>> {
        Guard::new(self.sqlite, self.turn.get(), conn)
    }
}

/// An empty store in memory.
fn empty(path: &Path) -> Outcome<Connection> {
    let conn = Connection::open_in_memory()?;
    schema::make(&conn, path)?;
    Ok(conn)
}

impl Engine for FileWriter<'_> {
    fn rows(&self) -> Result<Box<dyn Read + '_>> {
        Ok(match self.handle()? {
            Some(handle) => Box::new(handle),
            None => Box::new(NoRows),
        })
    }

    fn snapshot(&self, work: &mut dyn FnMut(&dyn Read) -> Result<()>) -> Result<()> {
        match self.handle()? {
            Some(handle) => transaction::snapshot(&handle, work),
            None => work(&NoRows),
        }
    }

    fn write(
        &self,
        writing: Writing,
        work: &mut dyn FnMut(&dyn Transaction) -> Result<()>,
    ) -> Result<()> {
        let named = self.sqlite.named();
        if self.look()?.is_none() {
            if !self.is_wanted(writing, work)? {
                return Ok(());
            }
            // Nobody else makes it meanwhile.
            if self.turn.get().is_none() {
                self.sqlite.make_folder()?;
                let turn = self.sqlite.turn()?;
                let _ = self.turn.set(turn);
            }
            self.sqlite.make()?;
        }
        let conn = self.hold()?;
        let handle = Handle::new(named, conn);
        let Some(guard) = self.guard(conn)? else {
            self.sqlite.has_written();
            return named.mapped(transaction::write(handle, writing, work));
        };
        guard.settle()?;
        self.sqlite.has_written();
        let mut reached = None;
        let written = transaction::write(handle, writing, &mut |tx| {
            guard.check()?;
            work(tx)?;
            reached = Some(guard.head()?);
            Ok(())
        });
        if written.as_ref().is_err_and(Failure::is_failed_sync) {
            guard.has_failed_to_sync();
        }
        named.mapped(written)?;
        if let Some(reached) = reached {
            guard.acknowledge(reached);
        }
        Ok(())
    }

    fn exclusively(&self, work: &mut dyn FnMut(&dyn Engine) -> Result<()>) -> Result<()> {
        work(self)
    }

    fn scrub(&self) -> Option<Residue> {
        let conn = self.conn.get()?;
        let residue = erase::scrub(self.sqlite.named(), self.sqlite.file(), conn);
        // The file is another one now.
        if let Ok(Some(guard)) = self.guard(conn)
            && let Ok(head) = guard.head()
        {
            guard.acknowledge(head);
        }
        residue
    }

    fn name(&self) -> String {
        self.sqlite.name()
    }
}

/// How far a store is.
pub(in crate::sqlite) fn head(conn: &Connection) -> Outcome<Head> {
    exactly_one(
        conn,
        "WITH head (position) AS (
             SELECT max(coalesce((SELECT max(position) FROM waynote_journal), 0),
                        coalesce((SELECT max(position) FROM waynote_event), 0))
         )
         SELECT (SELECT id FROM waynote_store), position,
                coalesce((SELECT operation FROM waynote_journal j WHERE j.position = head.position),
                         (SELECT operation FROM waynote_event e WHERE e.position = head.position))
         FROM head",
        [],
        |row| {
            Ok(Head {
                store: StoreId::new(row.get(0)?),
                position: row.get(1)?,
                operation: row.get::<_, Option<[u8; 16]>>(2)?.map(OperationId::new),
            })
        },
    )
}

/// The acknowledged writes that the store lost, if it is behind its record.
pub(in crate::sqlite) fn rollback(noted: &Head, now: &Head) -> Option<Rollback> {
    let found = match now.position.cmp(&noted.position) {
        std::cmp::Ordering::Greater => return None,
        std::cmp::Ordering::Equal if now.operation == noted.operation => return None,
        // Another write has taken that position.
        std::cmp::Ordering::Equal => now.position - 1,
        std::cmp::Ordering::Less => now.position,
    };
    Some(Rollback {
        acknowledged: Position::new(noted.position),
        found: Position::new(found),
    })
}

/// A writer that has its turn and a connection.
pub(super) struct Guard<'g> {
    sqlite: &'g Sqlite,
    lock: &'g File,
    conn: &'g Connection,
    noted: LockRecords,
}

impl<'g> Guard<'g> {
    /// None for a database in which an application keeps its own tables: the application decides itself what to
    /// restore.
    pub(super) fn new(
        sqlite: &'g Sqlite,
        turn: Option<&'g Turn<'_>>,
        conn: &'g Connection,
    ) -> Result<Option<Self>> {
        let Some((turn, lock)) = turn.and_then(|turn| Some((turn, turn.file()?))) else {
            return Ok(None);
        };
        if !sqlite.is_ours(conn)? {
            return Ok(None);
        }
        Ok(Some(Self {
            sqlite,
            lock,
            conn,
            noted: turn.noted(),
        }))
    }

    /// After a failed sync: brings all of the WAL into the database before anything else is acknowledged.
    pub(super) fn settle(&self) -> Result<()> {
        if !self.noted.is_unsynced {
            return Ok(());
        }
        self.check()?;
        self.sync()
    }

    /// How far the store is.
    pub(super) fn head(&self) -> Result<Head> {
        self.sqlite.named().mapped(head(self.conn))
    }

    /// Checks that the store has everything that was acknowledged.
    pub(super) fn check(&self) -> Result<()> {
        let now = self.head()?;
        let noted = self.noted.of(now.store);
        if let Some(rollback) = noted.and_then(|noted| rollback(&noted.head, &now)) {
            return Err(self.sqlite.lost_writes(rollback));
        }
        match self.noted.leaves(self.file_state()?) {
            true => Ok(()),
            false => self.fits_its_wal(),
        }
    }

    /// Checks the whole database after something else changed its file: a copy that was put over it does not match the
    /// WAL that is still there. Without a WAL there is nothing to match.
    fn fits_its_wal(&self) -> Result<()> {
        if open::wal_bytes(self.sqlite.file()) == 0 {
            return Ok(());
        }
        let named = self.sqlite.named();
        // The check reads every page once: pages that it leaves in the cache are of no use to the write.
        open::set_writes(self.conn, false);
        let found: Outcome<String> = self
            .conn
            .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
            .map_err(Into::into);
        open::set_writes(self.conn, true);
        match named.mapped(found)? {
            found if found == "ok" => Ok(()),
            found => Err(Error::damaged_store(
                named.path.clone(),
                format!("its file was changed by something else ({found})"),
            )),
        }
    }

    fn file_state(&self) -> Result<FileState> {
        let path = self.sqlite.file();
        let file = std::fs::metadata(path);
        let file = file.map_err(|error| Error::file(&self.sqlite.named().path, "read", error))?;
        Ok(FileState::of(&file))
    }

    /// Records an acknowledged write. If that fails, an older record stays: one behind the store proves nothing.
    pub(super) fn acknowledge(&self, head: Head) {
        if let Ok(file) = self.file_state() {
            let record = Record { head, file };
            self.noted.note(self.lock, &record);
        }
    }

    /// A sync failed: parts of the WAL may never reach the disk, though every process reads them. No later write counts
    /// until they are in the database.
    pub(super) fn has_failed_to_sync(&self) {
        let _ = LockRecords::mark_unsynced(self.lock, true);
    }

    /// Brings all of the WAL into the database, and empties it.
    fn sync(&self) -> Result<()> {
        let named = self.sqlite.named();
        let file_error = |error| Error::file(&named.path, "written", error);
        open::write_wal_again(self.sqlite.file()).map_err(file_error)?;
        if !named.mapped(open::empty_wal(self.conn))? {
            return Err(Error::Busy {
                path: named.path.clone(),
                waited: named.wait,
                holder: None,
            });
        }
        self.acknowledge(self.head()?);
        LockRecords::mark_unsynced(self.lock, false).map_err(file_error)
    }

    /// Accepts the store as it is, even behind its record.
    pub(super) fn accept(&self) -> Result<Option<Rollback>> {
        let head = self.head()?;
        let noted = self.noted.of(head.store);
        let Some(rollback) = noted.and_then(|noted| rollback(&noted.head, &head)) else {
            return Ok(None);
        };
        let file = self.file_state()?;
        replace(self.sqlite, self.lock, Some(&Record { head, file }))?;
        Ok(Some(rollback))
    }
}

/// Notes this in place of everything else.
pub(super) fn replace(sqlite: &Sqlite, lock: &File, record: Option<&Record>) -> Result<()> {
    LockRecords::replace(lock, record)
        .map_err(|error| Error::file(&sqlite.named().path, "written", error))
}

/// A WAL longer than this is folded into the database when a writer closes: the first to open the store
/// afterwards has to read it all.
const LONG_WAL_BYTES: u64 = 128 * 1024;

impl Sqlite {
    /// As [`Engine::checkpoint`](crate::engine::Engine).
    pub(in crate::sqlite) fn fold(&self) -> Result<bool> {
        if open::wal_bytes(self.file()) == 0 {
            return Ok(true);
        }
        let Some(turn) = self.queue.turn_if_free() else {
            return Ok(false);
        };
        if !self.is_there()? {
            return Ok(false);
        }
        let conn = self.lease_current(&turn)?;
        if conn.is_immutable() {
            return Ok(false);
        }
        // The WAL must not go into a file that is not the store any more.
        let Some(guard) = Guard::new(self, Some(&turn), &conn)? else {
            return Ok(false);
        };
        guard.check()?;
        let impatient: Outcome<()> = conn.busy_timeout(Duration::ZERO).map_err(Into::into);
        self.named().mapped(impatient)?;
        let emptied = open::empty_wal(&conn);
        let _ = conn.busy_timeout(open::within(self.named().wait));
        if let Ok(head) = guard.head() {
            guard.acknowledge(head);
        }
        self.named().mapped(emptied)
    }

    /// As [`SqliteStore::rollback`](crate::sqlite::SqliteStore). The record is read before the store: a writer commits
    /// before it records.
    pub(in crate::sqlite) fn rollback(&self) -> Result<Option<Rollback>> {
        let noted = self.queue.noted();
        if noted.highest().is_none() {
            return Ok(None);
        }
        let lost = match self.is_there() {
            Ok(true) => self.lease().and_then(|conn| self.behind(&noted, &conn)),
            Ok(false) => return Ok(None),
            Err(error) => Err(error),
        };
        lost.or_else(gone)
    }

    /// The distance of the store behind a record that was read before it.
    pub(super) fn behind(
        &self,
        noted: &LockRecords,
        conn: &Connection,
    ) -> Result<Option<Rollback>> {
        if noted.highest().is_none() || !self.is_ours(conn)? {
            return Ok(None);
        }
        let now = self.named().mapped(head(conn))?;
        let noted = noted.of(now.store);
        Ok(noted.and_then(|noted| rollback(&noted.head, &now)))
    }

    /// The fault of the store as a whole, as a sentence: a list cannot show notes that are lost.
    pub(super) fn fault(&self) -> Option<String> {
        if !self.was_behind() {
            return None;
        }
        // Somebody may have accepted it meanwhile.
        let lost = self.rollback().ok().flatten();
        lost.map(|lost| format!("The store {lost}"))
    }

    /// As [`SqliteStore::accept_rollback`](crate::sqlite::SqliteStore).
    pub(in crate::sqlite) fn accept_rollback(&self) -> Result<Option<Rollback>> {
        let Some(found) = self.rollback()? else {
            return Ok(None);
        };
        let turn = self.turn()?;
        if found.found == Position::new(0) {
            if let Some(lock) = turn.file() {
                replace(self, lock, None)?;
            }
            return Ok(Some(found));
        }
        let conn = self.lease_current(&turn)?;
        match Guard::new(self, Some(&turn), &conn)? {
            Some(guard) => guard.accept(),
            None => Ok(None),
        }
    }
}

/// A store whose file is gone has lost everything.
fn gone(error: Error) -> Result<Option<Rollback>> {
    match error {
        Error::LostWrites {
            acknowledged,
            found,
            ..
        } => Ok(Some(Rollback {
            acknowledged,
            found,
        })),
        error => Err(error),
    }
}

/// On close, a writer folds a long WAL. Best effort: if another process is busy there, that one does it later.
impl Drop for Sqlite {
    fn drop(&mut self) {
        if *self.wrote.get_mut() && open::wal_bytes(self.file()) > LONG_WAL_BYTES {
            let _ = self.fold();
        }
    }
}
