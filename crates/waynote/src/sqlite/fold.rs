//! Folding: what is in the WAL goes into the database file, and the WAL becomes empty. And what a store has lost: the
//! calls of a caller that are about the file itself.

use std::time::Duration;

use crate::error::{Error, Result};
use crate::note::Position;

use super::acknowledged::{self, Guard};
use super::errors::Outcome;
use super::pool::Sqlite;
use super::{Rollback, files, open};

/// A WAL longer than this is folded into the database when a writer closes: the first to open the store
/// afterwards has to read it all.
const LONG_WAL_BYTES: u64 = 128 * 1024;

impl Sqlite {
    /// As [`Engine::checkpoint`](crate::engine::Engine).
    pub(super) fn fold(&self) -> Result<bool> {
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
        // What is not the store any more must not get what is in the WAL.
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

    /// As [`SqliteStore::rollback`](super::SqliteStore). What is noted is read first: a writer notes what it has
    /// committed.
    pub(super) fn rollback(&self) -> Result<Option<Rollback>> {
        let noted = self.queue.noted();
        if noted.highest().is_none() {
            return Ok(None);
        }
        let now = match self.is_there() {
            Ok(true) => self.lease().and_then(|conn| {
                let is_ours = self.is_ours(&conn)?;
                let head = self.named().mapped(acknowledged::head(&conn))?;
                Ok(is_ours.then_some(head))
            }),
            Ok(false) => return Ok(None),
            Err(error) => Err(error),
        };
        match now {
            Ok(Some(now)) => Ok(noted
                .of(now.store)
                .and_then(|noted| acknowledged::rollback(&noted.head, &now))),
            Ok(None) => Ok(None),
            Err(error) => gone(error),
        }
    }

    /// As [`SqliteStore::accept_rollback`](super::SqliteStore).
    pub(super) fn accept_rollback(&self) -> Result<Option<Rollback>> {
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

/// A store that is not there any more has lost everything.
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

/// A writer that closes leaves a short WAL behind. Best effort: whoever is busy there does it later.
impl Drop for Sqlite {
    fn drop(&mut self) {
        if *self.wrote.get_mut() && files::wal_bytes(self.file()) > LONG_WAL_BYTES {
            let _ = self.fold();
        }
    }
}
