//! The rows of scopes: their ids, how many notes they have, who has their lease.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use rusqlite::{Connection, Row};

use crate::scope::{Scope, ScopeKind};

use super::checksum;
use super::damage::damaged;
use super::query::one;
use super::read::unreadable;
use crate::sqlite::errors::Outcome;

/// The columns of a scope, with their checksum behind them.
pub(in crate::sqlite) const SCOPE: &str =
    "s.id, s.kind, s.name, s.notes, s.head, s.lease, s.checksum";

/// How many columns the checksum is over.
const WIDTH: usize = 6;

/// A scope as it is stored.
#[derive(Clone, Copy)]
pub(super) struct ScopeRow {
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

pub(super) fn find(conn: &Connection, scope: &Scope) -> Outcome<Option<ScopeRow>> {
    static NAMED: LazyLock<String> = LazyLock::new(|| {
        format!("SELECT {SCOPE} FROM waynote_scope s WHERE s.kind = ?1 AND s.name = ?2")
    });
    one(conn, &NAMED, (scope.kind().as_str(), scope.name()), |row| {
        if !checksum::is_whole_at(row, 0, WIDTH)? {
            return Err(damaged(scope));
        }
        Ok(ScopeRow {
            id: row.get(0)?,
            notes: row.get(3)?,
            lease: row.get(5)?,
        })
    })
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

/// How scopes have changed: how many notes more each has, and the position of its last change.
#[derive(Default)]
pub(super) struct Changes(BTreeMap<i64, (i64, i64)>);

impl Changes {
    pub(super) fn add(&mut self, scope: i64, notes: i64, head: i64) {
        let (more, last) = self.0.entry(scope).or_default();
        *more += notes;
        *last = head;
    }

    /// Puts them: each scope once, however many of its notes were put.
    pub(super) fn put(&mut self, conn: &Connection) -> Outcome<()> {
        for (id, (notes, head)) in std::mem::take(&mut self.0) {
            changed(conn, id, notes, head)?;
        }
        Ok(())
    }
}

fn changed(conn: &Connection, id: i64, notes: i64, head: i64) -> Outcome<()> {
    renewed(conn, id, |scope| {
        scope.notes += notes;
        scope.head = head;
    })
}

pub(super) fn set_lease(conn: &Connection, id: i64, lease: Option<i64>) -> Outcome<()> {
    renewed(conn, id, |scope| scope.lease = lease)
}

/// The columns of a scope that change.
struct ScopeTotals {
    notes: i64,
    head: i64,
    lease: Option<i64>,
}

/// Changes a scope, and its checksum with it. One that is damaged is refused: a new checksum would hide it.
fn renewed(conn: &Connection, id: i64, change: impl FnOnce(&mut ScopeTotals)) -> Outcome<()> {
    let sql = format!("SELECT {SCOPE} FROM waynote_scope s WHERE s.id = ?1");
    let mut statement = conn.prepare_cached(&sql)?;
    let (mut scope, kind, name) = statement.query_row([id], |row| {
        let scope = scope_at(row, 0)?;
        let changing = ScopeTotals {
            notes: row.get(3)?,
            head: row.get(4)?,
            lease: row.get(5)?,
        };
        Ok((changing, scope.kind().as_str(), scope.name().to_owned()))
    })?;
    change(&mut scope);
    let ScopeTotals { notes, head, lease } = scope;
    let checksum = checksum::SCOPE.of(&[&id, &kind, &name, &notes, &head, &lease])?;
    conn.prepare_cached(
        "UPDATE waynote_scope SET notes = ?2, head = ?3, lease = ?4, checksum = ?5 WHERE id = ?1",
    )?
    .execute((id, notes, head, lease, checksum))?;
    Ok(())
}
