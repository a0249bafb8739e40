//! The store as the settings name it, kept in step with a file where they say so.

use std::path::Path;

use waynote::store::NoStore;
use waynote::{Base, InStep, Options, SecretPolicy, SqliteStore, Stamp, Store};

use crate::error::{Outcome, warn, warn_of_secrets};
use crate::home;
use crate::settings::Settings;

/// An open store.
pub(crate) struct Opened {
    kind: Kind,
    json: bool,
    /// What needs no mention when a note holds it.
    allowed: SecretPolicy,
}

enum Kind {
    Plain(Box<dyn Store>),
    InStep(InStep<Box<dyn Store>>),
}

impl Opened {
    /// For reading: a store that does not exist is empty.
    pub(crate) fn for_reading(settings: &Settings, json: bool) -> Outcome<Self> {
        match SqliteStore::open_existing(&settings.store.value, &options(settings))? {
            Some(store) => Self::with_file(Box::new(store), settings, json),
            None => Self::with_file(Box::new(NoStore), settings, json),
        }
    }

    /// For a change of what is there: a store that does not exist is made only where a file may hold notes.
    pub(crate) fn for_changing(settings: &Settings, json: bool) -> Outcome<Self> {
        if settings.notes_file.value.is_some() || settings.store.value.exists() {
            return Self::for_writing(settings, json);
        }
        Ok(Self {
            kind: Kind::Plain(Box::new(NoStore)),
            json,
            allowed: settings.secret_policy(),
        })
    }

    /// For writing: made when it does not exist.
    pub(crate) fn for_writing(settings: &Settings, json: bool) -> Outcome<Self> {
        settings.may_write()?;
        let store = SqliteStore::open(&settings.store.value, &options(settings))?;
        Self::with_file(Box::new(store), settings, json)
    }

    fn with_file(store: Box<dyn Store>, settings: &Settings, json: bool) -> Outcome<Self> {
        let kind = match &settings.notes_file.value {
            None => Kind::Plain(store),
            Some(file) => {
                let base: Base = home::base_of_home()?;
                Kind::InStep(InStep::new(store, file, base)?)
            }
        };
        Ok(Self {
            kind,
            json,
            allowed: settings.secret_policy(),
        })
    }

    pub(crate) fn store(&self) -> &dyn Store {
        match &self.kind {
            Kind::Plain(store) => store,
            Kind::InStep(store) => store,
        }
    }

    /// Brings the file up to date that the store is kept in step with; whether it is this one.
    pub(crate) fn bring_together(&self, file: &Path, stamp: &Stamp) -> Outcome<bool> {
        match &self.kind {
            Kind::InStep(store) if store.is_kept(file) => {
                store.bring_together(stamp)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}

fn options(settings: &Settings) -> Options {
    Options {
        wait: settings.lock_wait.value,
        attach: settings.attach,
    }
}

/// Says what went wrong with the file, once the command is done.
impl Drop for Opened {
    fn drop(&mut self) {
        if let Kind::InStep(store) = &self.kind {
            store
                .notices()
                .iter()
                .for_each(|notice| warn(notice, self.json));
            warn_of_secrets(&store.flagged(), &self.allowed, self.json);
        }
    }
}
