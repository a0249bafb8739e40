//! Our own tables, and their version.

use rusqlite::{Connection, OptionalExtension};
use std::path::Path;

use crate::error::Error;

use super::errors::{Failure, Outcome};
use super::rows::put;

/// The version of the tables in `schema.sql`.
pub(super) const VERSION: u32 = 1;

/// The version of the tables that a database has; none when it has none of ours, 0 when it has some of ours and no table
/// of a version. A row that is lost counts as ours.
pub(super) fn version(conn: &Connection) -> Outcome<Option<u32>> {
    match conn.query_row("SELECT version FROM waynote_schema", [], |row| row.get(0)) {
        Ok(version) => Ok(Some(version)),
        Err(rusqlite::Error::QueryReturnedNoRows) => Ok(Some(VERSION)),
        Err(error) if is_missing(&error) => {
            let sql = "SELECT 0 FROM sqlite_schema WHERE name = 'waynote_journal'";
            Ok(conn.query_row(sql, [], |row| row.get(0)).optional()?)
        }
        Err(error) => Err(error.into()),
    }
}

fn is_missing(error: &rusqlite::Error) -> bool {
    matches!(error, rusqlite::Error::SqliteFailure(_, Some(message)) if message.starts_with("no such table"))
}

/// The version of the tables that a database has, if it has any: another version than ours is refused.
pub(super) fn refuse_other(conn: &Connection, path: &Path) -> Outcome<Option<u32>> {
    match version(conn)? {
        Some(found) if found != VERSION => Err(Failure::Ours(Error::OtherVersion {
            path: path.to_owned(),
            found,
            known: VERSION,
        })),
        version => Ok(version),
    }
}

/// True if the database holds no table at all.
pub(super) fn is_empty(conn: &Connection) -> Outcome<bool> {
    let any: Option<i64> = conn
        .query_row("SELECT 1 FROM sqlite_schema LIMIT 1", [], |row| row.get(0))
        .optional()?;
    Ok(any.is_none())
}

/// True if the database holds no table but our own.
pub(super) fn is_ours(conn: &Connection) -> Outcome<bool> {
    let sql =
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND tbl_name NOT GLOB 'waynote_*'
               AND tbl_name NOT GLOB 'sqlite_*'";
    let others: i64 = conn.query_row(sql, [], |row| row.get(0))?;
    Ok(others == 0)
}

/// Makes the tables inside the caller's transaction, unless another process was first.
pub(super) fn make(conn: &Connection, path: &Path) -> Outcome<()> {
    if refuse_other(conn, path)?.is_some() {
        return Ok(());
    }
    conn.execute_batch(include_str!("schema.sql"))?;
    conn.execute(
        "INSERT INTO waynote_schema (version) VALUES (?1)",
        [VERSION],
    )?;
    put::renew_id(conn)?;
    Ok(())
}
