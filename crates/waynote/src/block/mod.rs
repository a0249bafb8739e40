//! The values of the prompt block: its request and its answer. [`crate::context`] makes the block.

mod ask;
mod budget;
pub(crate) mod iteration;
mod notes;
pub(crate) mod receipt;
mod request;
mod text;

pub use ask::{BlockAnswer, BlockAsk, BlockPart};
pub use budget::{Budget, TokenFactor};
pub use iteration::IterationBlock;
pub use notes::{Matching, MatchingNote, ShownNote};
pub use receipt::{Claim, Receipt, Shown, Why};
pub use request::{ReaderTools, Request, Section, Style};
pub use text::{Block, SectionText};
