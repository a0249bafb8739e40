//! Folding: a checkpoint that moves the whole WAL into the database file and empties the WAL. Also the writes that a
//! store has lost.

use std::time::Duration;

use rusqlite::Connection;

use crate::error::{Error, Result, SecondName};
use crate::note::Position;

use super::acknowledged::{self, Guard};
use super::files;
use super::head::LockRecords;
use super::open;
use super::pool::Sqlite;
use crate::sqlite::errors::Outcome;
use crate::sqlite::options::Rollback;

/// A WAL longer than this is folded into the database when a writer closes: the first to open the store
/// afterwards has to read it all.
const LONG_WAL_BYTES: u64 = 128 * 1024;

impl Sqlite {
    /// As [`Engine::checkpoint`](crate::engine::Engine).
    pub(in crate::sqlite) fn fold(&self) -> Result<bool> {
        if files::wal_bytes(self.file()) == 0 {
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
        let emptied = files::empty_wal(&conn);
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
        let now = self.named().mapped(acknowledged::head(conn))?;
        let noted = noted.of(now.store);
        Ok(noted.and_then(|noted| acknowledged::rollback(&noted.head, &now)))
    }

    /// The faults of the store as a whole, in sentences: a list cannot show notes that are lost.
    pub(super) fn faults(&self) -> Vec<String> {
        // Somebody may have accepted it meanwhile.
        let lost = match self.was_behind() {
            true => self.rollback().ok().flatten(),
            false => None,
        };
        let lost = lost.map(|lost| format!("The store {lost}"));
        let second = self.second_name().map(|name| {
            let by = match name {
                SecondName::Mount => "its file is mounted by itself",
                SecondName::Link { .. } => "its file has hard links",
            };
            format!("The store has a second name, and can only be read: {by}")
        });
        lost.into_iter().chain(second).collect()
    }

    /// As [`SqliteStore::accept_rollback`](crate::sqlite::SqliteStore).
    pub(in crate::sqlite) fn accept_rollback(&self) -> Result<Option<Rollback>> {
        let Some(found) = self.rollback()? else {
            return Ok(None);
        };
        let turn = self.turn()?;
        if found.found == Position::new(0) {
            if let Some(lock) = turn.file() {
                acknowledged::replace(self, lock, None)?;
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
        if *self.wrote.get_mut() && files::wal_bytes(self.file()) > LONG_WAL_BYTES {
            let _ = self.fold();
        }
    }
}
