//! The rows of scopes: their ids, how many notes they have, who has their lease.

use rusqlite::{Connection, OptionalExtension, Row};

use crate::scope::{Scope, ScopeKind};

use super::checksum;
use super::damage::damaged;
use super::errors::Outcome;
use super::read::unreadable;

/// The columns of a scope, with their checksum behind them.
pub(super) const SCOPE: &str = "s.id, s.kind, s.name, s.notes, s.head, s.lease, s.checksum";

/// How many columns the checksum is over.
const WIDTH: usize = 6;

/// A scope as it is stored.
#[derive(Clone, Copy)]
pub(super) struct Stored {
    pub(super) id: i64,
    pub(super) notes: i64,
    pub(super) lease: Option<i64>,
}

/// The scope whose columns begin there.
pub(super) fn scope_at(row: &Row<'_>, column: usize) -> rusqlite::Result<Scope> {
    let (kind, name) = (row.get_ref(column + 1)?, row.get_ref(column + 2)?);
    let found = (|| {
        let kind: ScopeKind = kind.as_str().ok()?.parse().ok()?;
        Scope::from_parts(kind, name.as_str().ok()?).ok()
    })();
    if !checksum::is_whole_at(row, column, WIDTH)? {
        return Err(match (found, row.get_ref(column)?.as_i64()) {
            (Some(scope), _) => damaged(scope),
            (None, Ok(id)) => damaged(format_args!("scope number {id}")),
            (None, Err(_)) => damaged("a scope"),
        });
    }
    found.ok_or_else(|| unreadable(column, "its scope cannot be read"))
}

pub(super) fn find(conn: &Connection, scope: &Scope) -> Outcome<Option<Stored>> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {SCOPE} FROM waynote_scope s WHERE s.kind = ?1 AND s.name = ?2"
    ))?;
    let found = statement.query_row((scope.kind().as_str(), scope.name()), |row| {
        if !checksum::is_whole_at(row, 0, WIDTH)? {
            return Err(damaged(scope));
        }
        Ok(Stored {
            id: row.get(0)?,
            notes: row.get(3)?,
            lease: row.get(5)?,
        })
    });
    Ok(found.optional()?)
}

pub(super) fn insert(conn: &Connection, scope: &Scope) -> Outcome<i64> {
    let id: i64 = conn
        .prepare_cached("SELECT coalesce(max(id), 0) + 1 FROM waynote_scope")?
        .query_row([], |row| row.get(0))?;
    let (none, no_lease): (i64, Option<i64>) = (0, None);
    checksum::SCOPE.insert(
        conn,
        &[
            &id,
            &scope.kind().as_str(),
            &scope.name(),
            &none,
            &none,
            &no_lease,
        ],
    )?;
    Ok(id)
}

/// Changes how many notes a scope has, and notes the position of its last change.
pub(super) fn changed(conn: &Connection, id: i64, notes: i64, head: i64) -> Outcome<()> {
    checked(conn, id)?;
    conn.prepare_cached("UPDATE waynote_scope SET notes = notes + ?2, head = ?3 WHERE id = ?1")?
        .execute((id, notes, head))?;
    checksum::SCOPE.renew(conn, &[&id])
}

pub(super) fn set_lease(conn: &Connection, id: i64, lease: Option<i64>) -> Outcome<()> {
    checked(conn, id)?;
    conn.prepare_cached("UPDATE waynote_scope SET lease = ?2 WHERE id = ?1")?
        .execute((id, lease))?;
    checksum::SCOPE.renew(conn, &[&id])
}

/// Refuses a scope that is damaged: a new checksum would hide it.
fn checked(conn: &Connection, id: i64) -> Outcome<()> {
    let sql = format!("SELECT {SCOPE} FROM waynote_scope s WHERE s.id = ?1");
    conn.prepare_cached(&sql)?
        .query_row([id], |row| scope_at(row, 0))?;
    Ok(())
}
