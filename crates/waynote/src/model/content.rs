//! The content of a note: bytes, kept unchanged, and the one-line preview made from them.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};
use crate::secrets;
use crate::visible::without_hidden;

/// The longest preview, in characters (80, as in openotters; the last is an ellipsis if the text is cut).
pub const PREVIEW_CHARS: usize = 80;

/// The content of a note.
///
/// A written note is text. An imported note may hold any bytes, because the program it comes from allowed that; they
/// are kept unchanged.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Content(Vec<u8>);

impl Content {
    /// Text given by a caller.
    ///
    /// # Errors
    /// [`Error::NotText`] for a NUL, which prompts and most tools cannot handle.
    pub fn text(text: impl Into<String>) -> Result<Self> {
        Self::written(text.into().into_bytes())
    }

    /// Bytes given by a caller, kept unchanged.
    ///
    /// # Errors
    /// [`Error::NotText`] when they are not UTF-8 or hold a NUL.
    pub fn written(bytes: Vec<u8>) -> Result<Self> {
        if let Err(error) = std::str::from_utf8(&bytes) {
            let offset = error.valid_up_to();
            let what = match bytes.as_slice() {
                [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => {
                    "it begins with the byte order mark of UTF-16".to_owned()
                }
                _ => format!(
                    "byte 0x{:02X} at offset {offset} is not UTF-8",
                    bytes[offset]
                ),
            };
            return Err(Error::NotText { what });
        }
        let content = Self(bytes);
        content.check_nul()?;
        Ok(content)
    }

    /// Checks that there is no NUL, in imported bytes too.
    ///
    /// # Errors
    /// [`Error::NotText`] for a NUL, which prompts and most tools cannot handle.
    pub fn check_nul(&self) -> Result<()> {
        match self.0.iter().position(|byte| *byte == 0) {
            None => Ok(()),
            Some(offset) => Err(Error::NotText {
                what: format!("there is a NUL at offset {offset}"),
            }),
        }
    }

    /// Bytes that another program stored, of any kind.
    pub fn imported(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The text, unless the bytes are not UTF-8.
    pub fn as_text(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// The text for a prompt, with U+FFFD for a lone surrogate (which Python's strings can hold). Other bytes are shown
    /// as a list of numbers (as in ralph.nu).
    pub fn shown(&self) -> Cow<'_, str> {
        match self.as_text() {
            Some(text) => Cow::Borrowed(text),
            None => Cow::Owned(
                self.without_surrogates()
                    .unwrap_or_else(|| format!("{:?}", self.0)),
            ),
        }
    }

    /// The text of WTF-8, with each lone surrogate replaced.
    fn without_surrogates(&self) -> Option<String> {
        let mut bytes = self.0.clone();
        for index in 0..bytes.len().saturating_sub(2) {
            if bytes[index] == 0xED && bytes[index + 1] >= 0xA0 {
                bytes[index..index + 3].copy_from_slice("\u{FFFD}".as_bytes());
            }
        }
        String::from_utf8(bytes).ok()
    }

    /// The content without hidden characters ([`without_hidden`]); none if it has none.
    pub(crate) fn unhidden(&self) -> Option<Self> {
        match without_hidden(self.as_text()?) {
            Cow::Owned(text) => Some(Self(text.into_bytes())),
            Cow::Borrowed(_) => None,
        }
    }

    /// The length in bytes, which the size limit applies to.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if it has no bytes at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if it is empty or only white space. Prompts leave out a directory's own note if it is blank.
    pub fn is_blank(&self) -> bool {
        self.as_text()
            .is_some_and(|text| text.chars().all(is_space))
    }

    /// The SHA-256 of the bytes, under which the store keeps them.
    pub fn hash(&self) -> ContentHash {
        ContentHash(Sha256::digest(&self.0).into())
    }

    /// The one-line preview for lists (as in openotters): the first line that is not blank, trimmed, with runs of
    /// blanks and tabs as one blank, at most [`PREVIEW_CHARS`] characters. Credentials are masked.
    pub fn preview(&self) -> String {
        let head = self.head();
        #[cfg(test)]
        crate::work::scanned(head.len());
        first_line(&secrets::masked(&head))
    }

    /// The stored preview; a new one if a rule now finds a credential in the text.
    #[cfg(feature = "sqlite")]
    pub(crate) fn preview_now(&self, stored: impl Into<String>) -> String {
        let head = self.head();
        #[cfg(test)]
        crate::work::scanned(head.len());
        match secrets::scan(&head).is_empty() {
            true => stored.into(),
            false => self.preview(),
        }
    }

    /// The beginning of the text that a preview is made from, without leading white space. It is longer than any
    /// credential that may begin in a preview.
    fn head(&self) -> Cow<'_, str> {
        const BYTES: usize = 32 * 1024;
        match self.as_text() {
            Some(text) => {
                let text = text.trim_start();
                without_hidden(&text[..text.floor_char_boundary(BYTES)])
            }
            None if self.len() <= BYTES => self.shown(),
            None => Cow::Owned(match self.without_surrogates() {
                Some(text) => {
                    let text = text.trim_start();
                    text[..text.floor_char_boundary(BYTES)].to_owned()
                }
                None => format!("{:?}", &self.0[..BYTES]),
            }),
        }
    }

    /// The same without masks: the preview that a program with fewer rules may have stored.
    #[cfg(feature = "sqlite")]
    pub(crate) fn plain_preview(&self) -> String {
        first_line(&self.head())
    }
}

/// The first line that is not blank, as a preview shows it.
fn first_line(text: &str) -> String {
    let Some(line) = text
        .split('\n')
        .map(str::trim)
        .find(|line| !line.is_empty())
    else {
        return String::new();
    };
    let mut flat = String::with_capacity(line.len().min(4 * PREVIEW_CHARS));
    let mut chars = 0;
    let mut after_blank = false;
    for char in line.chars() {
        let blank = char == ' ' || char == '\t';
        if blank && after_blank {
            continue;
        }
        after_blank = blank;
        chars += 1;
        if chars > PREVIEW_CHARS {
            flat.pop();
            flat.push('…');
            break;
        }
        flat.push(if blank { ' ' } else { char });
    }
    flat
}

/// White space as Python defines it: four separators more than Rust's.
pub(crate) fn is_space(char: char) -> bool {
    char.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&char)
}

/// The text for a prompt (see [`Content::shown`]).
impl fmt::Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown())
    }
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Content({:?})", self.shown())
    }
}

/// In JSON a string; for bytes that are not UTF-8, an array of numbers (as in ralph.nu's `note_list`).
impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self.as_text() {
            Some(text) => serializer.serialize_str(text),
            None => self.0.serialize(serializer),
        }
    }
}

/// SHA-256 of a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ContentHash(pub [u8; 32]);

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::text::hex(&self.0))
    }
}

/// Parses a hash as it is printed.
impl FromStr for ContentHash {
    type Err = &'static str;

    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        let bytes = crate::id::bytes_of(text).map(Self);
        bytes.ok_or("a hash is 64 hexadecimal digits")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_content_is_text_without_nul() {
        assert!(Content::text("fine\n\u{1}").is_ok());
        let nul = Content::text("a\0b").unwrap_err();
        assert_eq!(
            nul.to_string(),
            "the text is not plain text: there is a NUL at offset 1"
        );
        let latin = Content::written(b"caf\xe9".to_vec()).unwrap_err();
        assert_eq!(
            latin.to_string(),
            "the text is not plain text: byte 0xE9 at offset 3 is not UTF-8"
        );
    }

    #[test]
    fn bytes_that_are_not_text_are_shown_as_numbers() {
        let content = Content::imported(vec![110, 255]);
        assert_eq!(content.shown(), "[110, 255]");
        assert_eq!(serde_json::to_string(&content).unwrap(), "[110,255]");
        assert!(!content.is_blank());
    }

    #[test]
    fn lone_surrogates_are_replaced_when_shown() {
        let content = Content::imported(b"a\xed\xa0\x80b".to_vec());
        assert_eq!(content.shown(), "a\u{FFFD}b");
        assert_eq!(
            serde_json::to_string(&content).unwrap(),
            "[97,237,160,128,98]"
        );
    }

    #[test]
    fn a_blank_run_at_the_cut_counts_once() {
        let content = Content::imported(format!("{}  y", "x".repeat(79)));
        assert_eq!(content.preview(), format!("{}…", "x".repeat(79)));
    }
}
