//! Lists the rows that are not as they were written, by address.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};

use crate::event::EventAddress;
use crate::model::report::Report;
use crate::scope::{Scope, ScopeKind};

use crate::sqlite::errors::Outcome;
use crate::sqlite::rows::checksum::{self, CheckedTable};
use crate::sqlite::rows::damage::LeftOut;
use crate::sqlite::rows::read;

/// Rows that do not match their checksum.
pub(super) fn checksums(conn: &Connection, report: &mut Report) -> Outcome<()> {
    for table in checksum::ALL {
        let (sql, width) = (table.select(""), table.width());
        let mut statement = conn.prepare(&sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            if !checksum::is_whole(row, width)? {
                let what = name(conn, table, row)?;
                report.add(format!("{what} does not match its checksum"));
            }
        }
    }
    Ok(())
}

/// The address that a row belongs to, as far as the row tells, and its table.
fn name(conn: &Connection, table: &CheckedTable, row: &Row<'_>) -> Outcome<String> {
    let text = |column: usize| match row.get_ref(column) {
        Ok(ValueRef::Text(text)) => std::str::from_utf8(text).ok(),
        _ => None,
    };
    let number = |column: usize| match row.get_ref(column) {
        Ok(ValueRef::Integer(number)) => Some(number),
        _ => None,
    };
    let scope = |column: usize| number(column).and_then(|id| scope_of(conn, id));
    let address = match table.table {
        "waynote_note" => scope(0)
            .zip(text(1))
            .map(|(scope, key)| read::name_of_key(&scope, key)),
        "waynote_journal" => {
            scope(2)
                .zip(text(3))
                .zip(number(4))
                .map(|((scope, key), revision)| {
                    format!("{}@{revision}", read::name_of_key(&scope, key))
                })
        }
        "waynote_event" => match (scope(1), number(2).map(u64::try_from)) {
            (Some(Scope::Session(session)), Some(Ok(number))) => {
                Some(EventAddress { session, number }.to_string())
            }
            _ => None,
        },
        "waynote_scope" => text(1)
            .zip(text(2))
            .and_then(|(kind, name)| scope_from(kind, name))
            .map(|scope| scope.to_string()),
        _ => None,
    };
    let width = table.width();
    let key: Vec<String> = (width + 1..width + 1 + table.key_width())
        .map(|column| Ok(shown(row.get_ref(column)?)))
        .collect::<rusqlite::Result<_>>()?;
    let row = format!("row {} of {}", key.join(", "), table.table);
    Ok(match address {
        Some(address) => format!("{address} ({row})"),
        None => format!("the {row}"),
    })
}

fn scope_from(kind: &str, name: &str) -> Option<Scope> {
    Scope::from_parts(kind.parse().ok()?, name).ok()
}

/// A scope as it stands there, damaged or not.
fn scope_of(conn: &Connection, id: i64) -> Option<Scope> {
    let sql = "SELECT kind, name FROM waynote_scope WHERE id = ?1";
    let row = conn.query_row(sql, [id], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
    });
    let (kind, name) = row.ok()?;
    scope_from(&kind, &name)
}

fn shown(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Text(text) => format!("{:?}", String::from_utf8_lossy(text)),
        other => format!("{:?}", other.data_type()),
    }
}

/// The notes that cannot be read in a store whose pages are damaged. Best effort: notes that cannot even be listed are
/// not named.
pub(super) fn unreadable(conn: &Connection, report: &mut Report) {
    let left_out = LeftOut::default();
    for kind in ScopeKind::ALL {
        let listed = read::of_kind(conn, kind, &left_out);
        if listed.is_err() {
            left_out.add(format_args!("notes of kind {}", kind.as_str()));
        }
    }
    let named = left_out.take().into_iter();
    report
        .problems
        .extend(named.map(|what| format!("{what} cannot be read")));
}
