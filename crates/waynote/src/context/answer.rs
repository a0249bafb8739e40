//! Answers to questions for a block.

use super::{
    BlockAnswer, BlockAsk, BlockPart, Matching, Request, Shown, ShownNote, block_and_notes,
    changed, matching, render_now,
};
use crate::error::Result;
use crate::store::{Reader, ReaderExt};

impl BlockAsk {
    /// Makes the answer from a store: what a server does.
    ///
    /// # Errors
    /// As [`render`](super::render).
    pub fn answer(&self, store: &dyn Reader) -> Result<BlockAnswer> {
        let Self { request, part } = self;
        Ok(match part {
            BlockPart::Block { unless } => {
                if unless.is_some() && *unless == Some(store.version()?) {
                    return Ok(BlockAnswer::Unchanged);
                }
                let (block, version) = store.on_one_state(|store| render_now(store, request))?;
                BlockAnswer::Block {
                    block: Box::new(block),
                    version,
                }
            }
            BlockPart::BlockAndNotes => {
                let (block, notes) = block_and_notes(store, request)?;
                BlockAnswer::BlockAndNotes {
                    block: Box::new(block),
                    notes,
                }
            }
            BlockPart::Changed { sections, known } => {
                BlockAnswer::Notes(changed(store, request, sections, known)?)
            }
            BlockPart::Matching { known } => BlockAnswer::Notes(matching(store, request, known)?),
        })
    }
}

/// The notes that the store's own side found, if it makes blocks; none: they are found here.
pub(super) fn notes_of(
    store: &dyn Reader,
    request: &Request,
    part: BlockPart,
) -> Result<Option<Matching>> {
    match store.rendered(&BlockAsk::new(request, part))? {
        Some(BlockAnswer::Notes(notes)) => Ok(Some(notes)),
        Some(_) => Err(unexpected()),
        None => Ok(None),
    }
}

/// The error of a store that answered something else.
pub(super) fn unexpected() -> crate::Error {
    crate::store::nothing_ran("store")
}

/// The part of the current note that a reader was shown. The first item of the list that names the note counts.
pub(super) fn shown_of(known: &[ShownNote]) -> impl Fn(&crate::note::Note) -> Option<Shown> + '_ {
    let mut of = std::collections::HashMap::with_capacity(known.len());
    for known in known {
        of.entry((&known.address, known.revision))
            .or_insert(known.shown);
    }
    move |note| of.get(&(&note.address, note.edition())).copied()
}
