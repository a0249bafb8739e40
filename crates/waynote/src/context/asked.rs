//! A block as one question and one answer, for a store that is not on this machine: the other side makes the block.

use serde::{Deserialize, Serialize};

use super::{
    Block, Matching, Request, Section, ShownNote, block_and_notes, changed, matching, render_now,
};
use crate::error::Result;
use crate::store::{Reader, ReaderExt, Version};

/// A question for a block, or for some of its notes (see [`Reader::rendered`]).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct BlockAsk {
    /// For whom, where, and the options.
    pub request: Request,
    /// What is wanted of the block.
    pub part: BlockPart,
}

/// What is wanted of a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
// Not `non_exhaustive`: a store that does not know a variant must not compile.
pub enum BlockPart {
    /// The block (see [`render`](super::render)).
    Block {
        /// The version of the store that the caller has this block of: if it is still the same, nothing is made.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unless: Option<Version>,
    },
    /// The block and the notes that it shows (see [`block_and_notes`]).
    BlockAndNotes,
    /// The notes of these sections that are new to a reader (see [`changed`]).
    Changed {
        /// The sections.
        sections: Vec<Section>,
        /// What the reader was shown.
        known: Vec<ShownNote>,
    },
    /// The notes that match the query (see [`matching`]).
    Matching {
        /// What the reader was shown.
        known: Vec<ShownNote>,
    },
}

/// The answer to a [`BlockAsk`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum BlockAnswer {
    /// The caller has the block already: the store has not changed.
    Unchanged,
    /// The block.
    Block {
        /// The block.
        block: Box<Block>,
        /// The version of the store that it was made from.
        version: Version,
    },
    /// The block and the notes that it shows.
    BlockAndNotes {
        /// The block.
        block: Box<Block>,
        /// The notes.
        notes: Vec<ShownNote>,
    },
    /// Notes.
    Notes(Matching),
}

impl BlockAsk {
    /// A question for a part of the block of this request.
    pub fn new(request: &Request, part: BlockPart) -> Self {
        Self {
            request: request.clone(),
            part,
        }
    }

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

/// How much of a note, as it is now, a reader was shown. What comes first in the list counts.
pub(super) fn shown_of(
    known: &[ShownNote],
) -> impl Fn(&crate::note::Note) -> Option<super::Shown> + '_ {
    let mut of = std::collections::HashMap::with_capacity(known.len());
    for known in known {
        of.entry((&known.address, known.revision))
            .or_insert(known.shown);
    }
    move |note| of.get(&(&note.address, note.revision)).copied()
}
