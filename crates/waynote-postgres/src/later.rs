//! A store that is connected to at the first call: for a program that has to start while the server is away.

use std::sync::OnceLock;

use parking_lot::Mutex;
use std::time::Duration;

use waynote::engine::{Engine, Read, Transaction, Writing};
use waynote::forget::Residue;
use waynote::{EngineStore, Name, Result};

use crate::engine::Postgres;
use crate::options::Options;

/// The store of these options, which is connected to at the first call. Until a fault of the server or the store is
/// mended, each call returns it as its error.
pub fn at(options: Options) -> EngineStore<Later> {
    EngineStore::new(Later {
        options,
        opened: OnceLock::new(),
        opening: Mutex::default(),
    })
}

/// An engine that is connected to at the first call. Threads can share it.
#[derive(Debug)]
pub struct Later {
    options: Options,
    opened: OnceLock<Postgres>,
    opening: Mutex<()>,
}

impl Later {
    /// The engine. The first call opens it.
    ///
    /// # Errors
    /// As [`open`](crate::open).
    pub fn opened(&self) -> Result<&Postgres> {
        if let Some(engine) = self.opened.get() {
            return Ok(engine);
        }
        let _opening = self.opening.lock();
        if let Some(engine) = self.opened.get() {
            return Ok(engine);
        }
        let engine = Postgres::open(self.options.clone())?;
        Ok(self.opened.get_or_init(|| engine))
    }
}

impl Engine for Later {
    fn rows(&self) -> Result<Box<dyn Read + '_>> {
        self.opened()?.rows()
    }

    fn snapshot(&self, work: &mut dyn FnMut(&dyn Read) -> Result<()>) -> Result<()> {
        self.opened()?.snapshot(work)
    }

    fn write(
        &self,
        writing: Writing,
        work: &mut dyn FnMut(&dyn Transaction) -> Result<()>,
    ) -> Result<()> {
        self.opened()?.write(writing, work)
    }

    fn exclusively(&self, work: &mut dyn FnMut(&dyn Engine) -> Result<()>) -> Result<()> {
        self.opened()?.exclusively(work)
    }

    fn indexes_apart(&self) -> bool {
        true
    }

    fn scrub(&self) -> Option<Residue> {
        match self.opened() {
            Ok(engine) => engine.scrub(),
            Err(error) => Some(Residue::Failed(error.to_string())),
        }
    }

    fn checkpoint(&self) -> Result<bool> {
        self.opened()?.checkpoint()
    }

    fn beat(&self, session: &Name, lease: u64) -> Result<()> {
        self.opened()?.beat(session, lease)
    }

    fn silence(&self, session: &Name, lease: u64) -> Result<Option<Duration>> {
        self.opened()?.silence(session, lease)
    }

    fn name(&self) -> String {
        self.options.shown()
    }
}
