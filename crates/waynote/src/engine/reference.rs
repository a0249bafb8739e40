//! A reference to an engine is an engine.

use super::{Engine, Read, Transaction, Writing};
use crate::error::Result;
use crate::forget::Residue;

impl<E: Engine + ?Sized> Engine for &E {
    fn rows(&self) -> Result<Box<dyn Read + '_>> {
        (**self).rows()
    }

    fn snapshot(&self, work: &mut dyn FnMut(&dyn Read) -> Result<()>) -> Result<()> {
        (**self).snapshot(work)
    }

    fn write(
        &self,
        writing: Writing,
        work: &mut dyn FnMut(&dyn Transaction) -> Result<()>,
    ) -> Result<()> {
        (**self).write(writing, work)
    }

    fn exclusively(&self, work: &mut dyn FnMut(&dyn Engine) -> Result<()>) -> Result<()> {
        (**self).exclusively(work)
    }

    fn scrub(&self) -> Option<Residue> {
        (**self).scrub()
    }

    fn is_shared(&self) -> bool {
        (**self).is_shared()
    }

    fn checkpoint(&self) -> Result<bool> {
        (**self).checkpoint()
    }

    fn name(&self) -> String {
        (**self).name()
    }
}
