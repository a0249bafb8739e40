//! The schema with the tables, and the version of the tables. Every statement names the schema, since a pooler may keep
//! no setting of a connection. They are written with the usual name, and get another one on their way to the server.

use std::borrow::Cow;
use std::str::FromStr;

use waynote::Error;

use crate::error::{Failure, Outcome};
use crate::server::{Limits, Server};
use crate::trip::{Statement, big};

/// The tables.
const TABLES: &str = include_str!("schema.sql");

/// The version of the tables. A program uses no tables of another version.
pub(crate) const VERSION: i64 = 1;

/// Any number that nobody else takes for a lock: "waynote" in ASCII.
const LOCK: i64 = 0x77_61_79_6e_6f_74_65;

/// Refuses tables of another version.
pub(crate) fn check(found: i64, shown: &str) -> Outcome<()> {
    match found == VERSION {
        true => Ok(()),
        false => Err(Error::OtherVersion {
            path: shown.into(),
            found: u32::try_from(found).unwrap_or_default(),
            known: u32::try_from(VERSION).unwrap_or_default(),
        }
        .into()),
    }
}

/// Makes the tables, unless they are there. The lock ends with the transaction.
pub(crate) fn make(server: &Server, limits: &Limits, shown: &str) -> Outcome<()> {
    let leased = server.lease(limits)?;
    let limit = limits.clamped(limits.wait + limits.answer);
    let run = |statements: &[Statement]| server.ran(&leased, limit, statements);
    let made = (|| {
        // The lock is taken by a statement of its own: the next statement sees the changes of the last holder.
        run(&[
            Statement::plain(format!(
                "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = {}",
                limits.wait.as_millis()
            )),
            Statement::typed("SELECT pg_advisory_xact_lock($1)", vec![big(LOCK)]),
        ])?;
        let sql = "SELECT to_regnamespace('waynote') IS NOT NULL, to_regclass('waynote.version') IS NOT NULL";
        let found = run(&[Statement::typed(sql, Vec::new())])?;
        let (has_schema, has_tables): (bool, bool) =
            (found[0][0].try_get(0)?, found[0][0].try_get(1)?);
        let mut statements = Vec::new();
        if !has_schema {
            statements.push(Statement::plain("CREATE SCHEMA waynote"));
        }
        if !has_tables {
            let sql = "INSERT INTO waynote.version (version) VALUES ($1)";
            statements.push(Statement::plain(TABLES));
            statements.push(Statement::typed(sql, vec![big(VERSION)]));
        }
        statements.push(Statement::plain("COMMIT"));
        statements.push(Statement::typed(
            "SELECT version FROM waynote.version",
            Vec::new(),
        ));
        let rows = run(&statements)?;
        match rows.last().and_then(|rows| rows.first()) {
            Some(row) => check(row.try_get(0)?, shown),
            None => check(0, shown),
        }
    })();
    if let Err(Failure::Server(_) | Failure::Away(_)) = &made {
        // A transaction that it may be in ends with it.
        Server::discard(leased);
    }
    made
}

/// The schema that the statements are written for.
const USUAL: &str = "waynote";

/// The most bytes of a name that PostgreSQL keeps.
const LONGEST: usize = 63;

/// The name of a schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SchemaName(Option<String>);

impl FromStr for SchemaName {
    type Err = &'static str;

    /// Takes names that mean the same with and without quotes: others would have to be written differently in each place.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let is_inner = |char: char| matches!(char, 'a'..='z' | '0'..='9' | '_');
        let is_plain =
            name.chars().all(is_inner) && !name.starts_with(|char: char| char.is_ascii_digit());
        match (1..=LONGEST).contains(&name.len()) && is_plain && !name.starts_with("pg_") {
            true => Ok(Self((name != USUAL).then(|| name.to_owned()))),
            false => Err(
                "the name of a schema has 1 to 63 letters a to z, digits and underscores, and begins with no digit \
                 and not with pg_",
            ),
        }
    }
}

impl SchemaName {
    /// Its name, unless it is the usual one.
    pub(crate) fn named(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// A statement for the tables of this schema. Its values are not in its text.
    pub(crate) fn in_sql<'s>(&self, sql: &'s str) -> Cow<'s, str> {
        let Some(name) = self.named() else {
            return Cow::Borrowed(sql);
        };
        let named = sql.replace("waynote.", &format!("\"{name}\"."));
        let named = named.replace("SCHEMA waynote", &format!("SCHEMA \"{name}\""));
        Cow::Owned(named.replace("'waynote'", &format!("'{name}'")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_names_its_schema() {
        for (name, expected) in [
            (
                "waynote",
                "CREATE SCHEMA waynote; SELECT 'waynote', 'waynote.note' FROM waynote.note",
            ),
            (
                "user",
                "CREATE SCHEMA \"user\"; SELECT 'user', '\"user\".note' FROM \"user\".note",
            ),
        ] {
            let sql = "CREATE SCHEMA waynote; SELECT 'waynote', 'waynote.note' FROM waynote.note";
            assert_eq!(SchemaName::from_str(name).unwrap().in_sql(sql), expected);
        }
        for wrong in [
            "",
            "1st",
            "Notes",
            "a\"b",
            "a.b",
            "a-b",
            "pg_notes",
            &"a".repeat(64),
        ] {
            assert!(SchemaName::from_str(wrong).is_err(), "{wrong}");
        }
    }
}
