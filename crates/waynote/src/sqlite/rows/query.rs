//! Statements that are kept prepared, with one function for each row.

use rusqlite::{Connection, OptionalExtension, Params, Row};

use crate::sqlite::errors::Outcome;

/// The first row, if there is one.
pub(super) fn one<T>(
    conn: &Connection,
    sql: &str,
    params: impl Params,
    row: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> Outcome<Option<T>> {
    let mut statement = conn.prepare_cached(sql)?;
    Ok(statement.query_row(params, row).optional()?)
}

/// The row of a statement that always has one.
pub(in crate::sqlite) fn exactly_one<T>(
    conn: &Connection,
    sql: &str,
    params: impl Params,
    row: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> Outcome<T> {
    Ok(conn.prepare_cached(sql)?.query_row(params, row)?)
}

/// All rows.
pub(super) fn all<T>(
    conn: &Connection,
    sql: &str,
    params: impl Params,
    row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Outcome<Vec<T>> {
    let mut statement = conn.prepare_cached(sql)?;
    Ok(statement
        .query_map(params, row)?
        .collect::<rusqlite::Result<_>>()?)
}
