//! A block as one request.

use serde::{Deserialize, Serialize};
use waynote::{Error, Result, context};

use crate::answers::Version;
use crate::block::{Block, Matching, Request, ShownNote};
use crate::malformed::each;
use crate::words::Section;

/// A request for a block, or for some of its notes.
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
pub enum BlockPart {
    /// The block.
    Block {
        /// The version that the caller has this block of: if it is still the same, the answer is `unchanged`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unless: Option<Version>,
    },
    /// The block and the notes that it shows.
    BlockAndNotes,
    /// The notes of these sections that are new to a reader.
    Changed {
        /// The sections.
        sections: Vec<Section>,
        /// What the reader was shown.
        known: Vec<ShownNote>,
    },
    /// The notes that match the query.
    Matching {
        /// What the reader was shown.
        known: Vec<ShownNote>,
    },
}

/// The answer to a request for a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum BlockAnswer {
    /// The caller has the block already.
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

fn shown(notes: &[context::ShownNote]) -> Result<Vec<ShownNote>> {
    notes.iter().map(ShownNote::try_from).collect()
}

impl TryFrom<&context::BlockAsk> for BlockAsk {
    type Error = Error;

    fn try_from(ask: &context::BlockAsk) -> Result<Self> {
        use context::BlockPart as Of;
        Ok(Self {
            request: Request::try_from(&ask.request)?,
            part: match &ask.part {
                Of::Block { unless } => BlockPart::Block {
                    unless: unless.as_ref().map(Version::from),
                },
                Of::BlockAndNotes => BlockPart::BlockAndNotes,
                Of::Changed { sections, known } => BlockPart::Changed {
                    sections: sections
                        .iter()
                        .map(|section| (*section).try_into())
                        .collect::<Result<_>>()?,
                    known: shown(known)?,
                },
                Of::Matching { known } => BlockPart::Matching {
                    known: shown(known)?,
                },
            },
        })
    }
}

impl TryFrom<BlockAsk> for context::BlockAsk {
    type Error = Error;

    fn try_from(ask: BlockAsk) -> Result<Self> {
        use context::BlockPart as Of;
        Ok(Self {
            request: ask.request.try_into()?,
            part: match ask.part {
                BlockPart::Block { unless } => Of::Block {
                    unless: unless.map(TryInto::try_into).transpose()?,
                },
                BlockPart::BlockAndNotes => Of::BlockAndNotes,
                BlockPart::Changed { sections, known } => Of::Changed {
                    sections: sections.into_iter().map(Into::into).collect(),
                    known: each(known)?,
                },
                BlockPart::Matching { known } => Of::Matching {
                    known: each(known)?,
                },
            },
        })
    }
}

impl TryFrom<&context::BlockAnswer> for BlockAnswer {
    type Error = Error;

    fn try_from(answer: &context::BlockAnswer) -> Result<Self> {
        use context::BlockAnswer as Of;
        Ok(match answer {
            Of::Unchanged => Self::Unchanged,
            Of::Block(block, version) => Self::Block {
                block: Box::new(Block::try_from(&**block)?),
                version: Version::from(version),
            },
            Of::BlockAndNotes(block, notes) => Self::BlockAndNotes {
                block: Box::new(Block::try_from(&**block)?),
                notes: shown(notes)?,
            },
            Of::Notes(found) => Self::Notes(Matching::try_from(found)?),
        })
    }
}

impl TryFrom<BlockAnswer> for context::BlockAnswer {
    type Error = Error;

    fn try_from(answer: BlockAnswer) -> Result<Self> {
        Ok(match answer {
            BlockAnswer::Unchanged => Self::Unchanged,
            BlockAnswer::Block { block, version } => {
                Self::Block(Box::new((*block).try_into()?), version.try_into()?)
            }
            BlockAnswer::BlockAndNotes { block, notes } => {
                Self::BlockAndNotes(Box::new((*block).try_into()?), each(notes)?)
            }
            BlockAnswer::Notes(found) => Self::Notes(found.try_into()?),
        })
    }
}
