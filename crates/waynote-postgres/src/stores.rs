//! The stores of a database.

use jiff::Timestamp;
use tokio_postgres::Row;
use tokio_postgres::error::SqlState;
use unicode_normalization::is_nfc;
use waynote::visible::visible;
use waynote::{Error, LocalStore as _, Name, Position, StoreId};

use crate::engine::Postgres;
use crate::error::{Failure, Fault, Outcome};
use crate::head::{self, Head, PARTIAL, StoreIdentity};
use crate::migrate::{self, KNOWN, Schema};
use crate::options::Options;
use crate::schema::SchemaName;
use crate::server::{Limits, Server};
use crate::trip::{Statement, big, bytes, text};

/// A store, as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoreSummary {
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
    /// About how many bytes of the tables are its own, indexes included; none unless they were asked for.
    pub bytes: Option<u64>,
}

/// All tables with rows of stores, but the one with the stores themselves.
pub(crate) const TABLES: [&str; 8] = [
    "block", "segment", "side", "event", "note", "journal", "content", "scope",
];

/// All tables with rows of stores, each with the column that makes its rows long.
const COLUMNS: [(&str, &str); 9] = [
    ("block", "terms"),
    ("segment", "docs"),
    ("side", "value"),
    ("event", "event"),
    ("note", "key"),
    ("journal", "key"),
    ("content", "body"),
    ("scope", "name"),
    ("store", "name"),
];

/// The stores of a database, by name. A database that never had one has none.
///
/// # Errors
/// As [`open`](crate::open).
pub fn list(options: Options) -> Result<Vec<StoreSummary>, Error> {
    let at = DatabaseAccess::new(options)?;
    at.named(at.list(false))
}

/// The same, with an estimate of the bytes of each store. It reads every row of the tables.
///
/// # Errors
/// As [`open`](crate::open).
pub fn list_with_sizes(options: Options) -> Result<Vec<StoreSummary>, Error> {
    let at = DatabaseAccess::new(options)?;
    at.named(at.list(true))
}

/// Makes a store, and the tables if there are none. The user needs the right to make a schema in the database, or owns the
/// schema that somebody made before.
///
/// # Errors
/// [`Fault::StoreExists`], and as [`open`](crate::open).
pub fn create(options: Options) -> Result<(), Error> {
    let at = DatabaseAccess::new(options)?;
    let which = at.new_name()?;
    at.named(at.create(&which))
}

/// Brings the tables up to date, for their owner. Returns the version that they had, and the one that they have.
///
/// # Errors
/// [`Fault::NoStore`] when the database has no tables; [`Fault::OlderTables`] when they belong to another
/// user; and as [`open`](crate::open).
pub fn migrate(options: Options) -> Result<(i64, i64), Error> {
    let at = DatabaseAccess::new(options)?;
    at.named(at.migrate())
}

/// Gives a store another id: after it was restored to an earlier state, so that nobody takes it for the one that they knew.
/// Feeds begin anew, and running sessions get their block once more.
///
/// # Errors
/// As [`open`](crate::open), and as each write.
pub fn renew(options: Options) -> Result<StoreId, Error> {
    crate::at(options).renew_id()
}

/// Gives a store another name. Its id, positions and tokens stay, and the old name is free at once. Programs that have it
/// open are told that it is gone. Every row of the store is written anew.
///
/// # Errors
/// [`Fault::StoreExists`] when the new name is taken; [`Error::Busy`] when somebody writes the store for too long; and as
/// [`open`](crate::open).
pub fn rename(options: Options, name: &Name) -> Result<(), Error> {
    let at = DatabaseAccess::new(options)?;
    let old = at.which()?;
    let to = DatabaseAccess {
        options: at.options.clone().store(name.clone()),
        server: at.server.clone(),
    };
    let new = to.new_name()?;
    at.named(at.renames(&old, &to, &new))
}

/// The rights of a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "kebab-case")]
pub enum Access {
    /// It owns the tables, and brings them up to date.
    Owner,
    /// It reads and writes every store of the database.
    App,
    /// It reads every store of the database.
    ReadOnly,
}

/// The statements that give a role the rights to all stores of a schema, for the owner of the tables to run.
///
/// # Errors
/// Words, when it is no name of a schema.
pub fn grants(schema: &str, role: &str, access: Access) -> Result<Vec<String>, &'static str> {
    let schema: SchemaName = schema.parse()?;
    let role = format!("\"{}\"", role.replace('"', "\"\""));
    let of = |sql: &str| format!("{}{role}", schema.in_sql(sql));
    let rights = match access {
        Access::Owner => {
            let tables = TABLES.iter().chain(&["store", "migration"]);
            let tables = tables.map(|table| of(&format!("ALTER TABLE waynote.{table} OWNER TO ")));
            return Ok(tables
                .chain([of("ALTER SCHEMA waynote OWNER TO ")])
                .collect());
        }
        Access::App => "SELECT, INSERT, UPDATE, DELETE",
        Access::ReadOnly => "SELECT",
    };
    let default =
        format!("ALTER DEFAULT PRIVILEGES IN SCHEMA waynote GRANT {rights} ON TABLES TO ");
    Ok(vec![
        "BEGIN".into(),
        of("REVOKE ALL ON ALL TABLES IN SCHEMA waynote FROM "),
        of("ALTER DEFAULT PRIVILEGES IN SCHEMA waynote REVOKE ALL ON TABLES FROM "),
        of("GRANT USAGE ON SCHEMA waynote TO "),
        of(&format!(
            "GRANT {rights} ON ALL TABLES IN SCHEMA waynote TO "
        )),
        of("REVOKE INSERT, UPDATE, DELETE ON waynote.migration FROM "),
        of(&default),
        "COMMIT".into(),
    ])
}

/// Makes a store with the rows that `fill` writes. Nobody finds it before it is whole. The next call removes the rest
/// of an interrupted one.
///
/// # Errors
/// [`Fault::StoreExists`]; [`Error::StoreLost`] when another process makes this store anew; the errors of `fill`;
/// and as [`open`](crate::open).
pub fn make<T>(
    options: Options,
    fill: impl FnOnce(&Postgres) -> Result<T, Error>,
) -> Result<T, Error> {
    let at = DatabaseAccess::new(options)?;
    let which = at.new_name()?;
    let partial = which.partial();
    at.named(at.begin(&partial))?;
    let engine = Postgres::open_as(at.options.clone(), partial.clone())?;
    let incarnation = engine.look()?.incarnation;
    let filled = fill(&engine)?;
    at.named(at.rename(&partial, incarnation, &which.name))?;
    Ok(filled)
}

/// Removes a store with all that it holds. Nothing brings it back but a backup.
///
/// # Errors
/// [`Fault::NoStore`]; [`Error::Busy`] when somebody writes it for too long; and as [`open`](crate::open).
pub fn drop(options: Options) -> Result<(), Error> {
    let at = DatabaseAccess::new(options)?;
    let which = at.which()?;
    at.named(at.drop(&which))
}

/// A database.
pub(crate) struct DatabaseAccess {
    pub(crate) server: std::sync::Arc<Server>,
    pub(crate) options: Options,
}

impl DatabaseAccess {
    pub(crate) fn new(options: Options) -> Result<Self, Error> {
        let server = Server::of(&options)?;
        Ok(Self { server, options })
    }

    pub(crate) fn which(&self) -> Result<StoreIdentity, Error> {
        let named = self.options.store_name().map(StoreIdentity::of);
        named.ok_or_else(|| no_name(&self.options))
    }

    /// The name of a store that is to be made. Nobody could tell it from another one if it had characters that are not
    /// seen, or could be written in two ways.
    fn new_name(&self) -> Result<StoreIdentity, Error> {
        let which = self.which()?;
        if visible(&which.name) == which.name && is_nfc(&which.name) {
            return Ok(which);
        }
        let reason =
            "the name of a new store has no invisible characters, and is in Unicode's form NFC";
        Err(Fault::BadUrl.of(self.options.shown(), reason).into())
    }

    pub(crate) fn named<T>(&self, outcome: Outcome<T>) -> Result<T, Error> {
        self.options.named(outcome)
    }

    pub(crate) fn run(&self, limits: &Limits, statements: &[Statement]) -> Outcome<Vec<Vec<Row>>> {
        self.server.asked(limits, statements)
    }

    fn has_tables(&self, limits: &Limits) -> Outcome<bool> {
        let sql = "SELECT to_regclass('waynote.migration') IS NOT NULL";
        let found = self.run(limits, &[Statement::typed(sql, Vec::new())])?;
        Ok(found[0][0].try_get(0)?)
    }

    fn migrate(&self) -> Outcome<(i64, i64)> {
        let limits = Limits::of(&self.options).patient();
        if !self.has_tables(&limits)? {
            return Err(self.no_store());
        }
        let before = migrate::run(&self.server, &limits, &self.options.shown())?;
        Ok((before, before.max(KNOWN)))
    }

    fn list(&self, has_sizes: bool) -> Outcome<Vec<StoreSummary>> {
        let mut limits = Limits::of(&self.options);
        let mut size = "SELECT NULL::bigint AS store, NULL::bigint AS bytes".to_owned();
        if has_sizes {
            limits = limits.patient();
            size = sizes();
        }
        if !self.has_tables(&limits)? {
            return Ok(Vec::new());
        }
        let rows = self.run(
            &limits,
            &[
                Statement::typed(migrate::newest!(), Vec::new()),
                Statement::typed(
                    format!(
                        "SELECT s.name, s.head, (extract(epoch FROM s.created_at) * 1000000)::bigint,
                                (SELECT count(*) FROM waynote.note n WHERE n.store = s.store), z.bytes
                         FROM waynote.store s LEFT JOIN ({size}) z ON z.store = s.store ORDER BY s.name"
                    ),
                    Vec::new(),
                ),
            ],
        )?;
        if let Some(row) = rows[0].first() {
            Schema::of(row, 0)?.allows(&self.options.shown(), false)?;
        }
        let listed = rows[1].iter().map(|row| {
            let name: &str = row.try_get(0)?;
            let (head, notes): (i64, i64) = (row.try_get(1)?, row.try_get(3)?);
            let bytes: Option<i64> = row.try_get(4)?;
            Ok(StoreSummary {
                name: name.strip_suffix(PARTIAL).unwrap_or(name).parse()?,
                is_partial: name.ends_with(PARTIAL),
                notes: u64::try_from(notes).unwrap_or_default(),
                position: (head > 0).then(|| Position::new(head)),
                created_at: Timestamp::from_microsecond(row.try_get(2)?).unwrap_or_default(),
                bytes: bytes.and_then(|bytes| u64::try_from(bytes).ok()),
            })
        });
        listed.collect()
    }

    fn create(&self, which: &StoreIdentity) -> Outcome<()> {
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
            true => Err(Fault::StoreExists.of(self.options.shown(), "").into()),
            false => Ok(()),
        }
    }

    /// Makes the row of a store that is being made, instead of one that was left.
    fn begin(&self, partial: &StoreIdentity) -> Outcome<()> {
        match self.create(partial) {
            Err(_) if self.has(partial, true).unwrap_or_default() => {
                self.remove(partial)?;
                self.create(partial)
            }
            created => created,
        }
    }

    pub(crate) fn has(&self, which: &StoreIdentity, to_write: bool) -> Outcome<bool> {
        let found = self.run(&Limits::of(&self.options), &[head::statement(which, false)])?;
        let head = found[0].first().map(Head::of).transpose()?;
        let allows = head.map(|head| head.schema.allows(&self.options.shown(), to_write));
        Ok(allows.transpose()?.is_some())
    }

    /// Gives the row its name, if it is the one that was filled.
    fn rename(&self, which: &StoreIdentity, incarnation: i64, name: &str) -> Outcome<()> {
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
    fn drop(&self, which: &StoreIdentity) -> Outcome<()> {
        let partial = which.partial();
        if self.has(&partial, true)? {
            self.remove(&partial)
        } else if self.has(which, true)? {
            self.remove(which)
        } else {
            Err(self.no_store())
        }
    }

    /// Writes every row of a store anew, with another key.
    fn renames(&self, old: &StoreIdentity, to: &Self, new: &StoreIdentity) -> Outcome<()> {
        if !self.has(old, true)? {
            return Err(self.no_store());
        }
        let taken = || Fault::StoreExists.of(to.options.shown(), "").into();
        let sql = "SELECT FROM waynote.store WHERE store = $1";
        let found = Statement::typed(sql, vec![big(new.key)]);
        if !self.run(&Limits::of(&self.options), &[found])?[0].is_empty() {
            return Err(taken());
        }
        // Another process may have removed it while this one waited for the lock.
        let moved = TABLES.iter().map(|table| {
            format!(
                ", moved_{table} AS (UPDATE waynote.{table} SET store = $2 WHERE store = $1
                     AND EXISTS (SELECT FROM moved))"
            )
        });
        let sql = format!(
            "WITH moved AS (UPDATE waynote.store SET store = $2, name = $4 WHERE store = $1 AND name = $3
                 RETURNING store){} SELECT",
            moved.collect::<String>()
        );
        let values = vec![
            big(old.key),
            big(new.key),
            text(old.name.clone()),
            text(new.name.clone()),
        ];
        let changes = vec![Statement::typed(sql, values)];
        match self.changed_whole(old, changes) {
            Err(failure) if failure.code() == Some(&SqlState::UNIQUE_VIOLATION) => Err(taken()),
            changed => changed,
        }
    }

    /// Changes all rows of a store, while nobody else writes it.
    fn changed_whole(&self, which: &StoreIdentity, changes: Vec<Statement>) -> Outcome<()> {
        let limits = Limits::of(&self.options).patient();
        let wait = limits.wait.as_millis();
        let mut statements = vec![
            Statement::plain(format!(
                "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = {wait}; SET LOCAL statement_timeout = 0"
            )),
            head::statement(which, true),
        ];
        statements.extend(changes);
        statements.push(Statement::plain("COMMIT"));
        let rows = self.run(&limits, &statements)?;
        match rows[1].first().map(Head::of).transpose()? {
            Some(_) => Ok(()),
            None => Err(self.no_store()),
        }
    }

    fn remove(&self, which: &StoreIdentity) -> Outcome<()> {
        let mut statements = Vec::new();
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
        self.changed_whole(which, statements)
    }

    pub(crate) fn no_store(&self) -> Failure {
        Fault::NoStore.of(self.options.shown(), "").into()
    }
}

/// The bytes of each store: of each table, with its indexes and the room that is free in it, the part that the store has
/// of the rows. For a user who sees some rows alone, the number of the others is the one of the server's statistics.
fn sizes() -> String {
    let of = |(table, column): &(&str, &str)| {
        format!(
            "SELECT w.store, pg_total_relation_size(c.oid) * w.bytes / (sum(w.bytes) OVER () *
                 CASE WHEN row_security_active(c.oid) THEN greatest(1, c.reltuples / sum(w.rows) OVER ()) ELSE 1 END)
                 AS bytes
             FROM pg_class c, (SELECT t.store, count(*)::float8 AS rows,
                     sum(100 + pg_column_size(t.{column}))::float8 AS bytes
                 FROM waynote.{table} t GROUP BY t.store) w
             WHERE c.oid = 'waynote.{table}'::regclass"
        )
    };
    let tables: Vec<String> = COLUMNS.iter().map(of).collect();
    format!(
        "SELECT p.store, sum(p.bytes)::bigint AS bytes FROM ({}) p GROUP BY p.store",
        tables.join(" UNION ALL ")
    )
}

/// The error for a URL without a store.
pub(crate) fn no_name(options: &Options) -> Error {
    let reason = "it names no store: add store=NAME";
    Fault::BadUrl.of(options.shown(), reason).into()
}
