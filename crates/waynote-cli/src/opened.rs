//! The store as the settings name it, kept in step with a file where they say so.

use waynote::store::NoStore;
use waynote::{Base, InStep, Options, SqliteStore, Store};

use crate::error::{Outcome, warn};
use crate::home;
use crate::settings::Settings;

/// An open store.
pub(crate) enum Opened {
    Plain(Box<dyn Store>),
    InStep(InStep<Box<dyn Store>>),
}

impl Opened {
    /// For reading: a store that does not exist is empty.
    pub(crate) fn for_reading(settings: &Settings) -> Outcome<Self> {
        match SqliteStore::open_existing(&settings.store.value, &options(settings))? {
            Some(store) => Self::with_file(Box::new(store), settings),
            None => Self::with_file(Box::new(NoStore), settings),
        }
    }

    /// For writing: made when it does not exist.
    pub(crate) fn for_writing(settings: &Settings) -> Outcome<Self> {
        let store = SqliteStore::open(&settings.store.value, &options(settings))?;
        Self::with_file(Box::new(store), settings)
    }

    fn with_file(store: Box<dyn Store>, settings: &Settings) -> Outcome<Self> {
        let Some(file) = &settings.notes_file.value else {
            return Ok(Self::Plain(store));
        };
        let base: Base = home::base()?;
        Ok(Self::InStep(InStep::new(store, file, base)?))
    }

    pub(crate) fn store(&self) -> &dyn Store {
        match self {
            Self::Plain(store) => store,
            Self::InStep(store) => store,
        }
    }
}

fn options(settings: &Settings) -> Options {
    Options {
        wait: settings.lock_wait.value,
    }
}

/// Says what went wrong with the file, once the command is done.
impl Drop for Opened {
    fn drop(&mut self) {
        if let Self::InStep(store) = self {
            store.notices().iter().for_each(warn);
        }
    }
}
