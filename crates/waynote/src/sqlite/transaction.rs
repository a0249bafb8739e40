//! Transactions: of our own, or savepoints inside an application's.

use rusqlite::{Connection, TransactionBehavior};

use crate::engine::{Engine, Read, Transaction, Writing};
use crate::error::Result;
use crate::forget::Residue;

use super::erase::Secure;
use super::errors::{Failure, Outcome};
use super::rows::Handle;
use super::{Sqlite, erase};

impl Engine for Sqlite<'_> {
    fn rows(&self) -> Result<Box<dyn Read + '_>> {
        Ok(Box::new(Handle::new(self, false)))
    }

    fn snapshot(&self, work: &mut dyn FnMut(&dyn Read) -> Result<()>) -> Result<()> {
        let conn = self.conn();
        // Inside a transaction all is read from its state anyway.
        let state = conn
            .is_autocommit()
            .then(|| rusqlite::Transaction::new_unchecked(conn, TransactionBehavior::Deferred));
        let _state = self.mapped(state.transpose().map_err(Failure::from))?;
        work(&Handle::new(self, false))
    }

    fn write(
        &self,
        writing: Writing,
        work: &mut dyn FnMut(&dyn Transaction) -> Result<()>,
    ) -> Result<()> {
        let _turn = self.turn()?;
        let _relaxed = (writing == Writing::Relaxed).then(|| Relaxed::of(self));
        let is_erasing = writing == Writing::Erasing;
        let _secure = is_erasing.then(|| Secure::of(self)).transpose()?;
        self.transaction(|_| Ok(work(&Handle::new(self, is_erasing))?))
    }

    fn exclusively(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        let _turn = self.turn()?;
        work()
    }

    fn scrub(&self) -> Option<Residue> {
        erase::scrub(self)
    }

    fn name(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }
}

/// While it lives, commits do not wait for the disk; on a lent connection that is the application's to say.
struct Relaxed<'c>(Option<&'c Connection>);

impl<'c> Relaxed<'c> {
    fn of(engine: &'c Sqlite<'_>) -> Self {
        let own = engine.queue.is_some().then(|| engine.conn());
        Self(own.filter(|conn| conn.pragma_update(None, "synchronous", "NORMAL").is_ok()))
    }
}

impl Drop for Relaxed<'_> {
    fn drop(&mut self) {
        if let Some(conn) = self.0 {
            let _ = conn.pragma_update(None, "synchronous", "FULL");
        }
    }
}

impl Sqlite<'_> {
    /// Runs `work` in a transaction, or in a savepoint inside the application's; rolled back unless it succeeds.
    pub(super) fn transaction<T>(&self, work: impl FnOnce(&Connection) -> Outcome<T>) -> Result<T> {
        self.wrote.set(true);
        let conn = self.conn();
        self.mapped(if conn.is_autocommit() {
            in_transaction(conn, work)
        } else {
            in_savepoint(conn, work)
        })
    }
}

fn in_transaction<T>(
    conn: &Connection,
    work: impl FnOnce(&Connection) -> Outcome<T>,
) -> Outcome<T> {
    // Kept prepared, as everything that runs at every write.
    conn.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
    let rollback = RollBack(conn);
    let value = work(conn)?;
    conn.prepare_cached("COMMIT")?.execute([])?;
    drop(rollback);
    Ok(value)
}

/// Takes back a transaction that is still open when it goes, whatever the reason.
struct RollBack<'c>(&'c Connection);

impl Drop for RollBack<'_> {
    fn drop(&mut self) {
        if !self.0.is_autocommit() {
            // Whatever failed before is the error to tell.
            let _ = self.0.execute_batch("ROLLBACK");
        }
    }
}

fn in_savepoint<T>(conn: &Connection, work: impl FnOnce(&Connection) -> Outcome<T>) -> Outcome<T> {
    conn.execute_batch("SAVEPOINT waynote")?;
    let value = work(conn);
    match &value {
        Ok(_) => conn.execute_batch("RELEASE waynote")?,
        // A full disk has rolled back everything already: the first error is the one to tell.
        Err(_) => drop(conn.execute_batch("ROLLBACK TO waynote; RELEASE waynote")),
    }
    value
}
