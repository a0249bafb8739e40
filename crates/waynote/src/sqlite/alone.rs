//! The one writer of a store's file: it has its turn in the queue, and one connection for all that it does.

use std::cell::OnceCell;

use crate::engine::{Engine, JournalRow, Read, Rows, Transaction, Writing};
use crate::error::Result;
use crate::forget::Residue;
use crate::model::report::Report;

use super::missing::Missing;
use super::pool::{Lease, Sqlite};
use super::queue::Turn;
use super::rows::Handle;
use super::{erase, transaction};

/// A file while no other writer of it can run. One that does not exist is made by the first write that has something
/// to put.
pub(super) struct Alone<'e> {
    sqlite: &'e Sqlite,
    /// It goes before the turn.
    conn: OnceCell<Lease<'e>>,
    turn: OnceCell<Turn<'e>>,
}

impl<'e> Alone<'e> {
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
        // Where no folder can be made, nobody can make the store either.
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

    /// Waits for the turn.
    fn hold(&self) -> Result<&Lease<'e>> {
        if let Some(conn) = self.conn.get() {
            return Ok(conn);
        }
        // Opened first: bringing its tables up to date takes a turn of its own.
        let conn = self.sqlite.lease_within(self.turn.get())?;
        if self.turn.get().is_none() && !conn.is_immutable() {
            let turn = self.sqlite.turn()?;
            let _ = self.turn.set(turn);
            // The wait may have been long.
            self.sqlite.is_there()?;
        }
        self.sqlite.ensure_wal(&conn)?;
        Ok(self.conn.get_or_init(|| conn))
    }
}

impl Engine for Alone<'_> {
    fn rows(&self) -> Result<Box<dyn Read + '_>> {
        let named = self.sqlite.named();
        Ok(match self.look()? {
            Some(conn) => Box::new(Handle::new(named, conn)),
            None => Box::new(Missing::new(named)),
        })
    }

    fn snapshot(&self, work: &mut dyn FnMut(&dyn Read) -> Result<()>) -> Result<()> {
        let named = self.sqlite.named();
        match self.look()? {
            Some(conn) => transaction::snapshot(&Handle::new(named, conn), work),
            None => work(&Missing::new(named)),
        }
    }

    fn write(
        &self,
        writing: Writing,
        work: &mut dyn FnMut(&dyn Transaction) -> Result<()>,
    ) -> Result<()> {
        let named = self.sqlite.named();
        if self.look()?.is_none() {
            let missing = Missing::new(named);
            let outcome = work(&missing);
            if !missing.is_wanted.get() {
                return outcome;
            }
            self.sqlite.make()?;
        }
        let conn = self.hold()?;
        self.sqlite.has_written();
        transaction::write(Handle::new(named, conn), writing, work)
    }

    fn exclusively(&self, work: &mut dyn FnMut(&dyn Engine) -> Result<()>) -> Result<()> {
        work(self)
    }

    fn scrub(&self) -> Option<Residue> {
        erase::scrub(self.sqlite.named(), self.conn.get()?)
    }

    fn name(&self) -> String {
        self.sqlite.name()
    }
}

/// Rows on a connection of the pool.
pub(super) struct Pooled<'e> {
    pub(super) sqlite: &'e Sqlite,
    pub(super) conn: Lease<'e>,
}

impl Pooled<'_> {
    fn handle(&self) -> Handle<'_> {
        Handle::new(self.sqlite.named(), &self.conn)
    }
}

impl Read for Pooled<'_> {
    fn read(&self, ask: &crate::engine::Ask) -> Result<Rows> {
        self.handle().read(ask)
    }

    fn each_row(
        &self,
        after: i64,
        limit: usize,
        each: &mut dyn FnMut(&JournalRow<'_>) -> bool,
    ) -> Result<()> {
        self.handle().each_row(after, limit, each)
    }

    fn verify(&self, report: &mut Report) -> Result<bool> {
        self.handle().verify(report)
    }
}
