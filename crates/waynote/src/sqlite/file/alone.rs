//! The one writer of a store's file: it has its turn in the queue, and one connection for all that it does.

use std::cell::OnceCell;
use std::path::Path;

use rusqlite::Connection;

use crate::engine::{Engine, Read, Transaction, Writing};
use crate::error::Result;
use crate::forget::Residue;

use super::acknowledged::Guard;
use super::pool::{Lease, Sqlite};
use super::pooled::NoRows;
use super::queue::Turn;
use crate::sqlite::errors::{Failure, Outcome};
use crate::sqlite::rows::erase;
use crate::sqlite::rows::handle::Handle;
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
            self.sqlite.refuse_second_name()?;
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
