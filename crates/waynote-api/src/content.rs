//! The text of a note.

use serde::{Deserialize, Serialize};

/// The text of a note: a string, or a list of bytes if it is not UTF-8. No byte is changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum Content {
    /// Text.
    Text(String),
    /// Bytes that are not UTF-8: what another program wrote.
    Bytes(Vec<u8>),
}

impl From<&waynote::Content> for Content {
    fn from(content: &waynote::Content) -> Self {
        match content.as_text() {
            Some(text) => Self::Text(text.to_owned()),
            None => Self::Bytes(content.as_bytes().to_vec()),
        }
    }
}

impl From<Content> for waynote::Content {
    fn from(content: Content) -> Self {
        match content {
            Content::Text(text) => Self::imported(text),
            Content::Bytes(bytes) => Self::imported(bytes),
        }
    }
}
