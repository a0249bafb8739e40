//! The stores of a database.

use std::sync::Arc;

use jiff::Timestamp;
use tokio_postgres::Row;
use tokio_postgres::error::SqlState;
use waynote::visible::{is_invisible, visible};
use waynote::{EngineStore, Error, LocalStore as _, Name, Position, SideData as _, StoreId};

use crate::engine::Postgres;
use crate::error::{Failure, Fault, Outcome};
use crate::head::{self, Head, PARTIAL, StoreIdentity};
use crate::options::Options;
use crate::schema;
use crate::server::Server;
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
}

/// All tables with rows of stores, but the one with the stores themselves.
const TABLES: [&str; 8] = [
    "block", "segment", "side", "event", "note", "journal", "content", "scope",
];

/// The stores of a database, by name. A database that never had one has none.
///
/// # Errors
/// As [`open`](crate::open).
pub fn list(options: Options) -> Result<Vec<StoreSummary>, Error> {
    Database::at(options)?.done(Database::list)
}

/// Makes a store, and the tables if there are none. The user needs the right to make a schema in the database, or owns the
/// schema that somebody made before.
///
/// # Errors
/// [`Fault::StoreExists`], and as [`open`](crate::open).
pub fn create(options: Options) -> Result<(), Error> {
    let which = new_name(&options)?;
    Database::at(options)?.done(|at| {
        at.make_tables()?;
        at.insert(&which)
    })
}

/// The same for a store of several people (see [`SideData::make_shared`](waynote::SideData::make_shared)).
///
/// # Errors
/// As [`create`], and as each write.
pub fn create_shared(options: Options) -> Result<(), Error> {
    make(options, |engine| EngineStore::new(engine).make_shared())
}

/// Gives a store another id: after it was restored to an earlier state, so that nobody takes it for the one that they knew.
/// Feeds begin anew, and running sessions get their block once more.
///
/// # Errors
/// As [`open`](crate::open), and as each write.
pub fn renew(options: Options) -> Result<StoreId, Error> {
    crate::at(options)?.renew_id()
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
    let which = new_name(&options)?;
    let partial = which.partial();
    let at = Database::at(options)?;
    at.done(|at| {
        at.make_tables()?;
        at.remove(&partial)?;
        at.insert(&partial)
    })?;
    let engine = Postgres::new(at.server.clone(), at.options.clone(), partial.clone());
    let incarnation = engine.look()?.incarnation;
    let filled = fill(&engine)?;
    at.done(|at| at.rename(&partial, incarnation, &which.name))?;
    Ok(filled)
}

/// Removes a store with all that it holds. Nothing brings it back but a backup.
///
/// # Errors
/// [`Fault::NoStore`]; [`Error::Busy`] when somebody writes it for too long; and as [`open`](crate::open).
pub fn drop(options: Options) -> Result<(), Error> {
    let which = new_name(&options)?;
    Database::at(options)?.done(|at| {
        at.has(&which)?;
        let is_gone = at.remove(&which.partial())? | at.remove(&which)?;
        is_gone.then_some(()).ok_or_else(|| at.no_store())
    })
}

/// A database. Its stores share its connections, and nothing is connected before the first call.
pub struct Database {
    server: Arc<Server>,
    options: Options,
}

impl Database {
    /// The database of these options.
    ///
    /// # Errors
    /// Those of the certificates that the options name.
    pub fn at(options: Options) -> Result<Self, Error> {
        let server = Arc::new(Server::new(&options)?);
        Ok(Self { server, options })
    }

    /// The hosts and the name of the database, without a user.
    pub fn label(&self) -> &str {
        let shown = &self.options.shown;
        let place = shown.split_once("://").map_or("", |(_, place)| place);
        place.rsplit_once('@').map_or(place, |(_, place)| place)
    }

    /// The store of this name, in one round trip; none if there is none, also when the database never had a store.
    ///
    /// # Errors
    /// As [`open`](crate::open).
    pub fn open(&self, name: &Name) -> Result<Option<EngineStore<Postgres>>, Error> {
        let which = StoreIdentity::of(name);
        let found = self.done(|at| match at.has(&which) {
            Err(failure) if is_without_tables(&failure) => Ok(false),
            found => found,
        })?;
        let options = self.options.clone().store(name.clone());
        let engine = || Postgres::new(self.server.clone(), options, which);
        Ok(found.then(|| EngineStore::new(engine())))
    }

    /// Asks the server for nothing.
    ///
    /// # Errors
    /// As [`open`](crate::open).
    pub fn ping(&self) -> Result<(), Error> {
        self.done(|at| at.run(&[Statement::plain("SELECT")]).map(|_| ()))
    }

    /// The result of some work, whose failure names the store.
    fn done<T>(&self, work: impl FnOnce(&Self) -> Outcome<T>) -> Result<T, Error> {
        self.options.named(work(self))
    }

    fn run(&self, statements: &[Statement]) -> Outcome<Vec<Vec<Row>>> {
        self.server.asked(&self.options.limits(), statements)
    }

    fn list(&self) -> Outcome<Vec<StoreSummary>> {
        let sql = "SELECT s.name, s.head, (extract(epoch FROM s.created_at) * 1000000)::bigint,
                          (SELECT count(*) FROM waynote.note n WHERE n.store = s.store), v.version
                   FROM waynote.store s, waynote.version v WHERE s.name NOT LIKE '%' || $1 ORDER BY s.name";
        let values = vec![text(PARTIAL)];
        let rows = match self.run(&[Statement::typed(sql, values)]) {
            Err(failure) if is_without_tables(&failure) => return Ok(Vec::new()),
            asked => asked?,
        };
        let listed = rows[0].iter().map(|row| {
            schema::check(row.try_get(4)?, &self.options.shown())?;
            let (head, notes): (i64, i64) = (row.try_get(1)?, row.try_get(3)?);
            Ok(StoreSummary {
                name: row.try_get::<_, &str>(0)?.parse()?,
                notes: u64::try_from(notes).unwrap_or_default(),
                position: (head > 0).then(|| Position::new(head)),
                created_at: Timestamp::from_microsecond(row.try_get(2)?).unwrap_or_default(),
            })
        });
        listed.collect()
    }

    fn make_tables(&self) -> Outcome<()> {
        schema::make(&self.server, &self.options.limits(), &self.options.shown())
    }

    /// Makes the row of a store.
    fn insert(&self, which: &StoreIdentity) -> Outcome<()> {
        let mut random = [0; 24];
        getrandom::fill(&mut random)
            .map_err(|error| Error::engine(self.options.shown(), error.to_string()))?;
        let (incarnation, id) = random.split_at(8);
        let incarnation = i64::from_be_bytes(incarnation.try_into().unwrap_or_default());
        let made = self.run(&[Statement::typed(
            "INSERT INTO waynote.store (store, name, incarnation, id) VALUES ($1, $2, $3, $4)
             ON CONFLICT (store) DO NOTHING RETURNING store",
            vec![
                big(which.key),
                text(which.name.clone()),
                big(incarnation),
                bytes(id),
            ],
        )])?;
        match made[0].is_empty() {
            true => Err(Fault::StoreExists.of(self.options.shown(), "").into()),
            false => Ok(()),
        }
    }

    fn has(&self, which: &StoreIdentity) -> Outcome<bool> {
        let found = self.run(&[head::statement(which, false)])?;
        let head = found[0].first().map(Head::of).transpose()?;
        if let Some(head) = &head {
            schema::check(head.version, &self.options.shown())?;
        }
        Ok(head.is_some())
    }

    /// Gives the row its name, if it is the one that was filled.
    fn rename(&self, which: &StoreIdentity, incarnation: i64, name: &str) -> Outcome<()> {
        let renamed = self.run(&[Statement::typed(
            "UPDATE waynote.store SET name = $4
             WHERE store = $1 AND name = $2 AND incarnation = $3 RETURNING store",
            vec![
                big(which.key),
                text(which.name.clone()),
                big(incarnation),
                text(name.to_owned()),
            ],
        )])?;
        match renamed[0].is_empty() {
            true => Err(self.no_store()),
            false => Ok(()),
        }
    }

    /// Removes all rows of a store, while nobody else writes it. False if there is no such store.
    fn remove(&self, which: &StoreIdentity) -> Outcome<bool> {
        let limits = self.options.limits().patient();
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
        let rows = self.server.asked(&limits, &statements)?;
        Ok(!rows[1].is_empty())
    }

    fn no_store(&self) -> Failure {
        Fault::NoStore.of(self.options.shown(), "").into()
    }
}

/// True if a database has no tables: it never had a store.
fn is_without_tables(failure: &Failure) -> bool {
    let codes = [SqlState::UNDEFINED_TABLE, SqlState::INVALID_SCHEMA_NAME];
    failure.code().is_some_and(|code| codes.contains(code))
}

/// The name of a store that is to be made. With characters that are not seen, it could not be told from another one.
fn new_name(options: &Options) -> Result<StoreIdentity, Error> {
    let which = identity(options)?;
    match visible(&which.name) == which.name && !which.name.contains(is_invisible) {
        true => Ok(which),
        false => Err(Fault::BadUrl
            .of(options.shown(), "the name has invisible characters")
            .into()),
    }
}

/// The identity of the store that the options name.
pub(crate) fn identity(options: &Options) -> Result<StoreIdentity, Error> {
    let reason = "it names no store: add store=NAME";
    let named = options.store_name().map(StoreIdentity::of);
    named.ok_or_else(|| Fault::BadUrl.of(options.shown(), reason).into())
}
