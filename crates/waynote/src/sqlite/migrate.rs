//! Numbered migrations of our own tables, each with a checksum.

use rusqlite::{Connection, OptionalExtension};
use std::path::Path;

use crate::content::Content;
use crate::error::Error;

use super::errors::{Failure, Outcome};
use super::rows::checksum;
use super::transaction;

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

/// The oldest tables that this program reads as they are. Older ones are read from a copy in memory.
pub(super) const OLDEST: u32 = 9;

/// The oldest programs that may read and that may write the tables of [`KNOWN`]: the newest migration that each knows,
/// and its version. A migration that only adds raises neither.
const READER: (u32, &str) = (9, "0.1.0");
const WRITER: (u32, &str) = (9, "0.1.0");

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

/// Refuses a database that a newer program has migrated, unless this one may still read it, or write it.
pub(super) fn refuse_newer(conn: &Connection, path: &Path, writing: bool) -> Outcome<()> {
    let found = version(conn)?.unwrap_or_default();
    if found <= KNOWN {
        return Ok(());
    }
    let sql = match writing {
        true => "SELECT min_writer, writer FROM waynote_migration ORDER BY number DESC LIMIT 1",
        false => "SELECT min_reader, reader FROM waynote_migration ORDER BY number DESC LIMIT 1",
    };
    let (least, program): (u32, String) =
        conn.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    match least <= KNOWN {
        true => Ok(()),
        false => Err(Failure::Ours(Error::NewerStore {
            path: path.to_owned(),
            found,
            known: KNOWN,
            program,
            writing,
        })),
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

/// A copy of a database in memory, with the tables of this program: to read an older one, which stays as it is.
pub(super) fn migrated_copy(conn: &Connection, path: &Path) -> Outcome<Connection> {
    let mut copy = Connection::open_in_memory()?;
    rusqlite::backup::Backup::new(conn, &mut copy)?.step(-1)?;
    transaction::run(&copy, |copy| migrate(copy, path))?;
    Ok(copy)
}

/// Runs the missing migrations, inside the caller's transaction.
pub(super) fn migrate(conn: &Connection, path: &Path) -> Outcome<()> {
    // Another process may have come first: look again inside the transaction.
    let version = version(conn)?;
    refuse_newer(conn, path, true)?;
    if version.is_none() {
        conn.execute_batch(
            "CREATE TABLE waynote_migration (
                 number     INTEGER PRIMARY KEY,
                 name       TEXT NOT NULL,
                 checksum   TEXT NOT NULL,
                 min_reader INTEGER,
                 min_writer INTEGER,
                 reader     TEXT,
                 writer     TEXT
             )",
        )?;
    } else if conn
        .prepare("SELECT writer FROM waynote_migration")
        .is_err()
    {
        for column in [
            "min_reader INTEGER",
            "min_writer INTEGER",
            "reader TEXT",
            "writer TEXT",
        ] {
            conn.execute_batch(&format!(
                "ALTER TABLE waynote_migration ADD COLUMN {column}"
            ))?;
        }
    }
    for migration in MIGRATIONS
        .iter()
        .filter(|migration| version.is_none_or(|had| migration.number > had))
    {
        conn.execute_batch(migration.sql)?;
        conn.execute(
            "INSERT INTO waynote_migration (number, name, checksum, min_reader, min_writer, reader, writer)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            (
                migration.number,
                migration.name,
                checksum(migration),
                READER.0,
                WRITER.0,
                READER.1,
                WRITER.1,
            ),
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

    /// The numbers of an older step would be those of this program.
    #[test]
    fn no_program_is_older_than_what_it_may_read() {
        assert!(OLDEST <= KNOWN && READER.0 <= WRITER.0 && WRITER.0 <= KNOWN);
    }

    #[test]
    fn numbers_follow_one_another() {
        let numbers: Vec<u32> = MIGRATIONS
            .iter()
            .map(|migration| migration.number)
            .collect();
        assert_eq!(numbers, (1..=KNOWN).collect::<Vec<_>>());
    }
}
