//! The text of a block.

use serde::{Deserialize, Serialize};

use super::{Receipt, Section, Style};

/// A prompt block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Block {
    /// The text for the prompt; empty when no note applies.
    pub text: String,
    /// The style it is written in.
    pub style: Style,
    /// Its sections that are not empty.
    pub sections: Vec<SectionText>,
    /// How each note is shown. Empty in style faithful, which shows all notes.
    pub receipt: Receipt,
    /// The position of the store's last change when the block was made; none for an empty store.
    pub position: Option<crate::note::Position>,
}

/// A section of a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SectionText {
    /// The section.
    pub section: Section,
    /// Its text.
    pub text: String,
}
