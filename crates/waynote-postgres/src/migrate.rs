//! The tables, in numbered steps. Making them is asked for, and runs under a lock that ends with its transaction. An
//! older program uses newer tables as far as their numbers allow.

use std::time::Instant;

use sha2::{Digest as _, Sha256};
use tokio_postgres::Row;
use tokio_postgres::error::SqlState;
use waynote::Error;

use crate::error::{Fault, Outcome, RetryKind};
use crate::server::{Limits, PooledConnection, Server};
use crate::trip::{Statement, big, bytes, text};

/// The steps, the first being version 1.
const STEPS: [(&str, &str); 4] = [
    ("0001_stores", include_str!("../migrations/0001_stores.sql")),
    ("0002_beats", include_str!("../migrations/0002_beats.sql")),
    (
        "0003_no_beats",
        include_str!("../migrations/0003_no_beats.sql"),
    ),
    ("0004_cites", include_str!("../migrations/0004_cites.sql")),
];

/// The newest version that this program knows.
pub(crate) const KNOWN: i64 = STEPS.len() as i64;

/// The oldest tables that this program can use.
const OLDEST: i64 = 4;

/// The oldest programs that may read and that may write the tables of [`KNOWN`]: the newest step that each knows, and
/// its version. A step that only adds raises neither.
const READER: (i64, &str) = (4, "0.1.0");
const WRITER: (i64, &str) = (4, "0.1.0");

/// Any number that nobody else takes for a lock: "waynote" in ASCII.
const LOCK: i64 = 0x77_61_79_6e_6f_74_65;

/// The newest step that the tables have had.
macro_rules! newest {
    () => {
        "SELECT m.version, m.min_reader, m.min_writer, m.reader, m.writer
         FROM waynote.migration m ORDER BY m.version DESC LIMIT 1"
    };
}
pub(crate) use newest;

/// The version of the tables, and the oldest programs that may use them.
#[derive(Clone, Debug)]
pub(crate) struct Schema {
    pub(crate) version: i64,
    reader: (i64, String),
    writer: (i64, String),
}

impl Schema {
    /// The columns of [`newest`], from this one on.
    pub(crate) fn of(row: &Row, first: usize) -> Result<Self, tokio_postgres::Error> {
        Ok(Self {
            version: row.try_get(first)?,
            reader: (row.try_get(first + 1)?, row.try_get(first + 3)?),
            writer: (row.try_get(first + 2)?, row.try_get(first + 4)?),
        })
    }

    /// Refuses tables that this program may not use in this way.
    pub(crate) fn allows(&self, shown: &str, writing: bool) -> Outcome<()> {
        if self.version < OLDEST {
            return Err(Fault::OlderTables.of(shown, "").into());
        }
        let (least, program) = match writing {
            true => &self.writer,
            false => &self.reader,
        };
        match self.version <= KNOWN || *least <= KNOWN {
            true => Ok(()),
            false => Err(Error::NewerStore {
                path: shown.into(),
                found: u32::try_from(self.version).unwrap_or(u32::MAX),
                known: u32::try_from(KNOWN).unwrap_or(u32::MAX),
                program: program.clone(),
                writing,
            }
            .into()),
        }
    }
}

/// Makes the tables, or brings them up to date. Returns the version that they had; 0 when there were none.
pub(crate) fn run(server: &Server, limits: &Limits, shown: &str) -> Outcome<i64> {
    let started = Instant::now();
    let mut attempt = 0;
    loop {
        attempt += 1;
        let leased = server.lease(limits)?;
        let failure = match migrated(server, &leased, limits, shown) {
            Ok(version) => return Ok(version),
            Err(failure) => failure,
        };
        // Its transaction ends with it.
        Server::discard(leased);
        // Readers take tables in another order.
        let is_in_the_way = failure.cure() == RetryKind::Again;
        if !is_in_the_way || !limits.again(started, attempt, RetryKind::Again) {
            return Err(failure);
        }
    }
}

fn migrated(
    server: &Server,
    leased: &PooledConnection,
    limits: &Limits,
    shown: &str,
) -> Outcome<i64> {
    let limit = limits.clamped(limits.wait + limits.answer);
    let run = |statements: Vec<Statement>| server.ran(leased, limit, &statements);
    // The lock is taken by a statement of its own: the next statement sees the changes of the last holder.
    run(vec![
        Statement::plain(format!(
            "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = {}",
            limits.wait.as_millis()
        )),
        Statement::typed("SELECT pg_advisory_xact_lock($1)", vec![big(LOCK)]),
    ])?;
    let found = run(vec![Statement::typed(
        "SELECT to_regnamespace('waynote') IS NOT NULL, to_regclass('waynote.migration') IS NOT NULL,
                EXISTS (SELECT FROM pg_attribute a
                        WHERE a.attrelid = to_regclass('waynote.migration') AND a.attname = 'min_reader')",
        Vec::new(),
    )])?;
    let found = &found[0][0];
    let (has_schema, has_tables): (bool, bool) = (found.try_get(0)?, found.try_get(1)?);
    let has_numbers: bool = found.try_get(2)?;
    let mut version = 0;
    if has_numbers {
        let rows = run(vec![Statement::typed(newest!(), Vec::new())])?;
        if let Some(row) = rows[0].first() {
            let schema = Schema::of(row, 0)?;
            if schema.version > KNOWN {
                schema.allows(shown, true)?;
            }
            version = schema.version;
        }
    } else if has_tables {
        let sql = "SELECT coalesce(max(version), 0) FROM waynote.migration";
        version = run(vec![Statement::typed(sql, Vec::new())])?[0][0].try_get(0)?;
    }
    let mut statements = Vec::new();
    if !has_schema {
        statements.push(Statement::plain("CREATE SCHEMA waynote"));
    }
    if !has_tables {
        statements.push(Statement::plain(
            "CREATE TABLE waynote.migration (
                 version bigint PRIMARY KEY, name text NOT NULL, hash bytea NOT NULL,
                 made_at timestamptz NOT NULL DEFAULT now()
             )",
        ));
    }
    if !has_numbers {
        statements.push(Statement::plain(
            "ALTER TABLE waynote.migration
                 ADD min_reader bigint NOT NULL DEFAULT 1, ADD reader text NOT NULL DEFAULT '0.1.0',
                 ADD min_writer bigint NOT NULL DEFAULT 1, ADD writer text NOT NULL DEFAULT '0.1.0'",
        ));
    }
    let done = usize::try_from(version).unwrap_or_default();
    for (step, (name, sql)) in STEPS.iter().enumerate().skip(done) {
        statements.push(Statement::plain(*sql));
        statements.push(Statement::typed(
            "INSERT INTO waynote.migration (version, name, hash, min_reader, reader, min_writer, writer)
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
            vec![
                big(step as i64 + 1),
                text(*name),
                bytes(Sha256::digest(sql).to_vec()),
                big(READER.0),
                text(READER.1),
                big(WRITER.0),
                text(WRITER.1),
            ],
        ));
    }
    statements.push(Statement::plain("COMMIT"));
    match run(statements) {
        // They belong to somebody else.
        Err(failure) if has_tables && failure.code() == Some(&SqlState::INSUFFICIENT_PRIVILEGE) => {
            Err(Fault::OlderTables.of(shown, "").into())
        }
        ran => ran.map(|_| version),
    }
}

/// The names of steps that were made by other programs: their hashes are not ours.
pub(crate) fn changed(rows: &[(i64, Vec<u8>)]) -> Vec<&'static str> {
    let ours = STEPS.iter().enumerate();
    let differs = ours.filter(|(step, (_, sql))| {
        let hash = Sha256::digest(sql).to_vec();
        let of_step = rows
            .iter()
            .find(|(version, _)| *version == *step as i64 + 1);
        of_step.is_some_and(|(_, found)| *found != hash)
    });
    differs.map(|(_, (name, _))| *name).collect()
}
