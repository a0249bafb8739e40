//! Transactions on one connection: of our own, or savepoints inside an application's.

use rusqlite::Connection;

use crate::engine::{Read, Transaction, Writing};
use crate::error::Result;

use super::errors::Outcome;
use super::rows::erase::SecureDeleteGuard;
use super::rows::handle::Handle;

/// Runs `work` on one state of the database.
pub(super) fn snapshot(
    handle: &Handle<'_>,
    work: &mut dyn FnMut(&dyn Read) -> Result<()>,
) -> Result<()> {
    let conn = handle.conn;
    // Inside a transaction all is read from its state anyway.
    if !conn.is_autocommit() {
        return work(handle);
    }
    handle.mapped(kept(conn, "BEGIN DEFERRED"))?;
    let rollback = RollBack(conn);
    let outcome = work(handle);
    // Writes through the same connection during the snapshot were acknowledged, so it ends with a commit.
    let ended = handle.mapped(kept(conn, "COMMIT"));
    drop(rollback);
    outcome.and(ended)
}

/// Runs a statement that is kept prepared, as everything that runs often.
fn kept(conn: &Connection, sql: &str) -> Outcome<()> {
    conn.prepare_cached(sql)?.execute([])?;
    Ok(())
}

/// Runs `work` in a transaction.
pub(super) fn write(
    handle: Handle<'_>,
    writing: Writing,
    work: &mut dyn FnMut(&dyn Transaction) -> Result<()>,
) -> Outcome<()> {
    let conn = handle.conn;
    let _relaxed = (writing == Writing::Relaxed).then(|| RelaxedCommits::of(conn));
    let is_erasing = writing == Writing::Erasing;
    let _secure = is_erasing
        .then(|| SecureDeleteGuard::of(conn))
        .transpose()?;
    let handle = match is_erasing {
        true => handle.erasing(),
        false => handle,
    };
    run(conn, |_| Ok(work(&handle)?))
}

/// While it lives, commits do not wait for the disk.
struct RelaxedCommits<'c>(Option<&'c Connection>);

impl<'c> RelaxedCommits<'c> {
    fn of(conn: &'c Connection) -> Self {
        let relaxed = conn.pragma_update(None, "synchronous", "NORMAL");
        Self(relaxed.is_ok().then_some(conn))
    }
}

impl Drop for RelaxedCommits<'_> {
    fn drop(&mut self) {
        if let Some(conn) = self.0 {
            let _ = conn.pragma_update(None, "synchronous", "FULL");
        }
    }
}

/// Runs `work` in a transaction, or in a savepoint inside the application's; rolled back unless it succeeds.
pub(super) fn run<T>(
    conn: &Connection,
    work: impl FnOnce(&Connection) -> Outcome<T>,
) -> Outcome<T> {
    if conn.is_autocommit() {
        in_transaction(conn, work)
    } else {
        in_savepoint(conn, work)
    }
}

fn in_transaction<T>(
    conn: &Connection,
    work: impl FnOnce(&Connection) -> Outcome<T>,
) -> Outcome<T> {
    kept(conn, "BEGIN IMMEDIATE")?;
    let rollback = RollBack(conn);
    let value = work(conn)?;
    kept(conn, "COMMIT")?;
    drop(rollback);
    Ok(value)
}

/// Rolls back a transaction that is still open on drop.
struct RollBack<'c>(&'c Connection);

impl Drop for RollBack<'_> {
    fn drop(&mut self) {
        if !self.0.is_autocommit() {
            // The first failure is the one to report.
            let _ = self.0.execute_batch("ROLLBACK");
        }
    }
}

fn in_savepoint<T>(conn: &Connection, work: impl FnOnce(&Connection) -> Outcome<T>) -> Outcome<T> {
    conn.execute_batch("SAVEPOINT waynote")?;
    let rollback = RollBackTo(conn);
    let value = work(conn)?;
    std::mem::forget(rollback);
    conn.execute_batch("RELEASE waynote")?;
    Ok(value)
}

/// Rolls back to a savepoint on drop.
struct RollBackTo<'c>(&'c Connection);

impl Drop for RollBackTo<'_> {
    fn drop(&mut self) {
        // A full disk has rolled back everything already: the first error is the one to tell.
        let _ = self.0.execute_batch("ROLLBACK TO waynote; RELEASE waynote");
    }
}
