//! The block of an iteration, made again.

use super::{Block, IterationBlock, Request, render};
use crate::block::iteration::sha256;
use crate::error::Result;
use crate::store::Reader;
use crate::visible::plain;

impl IterationBlock {
    /// Makes the block again, with the text as an agent is given it. Returns beside it whether that has the recorded hash
    /// (see [`Self::DIFFERS`]).
    ///
    /// # Errors
    /// As [`render`].
    pub fn again(&self, store: &dyn Reader, request: &Request) -> Result<(Block, bool)> {
        let mut block = render(store, request)?;
        block.text = block.for_agent();
        for section in &mut block.sections {
            section.text = plain(&section.text);
        }
        let is_same = sha256(&block.text) == self.sha256;
        Ok((block, is_same))
    }
}
