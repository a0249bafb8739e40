//! The stores of a database, for a program that opens many of them by their names.

use std::sync::Arc;
use std::time::Duration;

use waynote::{EngineStore, Error, Name};

use crate::engine::Postgres;
use crate::error::{Fault, PostgresError};
use crate::head::{PARTIAL, StoreIdentity};
use crate::options::Options;
use crate::server::{Limits, Server};
use crate::stores::DatabaseAccess;
use crate::trip::{Statement, big, text};

/// The stores of a database. They share its connections, and nothing is connected before the first call.
pub struct Catalog {
    options: Options,
    server: Arc<Server>,
}

impl Catalog {
    /// How long it may take to find out whether there is a store: while a database is away, those who want a store of
    /// another one wait for it.
    const LOOK: Duration = Duration::from_secs(3);

    /// The database of these options.
    ///
    /// # Errors
    /// Those of the certificates that the options name.
    pub fn at(options: Options) -> Result<Self, Error> {
        let server = Server::of(&options)?;
        options
            .standby()
            .map(|standby| Server::of(&standby))
            .transpose()?;
        Ok(Self { options, server })
    }

    /// The hosts and the name of the database, without a user.
    pub fn label(&self) -> String {
        let shown = &self.options.shown;
        let place = shown.split_once("://").map_or("", |(_, place)| place);
        let place = place.rsplit_once('@').map_or(place, |(_, place)| place);
        place.to_owned()
    }

    /// The store of this name, in one round trip; none if there is none, also when the database never had a store.
    ///
    /// # Errors
    /// As [`open`](crate::open).
    pub fn open(&self, name: &Name) -> Result<Option<EngineStore<Postgres>>, Error> {
        let options = self.options.clone().store(name.clone());
        let looking = DatabaseAccess {
            server: Arc::clone(&self.server),
            options: options.clone().within(Self::LOOK),
        };
        let found = looking.has(&StoreIdentity::of(name), false);
        match looking.named(found) {
            Ok(true) => Ok(Some(crate::at(options))),
            Ok(false) => Ok(None),
            Err(error) if is_no_store(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The names of its stores in the order of their bytes, from the one after this on.
    ///
    /// # Errors
    /// As [`open`](crate::open).
    pub fn names(&self, after: &str, most: usize) -> Result<Vec<String>, Error> {
        let options = self.options.clone().within(Self::LOOK);
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let sql = "SELECT name FROM waynote.store WHERE name COLLATE \"C\" > $1 AND NOT starts_with(reverse(name), reverse($3))
                   ORDER BY name COLLATE \"C\" LIMIT $2";
        let values = vec![text(after.to_owned()), big(most), text(PARTIAL.to_owned())];
        let statement = Statement::typed(sql, values);
        let asked = self.server.asked(&Limits::of(&options), &[statement]);
        let read = asked.and_then(|rows| {
            let names = rows.iter().flatten().map(|row| row.try_get(0));
            Ok(names.collect::<Result<_, _>>()?)
        });
        match options.named(read) {
            Err(error) if is_no_store(&error) => Ok(Vec::new()),
            read => read,
        }
    }

    /// The connections of this process to the database, as [`Postgres::connections`].
    pub fn connections(&self) -> [usize; 4] {
        self.server.pool_status()
    }
}

fn is_no_store(error: &Error) -> bool {
    let error = error.downcast_ref::<PostgresError>();
    error.is_some_and(|error| error.fault == Fault::NoStore)
}
