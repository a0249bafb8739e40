//! `VACUUM`, for the administrator of the database: removes the dead rows that deleting and forgetting leave in the
//! tables.
//!
//! It cannot run inside a transaction, so that nothing can be `SET LOCAL` for it, and a setting of the session may
//! reach another client behind a pooler. So it never waits for a lock (`SKIP_LOCKED`), and is tried again for a while.

use std::thread;
use std::time::{Duration, Instant};

use tokio_postgres::Row;
use waynote::Error;

use crate::error::{Failure, Fault, Outage, Outcome};
use crate::options::Options;
use crate::server::{Limits, PooledConnection, Server};
use crate::trip::{self, Statement, big, text};

/// The kind of `VACUUM`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vacuum {
    /// The room of dead rows is made free for new ones, while others read and write. Their bytes stay in the files until
    /// something is written over them.
    Free,
    /// Each table is written anew without dead rows (`VACUUM FULL`), so that no byte of them is left in its files.
    /// Nobody can read or write the table meanwhile, in any store of the database, and it needs room for a second copy.
    Rewrite,
}

/// The outcome for one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VacuumOutcome {
    /// It was vacuumed.
    Vacuumed,
    /// Others used it all the time.
    InUse,
    /// Only its owner may, or a superuser.
    NotPermitted,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Table {
    /// Its name in the schema `waynote`.
    pub name: String,
    /// The outcome.
    pub became: VacuumOutcome,
    /// Its bytes on disk, with indexes and TOAST, before and after.
    pub bytes: (u64, u64),
}

/// Something that began before and has not ended: dead rows that it could still see are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Holder {
    /// The kind of holder: a process of the server, a prepared transaction, or a replication slot.
    pub what: String,
    /// The user and the program, if they are known.
    pub who: String,
    /// For how long, if that is known.
    pub age: Option<Duration>,
}

/// The result of a `VACUUM`, and the holders that may have kept it from removing dead rows.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct VacuumReport {
    /// The tables, by name.
    pub tables: Vec<Table>,
    /// The holders that may keep dead rows in the tables: run it again when they have ended.
    pub holders: Vec<Holder>,
    /// The number of sessions of other users that this user may not look at. They may be holders too.
    pub hidden: u64,
}

/// Runs `VACUUM` on all tables of the schema `waynote`, one after the other. A table that others use is tried until the
/// wait limit of the options has passed.
///
/// # Errors
/// [`Fault::NoStore`] when the database has no tables of waynote; and as
/// [`open`](crate::open).
pub fn vacuum(options: &Options, how: Vacuum) -> Result<VacuumReport, Error> {
    let server = Server::of(options)?;
    let limits = Limits::of(options).patient();
    let leased = server.lease(&limits);
    let outcome = leased.and_then(|leased| {
        let at = VacuumSession {
            server: &server,
            limits,
            leased,
        };
        at.vacuum(how, &options.shown())
    });
    options.named(outcome)
}

/// With whether this user has the rights of the owner of the table or of the database.
const TABLES: &str = "SELECT c.relname::text, pg_total_relation_size(c.oid),
            pg_has_role(c.relowner, 'USAGE') OR pg_has_role(d.datdba, 'USAGE')
     FROM pg_class c
     JOIN pg_namespace n ON n.oid = c.relnamespace
     JOIN pg_database d ON d.datname = current_database()
     WHERE n.nspname = 'waynote' AND c.relkind = 'r' ORDER BY 1";

const SIZE: &str = "SELECT pg_total_relation_size(('waynote.' || quote_ident($1))::regclass)";

const NOW: &str = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint";

/// A standby with `hot_standby_feedback` has no transaction here, but its oldest one counts.
const HOLDERS: &str = "SELECT 'process ' || a.pid, concat_ws(', ', a.usename, nullif(a.application_name, '')),
            extract(epoch FROM clock_timestamp() - a.xact_start)::bigint
     FROM pg_stat_activity a
     WHERE a.backend_xmin IS NOT NULL AND a.pid <> pg_backend_pid()
           AND (a.datname = current_database() OR a.backend_type = 'walsender')
           AND a.backend_type <> 'autovacuum worker'
           AND (a.xact_start IS NULL OR a.xact_start <= to_timestamp($1::bigint / 1000000.0))
     UNION ALL
     SELECT 'prepared transaction ' || p.gid, p.owner::text, extract(epoch FROM clock_timestamp() - p.prepared)::bigint
     FROM pg_prepared_xacts p
     WHERE p.database = current_database() AND p.prepared <= to_timestamp($1::bigint / 1000000.0)
     UNION ALL
     SELECT 'replication slot ' || s.slot_name, '', NULL FROM pg_replication_slots s WHERE s.xmin IS NOT NULL
     ORDER BY 3 DESC NULLS LAST, 1";

const HIDDEN: &str = "SELECT count(*) FROM pg_stat_activity a
     WHERE a.datname = current_database() AND a.query = '<insufficient privilege>'";

/// A connection of its own, outside of any transaction.
struct VacuumSession<'s> {
    server: &'s Server,
    limits: Limits,
    leased: PooledConnection,
}

impl VacuumSession<'_> {
    fn vacuum(self, how: Vacuum, shown: &str) -> Outcome<VacuumReport> {
        let found = self.ask(TABLES, Vec::new())?;
        if found.is_empty() {
            return Err(Fault::NoStore.of(shown, "").into());
        }
        let mut tables = Vec::with_capacity(found.len());
        let begun: i64 = self.one(NOW, Vec::new())?;
        for row in &found {
            let name: String = row.try_get(0)?;
            let before: i64 = row.try_get(1)?;
            let became = self.table(&name, row.try_get(2)?, how)?;
            let after: i64 = self.one(SIZE, vec![text(name.clone())])?;
            let bytes = |size: i64| u64::try_from(size).unwrap_or_default();
            tables.push(Table {
                name,
                became,
                bytes: (bytes(before), bytes(after)),
            });
        }
        let holders = self.ask(HOLDERS, vec![big(begun)])?;
        let holders = holders.iter().map(|row| {
            let seconds: Option<i64> = row.try_get(2)?;
            Ok(Holder {
                what: row.try_get(0)?,
                who: row.try_get(1)?,
                age: seconds.and_then(|age| Some(Duration::from_secs(u64::try_from(age).ok()?))),
            })
        });
        let hidden: i64 = self.one(HIDDEN, Vec::new())?;
        Ok(VacuumReport {
            tables,
            holders: holders.collect::<Outcome<_>>()?,
            hidden: u64::try_from(hidden).unwrap_or_default(),
        })
    }

    /// Vacuums a table as soon as nobody is in the way.
    fn table(&self, name: &str, is_ours: bool, how: Vacuum) -> Outcome<VacuumOutcome> {
        const PAUSE: Duration = Duration::from_millis(50);
        let full = match how {
            Vacuum::Free => "",
            Vacuum::Rewrite => ", FULL",
        };
        // The name is one of the catalogue's, of a table that a migration made.
        let name = name.replace('"', "\"\"");
        let sql = format!("VACUUM (SKIP_LOCKED{full}) waynote.\"{name}\"");
        let started = Instant::now();
        loop {
            self.leased.take_notices();
            self.run(Statement::plain(sql.clone()))?;
            let [is_warned, is_skipped] = self.leased.take_notices();
            // It also warns about other things.
            if is_warned && !is_ours {
                return Ok(VacuumOutcome::NotPermitted);
            }
            if !is_skipped {
                return Ok(VacuumOutcome::Vacuumed);
            }
            if started.elapsed() + PAUSE >= self.limits.clamped(self.limits.wait) {
                return Ok(VacuumOutcome::InUse);
            }
            thread::sleep(PAUSE);
        }
    }

    fn one<T: for<'r> tokio_postgres::types::FromSql<'r>>(
        &self,
        sql: &'static str,
        values: Vec<trip::Value>,
    ) -> Outcome<T> {
        let rows = self.ask(sql, values)?;
        let row = rows.first().ok_or_else(|| {
            Failure::Away(Outage::Lost("a question was left without an answer".into()))
        })?;
        Ok(row.try_get(0)?)
    }

    fn ask(&self, sql: &'static str, values: Vec<trip::Value>) -> Outcome<Vec<Row>> {
        self.run(Statement::typed(sql, values))
    }

    fn run(&self, statement: Statement) -> Outcome<Vec<Row>> {
        let rows = self
            .server
            .ran(&self.leased, self.limits.left(), &[statement]);
        Ok(rows?.pop().unwrap_or_default())
    }
}
