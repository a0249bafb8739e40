//! The tables, in numbered steps. The first program to connect makes them, under a lock that ends with its transaction;
//! an older program refuses newer ones.

use sha2::{Digest as _, Sha256};
use waynote::Error;

use crate::error::Outcome;
use crate::server::{Leased, Limits, Server};
use crate::trip::{self, Statement, big, bytes, text};

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

/// Any number that nobody else takes for a lock: "waynote" in ASCII.
const LOCK: i64 = 0x77_61_79_6e_6f_74_65;

/// The error of a program that is too old for these tables.
pub(crate) fn newer(shown: &str, found: i64) -> Error {
    Error::NewerStore {
        path: shown.into(),
        found: u32::try_from(found).unwrap_or(u32::MAX),
        known: u32::try_from(KNOWN).unwrap_or(u32::MAX),
    }
}

/// Makes the tables, or brings them up to date.
pub(crate) fn run(server: &Server, limits: &Limits, shown: &str) -> Outcome<()> {
    let leased = server.lease(limits)?;
    match migrated(server, &leased, limits, shown) {
        Ok(()) => Ok(()),
        Err(failure) => {
            // Its transaction ends with it.
            Server::discard(leased);
            Err(failure)
        }
    }
}

fn migrated(server: &Server, leased: &Leased, limits: &Limits, shown: &str) -> Outcome<()> {
    let run = |statements: Vec<Statement>| -> Outcome<Vec<Vec<tokio_postgres::Row>>> {
        let limit = limits.clamped(limits.wait + limits.answer);
        match server.within(limit, trip::run(&leased.client, &statements)) {
            Some(rows) => Ok(rows?),
            None => Err(crate::error::Failure::Away(crate::error::Away::TimedOut(
                limit,
            ))),
        }
    };
    // The lock is taken by a statement of its own: the next statement sees the changes of the last holder.
    run(vec![
        Statement::plain("BEGIN ISOLATION LEVEL READ COMMITTED"),
        Statement::typed("SELECT pg_advisory_xact_lock($1)", vec![big(LOCK)]),
    ])?;
    let found = run(vec![Statement::typed(
        "SELECT to_regclass('waynote.migration') IS NOT NULL, to_regnamespace('waynote') IS NOT NULL",
        Vec::new(),
    )])?;
    let found = &found[0][0];
    let (has_tables, has_schema): (bool, bool) = (found.try_get(0)?, found.try_get(1)?);
    let mut version = 0;
    if has_tables {
        let rows = run(vec![Statement::typed(
            "SELECT coalesce(max(version), 0) FROM waynote.migration",
            Vec::new(),
        )])?;
        version = rows[0][0].try_get(0)?;
    }
    if version > KNOWN {
        return Err(newer(shown, version).into());
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
    let done = usize::try_from(version).unwrap_or_default();
    for (step, (name, sql)) in STEPS.iter().enumerate().skip(done) {
        statements.push(Statement::plain(*sql));
        statements.push(Statement::typed(
            "INSERT INTO waynote.migration (version, name, hash) VALUES ($1, $2, $3)",
            vec![
                big(step as i64 + 1),
                text(*name),
                bytes(Sha256::digest(sql).to_vec()),
            ],
        ));
    }
    statements.push(Statement::plain("COMMIT"));
    run(statements)?;
    Ok(())
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
