//! The one writer of a store's file: it has its turn in the queue, and one connection for all that it does.

use std::cell::OnceCell;

use crate::engine::{Engine, JournalRow, Read, Rows, Transaction, Writing};
use crate::error::Result;
use crate::forget::Residue;
use crate::verify::Report;

use super::missing::Missing;
use super::pool::{Lease, Sqlite};
use super::queue::Turn;
use super::rows::Handle;
use super::{erase, transaction};

/// A file while no other writer of it can run. One that does not exist is made by the first write that has something
/// to put.
pub(super) struct Alone<'e> {
    sqlite: &'e Sqlite,
    held: OnceCell<Held<'e>>,
}

/// The connection goes before the turn.
struct Held<'e> {
    conn: Lease<'e>,
    _turn: Turn<'e>,
}

impl<'e> Alone<'e> {
    pub(super) fn of(sqlite: &'e Sqlite) -> Result<Self> {
        let alone = Self {
            sqlite,
            held: OnceCell::new(),
        };
        if sqlite.is_there()? {
            alone.hold()?;
        }
        Ok(alone)
    }

    /// Waits for the turn.
    fn hold(&self) -> Result<&Held<'e>> {
        if let Some(held) = self.held.get() {
            return Ok(held);
        }
        // Opened first: bringing its tables up to date takes a turn of its own.
        let conn = self.sqlite.lease()?;
        let turn = self.sqlite.turn()?;
        self.sqlite.ensure_wal(&conn)?;
        Ok(self.held.get_or_init(|| Held { conn, _turn: turn }))
    }
}

impl Engine for Alone<'_> {
    fn rows(&self) -> Result<Box<dyn Read + '_>> {
        let named = self.sqlite.named();
        Ok(match self.held.get() {
            Some(held) => Box::new(Handle::new(named, &held.conn)),
            None => Box::new(Missing::new(named)),
        })
    }

    fn snapshot(&self, work: &mut dyn FnMut(&dyn Read) -> Result<()>) -> Result<()> {
        let named = self.sqlite.named();
        match self.held.get() {
            Some(held) => transaction::snapshot(&Handle::new(named, &held.conn), work),
            None => work(&Missing::new(named)),
        }
    }

    fn write(
        &self,
        writing: Writing,
        work: &mut dyn FnMut(&dyn Transaction) -> Result<()>,
    ) -> Result<()> {
        let named = self.sqlite.named();
        if self.held.get().is_none() {
            let missing = Missing::new(named);
            let outcome = work(&missing);
            if !missing.is_wanted.get() {
                return outcome;
            }
            self.sqlite.make()?;
        }
        let held = self.hold()?;
        self.sqlite.has_written();
        transaction::write(Handle::new(named, &held.conn), writing, work)
    }

    fn exclusively(&self, work: &mut dyn FnMut(&dyn Engine) -> Result<()>) -> Result<()> {
        work(self)
    }

    fn scrub(&self) -> Option<Residue> {
        let held = self.held.get()?;
        erase::scrub(self.sqlite.named(), &held.conn)
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
