//! An engine that does what a test wants beside the work of another engine.

use waynote::Result;
use waynote::engine::{Engine, Read, Transaction, Writing};
use waynote::forget::Residue;

/// What a test does beside the work of an engine.
pub trait Hooks {
    /// Runs when the work has read from a snapshot that is still open.
    fn in_snapshot(&self) -> Result<()> {
        Ok(())
    }

    /// Runs when a snapshot has been closed.
    fn after_snapshot(&self) -> Result<()> {
        Ok(())
    }

    /// Runs before a transaction begins.
    fn before_write(&self) {}

    /// Runs in a transaction, when the work has put its rows.
    fn in_write(&self) {}
}

/// An engine with hooks.
pub struct Hooked<'e, E: ?Sized, H> {
    engine: &'e E,
    /// The hooks.
    pub hooks: H,
}

impl<'e, E: Engine + ?Sized, H> Hooked<'e, E, H> {
    /// An engine and its hooks.
    pub fn new(engine: &'e E, hooks: H) -> Self {
        Self { engine, hooks }
    }
}

impl<E: Engine + ?Sized, H: Hooks> Engine for Hooked<'_, E, H> {
    fn rows(&self) -> Result<Box<dyn Read + '_>> {
        self.engine.rows()
    }

    fn snapshot(&self, work: &mut dyn FnMut(&dyn Read) -> Result<()>) -> Result<()> {
        self.engine.snapshot(&mut |rows| {
            work(rows)?;
            self.hooks.in_snapshot()
        })?;
        self.hooks.after_snapshot()
    }

    fn write(
        &self,
        writing: Writing,
        work: &mut dyn FnMut(&dyn Transaction) -> Result<()>,
    ) -> Result<()> {
        self.hooks.before_write();
        self.engine.write(writing, &mut |tx| {
            work(tx)?;
            self.hooks.in_write();
            Ok(())
        })
    }

    fn exclusively(&self, work: &mut dyn FnMut(&dyn Engine) -> Result<()>) -> Result<()> {
        self.engine.exclusively(work)
    }

    fn scrub(&self) -> Option<Residue> {
        self.engine.scrub()
    }

    fn is_shared(&self) -> bool {
        self.engine.is_shared()
    }

    fn name(&self) -> String {
        self.engine.name()
    }
}
