//! The checks and records of a writer while it has its turn. Before it writes, it checks that the store holds
//! everything that was acknowledged; afterwards it records the position of the store.

use std::fs::File;

use rusqlite::Connection;

use crate::error::{Error, Result};
use crate::id::{OperationId, StoreId};
use crate::note::Position;

use super::files;
use super::head::{FileState, Head, LockRecords, Record};
use super::open;
use super::pool::Sqlite;
use super::queue::Turn;
use crate::sqlite::errors::Outcome;
use crate::sqlite::options::Rollback;
use crate::sqlite::rows::query::exactly_one;

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
            noted: turn.take_noted(),
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

    /// Checks that this is still the same store, with everything that was acknowledged.
    pub(super) fn check(&self) -> Result<()> {
        let now = self.head()?;
        let known = self.sqlite.known();
        let noted = self.noted.of(now.store).copied();
        let ours = known.filter(|known| known.head.store == now.store);
        if let (None, None, Some(_)) = (noted, ours, known) {
            return Err(self
                .sqlite
                .lost("another store has taken its place since it was opened"));
        }
        // A rollback that somebody accepted is on record. Without a record, this process's own memory counts.
        let Some(last) = noted.or(ours) else {
            return self.when_suspect(false);
        };
        if let Some(rollback) = rollback(&last.head, &now) {
            return Err(self.sqlite.lost_writes(rollback));
        }
        self.when_suspect(self.file_state()? != last.file)
    }

    /// Checks the whole database when somebody else may have changed its file: a copy that was put over it does not
    /// match the WAL that is still there. Without a WAL there is nothing to match: a folder that was copied is not read
    /// as a whole before its first write.
    fn when_suspect(&self, is_changed: bool) -> Result<()> {
        if !(is_changed || self.sqlite.is_suspect()) || files::wal_bytes(self.sqlite.file()) == 0 {
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
            found if found == "ok" => {
                self.sqlite.set_suspect(false);
                Ok(())
            }
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
            self.sqlite.set_known(record);
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
        files::write_wal_again(self.sqlite.file()).map_err(file_error)?;
        if !named.mapped(files::empty_wal(self.conn))? {
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
