//! A block as one question and one answer, for a store that is not on this machine: the other side makes the block.

use serde::{Deserialize, Serialize};

use super::{Block, Matching, Request, Section, ShownNote};
use crate::store::Version;

/// A question for a block, or for some of its notes (see [`Reader::rendered`](crate::Reader::rendered)).
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
    /// The block (see [`render`](crate::context::render)).
    Block {
        /// The version of the store that the caller has this block of: if it is still the same, nothing is made.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unless: Option<Version>,
    },
    /// The block and the notes that it shows (see [`block_and_notes`](crate::context::block_and_notes)).
    BlockAndNotes,
    /// The notes of these sections that are new to a reader (see [`changed`](crate::context::changed)).
    Changed {
        /// The sections.
        sections: Vec<Section>,
        /// What the reader was shown.
        known: Vec<ShownNote>,
    },
    /// The notes that match the query (see [`matching`](crate::context::matching)).
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

impl BlockAnswer {
    /// True if a note in it cites code.
    pub(crate) fn cites(&self) -> bool {
        match self {
            Self::Unchanged => false,
            Self::Block { block, .. } | Self::BlockAndNotes { block, .. } => {
                block.receipt.cites > 0
            }
            Self::Notes(told) => told.notes.iter().any(|told| !told.note.cites.is_empty()),
        }
    }
}

impl BlockAsk {
    /// A question for a part of the block of this request.
    pub fn new(request: &Request, part: BlockPart) -> Self {
        Self {
            request: request.clone(),
            part,
        }
    }
}
