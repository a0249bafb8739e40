//! The stores of a database.

use jiff::Timestamp;
use tokio_postgres::Row;
use waynote::{Error, Name, Position};

use crate::engine::Postgres;
use crate::error::{Away, Failure, Outcome, PostgresError};
use crate::head::{self, Head, PARTIAL, Which};
use crate::migrate;
use crate::options::Options;
use crate::server::{Limits, Server};
use crate::trip::{self, Statement, big, bytes, text};

/// A store, as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Listed {
    /// Its name.
    pub name: Name,
    /// How many notes it has: keyed notes, entries and notes of directories.
    pub notes: u64,
    /// The position of its last change; none if there was none.
    pub position: Option<Position>,
    /// When it was made, by the clock of the server.
    pub created_at: Timestamp,
    /// True if [`make`] has not finished: it is still running, or was interrupted.
    pub is_partial: bool,
}

/// All tables with rows of stores, but the one with the stores themselves.
const TABLES: [&str; 8] = [
    "block", "segment", "side", "event", "note", "journal", "content", "scope",
];

/// The stores of a database, by name. A database that never had one has none.
///
/// # Errors
/// As [`open`](crate::open).
pub fn list(options: Options) -> Result<Vec<Listed>, Error> {
    let at = At::new(options)?;
    at.named(at.list())
}

/// Makes a store, and the tables if there are none. The user needs the right to make a schema in the database, or owns a
/// schema `waynote` that somebody made before.
///
/// # Errors
/// [`PostgresError::StoreExists`], and as [`open`](crate::open).
pub fn create(options: Options) -> Result<(), Error> {
    let at = At::new(options)?;
    let which = at.which()?;
    at.named(at.create(&which))
}

/// Makes a store with the rows that `fill` writes. Nobody finds it before it is whole. The next call removes the rest
/// of an interrupted one.
///
/// # Errors
/// [`PostgresError::StoreExists`]; [`Error::StoreLost`] when another process makes this store anew; the errors of `fill`;
/// and as [`open`](crate::open).
pub fn make<T>(
    options: Options,
    fill: impl FnOnce(&Postgres) -> Result<T, Error>,
) -> Result<T, Error> {
    let at = At::new(options)?;
    let which = at.which()?;
    let partial = which.partial();
    at.named(at.begin(&partial))?;
    let engine = Postgres::open_as(at.options.clone(), partial.clone())?;
    let filled = fill(&engine)?;
    let incarnation = engine.opened()?.incarnation.get();
    let incarnation = incarnation.copied().unwrap_or_default();
    at.named(at.rename(&partial, incarnation, &which.name))?;
    Ok(filled)
}

/// Removes a store with all that it holds. Nothing brings it back but a backup.
///
/// # Errors
/// [`PostgresError::NoStore`]; [`Error::Busy`] when somebody writes it for too long; and as [`open`](crate::open).
pub fn drop(options: Options) -> Result<(), Error> {
    let at = At::new(options)?;
    let which = at.which()?;
    at.named(at.drop(&which))
}

/// A database.
struct At {
    server: std::sync::Arc<Server>,
    options: Options,
}

impl At {
    fn new(options: Options) -> Result<Self, Error> {
        let server = Server::of(&options)?;
        Ok(Self { server, options })
    }

    fn which(&self) -> Result<Which, Error> {
        let named = self.options.store_name().map(Which::of);
        named.ok_or_else(|| no_name(&self.options))
    }

    fn named<T>(&self, outcome: Outcome<T>) -> Result<T, Error> {
        let times = self.options.times;
        outcome.map_err(|failure| failure.of(&self.options.shown(), times.wait, times.answer))
    }

    fn run(&self, limits: &Limits, statements: &[Statement]) -> Outcome<Vec<Vec<Row>>> {
        let leased = self.server.lease(limits)?;
        let limit = limits.clamped(limits.answer);
        let rows = match self
            .server
            .within(limit, trip::run(&leased.client, statements))
        {
            Some(rows) => rows.map_err(Failure::from),
            None => Err(Failure::Away(Away::TimedOut(limit))),
        };
        if rows.is_err() {
            // A transaction that it may be in ends with it.
            Server::discard(leased);
        }
        rows
    }

    fn list(&self) -> Outcome<Vec<Listed>> {
        let limits = Limits::of(&self.options);
        let has_tables = Statement::typed(
            "SELECT to_regclass('waynote.migration') IS NOT NULL",
            Vec::new(),
        );
        let found = self.run(&limits, &[has_tables])?;
        if !found[0][0].try_get::<_, bool>(0)? {
            return Ok(Vec::new());
        }
        let rows = self.run(
            &limits,
            &[
                Statement::typed(
                    "SELECT coalesce(max(version), 0) FROM waynote.migration",
                    Vec::new(),
                ),
                Statement::typed(
                    "SELECT s.name, s.head, (extract(epoch FROM s.created_at) * 1000000)::bigint,
                            (SELECT count(*) FROM waynote.note n WHERE n.store = s.store)
                     FROM waynote.store s ORDER BY s.name",
                    Vec::new(),
                ),
            ],
        )?;
        let version: i64 = rows[0][0].try_get(0)?;
        if version > migrate::KNOWN {
            return Err(migrate::newer(&self.options.shown(), version).into());
        }
        let listed = rows[1].iter().map(|row| {
            let name: &str = row.try_get(0)?;
            let (head, notes): (i64, i64) = (row.try_get(1)?, row.try_get(3)?);
            Ok(Listed {
                name: name.strip_suffix(PARTIAL).unwrap_or(name).parse()?,
                is_partial: name.ends_with(PARTIAL),
                notes: u64::try_from(notes).unwrap_or_default(),
                position: (head > 0).then(|| Position::new(head)),
                created_at: Timestamp::from_microsecond(row.try_get(2)?).unwrap_or_default(),
            })
        });
        listed.collect()
    }

    fn create(&self, which: &Which) -> Outcome<()> {
        let limits = Limits::of(&self.options);
        migrate::run(&self.server, &limits, &self.options.shown())?;
        let mut random = [0; 24];
        getrandom::fill(&mut random)
            .map_err(|error| Error::engine(self.options.shown(), error.to_string()))?;
        let (incarnation, id) = random.split_at(8);
        let incarnation = i64::from_be_bytes(incarnation.try_into().unwrap_or_default());
        let made = self.run(
            &limits,
            &[Statement::typed(
                "INSERT INTO waynote.store (store, name, incarnation, id) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (store) DO NOTHING RETURNING store",
                vec![
                    big(which.key),
                    text(which.name.clone()),
                    big(incarnation),
                    bytes(id),
                ],
            )],
        )?;
        match made[0].is_empty() {
            true => Err(PostgresError::StoreExists {
                store: self.options.shown(),
            }
            .into()),
            false => Ok(()),
        }
    }

    /// Makes the row of a store that is being made, instead of one that was left.
    fn begin(&self, partial: &Which) -> Outcome<()> {
        match self.create(partial) {
            Err(_) if self.has(partial).unwrap_or_default() => {
                self.remove(partial)?;
                self.create(partial)
            }
            created => created,
        }
    }

    fn has(&self, which: &Which) -> Outcome<bool> {
        let found = self.run(&Limits::of(&self.options), &[head::statement(which, false)])?;
        Ok(!found[0].is_empty())
    }

    /// Gives the row its name, if it is the one that was filled.
    fn rename(&self, which: &Which, incarnation: i64, name: &str) -> Outcome<()> {
        let renamed = self.run(
            &Limits::of(&self.options),
            &[Statement::typed(
                "UPDATE waynote.store SET name = $4
                 WHERE store = $1 AND name = $2 AND incarnation = $3 RETURNING store",
                vec![
                    big(which.key),
                    text(which.name.clone()),
                    big(incarnation),
                    text(name.to_owned()),
                ],
            )],
        )?;
        match renamed[0].is_empty() {
            true => Err(self.no_store()),
            false => Ok(()),
        }
    }

    /// Removes a store, or the rest of one that was being made.
    fn drop(&self, which: &Which) -> Outcome<()> {
        let partial = which.partial();
        if self.has(&partial)? {
            self.remove(&partial)
        } else if self.has(which)? {
            self.remove(which)
        } else {
            Err(self.no_store())
        }
    }

    fn remove(&self, which: &Which) -> Outcome<()> {
        let limits = Limits::of(&self.options).patient();
        let wait = limits.wait.as_millis();
        let mut statements = vec![
            Statement::plain(format!(
                "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = {wait}; SET LOCAL statement_timeout = 0"
            )),
            head::statement(which, true),
        ];
        for table in TABLES {
            // The row may have got its name meanwhile.
            let sql = format!(
                "DELETE FROM waynote.{table} WHERE store = $1
                 AND EXISTS (SELECT FROM waynote.store s WHERE s.store = $1 AND s.name = $2)"
            );
            let values = vec![big(which.key), text(which.name.clone())];
            statements.push(Statement::typed(sql, values));
        }
        statements.push(Statement::typed(
            "DELETE FROM waynote.store WHERE store = $1 AND name = $2",
            vec![big(which.key), text(which.name.clone())],
        ));
        statements.push(Statement::plain("COMMIT"));
        let rows = self.run(&limits, &statements)?;
        match rows[1].first().map(Head::of).transpose()? {
            Some(_) => Ok(()),
            None => Err(self.no_store()),
        }
    }

    fn no_store(&self) -> Failure {
        PostgresError::NoStore {
            store: self.options.shown(),
        }
        .into()
    }
}

/// The error for a URL without a store.
pub(crate) fn no_name(options: &Options) -> Error {
    PostgresError::BadUrl {
        url: options.shown(),
        reason: "it names no store: add store=NAME".into(),
    }
    .into()
}
