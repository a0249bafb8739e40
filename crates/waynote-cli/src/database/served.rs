//! The stores of a database as `waynote serve` has them.

use std::sync::Arc;

use waynote::Name;
use waynote_postgres::Database as Stores;
use waynote_server::{Database, ServableStore};

use super::reached::reached;
use crate::error::{Failure, Outcome};
use crate::settings::Settings;

/// A database whose stores are served by their names. Nothing is sent yet.
pub(crate) fn served(settings: &Settings, url: &str) -> Outcome<Arc<dyn Database>> {
    let options = reached(settings, url)?;
    if options.store_name().is_some() {
        let hint = "leave out `store=NAME`: every store of the database is served; or serve that one alone with `--store`";
        let what = "the address of `--database` names a store";
        return Err(Failure::usage(what, hint));
    }
    Ok(Arc::new(Served(Stores::at(options)?)))
}

/// The stores of a database.
struct Served(Stores);

impl Database for Served {
    fn label(&self) -> String {
        self.0.label().to_owned()
    }

    fn open(&self, name: &str) -> waynote::Result<Option<Arc<dyn ServableStore>>> {
        let name: Name = name.parse()?;
        let found = self.0.open(&name)?;
        Ok(found.map(|store| Arc::new(store) as _))
    }

    fn ping(&self) -> waynote::Result<()> {
        self.0.ping()
    }
}
