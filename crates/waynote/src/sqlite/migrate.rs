//! Numbered migrations of our own tables, each with a checksum.

use rusqlite::{Connection, OptionalExtension};
use std::path::Path;

use crate::content::Content;
use crate::error::Error;

use super::errors::{Failure, Outcome};
use super::rows::checksum;

struct Migration {
    number: u32,
    name: &'static str,
    sql: &'static str,
}

/// Each by its number, its name and its file.
macro_rules! migrations {
    ($($number:literal $name:literal $file:literal,)*) => {
        &[$(Migration {
            number: $number,
            name: $name,
            sql: include_str!(concat!("migrations/", $file, ".sql")),
        },)*]
    };
}

const MIGRATIONS: &[Migration] = migrations! {
    1 "notes" "0001_notes",
    2 "recent" "0002_recent",
    3 "forget" "0003_forget",
    4 "search" "0004_search",
    5 "events" "0005_events",
    6 "one order" "0006_one_order",
    7 "damage" "0007_damage",
    8 "token" "0008_token",
    9 "cites" "0009_cites",
};

/// The one that asks for the checksums of all rows, which SQL cannot compute: they are filled in once the tables are as
/// this program has them.
const CHECKSUMS: u32 = 7;

/// The number of the newest migration this program knows.
pub(super) const KNOWN: u32 = MIGRATIONS[MIGRATIONS.len() - 1].number;

/// The number of the last migration the database has had; none when it has none of our tables.
pub(super) fn version(conn: &Connection) -> Outcome<Option<u32>> {
    match conn.query_row("SELECT max(number) FROM waynote_migration", [], |row| {
        row.get(0)
    }) {
        Ok(version) => Ok(version),
        Err(error) if no_such_table(&error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn no_such_table(error: &rusqlite::Error) -> bool {
    matches!(error, rusqlite::Error::SqliteFailure(_, Some(message)) if message.starts_with("no such table"))
}

/// Refuses a database that a newer program has migrated.
pub(super) fn refuse_newer(path: &Path, version: Option<u32>) -> Outcome<()> {
    match version {
        Some(found) if found > KNOWN => Err(Failure::Ours(Error::NewerStore {
            path: path.to_owned(),
            found,
            known: KNOWN,
        })),
        _ => Ok(()),
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

/// Migrations that the database has had and that are not as this program has them, by name.
pub(super) fn changed(conn: &Connection) -> Outcome<Vec<String>> {
    let mut statement = conn.prepare("SELECT number, name, checksum FROM waynote_migration")?;
    let rows = statement.query_map([], |row| {
        Ok((
            row.get::<_, u32>(0)?,
            row.get::<_, String>(1)?,
            row.get::<_, String>(2)?,
        ))
    })?;
    let mut changed = Vec::new();
    for row in rows {
        let (number, name, checksum) = row?;
        let known = MIGRATIONS
            .iter()
            .find(|migration| migration.number == number);
        let is_known =
            known.is_some_and(|known| self::checksum(known) == checksum && known.name == name);
        if !is_known {
            changed.push(name);
        }
    }
    Ok(changed)
}

fn checksum(migration: &Migration) -> String {
    Content::imported(migration.sql).hash().to_string()
}

/// Runs the missing migrations, inside the caller's transaction.
pub(super) fn migrate(conn: &Connection, path: &Path) -> Outcome<()> {
    // Another process may have come first: look again inside the transaction.
    let version = version(conn)?;
    refuse_newer(path, version)?;
    if version.is_none() {
        conn.execute_batch(
            "CREATE TABLE waynote_migration (
                 number   INTEGER PRIMARY KEY,
                 name     TEXT NOT NULL,
                 checksum TEXT NOT NULL
             )",
        )?;
    }
    for migration in MIGRATIONS
        .iter()
        .filter(|migration| version.is_none_or(|had| migration.number > had))
    {
        conn.execute_batch(migration.sql)?;
        conn.execute(
            "INSERT INTO waynote_migration (number, name, checksum) VALUES (?1, ?2, ?3)",
            (migration.number, migration.name, checksum(migration)),
        )?;
    }
    if version.is_none_or(|had| had < CHECKSUMS) {
        for table in checksum::ALL {
            table.fill(conn)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_one_another() {
        let numbers: Vec<u32> = MIGRATIONS
            .iter()
            .map(|migration| migration.number)
            .collect();
        assert_eq!(numbers, (1..=KNOWN).collect::<Vec<_>>());
    }
}
