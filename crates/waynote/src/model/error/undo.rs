//! Reasons that nothing was undone or redone.

use serde::{Deserialize, Serialize};

use crate::address::Address;
use crate::author::shown;
use crate::error::{ErrorClass, safe};
use crate::key::Name;

/// Why nothing was undone or redone.
#[derive(
    Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize, strum::IntoStaticStr,
)]
#[strum(serialize_all = "snake_case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum UndoError {
    /// There is no change left to undo.
    #[error("there is nothing to undo{}", in_note(address.as_ref()))]
    NothingToUndo {
        /// The note, when one was named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        address: Option<Address>,
    },

    /// There is no undo left to redo.
    #[error("there is nothing to redo{}", in_note(address.as_ref()))]
    NothingToRedo {
        /// The note, when one was named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        address: Option<Address>,
    },

    /// Another author has made the last change of the note. Nothing was changed.
    #[error("the last change of {} is by {}", safe(address), safe(shown(by, None)))]
    Superseded {
        /// The note.
        address: Address,
        /// Who changed it last.
        by: Name,
    },
}

impl UndoError {
    /// A stable word for programs.
    pub fn kind(&self) -> &'static str {
        self.into()
    }

    /// The family of the error.
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::NothingToUndo { .. } | Self::NothingToRedo { .. } => ErrorClass::NotFound,
            Self::Superseded { .. } => ErrorClass::Conflict,
        }
    }

    /// The advice for the error, in words that suit every program.
    pub fn advice(&self) -> Option<String> {
        match self {
            Self::NothingToUndo { .. } => None,
            Self::NothingToRedo { .. } => {
                Some("only what was undone can be redone, until the next change".into())
            }
            Self::Superseded { .. } => {
                Some("look at its history, then restore the revision that you want".into())
            }
        }
    }
}

fn in_note(address: Option<&Address>) -> String {
    address.map_or(String::new(), |address| format!(" in {}", safe(address)))
}
