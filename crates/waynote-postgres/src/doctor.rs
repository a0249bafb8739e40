//! The examination of a store: whether it can be written, and what its server is set to.

use std::time::Instant;

use waynote::Error;
use waynote::visible::visible;

use crate::engine::Postgres;
use crate::error::Outcome;
use crate::head::{self, StoreIdentity};
use crate::migrate;
use crate::options::Options;
use crate::row::get;
use crate::server::Limits;
use crate::stores::{DatabaseAccess, TABLES};
use crate::trip::{Statement, big, bytes, flag, maybe_big, texts};

/// How good a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// It is as it should be.
    Well,
    /// It works, and somebody may want to change it.
    Note,
    /// Notes cannot be written, or may be lost.
    Wrong,
}

/// A finding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// How good it is.
    pub grade: Grade,
    /// The finding, in words.
    pub what: String,
    /// What to do about it; empty if nothing.
    pub next: String,
}

/// Examines a store and its server. A row is written and taken back.
///
/// # Errors
/// As [`open`](crate::open).
pub fn examine(options: Options) -> Result<Vec<Finding>, Error> {
    let standby = options.standby();
    let at = DatabaseAccess::new(options.clone())?;
    let which = at.which()?;
    let mut found = at.named(examined(&at, &which))?;
    if let Some(standby) = standby {
        found.push(standby_examined(options, standby)?);
    }
    Ok(found)
}

/// The finding about the standby that may answer reads.
fn standby_examined(primary: Options, standby: Options) -> Result<Finding, Error> {
    let shown = standby.shown();
    let head = Postgres::at(primary).look()?;
    let (grade, what, next) = match Postgres::at(standby).look() {
        Err(error) => (
            Grade::Note,
            format!("read_url: {error}"),
            "until it answers, pages and searches read on the primary",
        ),
        Ok(read) if read.incarnation != head.incarnation => (
            Grade::Wrong,
            format!("read_url: {shown} has another store of this name, and is not read"),
            "name a standby of this database",
        ),
        Ok(read) if !read.is_standby => (
            Grade::Note,
            format!("read_url: {shown} is no standby"),
            "name one, to take reads off the primary",
        ),
        Ok(read) => (
            Grade::Well,
            match head.position - read.position {
                ..=0 => format!("the standby {shown} is up to date"),
                behind => format!("the standby {shown} is {behind} changes behind"),
            },
            "",
        ),
    };
    let next = next.to_owned();
    Ok(Finding { grade, what, next })
}

/// Each finding: its grade, whether it is so, its words, and what to do. $1: the tables; $2: true if the server is on this
/// machine; $3: the port on this side, which the server sees unless a pooler is in between; $4: the version that is known.
const FOUND: &str = "WITH s AS (
         SELECT pg_is_in_recovery() AS standby, current_setting('synchronous_commit') AS waits,
                (SELECT l.version FROM pg_stat_ssl l WHERE l.pid = pg_backend_pid()) AS tls,
                (SELECT max(m.version) FROM waynote.migration m) AS tables,
                'ask whoever runs the server to turn it on' AS ask
     )
     SELECT f.grade, f.what, f.next FROM s CROSS JOIN LATERAL (VALUES
         (0, true, concat_ws(', ', 'PostgreSQL ' || current_setting('server_version'), coalesce(s.tls, 'without TLS'),
             CASE WHEN $3 = inet_client_port() THEN 'directly'
                  WHEN $3 IS NOT NULL THEN 'through a pooler or a proxy' END), ''),
         (1, s.tls IS NULL AND NOT $2, 'the connection leaves this machine without TLS',
             'turn TLS on at the server, and add sslmode=verify-full to the address'),
         (2, s.standby, 'the server is a standby', 'name the primary in the address'),
         (2, NOT s.standby AND current_setting('transaction_read_only') = 'on', 'transactions of this user only read',
             'ask whoever runs the server to take back default_transaction_read_only'),
         (2, current_setting('fsync') = 'off', 'fsync is off: a crash of the server loses or damages notes', s.ask),
         (2, current_setting('full_page_writes') = 'off',
             'full_page_writes is off: a crash of the server damages notes', s.ask),
         (2, s.waits = 'off', 'synchronous_commit is off: nothing is written, because it may be lost', s.ask),
         (1, s.waits IN ('local', 'remote_write') AND current_setting('synchronous_standby_names') <> '',
             format('synchronous_commit is %s: a failover may lose notes', s.waits), 'set it to on'),
         (1, s.tables < $4, format('the tables are of version %s, and this program knows %s', s.tables, $4),
             'as their owner: waynote stores migrate'),
         (1, s.tables > $4, format('the tables are of version %s, and this program knows %s', s.tables, $4),
             'update waynote')
     ) f (grade, is_so, what, next) WHERE f.is_so
     UNION ALL SELECT 2, format('the user %s lacks the right %s on %s', current_user, r.name,
         string_agg(t.name, ', ' ORDER BY t.name)), 'the owner of the tables grants it: waynote stores grants ROLE'
     FROM unnest($1) t (name) CROSS JOIN unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) r (name)
     WHERE (t.name <> 'migration' OR r.name = 'SELECT') AND NOT has_table_privilege('waynote.' || t.name, r.name)
     GROUP BY r.name ORDER BY 2";

fn examined(at: &DatabaseAccess, which: &StoreIdentity) -> Outcome<Vec<Finding>> {
    let limits = Limits::of(&at.options);
    if !at.has(which, false)? {
        return Err(at.no_store());
    }
    let port = at.server.lease(&limits)?.local_port;
    let tables = TABLES.into_iter().chain(["store", "migration"]);
    let values = vec![
        texts(tables),
        flag(at.options.is_here()),
        maybe_big(port.map(i64::from)),
        big(migrate::KNOWN),
    ];
    let began = Instant::now();
    let rows = at.run(&limits, &[Statement::typed(FOUND, values)])?;
    let took = began.elapsed();
    let grants = match at.options.schema.named() {
        None => "grants ROLE".to_owned(),
        Some(schema) => format!("grants ROLE --schema {schema}"),
    };
    let mut found = Vec::new();
    for row in &rows[0] {
        found.push(Finding {
            grade: match get::<i32>(row, 0)? {
                0 => Grade::Well,
                1 => Grade::Note,
                _ => Grade::Wrong,
            },
            what: visible(get(row, 1)?),
            next: get::<String>(row, 2)?.replace("grants ROLE", &grants),
        });
    }
    found.push(match at.named(tried(at, &limits, which)) {
        Ok(()) => Finding {
            grade: Grade::Well,
            what: format!(
                "a row was written and taken back; the questions before took {} ms",
                took.as_millis()
            ),
            next: String::new(),
        },
        Err(error) => Finding {
            grade: Grade::Wrong,
            what: error.to_string(),
            next: error.advice().unwrap_or_default(),
        },
    });
    Ok(found)
}

/// Writes a row, and takes it back.
fn tried(at: &DatabaseAccess, limits: &Limits, which: &StoreIdentity) -> Outcome<()> {
    at.has(which, true)?;
    let begin = format!(
        "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL lock_timeout = {}",
        limits.clamped(limits.wait).as_millis()
    );
    let sql = "INSERT INTO waynote.side (store, space_hash, key_hash, space, key, value)
               VALUES ($1, $2, $2, $2, $2, $2)";
    let values = vec![big(which.key), bytes("waynote doctor")];
    let statements = [
        Statement::plain(begin),
        head::statement(which, true),
        Statement::typed(sql, values),
        Statement::plain("ROLLBACK"),
    ];
    at.run(limits, &statements).map(drop)
}
