//! Stores in PostgreSQL as `waynote serve` has them.

use std::sync::Arc;

use waynote::{Name, Version};
use waynote_postgres::{Catalog, Options};
use waynote_server::{Database, InDatabase, PoolState, ServableStore};

use super::reached::{DatabaseStore, reached};
use crate::error::{Failure, Outcome};
use crate::settings::Settings;

/// A store that is named at the start. An address that names none would be the error of each call, and nothing mends it.
pub(crate) fn served(settings: &Settings, url: &str) -> Outcome<InDatabase> {
    super::named(settings, url)?;
    Ok(in_database(super::open(settings, url, None)?)?)
}

fn in_database(store: DatabaseStore) -> waynote::Result<InDatabase> {
    let store = Arc::new(store);
    let reading = waynote_postgres::reading(&store)?;
    let reading = reading.map(|reading| Arc::new(reading) as _);
    Ok((Arc::clone(&store) as _, Arc::new(Of { store, reading })))
}

/// The database of a store.
struct Of {
    store: Arc<DatabaseStore>,
    reading: Option<Arc<dyn ServableStore>>,
}

impl Database for Of {
    fn pool(&self) -> Option<PoolState> {
        self.store.engine().connections()
    }

    fn polled(&self) -> waynote::Result<Version> {
        self.store.engine().polled()
    }

    fn reading(&self) -> Option<Arc<dyn ServableStore>> {
        self.reading.clone()
    }
}

/// Databases whose stores are served by their names. Nothing is sent yet.
pub(crate) fn catalogs(
    settings: &Settings,
    urls: &[String],
) -> Outcome<Vec<Arc<dyn waynote_server::Catalog>>> {
    let mut all: Vec<Options> = Vec::new();
    for url in urls {
        let options = reached(settings, url)?;
        if all.contains(&options) {
            return Err(Failure::usage(
                format!(
                    "the database {} is named twice",
                    options.store(None).shown()
                ),
                "give `--database` once for each database",
            ));
        }
        all.push(options);
    }
    let catalog = |options: Options| {
        let catalog = Catalog::at(options.clone().store(None))?;
        Ok(Arc::new(Served { catalog, options }) as _)
    };
    all.into_iter().map(catalog).collect()
}

/// The stores of a database.
struct Served {
    catalog: Catalog,
    options: Options,
}

impl waynote_server::Catalog for Served {
    fn label(&self) -> String {
        self.catalog.label()
    }

    fn open(&self, name: &str) -> waynote::Result<Option<InDatabase>> {
        let name: Name = name.parse()?;
        self.catalog.open(&name)?.map(in_database).transpose()
    }

    fn names(&self, after: &str, most: usize) -> waynote::Result<Vec<String>> {
        self.catalog.names(after, most)
    }

    fn admin(&self) -> Option<Arc<dyn ServableStore>> {
        self.options.store_name()?;
        Some(Arc::new(waynote_postgres::at(self.options.clone())))
    }

    fn pool(&self) -> PoolState {
        self.catalog.connections()
    }
}
